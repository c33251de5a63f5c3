import type { Subtask, Task } from "../../../../client/client.js"
import { remove, step } from "./acts.js"
import { AddForm } from "./add-form.js"
import { isComposing } from "./composing.js"
import { Icon } from "./icons.js"
import { client } from "./session.js"
import { noteMade, stableKey } from "./stable-key.js"
import { t } from "./texts.js"
import { useDraft } from "./use-draft.js"
import { useView } from "./use-view.js"

function Step({ subtask }: { readonly subtask: Subtask }) {
  const { id, title, completed } = subtask
  const key = stableKey("subtask", id)
  const draft = useDraft<HTMLInputElement>(title, (text, seen) =>
    text.trim() === "" ? undefined : client.update("subtask", id, { title: text }, { seen: { title: seen } }),
  )
  const move = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined
    if (by === undefined || isComposing(event)) return
    event.preventDefault()
    event.stopPropagation()
    const { activeElement } = document
    if (!step("subtask", id, by)) return
    // Moved elements lose the focus.
    setTimeout(() => (activeElement as HTMLElement | null)?.focus())
  }
  return (
    <li class={`step${completed ? " completed" : ""}`}>
      <label class="check small">
        <input
          type="checkbox"
          checked={completed}
          aria-label={t.isDone(title)}
          onChange={(event) => void client.update("subtask", id, { completed: event.currentTarget.checked })}
        />
        <Icon name="tick" />
      </label>
      <input
        {...draft}
        class="step-title"
        id={`step-${key}`}
        maxLength={255}
        aria-label={t.stepName}
        onKeyDown={(event) => {
          if (event.altKey) move(event)
          else if (event.key === "Enter" && !isComposing(event)) {
            event.preventDefault()
            document.getElementById("new-step")?.focus()
          }
        }}
      />
      <button
        type="button"
        class="grip"
        id={`step-grip-${key}`}
        aria-label={t.moveStep(title)}
        aria-describedby="how-to-move"
        onKeyDown={move}
        onPointerDown={(event) => dragStep(event, subtask)}
      >
        <Icon name="grip" />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label={t.deleteStep(title)}
        onClick={() => remove("subtask", [id], t.deleted(title))}
      >
        <Icon name="cross" />
      </button>
    </li>
  )
}

/** Moves a step each time that the pointer passes the middle of a neighbour. */
function dragStep(event: PointerEvent, { id }: Subtask): void {
  const grip = event.currentTarget as HTMLElement
  const over = new AbortController()
  const { signal } = over
  event.preventDefault()
  grip.focus()
  addEventListener(
    "pointermove",
    ({ clientY }) => {
      const row = grip.closest("li")
      const middle = (other: Element | null | undefined) => {
        const box = other?.getBoundingClientRect()
        return box && box.top + box.height / 2
      }
      const [above, below] = [middle(row?.previousElementSibling), middle(row?.nextElementSibling)]
      if (above !== undefined && clientY < above) step("subtask", id, -1)
      else if (below !== undefined && clientY > below) step("subtask", id, 1)
    },
    { signal },
  )
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => over.abort(), { signal })
}

/** The steps of a task, in their order. */
export function Steps({ task: { id } }: { readonly task: Task }) {
  const subtasks = useView((view) => view.subtasks(id), [id])
  return (
    <section aria-label={t.stepsTitle} class="steps">
      <ul id="steps">
        {subtasks.map((subtask) => (
          <Step key={stableKey("subtask", subtask.id)} subtask={subtask} />
        ))}
      </ul>
      <AddForm
        field="new-step"
        label={t.addStep}
        isSmall
        task={id}
        onAdd={(title) => noteMade("subtask", client.create("subtask", { task_id: id, title }))}
      />
    </section>
  )
}
