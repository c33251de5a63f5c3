import { createHmac, timingSafeEqual } from "node:crypto"
import type { EventPlace } from "../context.js"
import type { Id } from "../statement.js"
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
    write(userId, { history, before, after, id, occurredAt }) {
      const place = `${history}/${before}/${after}/${id}/${Date.parse(occurredAt)}`
      return Buffer.from(place).toString("base64url") + signed(userId, place)
    },
    read(userId, text) {
      const encoded = text.slice(0, -SIGNATURE_LENGTH)
      const place = Buffer.from(encoded, "base64url").toString("latin1")
      const expected = Buffer.from(encodedAgain(place) + signed(userId, place))
      const sent = Buffer.from(text)
      if (sent.length === expected.length && timingSafeEqual(sent, expected)) return placeOf(place)
      return isFormer(text) ? "former" : undefined
    },
  }
}

const encodedAgain = (place: string): string => Buffer.from(place, "latin1").toString("base64url")

function placeOf(text: string): Cursor {
  const [history, before, after, id, ms] = text.split("/") as [string, string, string, string, string]
  return { history, before, after, id, occurredAt: new Date(Number(ms)).toISOString() }
}

/** Whether it has the form of unsigned cursors. They are of no history that is known now. */
function isFormer(text: string): boolean {
  const [history, before = "", after = "", id = "", ...rest] = Buffer.from(text, "base64url")
    .toString("latin1")
    .split("/")
  const isPlace = readSnapshot(before) !== undefined && readSnapshot(after) !== undefined
  return isPlace && rest.length === 0 && /^[\da-f]+\.[\dA-F]{8}\.\d+$/.test(history ?? "") && /^\d{1,16}$/.test(id)
}
