import { Field, Int, ObjectType } from "type-graphql"
import { DateTime, ID } from "../../scalars/scalars.js"
import { type Id, table } from "../../statement.js"

/** When a user wants to be told of a task. (§2 Reminder) */
@ObjectType({
  simpleResolvers: true,
  description:
    "When its maker wants to be told of a task. Nobody else sees it, nor does he once the task is closed to him.",
})
export class Reminder {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, { description: "The task it tells of." })
  taskId: Id

  @Field(() => DateTime, { description: "When it falls due." })
  date: string

  @Field(() => DateTime, { description: "When it was made." })
  createdAt: string

  @Field(() => DateTime, { description: "When it was last changed." })
  updatedAt: string

  @Field(() => String, { nullable: true, description: "The X-Client-Request-Id of the request that made it." })
  createdByRequestId?: string | null

  @Field(() => Int, { description: "Grows with each change." })
  revision: number
}

/** A reminder's row as answers show it; the device that made it stays unsaid. */
export const reminders = table<Reminder>({
  id: "id",
  taskId: "id",
  date: "instant",
  createdAt: "instant",
  updatedAt: "instant",
  createdByRequestId: "text",
  revision: "integer",
})
