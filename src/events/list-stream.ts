import { setTimeout as sleep } from "node:timers/promises"
import type { Viewer } from "../context.js"
import { InvalidFields, NotFound, ResyncRequired, Unavailable } from "../errors.js"
import { type Id, instantOf, statement } from "../statement.js"
import { createBuffer } from "./buffer.js"
import { AccountEvent } from "./event.type.js"
import { writeFingerprint } from "./fingerprint.js"
import { membershipsOf } from "./memberships.js"
import { replay } from "./replay.js"
import {
  type Access,
  BUFFERED_EVENTS,
  BUFFERED_LENGTH,
  REPLAY_RETRY_MS,
  type Receiver,
  type Stream,
  type StreamParts,
} from "./stream.js"

/** How many events behind a revision are looked up at once. */
const MAX_IDS = 20_000

/**
 * The events of a list behind a revision, for a member: $1 list, $2 viewer, $3 revision or null. No row when the list is
 * closed to the viewer.
 */
const eventsSince = statement(
  "list_events_since",
  `select l.revision, m.since, e.id, e.occurred_at,
     (select array_agg(id order by list_revision) from (
       select id, list_revision from events where list_id = l.id and list_revision > $3::bigint order by list_revision limit ${MAX_IDS}) behind)
   from (${membershipsOf("$2::bigint", "$1::bigint")}) m join lists l on l.id = m.list_id
     left join events e on e.list_id = l.id and e.list_revision = $3::bigint
   where m.is_in`,
  ([revision, since, id, occurredAt, ids]) => ({
    revision: Number(revision),
    /** The revision with which the viewer's access began. */
    since: Number(since),
    fingerprint: id == null ? undefined : writeFingerprint({ id, occurredAt: instantOf(occurredAt as string) }),
    ids: ids?.match(ID) ?? [],
  }),
)
const ID = /\d+/g

type ListArgs = {
  listId: Id
  sinceRevision?: number | null
  /** Of the event that made that revision. */
  sinceFingerprint?: string | null
}

/**
 * Opens the events of a list: those behind `sinceRevision`, then whatever happens, each exactly once in the order of the
 * list's revisions. Fails with NotFound, or with ResyncRequired when the log does not reach back to that revision, the viewer was no
 * member then, or its event was another one. (§9)
 */
export function openListStream(
  { db, pubSub, log, turns }: StreamParts,
  viewer: Viewer,
  { listId, sinceRevision, sinceFingerprint }: ListArgs,
  receiver: Receiver,
): Stream {
  const access: Access = { listId, state: "accepted" }
  const buffer = createBuffer<AccountEvent>(BUFFERED_EVENTS, BUFFERED_LENGTH)
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
    else if (phase !== "over") buffer.add(event)
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

  /** Sends what is behind the last revision, or a part of it; gives whether that was all. */
  async function sendBehind(): Promise<boolean> {
    const [found] = await db.run(eventsSince, [listId, viewer.userId, last])
    if (isOver()) return true
    if (found === undefined) throw new NotFound()
    const { revision, since, fingerprint, ids } = found
    last ??= revision
    if (last < 0) throw new InvalidFields({ sinceRevision: ["must be at least 0"] })
    if (last > revision) throw new ResyncRequired("The list has no such revision yet. Read it again.")
    if (last < since - 1) throw new ResyncRequired("The list was opened to you later than that. Read it again.")
    if (phase === "opening" && sinceFingerprint != null && fingerprint !== sinceFingerprint) throw new ResyncRequired()
    phase = "reading"
    const sent = await replay(ids, {
      db,
      turns,
      viewer,
      receiver,
      isOver,
      send(fields) {
        const event = new AccountEvent(fields)
        if (event.listRevision !== (last as number) + 1) throw new ResyncRequired()
        last = event.listRevision
        receiver.send(event)
      },
    })
    if (isOver()) return true
    if (sent < ids.length || ids.length === MAX_IDS) return false
    if (last < revision) throw new ResyncRequired()
    return true
  }

  /** Reads until nothing is missing that happened before the events that are held, then goes on with those. */
  async function read(): Promise<void> {
    if (phase === "live") phase = "reading"
    try {
      do while (!(await sendBehind()));
      while (buffer.hasOverflowed())
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
    for (let event = buffer.next(); event && phase === "live"; event = buffer.next()) deliver(event)
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
