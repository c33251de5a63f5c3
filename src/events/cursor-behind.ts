import type { Id } from "../statement.js"
import { type Cursors, placeBehind } from "./cursor.js"
import type { ChangeEvent } from "./event.js"

const written = new WeakMap<ChangeEvent, Map<Id, string>>()

/**
 * The cursor of the place behind an event, as this user holds it; undefined where its place is not known. Written once, however
 * many streams of the user the event goes to.
 */
export function cursorBehind(cursors: Pick<Cursors, "write">, userId: Id, event: ChangeEvent): string | undefined {
  if (event.interval === undefined) return undefined
  const ofUsers = written.get(event) ?? new Map<Id, string>()
  const known = ofUsers.get(userId)
  if (known !== undefined) return known
  const cursor = cursors.write(userId, placeBehind(event))
  written.set(event, ofUsers.set(userId, cursor))
  return cursor
}
