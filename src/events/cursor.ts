import type { Id } from "../statement.js"
import type { Passage } from "./event.js"
import { readSnapshot } from "./snapshot.js"

/**
 * A place in the stream of all events that any node of the database understands: everything that `before` sees is behind it,
 * and of what else `after` sees, everything up to the event `id`.
 */
export type Cursor = Passage & { readonly id: Id }

/** The cursor as clients hold it: opaque. */
export const writeCursor = ({ history, before, after, id }: Cursor): string =>
  Buffer.from(`${history}/${before}/${after}/${id}`).toString("base64url")

/** Reads what {@link writeCursor} wrote; undefined for anything that it cannot have written. */
export function readCursor(text: string): Cursor | undefined {
  const [history, before, after, id, rest] = Buffer.from(text, "base64url").toString("latin1").split("/")
  if (history === undefined || before === undefined || after === undefined || id === undefined) return undefined
  if (rest !== undefined || !readSnapshot(before) || !readSnapshot(after) || !/^\d{1,16}$/.test(id)) return undefined
  return { history, before, after, id }
}
