import { InvalidFields, NotFound } from "../../errors.js"
import { hashOf, newSecret } from "../../signing/secret.js"
import type { Id, Runner } from "../../statement.js"
import { deleteFeed, feedsOfUser, insertFeed, MAX_FEEDS } from "./calendar-feed.statements.js"
import { type CalendarFeed, feedPath } from "./calendar-feed.type.js"

// They take a user and not a viewer: the account page does the same without a token.

/**
 * Makes a feed of all lists of a user, or of one. Its address is in the answer and never again; the secret in it has 240
 * random bits.
 * @throws NotFound for a list that the user cannot see, InvalidFields when the user has the maximum number of feeds
 */
export async function createCalendarFeed(
  db: Runner,
  userId: Id,
  listId: Id | null,
  publicUrl: string,
): Promise<CalendarFeed & { readonly url: string }> {
  const secret = newSecret()
  const [feed] = await db.run(insertFeed, [userId, listId, hashOf(secret)])
  if (feed !== undefined) return { ...feed, url: `${publicUrl}${feedPath(secret)}` }
  if ((await db.run(feedsOfUser, [userId])).length >= MAX_FEEDS)
    throw new InvalidFields({ listId: [`cannot have a feed: you have ${MAX_FEEDS}; revoke one first`] })
  throw new NotFound()
}

/** Ends a feed: from now on nothing is at its address. @throws NotFound */
export async function revokeCalendarFeed(db: Runner, userId: Id, id: Id): Promise<true> {
  const [ended] = await db.run(deleteFeed, [id, userId])
  if (ended === undefined) throw new NotFound()
  return true
}
