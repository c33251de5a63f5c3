import { Field, Int, ObjectType } from "type-graphql"
import { tableOf } from "../../loading/fields.js"
import { DateTime, ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** §2 Reminder. */
@ObjectType({
  simpleResolvers: true,
  description:
    "When a user wants to be reminded of a task. Only that user sees it, and only while they can see the task.",
})
export class Reminder {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, { description: "The task to be reminded of." })
  taskId: Id

  @Field(() => DateTime, { description: "When it is due." })
  date: string

  @Field(() => DateTime, { description: "When it was created." })
  createdAt: string

  @Field(() => DateTime, { description: "When it was last changed." })
  updatedAt: string

  @Field(() => String, { nullable: true, description: "The X-Client-Request-Id of the request that created it." })
  createdByRequestId?: string | null

  @Field(() => Int, { description: "Grows with each change." })
  revision: number
}

/** A reminder's row as answers show it; the device that made it stays unsaid. */
export const reminders = tableOf(Reminder)
