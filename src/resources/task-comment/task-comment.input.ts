import { Extensions, Field, InputType, Int } from "type-graphql"
import { ID, Text } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** What a new comment is made of. (§4 Task comments, POST) */
@InputType({ description: "What a new comment is made of." })
export class CreateTaskCommentInput {
  @Field(() => ID, { description: "The task that it is about; the viewer must be a member of its list." })
  taskId: Id

  @Field(() => Text, { description: "What is said." })
  text: string
}

/** A change of a comment: what is left out stays. */
@InputType({ description: "A change of a comment. What is left out stays." })
export class UpdateTaskCommentInput {
  @Field(() => Int, { description: "The comment's current revision." })
  revision: number

  @Extensions({ refusesNull: true })
  @Field(() => Text, {
    nullable: true,
    description: "What is said; only its author edits it, and it can't be removed.",
  })
  text?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether the viewer has read it, which every member says for himself. One's own is always read.",
  })
  read?: boolean | null
}
