import { Extensions, Field, ObjectType } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { tableOf } from "../../loading/fields.js"
import { DateTime, ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

@ObjectType({
  simpleResolvers: true,
  description: "An address at which calendars read the viewer's open tasks (iCalendar), without headers.",
})
export class CalendarFeed {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, { nullable: true, description: "The list that it shows; null for all lists." })
  listId: Id | null

  @Field(() => DateTime, { description: "When it was created." })
  createdAt: string

  @Needs("manage")
  @Extensions({ secret: true })
  @Field(() => String, {
    nullable: true,
    description:
      "Where calendars read it; anyone who has the address sees the tasks. Returned once, on creation, and null afterwards: it is not stored.",
  })
  url?: string | null
}

/** A feed's row as answers show it: without its address. */
export const calendarFeeds = tableOf(CalendarFeed, ["url"])

/** The path of the feed with a secret. */
export const feedPath = (secret: string): string => `/calendar/${secret}.ics`
