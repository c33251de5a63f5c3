import type { Command } from "./command.js"
import { byAge } from "./kinds.js"

/** Ids in their effective order: as in `values`, then what is not named there, by id; what is new last. (§2 Positions) */
export function inOrder(ids: Iterable<number>, values: readonly number[]): number[] {
  const left = new Set(ids)
  const named = values.filter((id) => left.delete(id))
  return [...named, ...[...left].sort(byAge)]
}

/**
 * An order after moves. Each says behind what something is to be (null: first), or before what where that is gone; where both
 * are gone it stays.
 */
export function moved(order: readonly number[], moves: readonly Command[]): number[] {
  let ids = [...order]
  for (const { target, values } of moves) {
    if (!ids.includes(target)) continue
    const others = ids.filter((id) => id !== target)
    const [after, before] = [values.after as number | null, values.before as number | null]
    let place = after === null ? 0 : others.indexOf(after) + 1
    if (after !== null && place === 0) place = before === null ? -1 : others.indexOf(before)
    if (place >= 0) ids = [...others.slice(0, place), target, ...others.slice(place)]
  }
  return ids
}
