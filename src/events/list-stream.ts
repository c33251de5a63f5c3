import { setTimeout as sleep } from "node:timers/promises"
import type { Viewer } from "../context.js"
import { InvalidFields, NotFound, ResyncRequired, Unavailable } from "../errors.js"
import type { Id } from "../statement.js"
import { assertGood } from "./behind.js"
import { createBuffer } from "./buffer.js"
import { placeToFollow } from "./cursor.js"
import { AccountEvent } from "./event.type.js"
import { eventsSince, MAX_IDS, placeOfCursor } from "./list-replay.js"
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

// A stream is in one of four phases:
//
//   opening   nothing is sent yet; live events are buffered. What is refused now is the answer to the subscription.
//     → reading   the viewer may see the list, and the log reaches back to where the stream begins
//     → over      refused: no access, no such place, another history
//   reading   what is behind `last` is sent from the log; live events are buffered
//     → reading   the database is away for a moment, or the buffer has overflowed: what is behind `last` is read again
//     → live      nothing is missing before the buffered events, which are sent next
//     → over      access has ended, or the log does not reach back
//   live      events are sent as they happen
//     → reading   a revision is missing between `last` and an event
//     → over      the viewer leaves the list, or it is deleted
//   over      nothing is sent or heard any more; how it ended was told once. `stop`, `lose` and `fail` lead here from each phase.

type ListArgs = {
  listId: Id
  sinceRevision?: number | null
  /** Of the event that made that revision. */
  sinceFingerprint?: string | null
  /** The cursor of an event, which goes before the revision: a client that comes back asks as it did at first. */
  after?: string | null
}

/**
 * Opens the events of a list: those behind `after` or `sinceRevision`, then whatever happens, each exactly once in the order of the
 * list's revisions. Fails with NotFound, or with ResyncRequired when the log does not reach back to there, the viewer was no
 * member then, or its event was another one. (§9)
 */
export function openListStream(
  { db, pubSub, log, turns, cursors, distrust }: StreamParts,
  viewer: Viewer,
  { listId, sinceRevision, sinceFingerprint, after }: ListArgs,
  receiver: Receiver,
): Stream {
  const access: Access = { listId, state: "accepted" }
  const buffer = createBuffer<AccountEvent>(BUFFERED_EVENTS, BUFFERED_LENGTH)
  let last = after == null ? (sinceRevision ?? undefined) : undefined
  let oldest: string | undefined
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

  /** The last revision before a cursor. */
  async function revisionBefore(cursor: string): Promise<number> {
    const [found] = await db.run(...placeOfCursor(listId, viewer.userId, placeToFollow(cursors, viewer.userId, cursor)))
    if (found === undefined) throw new NotFound()
    assertGood(found.validity, distrust)
    if (found.isTooEarly) throw openedLater()
    return found.revision
  }

  /** Sends what is behind the last revision, or a part of it; gives whether that was all. */
  async function sendBehind(): Promise<boolean> {
    if (after != null) last ??= await revisionBefore(after)
    const [found] = await db.run(eventsSince, [listId, viewer.userId, last, oldest])
    if (isOver()) return true
    if (found === undefined) throw new NotFound()
    const { revision, since, fingerprint, ids, interval, lastInterval } = found
    oldest = found.oldest
    last ??= revision
    if (last < 0) throw new InvalidFields({ sinceRevision: ["must be at least 0"] })
    if (last > revision) throw new ResyncRequired("The list has no such revision yet. Read it again.")
    if (last < since - 1) throw openedLater()
    const isOther = sinceFingerprint != null && fingerprint !== sinceFingerprint
    if (phase === "opening" && after == null && isOther) throw new ResyncRequired()
    phase = "reading"
    const sent = await replay(ids, {
      db,
      turns,
      viewer,
      receiver,
      isOver,
      send(fields, index) {
        const isLast = index === ids.length - 1 && ids.length < MAX_IDS
        const event = new AccountEvent(fields, 0, isLast ? lastInterval : interval)
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

const openedLater = () => new ResyncRequired("The list was opened to you later than that. Read it again.")
