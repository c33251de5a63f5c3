import { placeTasks, removeTasks, setCompleted, setDue, setStarred, step } from "./acts.js"
import { chooseList } from "./batch-bar.js"
import { cell, useCell } from "./cell.js"
import { isComposing } from "./composing.js"
import { closeDetail } from "./detail.js"
import { Dialog } from "./dialog.js"
import { drawer } from "./drawer.js"
import { today } from "./format.js"
import { go, place, type SmartView } from "./place.js"
import { clearSelection, selectAll, selection, selectUpTo, shownTasks, toggleSelected } from "./selection.js"
import { client } from "./session.js"
import { t } from "./texts.js"
import { undoLast } from "./toast.js"

const isHelpOpen = cell(false)
const GO_WITHIN_MS = 1_500
const PLACES: Readonly<Record<string, SmartView | "list">> = {
  i: "list",
  t: "today",
  w: "week",
  s: "starred",
  a: "assigned",
  c: "completed",
}

const rowAt = (element: Element | null): HTMLElement | undefined =>
  element?.closest<HTMLElement>("li.task") ?? undefined
const rows = (): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>(".scroller li.task")].sort(
    (one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top,
  )
const idOf = (row: HTMLElement): number => Number(row.dataset.id)
const focusRow = (row: HTMLElement | undefined): void => row?.querySelector<HTMLElement>(".title")?.focus()

/** The tasks that a key is about: those that are selected, else the one that has the focus, else the one that is open. */
function tasksMeant(): number[] {
  const { ids } = selection.get()
  if (ids.size > 0) return shownTasks.get().filter((id) => ids.has(id))
  const row = rowAt(document.activeElement)
  if (row !== undefined) return [idOf(row)]
  const { task } = place.get()
  const known = task === undefined ? undefined : client.view.get("task", task)
  return known ? [known.id] : []
}

/** Moves the focus among the rows, from one group on to the next. */
function walk(by: -1 | 1, isSelecting: boolean): void {
  const all = rows()
  const now = rowAt(document.activeElement)
  const next = now === undefined ? all[0] : all[all.indexOf(now) + by]
  if (next === undefined) return
  if (isSelecting && now !== undefined) {
    if (selection.get().ids.size === 0) toggleSelected(idOf(now))
    selectUpTo(idOf(next), shownTasks.get())
  }
  focusRow(next)
}

/** Moves the selected tasks, or the one that has the focus, one place up or down. */
function shift(by: -1 | 1): void {
  const ids = tasksMeant()
  const [first] = ids
  if (first === undefined || rowAt(document.activeElement)?.closest("[data-order]") == null) return
  if (ids.length === 1) return void step("task", first, by)
  const all = shownTasks.get()
  const edge = all.indexOf(by < 0 ? first : (ids.at(-1) ?? first))
  if (all[edge + by] === undefined) return
  placeTasks(ids, by < 0 ? (all[edge - 2] ?? null) : (all[edge + 1] ?? null))
}

/** Closes what is on top. Windows and menus close themselves. */
function closeTop(): boolean {
  if (drawer.get()) {
    drawer.set(false)
    document.getElementById("show-lists")?.focus()
  } else if (selection.get().isOn) clearSelection()
  else if (place.get().task !== undefined) closeDetail()
  else if (place.get().view === "search") go({ view: "list" })
  else return false
  return true
}

function withTasks(act: (ids: number[]) => void): boolean {
  const ids = tasksMeant()
  if (ids.length > 0) act(ids)
  return ids.length > 0
}

const areAll = (ids: readonly number[], member: "completed" | "starred") =>
  ids.every((id) => client.view.get("task", id)?.[member])

const remove = () =>
  withTasks((ids) => {
    clearSelection()
    removeTasks(ids)
  })

/** Keys that act again and again while they are held. */
const REPEATED = ["ArrowDown", "ArrowUp", "j", "k"]

/** Keys that act while nothing is being written; false: it had nothing to act on. */
const KEYS: Readonly<Record<string, (event: KeyboardEvent) => unknown>> = {
  n: () => document.getElementById("new-task")?.focus(),
  "/": () => {
    go({ ...place.get(), view: "search", list: undefined, q: "" })
    document.getElementById("search")?.focus()
  },
  "?": () => isHelpOpen.set(true),
  ArrowDown: ({ shiftKey }) => walk(1, shiftKey),
  ArrowUp: ({ shiftKey }) => walk(-1, shiftKey),
  j: () => walk(1, false),
  k: () => walk(-1, false),
  s: () => withTasks((ids) => setStarred(ids, !areAll(ids, "starred"))),
  t: () => withTasks((ids) => setDue(ids, today.get())),
  m: () => withTasks(chooseList),
  x: () =>
    withTasks((ids) =>
      rowAt(document.activeElement)
        ? toggleSelected(idOf(rowAt(document.activeElement) as HTMLElement))
        : selectAll(ids),
    ),
  " ": () => withTasks((ids) => setCompleted(ids, !areAll(ids, "completed"))),
  Delete: remove,
  Backspace: remove,
}

let goneAt = 0

function onKeyDown(event: KeyboardEvent): void {
  if (isComposing(event) || event.defaultPrevented || document.querySelector("dialog[open]") !== null) return
  const target = event.target as HTMLElement
  const isWriting = target.closest("input:not([type=checkbox]), textarea, select") !== null
  const { key, altKey, ctrlKey, metaKey } = event
  if (key === "Escape") {
    if (isWriting && target.closest("#add-task, #add-list") !== null)
      (document.querySelector<HTMLElement>(".task .title") ?? document.getElementById("list-title"))?.focus()
    else if (closeTop()) event.preventDefault()
    return
  }
  if (isWriting) return
  if (ctrlKey || metaKey) {
    if (key === "z") undoLast()
    else if (key === "a" && shownTasks.get().length > 0) selectAll(shownTasks.get())
    else return
    event.preventDefault()
    return
  }
  if (altKey) {
    if ((key !== "ArrowUp" && key !== "ArrowDown") || rowAt(target) === undefined) return
    event.preventDefault()
    shift(key === "ArrowUp" ? -1 : 1)
    return
  }
  const to = Date.now() - goneAt < GO_WITHIN_MS ? PLACES[key] : undefined
  goneAt = key === "g" ? Date.now() : 0
  if (to !== undefined) {
    go({ view: to })
    return
  }
  // Buttons and boxes have keys of their own.
  const isOwn = target.closest("button, [role=menu], input, a:not(.title), summary") !== null
  if (isOwn && (key === " " || key === "Enter" || key.startsWith("Arrow"))) return
  const act = KEYS[key]
  const isHeld = event.repeat && !REPEATED.includes(key)
  if (act !== undefined && (isHeld || act(event) !== false)) event.preventDefault()
}

/** To be called once: it is never taken back. */
export const listenToKeys = (): void => addEventListener("keydown", onKeyDown)

const keyTexts = t.keys.split("\n").map((line) => line.split(" | "))

/** The dialogue behind `?`; draws nothing while it is closed. */
export function KeysHelp() {
  if (!useCell(isHelpOpen)) return null
  return (
    <Dialog id="keys" title={t.shortcuts} onClose={() => isHelpOpen.set(false)}>
      <dl class="keys">
        {keyTexts.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
