import { useLayoutEffect, useRef } from "preact/hooks"
import type { Task } from "../../../../client/client.js"
import { removeTasks, setCompleted, setStarred } from "./acts.js"
import { useCell } from "./cell.js"
import { Comments } from "./comments.js"
import { isComposing } from "./composing.js"
import { Assignee, DueDate, ListOf, Recurrence } from "./facts.js"
import { Files } from "./files.js"
import { instantInWords } from "./format.js"
import { Icon } from "./icons.js"
import { Notes } from "./notes.js"
import { openTask, place } from "./place.js"
import { Reminders } from "./reminders.js"
import { client } from "./session.js"
import { stableKey } from "./stable-key.js"
import { Steps } from "./steps.js"
import { t } from "./texts.js"
import { useDraft } from "./use-draft.js"
import { useView } from "./use-view.js"

function Title({ task: { id, title, completed } }: { readonly task: Task }) {
  const { ref, onInput, ...draft } = useDraft<HTMLTextAreaElement>(title, (text, seen) =>
    text.trim() === "" ? undefined : client.update("task", id, { title: text }, { seen: { title: seen } }),
  )
  const grow = () => {
    const field = ref.current
    if (field === null) return
    field.style.height = "auto"
    field.style.height = `${field.scrollHeight}px`
  }
  useLayoutEffect(grow, [title])
  return (
    <div class="title-line">
      <label class="check">
        <input
          type="checkbox"
          checked={completed}
          aria-label={t.isDone(title)}
          onChange={(event) => setCompleted([id], event.currentTarget.checked)}
        />
        <Icon name="tick" />
      </label>
      <textarea
        id="task-title"
        class={completed ? "completed" : ""}
        rows={1}
        maxLength={255}
        aria-label={t.task}
        autocomplete="off"
        ref={ref}
        {...draft}
        onInput={(event) => {
          grow()
          onInput(event)
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || isComposing(event)) return
          event.preventDefault()
          event.currentTarget.blur()
        }}
      />
    </div>
  )
}

/** A task with all that is in it. */
function Detail({ task }: { readonly task: Task }) {
  const { id, list_id, starred, created_at, created_by_id } = task
  const author = useView((view) => view.get("user", created_by_id)?.name, [created_by_id])
  const list = useView((view) => view.get("list", list_id), [list_id])
  const heading = useRef<HTMLHeadingElement>(null)
  // Somebody who writes goes on writing; else what was opened is where the keys go.
  useLayoutEffect(() => {
    if (document.activeElement?.id.startsWith("open-")) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <aside class="detail" id="opened-task" aria-labelledby="opened-title">
      <div class="detail-head">
        <h2 id="opened-title" ref={heading} tabIndex={-1}>
          <span class="unseen">{task.title}: </span>
          {t.details}
        </h2>
        <button
          type="button"
          class="star"
          aria-pressed={starred}
          aria-label={t.star(task.title)}
          onClick={() => setStarred([id], !starred)}
        >
          <Icon name="star" />
        </button>
        <button
          type="button"
          class="icon-button"
          id="delete-task"
          aria-label={t.deleteTask}
          title={t.deleteTask}
          onClick={() => {
            closeDetail()
            removeTasks([id])
          }}
        >
          <Icon name="trash" />
        </button>
        <button
          type="button"
          class="icon-button"
          id="close-task"
          aria-label={t.close}
          title={t.close}
          onClick={closeDetail}
        >
          <Icon name="cross" />
        </button>
      </div>
      <div class="detail-body">
        <Title task={task} />
        <Steps task={task} />
        <div class="facts-of">
          <DueDate task={task} />
          <Reminders task={task} />
          <Recurrence task={task} />
          {list && <Assignee task={task} list={list} />}
          <ListOf task={task} />
        </div>
        <Notes task={task} />
        <Files task={task} />
        <Comments task={task} />
        <p class="quiet small foot">{t.createdBy(author ?? t.formerMember, instantInWords(created_at))}</p>
      </div>
    </aside>
  )
}

/** Closes the details; the focus goes back to the row. */
export function closeDetail(): void {
  const { task } = place.get()
  const known = task === undefined ? undefined : client.view.get("task", task)
  openTask(undefined)
  const row = known && document.getElementById(`open-${stableKey("task", known.id)}`)
  ;(row ?? document.getElementById("list-title"))?.focus({ preventScroll: true })
}

/** The task that the address names, if it is there. */
export function OpenedTask() {
  const here = useCell(place)
  const task = useView((view) => (here.task === undefined ? undefined : view.get("task", here.task)), [here.task])
  const wasThere = useRef(false)
  useLayoutEffect(() => {
    // It has been deleted, here or elsewhere: the address names nothing any more.
    if (task === undefined && wasThere.current && here.task !== undefined) closeDetail()
    wasThere.current = task !== undefined
  }, [task, here.task])
  return task === undefined ? null : <Detail key={stableKey("task", task.id)} task={task} />
}
