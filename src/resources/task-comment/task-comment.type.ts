import { Field, Int, ObjectType } from "type-graphql"
import { connectionOf } from "../../loading/connection.js"
import { tableOf } from "../../loading/fields.js"
import { DateTime, ID, Text } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

@ObjectType({ simpleResolvers: true, description: "The author of a comment." })
export class CommentAuthor {
  @Field(() => ID, { description: "The user's identifier." })
  id: Id

  @Field(() => String, { nullable: true, description: "The user's name; null when the account is deleted." })
  name?: string | null

  @Field(() => String, { description: "The address of the author's picture, which opens without a token." })
  avatar: string
}

/** §2 Task comment. */
@ObjectType({ simpleResolvers: true, description: "A comment on a task." })
export class TaskComment {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, { description: "The task that it is about." })
  taskId: Id

  @Field(() => Text, { description: "The text." })
  text: string

  @Field(() => DateTime, { description: "When it was created." })
  createdAt: string

  @Field(() => ID, { description: "The user who wrote it." })
  createdById: Id

  @Field(() => String, { nullable: true, description: "The X-Client-Request-Id of the request that created it." })
  createdByRequestId?: string | null

  @Field(() => Int, { description: "Grows with each change, and when a member reads it." })
  revision: number

  /** What the row itself does not hold, where a statement has read it along; the snapshot of an event has none. */
  seen?: SeenComment
}

/** A comment as one viewer sees it: whether they have read it, and its author's name today. */
export type SeenComment = { readonly id: Id; readonly read: boolean; readonly authorName: string | null }

/** A page of comments. */
export const TaskCommentConnection = connectionOf("TaskComment", () => TaskComment)

/** A comment's row as answers show it. */
export const taskComments = tableOf(TaskComment)
