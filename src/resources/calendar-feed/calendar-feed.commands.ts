import type { Transacted } from "../../context.js"
import { InvalidFields, NotFound } from "../../errors.js"
import { hashOf, newSecret } from "../../signing/secret.js"
import type { Id } from "../../statement.js"
import { insertFeed, MAX_FEEDS } from "./calendar-feed.statements.js"
import { type CalendarFeed, calendarFeeds, feedPath } from "./calendar-feed.type.js"

// They take a user and not a viewer: the account page does the same without a token.

/**
 * Makes a feed of all lists of a user, or of one. Its address is in the answer and never again; the secret in it has 240
 * random bits.
 * @throws NotFound for a list that the user cannot see, InvalidFields when the user has the maximum number of feeds
 */
export async function createCalendarFeed(
  db: Transacted,
  userId: Id,
  listId: Id | null,
  publicUrl: string,
): Promise<CalendarFeed & { readonly url: string }> {
  const secret = newSecret()
  const [feed] = await db.run(insertFeed, [userId, listId, hashOf(secret)])
  if (feed !== undefined) return { ...feed, url: `${publicUrl}${feedPath(secret)}` }
  if ((await feedsOf(db, userId)).length >= MAX_FEEDS)
    throw new InvalidFields({ listId: [`cannot have a feed: you have ${MAX_FEEDS}; revoke one first`] })
  throw new NotFound()
}

/** A user's feeds by id. Feeds of lists that the user cannot see any more are included, and show nothing. */
export async function feedsOf({ prisma }: Pick<Transacted, "prisma">, userId: Id): Promise<CalendarFeed[]> {
  const found = await prisma.calendarFeed.findMany({ where: { userId: BigInt(userId) }, orderBy: { id: "asc" } })
  return found.map(calendarFeeds.readPrisma)
}

/** Ends a feed: from now on nothing is at its address. @throws NotFound */
export async function revokeCalendarFeed(db: Pick<Transacted, "prisma">, userId: Id, id: Id): Promise<true> {
  const { count } = await db.prisma.calendarFeed.deleteMany({ where: { id: BigInt(id), userId: BigInt(userId) } })
  if (count === 0) throw new NotFound()
  return true
}
