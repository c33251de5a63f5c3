import { cell } from "./cell.js"
import { base } from "./session.js"

export const SMART_VIEWS = ["today", "week", "starred", "assigned", "completed"] as const
export type SmartView = (typeof SMART_VIEWS)[number]

/** Where somebody is in the page: what its address says. */
export type Place = {
  readonly view: "list" | "search" | SmartView
  /** Left out: the inbox. */
  readonly list?: number
  readonly q?: string
  /** The task whose details are shown. */
  readonly task?: number
}

function placeOf(query: string): Place {
  const sent = new URLSearchParams(query)
  const number = (name: string) => Number(sent.get(name)) || undefined
  const view = [...SMART_VIEWS, "search" as const].find((one) => one === sent.get("view")) ?? "list"
  const q = sent.get("q") ?? undefined
  return { view, list: view === "list" ? number("list") : undefined, q, task: number("task") }
}

/** The address of a place. */
function hrefOf({ view, list, q, task }: Place): string {
  const query = new URLSearchParams()
  if (view !== "list") query.set("view", view)
  if (list !== undefined) query.set("list", String(list))
  if (q !== undefined) query.set("q", q)
  if (task !== undefined) query.set("task", String(task))
  const text = query.toString()
  return text === "" ? `${base}/` : `${base}/?${text}`
}

/** Where the page is now. */
export const place = cell<Place>(placeOf(location.search))
addEventListener("popstate", () => place.set(placeOf(location.search)))

/** Goes somewhere; `back` leads back unless it takes the place of where it was. */
export function go(to: Place, { isReplacing = false } = {}): void {
  if (isReplacing) history.replaceState(null, "", hrefOf(to))
  else if (hrefOf(to) !== hrefOf(place.get())) history.pushState(null, "", hrefOf(to))
  place.set(to)
}

/** Shows or hides the details of a task, where the page is. */
export const openTask = (task: number | undefined): void =>
  go({ ...place.get(), task }, { isReplacing: task === undefined })

/** For links: a click leads there without loading the page anew, unless it asks for another window. */
export const leadsTo = (to: Place, then?: () => void) => ({
  href: hrefOf(to),
  onClick(event: MouseEvent) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    go(to)
    then?.()
  },
})
