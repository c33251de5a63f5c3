import type { Cursors } from "../../events/cursor.js"
import type { Event } from "../../events/event.type.js"
import type { Claimed } from "./delivery.statements.js"

/**
 * The place behind the event of a delivery, from where the webhook's maker may go on: the same at each attempt. It is worked out
 * from what the transaction that made the change could see; what came in the same moment and is not in it is behind the place
 * too. Undefined for a test, which tells of no event, and where that is not known.
 */
export function cursorOf(cursors: Cursors, { makerId, history, snapshot }: Claimed, event: Event): string | undefined {
  const { xid, id, occurredAt } = event
  if (snapshot === null || makerId === null || xid === 0) return undefined
  const [, last, list] = snapshot.split(":") as [string, string, string]
  const open = list === "" ? [] : list.split(",").map(Number)
  for (let other = Number(last); other < xid; other++) open.push(other)
  const earlier = open.filter((other) => other < xid)
  const seenUpTo = (end: number) => `${earlier[0] ?? end}:${end}:${earlier.join(",")}`
  return cursors.write(makerId, { history, before: seenUpTo(xid), after: seenUpTo(xid + 1), id, occurredAt })
}
