import { Extensions, Field, ObjectType } from "type-graphql"
import { DateTime, ID } from "../../scalars/scalars.js"
import { type Id, table } from "../../statement.js"

/** An address at which a calendar reads the viewer's open tasks, without headers. */
@ObjectType({
  simpleResolvers: true,
  description:
    "An address at which a calendar reads the viewer's tasks that are to be done (iCalendar), without headers.",
})
export class CalendarFeed {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, { nullable: true, description: "The one list whose tasks it holds; null for all lists." })
  listId: Id | null

  @Field(() => DateTime, { description: "When it was made." })
  createdAt: string

  @Extensions({ secret: true })
  @Field(() => String, {
    nullable: true,
    description:
      "Where calendars read it; whoever has the address sees the tasks. Given when it is made, and null ever after: it is stored nowhere.",
  })
  url?: string | null
}

/** A feed's row as answers show it: without its address. */
export const calendarFeeds = table<Omit<CalendarFeed, "url">>({ id: "id", listId: "id", createdAt: "instant" })

/** The path of the feed with a secret. */
export const feedPath = (secret: string): string => `/calendar/${secret}.ics`
