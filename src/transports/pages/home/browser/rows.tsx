import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Task } from "../../../../client/client.js"
import { cell, useCell } from "./cell.js"
import { Row } from "./row.js"
import { stableKey } from "./stable-key.js"

const phone = matchMedia("(max-width: 58rem)")
const heightNow = () => (phone.matches ? 60 : 48)
const rowHeight = cell(heightNow())
phone.addEventListener("change", () => rowHeight.set(heightNow()))

/** So many rows are there beyond what is seen, and the window moves by half of that. */
const BEYOND = 12

type Props = {
  readonly id: string
  readonly label: string
  readonly tasks: readonly Task[]
  /** The list in whose order they are; left out where they have none of their own. */
  readonly orderOf?: number
  readonly showsList?: boolean
}
type Focused = { readonly id: number; readonly part: string }

/** Rows of tasks, of which only those exist that are seen: thousands open as quickly as a few. */
export function Rows({ id, label, tasks, orderOf, showsList = false }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const height = useCell(rowHeight)
  const [[from, to], show] = useState([0, 40])
  const lastPlace = useRef(0)
  const [focused, setFocused] = useState<Focused | undefined>(undefined)

  useLayoutEffect(() => {
    const element = list.current as HTMLUListElement
    const scroller = element.closest(".scroller") as HTMLElement
    function look() {
      const above = scroller.getBoundingClientRect().top - element.getBoundingClientRect().top
      const half = BEYOND / 2
      const first = Math.floor((above / height - half) / half) * half
      const last = Math.ceil(((above + scroller.clientHeight) / height + half) / half) * half
      const next: [number, number] = [
        Math.max(0, Math.min(first, tasks.length)),
        Math.max(0, Math.min(last, tasks.length)),
      ]
      show((now) => (now[0] === next[0] && now[1] === next[1] ? now : next))
    }
    look()
    scroller.addEventListener("scroll", look, { passive: true })
    const sizes = new ResizeObserver(look)
    sizes.observe(scroller)
    sizes.observe(scroller.firstElementChild ?? scroller)
    return () => {
      scroller.removeEventListener("scroll", look)
      sizes.disconnect()
    }
  }, [tasks.length, height])

  // What had the focus keeps it when rows change places, and gives it to its successor when it goes.
  useLayoutEffect(() => {
    if (focused === undefined) return
    const place = tasks.findIndex((task) => stableKey("task", task.id) === focused.id)
    if (place >= 0) lastPlace.current = place
    if (document.activeElement !== document.body) return
    const next = place >= 0 ? tasks[place] : tasks[Math.min(lastPlace.current, tasks.length - 1)]
    const key = next && stableKey("task", next.id)
    const goal = document.getElementById(key === undefined ? "new-task" : `${focused.part}-${key}`)
    ;(goal ?? document.getElementById(`open-${key}`))?.focus({ preventScroll: true })
  })

  const focusedPlace = focused ? tasks.findIndex((task) => stableKey("task", task.id) === focused.id) : -1
  const places = [...Array(Math.max(0, Math.min(to, tasks.length) - from)).keys()].map((place) => place + from)
  if (focusedPlace >= 0 && focusedPlace < from) places.unshift(focusedPlace)
  if (focusedPlace >= to) places.push(focusedPlace)
  const currentPlace = focusedPlace >= 0 ? focusedPlace : from

  return (
    <ul
      id={id}
      ref={list}
      class="task-rows"
      aria-label={label}
      data-order={orderOf}
      style={{ height: `${tasks.length * height}px` }}
      onFocusIn={(event) => {
        const [, part = "open", key] = /^(.+?)-(-?\d+)$/.exec((event.target as HTMLElement).id) ?? []
        const place = tasks.findIndex((task) => stableKey("task", task.id) === Number(key))
        if (place >= 0) setFocused({ id: Number(key), part })
      }}
      onFocusOut={(event) => {
        // Nothing is focused next where the element itself went away.
        if (event.relatedTarget !== null) setFocused(undefined)
      }}
    >
      {places.map((place) => {
        const task = tasks[place] as Task
        const position = { top: place * height, place: place + 1, of: tasks.length }
        return (
          <Row
            key={stableKey("task", task.id)}
            task={task}
            {...position}
            isCurrent={place === currentPlace}
            isOrdered={orderOf !== undefined}
            showsList={showsList}
          />
        )
      })}
    </ul>
  )
}
