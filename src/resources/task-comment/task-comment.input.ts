import { Field, InputType, Int } from "type-graphql"
import { ID, Text } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** §4 Task comments, POST. */
@InputType({ description: "The fields of a new comment." })
export class CreateTaskCommentInput {
  @Field(() => ID, { description: "The task that it is about; the viewer must be a member of its list." })
  taskId: Id

  @Field(() => Text, { description: "The text." })
  text: string
}

@InputType({ description: "A change of a comment. Fields that are left out or null stay unchanged." })
export class UpdateTaskCommentInput {
  @Field(() => Int, { description: "The comment's current revision." })
  revision: number

  @Field(() => Text, { nullable: true, description: "The text; only its author can edit it." })
  text?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the viewer has read it; each member has a mark of their own. Your own comments are always read.",
  })
  read?: boolean | null
}
