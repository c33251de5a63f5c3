import { moveTasks, placeTasks, setDue, setStarred } from "./acts.js"
import { cell, useCell } from "./cell.js"
import { count, today } from "./format.js"
import { placeList, putInFolder } from "./list-acts.js"
import { clearSelection, selection, shownTasks } from "./selection.js"

type What = { readonly kind: "task" | "list"; readonly id: number; readonly title: string }

/** Where it would go: onto something, or behind another of an order (null: first). */
type Goal =
  | { readonly onto: string; readonly element: Element }
  | { readonly after: number | null; readonly element: Element; readonly isBelow: boolean }

type Drag = What & { readonly ids: readonly number[]; readonly x: number; readonly y: number; readonly goal?: Goal }

const START_PX = 6
const PRESS_MS = 350
const EDGE_PX = 56
const SCROLL_PX = 12

const dragging = cell<Drag | undefined>(undefined)

/** Begins where something was pressed: by mouse or on a grip once it moves, by finger elsewhere once it has stayed. */
export function startDrag(event: PointerEvent, what: What): void {
  const element = event.target as Element
  const isGrip = element.closest(".grip") !== null
  if (event.button !== 0 || (!isGrip && element.closest("input, label, button") !== null)) return
  const [startX, startY] = [event.clientX, event.clientY]
  // What moves at once scrolls, but on a grip.
  const mustStay = event.pointerType === "touch" && !isGrip
  const over = new AbortController()
  const { signal } = over
  let last = event
  let frame = 0

  function begin() {
    const { ids } = selection.get()
    const chosen = what.kind === "task" && ids.has(what.id)
    // In the order in which they are shown, so that they keep it among themselves.
    const all = chosen ? shownTasks.get().filter((id) => ids.has(id)) : [what.id]
    dragging.set({ ...what, ids: all, x: last.clientX, y: last.clientY })
    document.body.classList.add("is-dragging")
    scroll()
  }
  function scroll() {
    frame = requestAnimationFrame(scroll)
    const under = document.elementFromPoint(last.clientX, last.clientY)
    const scroller = under?.closest(".scroller, .sidebar")
    if (!scroller) return
    const { top, bottom } = scroller.getBoundingClientRect()
    if (last.clientY < top + EDGE_PX) scroller.scrollTop -= SCROLL_PX
    else if (last.clientY > bottom - EDGE_PX) scroller.scrollTop += SCROLL_PX
  }
  function move(next: PointerEvent) {
    last = next
    const now = dragging.get()
    if (now !== undefined) {
      const goal = goalAt(now, next.clientX, next.clientY)
      dragging.set({ ...now, x: next.clientX, y: next.clientY, goal })
      return
    }
    if (Math.hypot(next.clientX - startX, next.clientY - startY) < START_PX) return
    if (mustStay) end()
    else begin()
  }
  function end() {
    over.abort()
    clearTimeout(press)
    cancelAnimationFrame(frame)
    document.body.classList.remove("is-dragging")
    dragging.set(undefined)
  }
  function drop() {
    const now = dragging.get()
    end()
    if (now === undefined) return
    // The click that follows is none.
    addEventListener("click", stop, true)
    setTimeout(() => removeEventListener("click", stop, true))
    if (now.goal !== undefined) land(now, now.goal)
  }
  const stop = (click: Event) => {
    click.preventDefault()
    click.stopPropagation()
  }

  const press = mustStay ? setTimeout(begin, PRESS_MS) : undefined
  addEventListener("pointermove", move, { signal })
  addEventListener("pointerup", drop, { signal })
  addEventListener("pointercancel", end, { signal })
  addEventListener(
    "keydown",
    (key) => {
      if (key.key !== "Escape" || dragging.get() === undefined) return
      key.stopImmediatePropagation()
      end()
    },
    { signal, capture: true },
  )
  // A finger that stays asks for a menu too, which would end it.
  addEventListener("contextmenu", (menu) => dragging.get() && menu.preventDefault(), { signal })
  // Else the finger scrolls, and the browser takes the pointer away.
  addEventListener("touchmove", (touch) => dragging.get() && touch.preventDefault(), { signal, passive: false })
}

function goalAt({ kind, ids }: Drag, x: number, y: number): Goal | undefined {
  const under = document.elementFromPoint(x, y)
  const onto = under?.closest<HTMLElement>("[data-drop]")
  const row =
    kind === "task"
      ? under?.closest<HTMLElement>("[data-order] > li.task")
      : onto?.dataset.drop?.startsWith("list:")
        ? onto
        : undefined
  if (row) {
    const { top, height } = row.getBoundingClientRect()
    const isBelow = y > top + height / 2
    const own = Number(row.dataset.id)
    if (isBelow) return { after: own, element: row, isBelow }
    const all = kind === "task" ? shownTasks.get() : listIds()
    const before = all.slice(0, all.indexOf(own)).filter((id) => !ids.includes(id))
    return { after: before.at(-1) ?? null, element: row, isBelow }
  }
  const name = onto?.dataset.drop
  return name && onto && (kind === "task" || name.startsWith("folder:")) ? { onto: name, element: onto } : undefined
}

/** The lists of the sidebar, as they are shown. */
const listIds = (): number[] =>
  [...document.querySelectorAll<HTMLElement>('[data-drop^="list:"]')].map((row) => Number(row.dataset.id))

function land({ kind, ids, id }: Drag, goal: Goal): void {
  if (kind === "list") {
    if ("after" in goal) placeList(id, goal.after, Number(goal.element.getAttribute("data-folder")) || undefined)
    else putInFolder(id, Number(goal.onto.split(":")[1]))
    return
  }
  clearSelection()
  if ("after" in goal) {
    placeTasks(ids, goal.after)
    return
  }
  const [what, name] = goal.onto.split(":")
  if (what === "list" || what === "inbox") moveTasks(ids, Number(name))
  else if (name === "today") setDue(ids, today.get())
  else if (name === "starred") setStarred(ids, true)
}

/** What is dragged, at the pointer, and where it would go. */
export function Dragged() {
  const now = useCell(dragging)
  if (now === undefined) return null
  const { x, y, title, ids, goal } = now
  const box = goal?.element.getBoundingClientRect()
  const line =
    box && goal && "after" in goal
      ? { left: box.left, width: box.width, top: goal.isBelow ? box.bottom : box.top }
      : undefined
  return (
    <div aria-hidden="true">
      {line && (
        <div class="drop-line" style={{ left: `${line.left}px`, width: `${line.width}px`, top: `${line.top - 1}px` }} />
      )}
      {box && goal && "onto" in goal && (
        <div
          class="drop-box"
          style={{ left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` }}
        />
      )}
      <div class="dragged" style={{ transform: `translate(${x + 12}px, ${y + 8}px)` }}>
        {title}
        {ids.length > 1 && <span class="count">{count(ids.length)}</span>}
      </div>
    </div>
  )
}
