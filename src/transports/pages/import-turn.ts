import { RateLimited } from "../../errors.js"
import type { Id } from "../../statement.js"

/** So many wait beside the one whose turn it is; the files of all are in memory. */
const MAX_WAITING = 4
const RETRY_SECONDS = 10

/** Whose imports are under way or wait. */
const users = new Set<Id>()
let last: Promise<void> = Promise.resolve()

/**
 * Does one user's work after another's on this node, in the order in which they come: somebody who imports again and again has
 * one turn among those of the others.
 * @throws RateLimited when the user has one already, or too many wait
 */
export async function inTurn<Result>(userId: Id, work: () => Promise<Result>): Promise<Result> {
  if (users.has(userId)) throw new RateLimited(RETRY_SECONDS, "An import of yours is under way. Wait for it to end.")
  if (users.size > MAX_WAITING)
    throw new RateLimited(RETRY_SECONDS, "Other people's imports are under way. Try again in a few seconds.")
  users.add(userId)
  const mine = last.then(work)
  last = mine.then(
    () => undefined,
    () => undefined,
  )
  return mine.finally(() => users.delete(userId))
}
