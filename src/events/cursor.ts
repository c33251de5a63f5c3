import { createHmac, timingSafeEqual } from "node:crypto"
import type { EventPlace } from "../context.js"
import { BadRequest, ResyncRequired } from "../errors.js"
import type { Id } from "../statement.js"
import type { ChangeEvent, SnapshotInterval } from "./event.js"
import { readSnapshot } from "./snapshot.js"

/**
 * A place in the stream of all events that any node of the database understands: everything that `before` sees is behind it,
 * and of what else `after` sees, everything up to the event `id`. Where that event is, at that instant, its history is.
 */
export type Cursor = EventPlace

/** Writes and reads cursors as clients hold them: opaque, and of use to one user alone. */
export type Cursors = {
  write(userId: Id, cursor: Cursor): string
  /** Undefined for anything that {@link write} has not written for this user; "former" for what an earlier version wrote. */
  read(userId: Id, text: string): Cursor | "former" | undefined
}

const SIGNATURE_LENGTH = 22

/** @param key known to all nodes */
export function createCursors(key: string): Cursors {
  const signed = (userId: Id, place: string): string =>
    createHmac("sha256", key).update(`${userId}/${place}`).digest("base64url").slice(0, SIGNATURE_LENGTH)

  return {
    write(userId, cursor) {
      const place = textOf(cursor)
      return Buffer.from(place, "latin1").toString("base64url") + signed(userId, place)
    },
    read(userId, text) {
      const encoded = text.slice(0, -SIGNATURE_LENGTH)
      const place = Buffer.from(encoded, "base64url").toString("latin1")
      const expected = Buffer.from(encodedAgain(place) + signed(userId, place))
      const sent = Buffer.from(text)
      if (sent.length === expected.length && timingSafeEqual(sent, expected)) return cursorOf(place)
      return isFormer(text) ? "former" : undefined
    },
  }
}

/**
 * The place that a cursor of the client's names, as far as its text tells.
 * @throws BadRequest for what is no cursor of this user's, ResyncRequired for one of an earlier version
 */
export function placeOf(cursors: Pick<Cursors, "read">, userId: Id, after: string): Cursor {
  const sent = cursors.read(userId, after)
  if (sent === "former") throw new ResyncRequired()
  if (sent !== undefined) return sent
  throw new BadRequest("What to go on after is no cursor that was given to this user.", {
    after: ["must be a cursor that you were given, unchanged"],
  })
}

/**
 * The place that a stream of events can begin behind.
 * @throws what {@link placeOf} throws, BadRequest for a cursor of a page of `changes` that others follow
 */
export function placeToFollow(cursors: Pick<Cursors, "read">, userId: Id, after: string): Cursor {
  const sent = placeOf(cursors, userId, after)
  if (sent.reading?.walk === undefined && sent.reading?.upTo === undefined) return sent
  throw new BadRequest("The cursor is of a page that others follow. Read `changes` on until `hasMore` is false.", {
    after: ["must not be of a page that others follow"],
  })
}

/** The cursor from which `event`, and all before it, does not come again; for events of the whole account's stream. */
export function placeBehind({ interval, id, occurredAt }: ChangeEvent): Cursor {
  const { last = { id, occurredAt }, ...place } = interval as SnapshotInterval
  return { ...place, ...last }
}

const encodedAgain = (place: string): string => Buffer.from(place, "latin1").toString("base64url")

// Numbers have base 36, so that an answer without any news is short.
const short = (number: string | number): string => Number(number).toString(36)
const long = (text: string): number => Number.parseInt(text, 36)
const inSnapshot = (snapshot: string, each: (number: string) => string | number): string =>
  snapshot.replace(/\w+/g, (number) => String(each(number)))

function textOf({ history, before, after, id, occurredAt, reading }: Cursor): string {
  const first = before === after ? "" : inSnapshot(before, short)
  const place = [history, first, inSnapshot(after, short), short(id), short(Date.parse(occurredAt))]
  if (reading === undefined) return place.join("/")
  const { walk = "", upTo, at } = reading
  const until = upTo && [inSnapshot(upTo.snapshot, short), short(upTo.id), short(Date.parse(upTo.occurredAt))]
  return [...place, walk, ...(until ?? ["", "", ""]), ...at.map(short)].join("/")
}

function cursorOf(text: string): Cursor {
  const [history, first, second, id, ms, walk, ...more] = text.split("/") as [
    string,
    string,
    string,
    string,
    string,
    ...string[],
  ]
  const after = inSnapshot(second, long)
  const place = {
    history,
    before: first === "" ? after : inSnapshot(first, long),
    after,
    ...fingerprint(id, ms),
  }
  if (walk === undefined) return place
  const [until, untilId, untilMs, ...at] = more as [string, string, string, ...string[]]
  return {
    ...place,
    reading: {
      ...(walk !== "" && { walk: walk as "all" | "opened" }),
      ...(until !== "" && { upTo: { snapshot: inSnapshot(until, long), ...fingerprint(untilId, untilMs) } }),
      at: at.map(long),
    },
  }
}

const fingerprint = (id: string, ms: string) => ({
  id: String(long(id)),
  occurredAt: new Date(long(ms)).toISOString(),
})

/** Whether it has the form of unsigned cursors. They are of no history that is known now. */
function isFormer(text: string): boolean {
  const [history, before = "", after = "", id = "", ...rest] = Buffer.from(text, "base64url")
    .toString("latin1")
    .split("/")
  const isPlace = readSnapshot(before) !== undefined && readSnapshot(after) !== undefined
  return isPlace && rest.length === 0 && /^[\da-f]+\.[\dA-F]{8}\.\d+$/.test(history ?? "") && /^\d{1,16}$/.test(id)
}
