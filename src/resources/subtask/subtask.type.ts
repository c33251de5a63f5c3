import { Field, Int, ObjectType } from "type-graphql"
import { connectionOf } from "../../loading/connection.js"
import { tableOf } from "../../loading/fields.js"
import { DateTime, ID, Title } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** §2 Subtask. */
@ObjectType({ simpleResolvers: true, description: "A step of a task." })
export class Subtask {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, { description: "The task that it belongs to." })
  taskId: Id

  @Field(() => Title, { description: "Its title." })
  title: string

  @Field(() => Boolean, { description: "Whether it is completed." })
  completed: boolean

  @Field(() => DateTime, { nullable: true, description: "When it was completed." })
  completedAt?: string | null

  @Field(() => ID, { nullable: true, description: "The user who completed it." })
  completedById?: Id | null

  @Field(() => DateTime, { description: "When it was created." })
  createdAt: string

  @Field(() => ID, { description: "The user who created it." })
  createdById: Id

  @Field(() => String, { nullable: true, description: "The X-Client-Request-Id of the request that created it." })
  createdByRequestId?: string | null

  @Field(() => Int, { description: "Grows with each change." })
  revision: number
}

/** A page of subtasks. */
export const SubtaskConnection = connectionOf("Subtask", () => Subtask)

/** A subtask's row as answers show it. */
export const subtasks = tableOf(Subtask)
