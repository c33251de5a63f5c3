import type { Viewer } from "../context.js"
import { type Fields, type Id, type Runner, statement } from "../statement.js"
import { eventColumns } from "./event.js"
import type { Receiver } from "./stream.js"
import type { Turns } from "./turns.js"

/** A page has at most so many events, and ends with the one that makes it longer than this. */
const PAGE_EVENTS = 500
const PAGE_BYTES = 262_144
/** What somebody may see is judged again after that long, but not before a page has been sent. */
const JUDGED_FOR_MS = 1_000
/** How many pages a node reads at a time; what does not fit is not in memory. */
export const PAGES_AT_ONCE = 4

const sizeOf = (text: string) => `coalesce(octet_length(${text}::text), 0)`

// One row for each id, also for an event that is not kept any more.
const page = statement(
  "page_of_events",
  `with recursive page(n, bytes) as (
     select 0, 0
     union all
     select p.n + 1, p.bytes + coalesce((select ${sizeOf("e.before")} + ${sizeOf("e.after")} from events e where e.id = ($1::bigint[])[p.n + 1]), 0)
     from page p where p.bytes < ${PAGE_BYTES} and p.n < cardinality($1::bigint[]))
   select ${eventColumns("e")} from page p left join events e on e.id = ($1::bigint[])[p.n] where p.n > 0 order by p.n`,
  (fields) => (fields[0] === null ? undefined : fields),
)

type Parts = {
  readonly db: Runner
  readonly turns: Turns
  readonly viewer: Viewer
  readonly receiver: Receiver
  isOver(): boolean
  /** Takes the row of the event `ids[index]`, whose columns are {@link eventColumns}. */
  send(fields: Fields, index: number): void
}

/**
 * Sends events by their ids, in that order and no faster than the receiver takes them; what it has no room for is read again
 * later. Gives up after a while, so that access can be judged anew.
 * @returns how many were sent
 */
export async function replay(
  ids: readonly Id[],
  { db, turns, viewer, receiver, isOver, send }: Parts,
): Promise<number> {
  const end = performance.now() + JUDGED_FOR_MS
  let done = 0
  let room = receiver.ready()
  while (done < ids.length && !isOver() && (done === 0 || performance.now() < end)) {
    await room
    const endTurn = await turns.take(viewer.userId)
    try {
      room = receiver.ready()
      const rows = room || isOver() ? [] : await db.run(page, [ids.slice(done, done + PAGE_EVENTS)])
      for (const fields of rows) {
        if (isOver()) break
        if (fields !== undefined) send(fields, done)
        done++
        room = receiver.ready()
        if (room) break
      }
    } finally {
      endTurn()
    }
  }
  return done
}
