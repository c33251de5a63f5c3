import { failedPrecondition, mayWrite } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { ClosedParent, Forbidden } from "../../errors.js"
import type { Id } from "../../statement.js"
import type { CreateTaskCommentInput, UpdateTaskCommentInput } from "./task-comment.input.js"
import {
  commentPrecondition,
  commentPreconditionToDelete,
  commentPreconditionToEdit,
  deleteCommentRow,
  insertComment,
  patchComment,
} from "./task-comment.statements.js"
import type { TaskComment } from "./task-comment.type.js"

/** Says something about a task. (§4 Task comments, POST) @throws ClosedParent */
export async function createTaskComment(
  { db, viewer, requestId, clientRequestId }: Context,
  { taskId, text }: CreateTaskCommentInput,
): Promise<TaskComment> {
  const [comment] = await db.run(insertComment, [taskId, viewer.userId, requestId, text, clientRequestId])
  if (comment === undefined) throw new ClosedParent()
  return comment
}

/** Whether the viewer may edit a comment's text as it stands. @throws NotFound, Forbidden (another's), RevisionConflict */
export const mayEditComment = (context: Context, id: Id, revision: number): Promise<void> =>
  mayWrite(context, commentPreconditionToEdit, id, revision, () => new Forbidden("Only its author can edit a comment."))

const mayUpdateComment = (context: Context, id: Id, { revision, text }: UpdateTaskCommentInput): Promise<void> =>
  text == null ? mayWrite(context, commentPrecondition, id, revision) : mayEditComment(context, id, revision)

/**
 * Edits a comment's text, marks it read or unread for the viewer, or both.
 * @throws NotFound, Forbidden (another's text), RevisionConflict
 */
export async function updateTaskComment(context: Context, id: Id, input: UpdateTaskCommentInput): Promise<TaskComment> {
  const { db, viewer, requestId } = context
  const values = [id, viewer.userId, input.revision, requestId, input.text, input.read]
  const [comment] = await db.run(patchComment, values)
  return comment ?? failedPrecondition(mayUpdateComment(context, id, input))
}

/** Deletes a comment; its author may, and the list's owner. @throws NotFound, Forbidden, RevisionConflict */
export async function deleteTaskComment(context: Context, id: Id, revision: number): Promise<true> {
  const [deleted] = await context.db.run(deleteCommentRow, [id, context.viewer.userId, revision, context.requestId])
  if (deleted !== undefined) return true
  const forbidden = () => new Forbidden("Only its author and the list's owner can delete a comment.")
  return failedPrecondition(mayWrite(context, commentPreconditionToDelete, id, revision, forbidden))
}
