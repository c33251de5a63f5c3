import { Field, Int, ObjectType } from "type-graphql"
import { connectionOf } from "../../loading/connection.js"
import { DateTime, ID, Text } from "../../scalars/scalars.js"
import { type Id, table } from "../../statement.js"

/** Who wrote a comment, as much of him as a client shows beside it. */
@ObjectType({ simpleResolvers: true, description: "Who wrote a comment, as much of him as is shown beside it." })
export class CommentAuthor {
  @Field(() => ID, { description: "The user's identifier." })
  id: Id

  @Field(() => String, { nullable: true, description: "The user's name; unset when he is gone." })
  name?: string | null

  @Field(() => String, { description: "The address of his picture, which opens without a token." })
  avatar: string
}

/** Something that was said about a task. (§2 Task comment) */
@ObjectType({ simpleResolvers: true, description: "Something that was said about a task." })
export class TaskComment {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, { description: "The task that it is about." })
  taskId: Id

  @Field(() => Text, { description: "What was said." })
  text: string

  @Field(() => DateTime, { description: "When it was made." })
  createdAt: string

  @Field(() => ID, { description: "The user who wrote it." })
  createdById: Id

  @Field(() => String, { nullable: true, description: "The X-Client-Request-Id of the request that made it." })
  createdByRequestId?: string | null

  @Field(() => Int, { description: "Grows with each change, and when somebody reads it." })
  revision: number

  /** What the row itself does not hold, where a statement has read it along; the snapshot of an event has none. */
  seen?: SeenComment
}

/** A comment as one viewer sees it: whether he has read it, and its author's name today. */
export type SeenComment = { readonly id: Id; readonly read: boolean; readonly authorName: string | null }

/** A page of comments. */
export const TaskCommentConnection = connectionOf("TaskComment", () => TaskComment)

/** A comment's row as answers show it. */
export const taskComments = table<Omit<TaskComment, "seen">>({
  id: "id",
  taskId: "id",
  text: "text",
  createdAt: "instant",
  createdById: "id",
  createdByRequestId: "text",
  revision: "integer",
})
