import { ArgsType, Field, ObjectType } from "type-graphql"
import { Event } from "../events/event.type.js"
import { ChangeCount } from "../scalars/change-scalars.js"
import { ShortText } from "../scalars/scalars.js"

/** Which part of a history: the first `first` events before the cursor `after`. */
@ArgsType()
export class HistoryArgs {
  @Field(() => ChangeCount, { defaultValue: 50, description: "The maximum number of events on the page." })
  first: number

  @Field(() => ShortText, {
    nullable: true,
    description: "The cursor of the page before: older events are returned.",
  })
  after?: string | null
}

/** A page of events, the newest first. */
@ObjectType({ simpleResolvers: true, description: "A page of what happened, the newest first." })
export class HistoryPage {
  @Field(() => [Event], { description: "The events, the newest first." })
  events: Event[]

  @Field(() => String, { nullable: true, description: "`after` of the next page, with older events." })
  cursor?: string

  @Field(() => Boolean, { description: "Whether there are older events that the viewer may see." })
  hasMore: boolean
}
