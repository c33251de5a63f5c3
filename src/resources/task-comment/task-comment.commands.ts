import { deletionBy, failedPrecondition, permission } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { creationOf } from "../../loading/child.statements.js"
import type { Id } from "../../statement.js"
import { CreateTaskCommentInput, type UpdateTaskCommentInput } from "./task-comment.input.js"
import {
  commentKind,
  commentPrecondition,
  commentPreconditionToDelete,
  commentPreconditionToEdit,
  deleteCommentRow,
  patchComment,
} from "./task-comment.statements.js"
import type { TaskComment } from "./task-comment.type.js"

/** Says something about a task. (§4 Task comments, POST) @throws ClosedParent */
export const createTaskComment = creationOf(commentKind, CreateTaskCommentInput)

/** Whether the viewer may edit a comment's text as it stands. @throws NotFound, Forbidden (another's), RevisionConflict */
export const mayEditComment = permission(commentPreconditionToEdit, "Only its author can edit a comment.")
const mayMarkComment = permission(commentPrecondition)

/**
 * Edits a comment's text, marks it read or unread for the viewer, or both.
 * @throws NotFound, Forbidden (another's text), RevisionConflict
 */
export async function updateTaskComment(context: Context, id: Id, input: UpdateTaskCommentInput): Promise<TaskComment> {
  const { db, viewer, requestId } = context
  const values = [id, viewer.userId, input.revision, requestId, input.text, input.read]
  const [comment] = await db.run(patchComment, values)
  return (
    comment ?? failedPrecondition((input.text == null ? mayMarkComment : mayEditComment)(context, id, input.revision))
  )
}

/** Deletes a comment; its author may, and the list's owner. @throws NotFound, Forbidden, RevisionConflict */
export const deleteTaskComment = deletionBy(
  deleteCommentRow,
  permission(commentPreconditionToDelete, "Only its author and the list's owner can delete a comment."),
)
