import { Arg, Args, Ctx, Extensions, FieldResolver, Int, Mutation, Query, Resolver, Root } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { toCreate } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { childrenIn, mayAddToTask, ParentArgs } from "../../loading/children.js"
import { type Connection, connect, PageArgs, pageOf } from "../../loading/connection.js"
import { childrenOf, found, rowsById } from "../../loading/loader.js"
import { groupedBy, readAhead } from "../../loading/look-ahead.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { Task } from "../task/task.type.js"
import { createTaskComment, deleteTaskComment, mayEditComment, updateTaskComment } from "./task-comment.commands.js"
import { CreateTaskCommentInput, UpdateTaskCommentInput } from "./task-comment.input.js"
import { commentReads, pageOfComments, seenComments } from "./task-comment.statements.js"
import { CommentAuthor, TaskComment, TaskCommentConnection } from "./task-comment.type.js"

const commentsOf = childrenOf(commentReads.ofTasks, (comment) => comment.taskId)
const commentsAhead = readAhead(async (run, listId, viewerId) =>
  groupedBy(await run(commentReads.ofList, [listId, viewerId, false]), (comment) => comment.taskId),
)
const seenOf = rowsById(seenComments)

/** Task comments: read, make, change, delete. (§4 Task comments) */
@Resolver(() => TaskComment)
export class TaskCommentResolver {
  @Needs("read")
  @Query(() => TaskComment, { description: "Get a comment." })
  async taskComment(
    @Arg("id", () => ID, { description: "The comment's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<TaskComment> {
    return found(await db.run(commentReads.byId, [id, viewer.userId]))
  }

  @Needs("read")
  @Query(() => [TaskComment], { description: "List comments. On a task, or on all tasks of a list, by id ascending." })
  taskComments(@Args(() => ParentArgs) parent: ParentArgs, @Ctx() context: Context): Promise<TaskComment[]> {
    return childrenIn(context, commentReads, parent)
  }

  @Extensions({ once: "inTransaction" })
  @Needs("write")
  @Mutation(() => TaskComment, { description: "Create a comment." })
  @Extensions(toCreate(mayAddToTask))
  createTaskComment(
    @Arg("input", () => CreateTaskCommentInput, { description: "Its fields." }) input: CreateTaskCommentInput,
    @Ctx() context: Context,
  ): Promise<TaskComment> {
    return createTaskComment(context, input)
  }

  @Needs("write")
  @Mutation(() => TaskComment, {
    description:
      "Update a comment. Edits its text, marks it read or unread for the viewer, or both. Requires its current revision.",
  })
  @Extensions({
    // Asked when a limit is exceeded, and only the text has one: somebody wanted to edit it.
    precondition: (context: Context, { id, input }: { id: Id; input: UpdateTaskCommentInput }) =>
      mayEditComment(context, id, input.revision),
  })
  updateTaskComment(
    @Arg("id", () => ID, { description: "The comment's identifier." }) id: Id,
    @Arg("input", () => UpdateTaskCommentInput, { description: "The fields to change." }) input: UpdateTaskCommentInput,
    @Ctx() context: Context,
  ): Promise<TaskComment> {
    return updateTaskComment(context, id, input)
  }

  @Needs("write")
  @Mutation(() => Boolean, {
    description: "Delete a comment. Its author and the list's owner can. Requires its current revision.",
  })
  deleteTaskComment(
    @Arg("id", () => ID, { description: "The comment's identifier." }) id: Id,
    @Arg("revision", () => Int, { description: "The comment's current revision." }) revision: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return deleteTaskComment(context, id, revision)
  }

  // Part of the comment, and so of the answer to its writing.
  @Needs()
  @FieldResolver(() => CommentAuthor, { description: "Its author." })
  async author(@Root() comment: TaskComment, @Ctx() context: Context): Promise<CommentAuthor> {
    const { authorName: name } = comment.seen ?? (await seenOf(context, comment.id)) ?? {}
    const id = comment.createdById
    return { id, name, avatar: `${context.publicUrl}/api/v1/avatar?user_id=${id}` }
  }

  @FieldResolver(() => Boolean, { description: "Whether the viewer has read it; their own comments always are." })
  async read(@Root() comment: TaskComment, @Ctx() context: Context): Promise<boolean> {
    return (comment.seen ?? (await seenOf(context, comment.id)))?.read ?? false
  }
}

/** What a task knows of the comments on it. */
@Resolver(() => Task)
export class CommentsOfTask {
  @Extensions(commentsAhead)
  @FieldResolver(() => [TaskComment], { description: "The comments on the task by id ascending." })
  comments(@Root() { id }: Task, @Ctx() context: Context): Promise<TaskComment[]> {
    return commentsOf(context, id)
  }

  @FieldResolver(() => TaskCommentConnection, {
    description: "The comments on the task page by page, by id ascending.",
  })
  async commentConnection(
    @Args(() => PageArgs) page: PageArgs,
    @Root() { id }: Task,
    @Ctx() { db, viewer }: Context,
  ): Promise<Connection<TaskComment>> {
    const { behind, limit } = pageOf(page)
    return connect(await db.run(pageOfComments, [id, viewer.userId, behind, limit]), page)
  }
}
