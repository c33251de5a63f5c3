import { InvalidFields } from "../../errors.js"
import { idOf } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import type { TaskOrder } from "./task-order.js"

/** A task's place in an order: behind it begins the next page. */
type Place = { readonly key: string; readonly id: Id }

/** What an order is by, and whether it is from the end. */
export function readOrder(order: TaskOrder): { by: string; isReversed: boolean } {
  const [, by = "", direction] = /^(.*)_(ASC|DESC)$/.exec(order) ?? []
  return { by, isReversed: direction === "DESC" }
}

/** The cursor of a place. It says the order too: a key of another one would be a place that nobody meant. */
export const cursorOf = (order: TaskOrder, key: string, id: Id): string =>
  Buffer.from(JSON.stringify([order, key, id])).toString("base64url")

/** The place that a cursor is of; undefined without one. @throws InvalidFields for what is no cursor of this order */
export function placeOf(order: TaskOrder, after: string | null | undefined): Place | undefined {
  if (after == null) return undefined
  try {
    const [of, key, id] = JSON.parse(Buffer.from(after, "base64url").toString()) as unknown[]
    const isPlace = of === order && typeof key === "string" && !key.includes("\0") && idOf(id) !== "0"
    if (isPlace) return { key, id: idOf(id) }
  } catch {
    // no JSON
  }
  throw new InvalidFields({ after: ["must be a cursor of an earlier page in the same order"] })
}
