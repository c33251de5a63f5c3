import { useEffect } from "preact/hooks"
import type { Command, Values, View } from "../../../../client/client.js"
import { cell, useCell } from "./cell.js"
import { Dialog } from "./dialog.js"
import { dayInWords, instantInWords, nameOf, today } from "./format.js"
import { client } from "./session.js"
import { t } from "./texts.js"
import { useView } from "./use-view.js"

const isOpen = cell(false)

/** What a value reads as. */
function inWords(view: View, member: string, value: unknown): string {
  if (value === null || value === undefined || value === "") return t.nothing
  if (typeof value === "boolean") return value ? t.yes : t.no
  if (member === "due_date") return dayInWords(String(value), today.get())
  if (member === "date") return instantInWords(String(value))
  if (member === "assignee_id") return view.get("user", Number(value))?.name ?? t.somebody
  const listName = (id: unknown) => {
    const list = view.get("list", Number(id))
    return list ? nameOf(list) : t.nothing
  }
  if (member === "list_id") return listName(value)
  if (Array.isArray(value)) return value.map(listName).join(", ") || t.nothing
  return String(value)
}

/** What it is about: the task or list that it is in. */
function subjectOf(view: View, { kind, target, values, seen }: Command): string {
  const own = (view.get(kind, target) ?? {}) as unknown as Values
  const titleOf = (all: Values) => (typeof all.title === "string" ? all.title : undefined)
  const taskId = Number(own.task_id ?? values.task_id ?? seen.task_id)
  const task = taskId ? view.get("task", taskId)?.title : undefined
  return task ?? titleOf(own) ?? titleOf(seen) ?? titleOf(values) ?? t.members_[kind] ?? kind
}

function Side({
  title,
  values,
  members,
  view,
}: {
  readonly title: string
  readonly values: Values
  readonly members: readonly string[]
  readonly view: View
}) {
  return (
    <div class="side-of">
      <h4>{title}</h4>
      <dl>
        {members.map((member) => (
          <div key={member}>
            <dt>{t.members_[member] ?? member}</dt>
            <dd dir="auto">{inWords(view, member, values[member])}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

const TEXTS = ["content", "text"]

function Decision({ command, view }: { readonly command: Command; readonly view: View }) {
  const { id, action, kind, aside } = command
  if (aside === undefined) return null
  const subject = subjectOf(view, command)
  const drop = () => client.drop(id)
  if (aside.reason === "refused") {
    const faults = Object.entries(aside.fields).map(
      ([member, texts]) => `${t.members_[member] ?? member} ${texts.join(", ")}`,
    )
    const members = Object.keys(command.values).filter((member) => t.members_[member] !== undefined)
    return (
      <li class="decision">
        <h3 dir="auto">{subject}</h3>
        <p>{t.refusedHint(faults.join("; ") || aside.message)}</p>
        {members.length > 0 && <Side title={t.mine} values={command.values} members={members} view={view} />}
        <div class="actions">
          <button type="button" class="main small" onClick={() => client.retry(id)}>
            {t.tryAgain}
          </button>
          <button type="button" class="plain small" onClick={drop}>
            {t.discard}
          </button>
        </div>
      </li>
    )
  }
  const { base, mine, theirs } = aside
  const isDeletion = action === "delete"
  const all = isDeletion
    ? Object.keys(base).filter((member) => theirs && String(base[member] ?? "") !== String(theirs[member] ?? ""))
    : Object.keys(mine)
  const members = all.filter((member) => t.members_[member] !== undefined)
  const text = members.find((member) => TEXTS.includes(member))
  return (
    <li class="decision">
      <h3 dir="auto">{subject}</h3>
      <p class="quiet">{theirs === undefined ? t.goneHint : isDeletion ? t.deletionHint : t.conflictHint}</p>
      <div class="sides">
        {isDeletion ? (
          <Side title={t.before} values={base} members={members} view={view} />
        ) : (
          <Side title={t.mine} values={mine} members={members} view={view} />
        )}
        {theirs !== undefined && <Side title={t.theirs} values={theirs} members={members} view={view} />}
      </div>
      <div class="actions">
        {theirs !== undefined && (
          <button type="button" class={isDeletion ? "danger small" : "main small"} onClick={() => client.retry(id)}>
            {isDeletion ? t.deleteAnyway : t.keepMine}
          </button>
        )}
        {theirs !== undefined && kind === "note" && text !== undefined && (
          <button
            type="button"
            class="plain small"
            onClick={() => client.retry(id, { [text]: `${theirs[text]}\n\n${mine[text]}` })}
          >
            {t.keepBoth}
          </button>
        )}
        <button type="button" class="plain small" onClick={drop}>
          {theirs === undefined ? t.discard : t.keepTheirs}
        </button>
      </div>
    </li>
  )
}

/** Says that something waits for a decision, if anything does. */
export function ConflictsButton() {
  const number = useView((view) => view.aside().length)
  if (number === 0) return null
  return (
    <button type="button" class="to-decide" id="to-decide" onClick={() => isOpen.set(true)}>
      {t.toDecide(number)}
    </button>
  )
}

/** What waits for a decision, side by side. */
export function Conflicts() {
  const commands = useView((view) => view.aside())
  const open = useCell(isOpen)
  const close = () => isOpen.set(false)
  useEffect(() => {
    if (commands.length === 0) close()
  }, [commands.length])
  if (!open || commands.length === 0) return null
  return (
    <Dialog id="conflicts" title={t.conflicts} onClose={close}>
      <ul class="decisions">
        {commands.map((command) => (
          <Decision key={command.id} command={command} view={client.view} />
        ))}
      </ul>
    </Dialog>
  )
}
