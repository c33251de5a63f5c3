import { Arg, Ctx, Extensions, FieldResolver, Mutation, Resolver, Root } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { requirePersonalToken } from "../../access/personal-token.js"
import type { Context } from "../../context.js"
import { Forbidden } from "../../errors.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { User } from "../user/user.type.js"
import { createCalendarFeed, feedsOf, revokeCalendarFeed } from "./calendar-feed.commands.js"
import { CalendarFeed } from "./calendar-feed.type.js"

const WHAT = "manage calendar feeds"

/** Feeds of the viewer's tasks: make, end. */
@Resolver(() => CalendarFeed)
export class CalendarFeedResolver {
  @Extensions({ once: "inTransaction" })
  @Needs("manage", "read")
  @Mutation(() => CalendarFeed, {
    description: "Create a calendar feed of the viewer's tasks. Its `url` is shown once, here.",
  })
  async createCalendarFeed(
    @Arg("listId", () => ID, { nullable: true, description: "The list that it shows. Default: all lists." })
    listId: Id | null | undefined,
    @Ctx() context: Context,
  ): Promise<CalendarFeed> {
    return createCalendarFeed(context.db, await requirePersonalToken(context, WHAT), listId ?? null, context.publicUrl)
  }

  @Needs("manage")
  @Mutation(() => Boolean, { description: "Revoke a calendar feed. Its address stops working at once." })
  async revokeCalendarFeed(
    @Arg("id", () => ID, { description: "The feed's identifier." }) id: Id,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return revokeCalendarFeed(context.db, await requirePersonalToken(context, WHAT), id)
  }
}

/** The feeds of the viewer. */
@Resolver(() => User)
export class CalendarFeedsOfViewer {
  @Needs("manage")
  @FieldResolver(() => [CalendarFeed], {
    description: "The user's calendar feeds, by id. Visible to that user only.",
  })
  async calendarFeeds(@Root() { id }: User, @Ctx() context: Context): Promise<CalendarFeed[]> {
    if (id !== context.viewer.userId) throw new Forbidden("Only the user themselves can see this.")
    return feedsOf(context.db, await requirePersonalToken(context, WHAT))
  }
}
