import { cell } from "./cell.js"

/** The tasks that are chosen together; `anchor` is where a range begins. */
type Selection = { readonly ids: ReadonlySet<number>; readonly anchor?: number; readonly isOn: boolean }

const NONE: Selection = { ids: new Set(), isOn: false }

export const selection = cell<Selection>(NONE)
/** The ids of all tasks that the page shows, in their order, whether or not they have rows at present. */
export const shownTasks = cell<readonly number[]>([])

export const clearSelection = (): void => selection.set(NONE)
/** Lets taps select, where there are no keys to hold. */
export const startSelecting = (): void => selection.set({ ...NONE, isOn: true })

/** Takes one in or out. */
export function toggleSelected(id: number): void {
  const { ids } = selection.get()
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  selection.set(next.size === 0 ? NONE : { ids: next, anchor: id, isOn: true })
}

/** Everything from the anchor to a task. @param order what is shown, in its order */
export function selectUpTo(id: number, order: readonly number[]): void {
  const { anchor = id } = selection.get()
  const [from, to] = [order.indexOf(anchor), order.indexOf(id)].sort((one, other) => one - other) as [number, number]
  selection.set({
    ids: new Set(from < 0 ? [id] : order.slice(from, to + 1)),
    anchor: from < 0 ? id : anchor,
    isOn: true,
  })
}

export const selectAll = (order: readonly number[]): void =>
  selection.set(order.length === 0 ? NONE : { ids: new Set(order), anchor: order[0], isOn: true })
