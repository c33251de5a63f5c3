import { setTimeout as sleep } from "node:timers/promises"
import type { Viewer } from "../context.js"
import { InvalidFields, NotFound, ResyncRequired, Unavailable } from "../errors.js"
import { type Id, statement } from "../statement.js"
import { eventColumns } from "./event.js"
import { AccountEvent } from "./event.type.js"
import { createHold } from "./hold.js"
import { type Access, HELD_EVENTS, REPLAY_RETRY_MS, type Receiver, type Stream, type StreamParts } from "./stream.js"

/** How many events a replay reads at once. */
const REPLAY_PAGE = 200

/**
 * The events of a list behind a revision, for a member: $1 list, $2 viewer, $3 revision or null. Each row begins with the
 * list's revision; one row without an event when there is none, no row when the list is closed to the viewer.
 */
const eventsSince = statement(
  "list_events_since",
  `select l.revision, ${eventColumns("e")} from memberships m join lists l on l.id = m.list_id
   left join lateral (select * from events where list_id = m.list_id and list_revision > $3::bigint order by list_revision limit ${REPLAY_PAGE}) e on true
   where m.list_id = $1::bigint and m.user_id = $2::bigint and m.state = 'accepted' order by e.list_revision`,
  (fields) => ({ revision: Number(fields[0]), event: fields[1] === null ? undefined : new AccountEvent(fields, 1) }),
)

/**
 * Opens the events of a list: those behind `sinceRevision`, then whatever happens, each exactly once in the order of the
 * list's revisions. Fails with NotFound, or with ResyncRequired when the log does not reach back to that revision. (§9)
 */
export function openListStream(
  { db, pubSub, log }: StreamParts,
  viewer: Viewer,
  { listId, sinceRevision }: { listId: Id; sinceRevision?: number | null },
  receiver: Receiver,
): Stream {
  const access: Access = { listId, state: "accepted" }
  const held = createHold<AccountEvent>(HELD_EVENTS)
  let last = sinceRevision ?? undefined
  let phase: "opening" | "reading" | "live" | "over" = "opening"

  function end(how: () => void): void {
    if (phase === "over") return
    phase = "over"
    pubSub.forget(`list:${listId}`, hear)
    how()
  }
  const fail = (error: unknown) => end(() => receiver.fail(error))

  function hear(event: AccountEvent): void {
    if (phase === "live") deliver(event)
    else if (phase !== "over") held.add(event)
  }

  function deliver(event: AccountEvent): void {
    const revision = event.listRevision as number
    if (last === undefined || revision <= last) return
    // Cannot be, but the table would know.
    if (revision > last + 1) {
      void read()
      return
    }
    last = revision
    if (event.memberId === viewer.userId && event.operation === "DELETE") {
      end(receiver.cut)
      return
    }
    receiver.send(event)
    if (event.subjectType === "list" && event.operation === "DELETE") end(receiver.complete)
  }

  /** Sends one page; gives whether it was the last. */
  async function readPage(): Promise<boolean> {
    const rows = await db.run(eventsSince, [listId, viewer.userId, last])
    if (isOver()) return true
    const [first] = rows
    if (first === undefined) throw new NotFound()
    last ??= first.revision
    if (last < 0) throw new InvalidFields({ sinceRevision: ["must be at least 0"] })
    if (last > first.revision) throw new ResyncRequired("The list has no such revision yet. Read it again.")
    phase = "reading"
    for (const { event } of rows) {
      if (event === undefined) continue
      if (event.listRevision !== last + 1) throw new ResyncRequired()
      last = event.listRevision
      receiver.send(event)
      const room = receiver.ready()
      if (room) await room
      if (isOver()) return true
    }
    if (rows.length === REPLAY_PAGE) return false
    if (last < first.revision) throw new ResyncRequired()
    return true
  }

  /** Reads until nothing is missing that happened before the events that are held, then goes on with those. */
  async function read(): Promise<void> {
    if (phase === "live") phase = "reading"
    try {
      do while (!(await readPage()));
      while (held.hasOverflowed())
    } catch (error) {
      if (isOver()) return
      if (phase === "opening") return fail(error)
      if (error instanceof NotFound) return end(receiver.cut)
      if (!(error instanceof Unavailable)) return fail(error)
      log.debug({ err: error, listId }, "a replay waits for the database")
      await sleep(REPLAY_RETRY_MS)
      return isOver() ? undefined : read()
    }
    if (isOver()) return
    phase = "live"
    for (let event = held.next(); event && phase === "live"; event = held.next()) deliver(event)
  }
  const isOver = () => phase === "over"

  pubSub.listen(`list:${listId}`, hear)
  void read()

  return {
    viewer,
    access: () => (phase === "over" ? [] : [access]),
    lose: () => end(receiver.cut),
    fail,
    stop: () => end(() => {}),
  }
}
