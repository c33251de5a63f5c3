import { setTimeout as sleep } from "node:timers/promises"
import type { Viewer } from "../context.js"
import { Unavailable } from "../errors.js"
import type { Id } from "../statement.js"
import { accessOfUser, type Behind, eventsBehindCursor, placeNow } from "./account-replay.js"
import { assertGood } from "./behind.js"
import { createBuffer } from "./buffer.js"
import { type Cursor, placeBehind, placeToFollow } from "./cursor.js"
import { SIGNALS, type Topic } from "./event.js"
import { AccountEvent } from "./event.type.js"
import { replay } from "./replay.js"
import { readSnapshot, type Snapshot } from "./snapshot.js"
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
//   opening   it hears of everything and buffers it; where it begins is looked up. What is refused now is the answer to the subscription.
//     → reading   the cursor is good
//     → over      it is another user's or database's, or the log does not reach back to it
//   reading   what is behind the cursor is sent from the log, page by page
//     → reading   the database is away for a moment, or the buffer has overflowed: what is behind the last event sent is read again
//     → live      all is sent; from the lists that the user then has it hears of these alone, and sends what is buffered and not yet sent
//     → over      the log does not reach back any more
//   live      events are sent by the memberships as they were when each happened
//     → over      only from outside: there is no event after which an account has no stream
//   over      nothing is sent or heard any more; how it ended was told once. `stop` and `fail` lead here from each phase.

/**
 * Opens the events of everything that the viewer can see: those behind the cursor `after`, then whatever happens, each
 * exactly once. Of lists that they are only invited to, users get the list and its memberships. Fails with ResyncRequired when
 * the log does not reach back to the cursor, or the cursor is another database's. (§9)
 * @param args.signal instead of all that, a kind of event that tells the viewer of something and changes nothing
 */
export function openAccountStream(
  { db, pubSub, log, turns, cursors, distrust }: StreamParts,
  viewer: Viewer,
  { after, signal }: { after?: string | null; signal?: "reminder_due" },
  receiver: Receiver,
): Stream {
  const buffer = createBuffer<AccountEvent>(BUFFERED_EVENTS, BUFFERED_LENGTH)
  const lists = new Map<Id, Access>()
  /** By list: who is invited by number and by address has two until one is accepted. */
  const memberships = new Map<Id, Set<Id>>()
  const topics = new Set<Topic | "*">()
  let cursor: Cursor | undefined
  let replayed: Snapshot | undefined
  let phase: "opening" | "reading" | "live" | "over" = "opening"
  const isOver = () => phase === "over"

  function listen(topic: Topic | "*"): void {
    topics.add(topic)
    pubSub.listen(topic, hear)
  }
  function forget(topic: Topic | "*"): void {
    topics.delete(topic)
    pubSub.forget(topic, hear)
  }
  /** `id` is that of the membership; the owner of a new list is let in before they have one. */
  function letIn(listId: Id, state: Access["state"], id?: Id): void {
    lists.set(listId, { listId, state })
    const ids = memberships.get(listId) ?? new Set()
    memberships.set(listId, id === undefined ? ids : ids.add(id))
    listen(`list:${listId}`)
  }
  function shutOut(listId: Id): void {
    lists.delete(listId)
    memberships.delete(listId)
    forget(`list:${listId}`)
  }
  function leave(listId: Id, id: Id): void {
    const ids = memberships.get(listId)
    ids?.delete(id)
    if (ids === undefined || ids.size === 0) shutOut(listId)
  }

  function end(how: () => void): void {
    if (isOver()) return
    phase = "over"
    for (const topic of topics) forget(topic)
    how()
  }
  const fail = (error: unknown) => end(() => receiver.fail(error))

  function hear(event: AccountEvent): void {
    if (phase === "live") deliver(event)
    else if (phase !== "over") buffer.add(event)
  }

  function deliver(event: AccountEvent): void {
    if (replayed?.sees(event.xid)) return
    if (isVisible(event)) receiver.send(event)
  }

  /** Judges by the memberships as they were when the event happened, which the events before it have told. */
  function isVisible(event: AccountEvent): boolean {
    const { listId, userId, subjectType, subjectId, operation } = event
    if (signal !== undefined) return userId === viewer.userId && subjectType === signal
    if (listId === null) return userId === viewer.userId && !SIGNALS.includes(subjectType)
    if (event.memberId === viewer.userId) {
      const id = subjectType === "membership" ? subjectId : undefined
      if (operation !== "DELETE") letIn(listId, event.is?.state === "pending" ? "pending" : "accepted", id)
      else if (id !== undefined) leave(listId, id)
      return true
    }
    const access = lists.get(listId)
    if (subjectType === "list" && operation === "DELETE") shutOut(listId)
    return (
      access?.state === "accepted" || (access !== undefined && (subjectType === "list" || subjectType === "membership"))
    )
  }

  async function begin(): Promise<Cursor> {
    if (after == null) {
      const [place] = (await db.run(placeNow, [])) as [Cursor]
      return place
    }
    return placeToFollow(cursors, viewer.userId, after)
  }

  /** Sends what is behind the cursor, or a part of it; gives whether that was all. */
  async function sendBehind(from: Cursor): Promise<boolean> {
    const [behind] = (await db.run(...eventsBehindCursor(viewer.userId, from, signal))) as [Behind]
    const { ids, rest, isAll, now, snapshot, intervals } = behind
    assertGood(behind.validity, distrust)
    phase = isOver() ? "over" : "reading"
    const sent = await replay(ids, {
      db,
      turns,
      viewer,
      receiver,
      isOver,
      send(fields, index) {
        const isLast = isAll && index === ids.length - 1
        const event = new AccountEvent(fields, 0, isLast ? { ...now, last: now } : intervals[index < rest ? 0 : 1])
        receiver.send(event)
        cursor = placeBehind(event)
      },
    })
    replayed = readSnapshot(snapshot)
    return isAll && sent === ids.length
  }

  /** Reads until nothing is missing that happened before the events that are held, then goes on with those. */
  async function read(): Promise<void> {
    try {
      if (cursor === undefined) {
        cursor = await begin()
        receiver.begun?.()
      }
      let accesses: (Access & { readonly id: Id })[]
      do {
        while (!isOver() && !(await sendBehind(cursor)));
        accesses = signal === undefined ? await db.run(accessOfUser, [viewer.userId]) : []
      } while (!isOver() && buffer.hasOverflowed())
      if (isOver()) return
      for (const { listId, state, id } of accesses) letIn(listId, state, id)
      listen(signal === undefined ? `user:${viewer.userId}` : `${signal}:${viewer.userId}`)
      forget("*")
    } catch (error) {
      if (isOver()) return
      if (phase === "opening" || !(error instanceof Unavailable)) return fail(error)
      log.debug({ err: error }, "a replay waits for the database")
      await sleep(REPLAY_RETRY_MS)
      return isOver() ? undefined : read()
    }
    phase = "live"
    for (let event = buffer.next(); event && !isOver(); event = buffer.next()) deliver(event)
  }

  listen("*")
  void read()

  return {
    viewer,
    access: () => lists.values(),
    lose(access) {
      if (lists.get(access.listId) === access) shutOut(access.listId)
    },
    fail,
    stop: () => end(() => {}),
  }
}
