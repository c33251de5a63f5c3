import { Field, Int, ObjectType } from "type-graphql"
import { tableOf } from "../../loading/fields.js"
import { DateTime, ID, Text } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** §2 Note. */
@ObjectType({ simpleResolvers: true, description: "A text attached to a task. A task can have several." })
export class Note {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, { description: "The task that it belongs to." })
  taskId: Id

  @Field(() => Text, { description: "The text, possibly empty." })
  content: string

  @Field(() => DateTime, { description: "When it was created." })
  createdAt: string

  @Field(() => DateTime, { description: "When it was last changed." })
  updatedAt: string

  @Field(() => ID, { description: "The user who created it." })
  createdById: Id

  @Field(() => String, { nullable: true, description: "The X-Client-Request-Id of the request that created it." })
  createdByRequestId?: string | null

  @Field(() => Int, { description: "Grows with each change." })
  revision: number
}

/** A note's row as answers show it. */
export const notes = tableOf(Note)
