import { failedPrecondition, mayWrite } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { ClosedParent } from "../../errors.js"
import type { Id } from "../../statement.js"
import type { CreateSubtaskInput, UpdateSubtaskInput } from "./subtask.input.js"
import { deleteSubtaskRow, insertSubtask, patchSubtask, subtaskPrecondition } from "./subtask.statements.js"
import type { Subtask } from "./subtask.type.js"

/** Adds a subtask to a task. (§4 Subtasks, POST) @throws ClosedParent */
export async function createSubtask(
  { db, viewer, requestId, clientRequestId }: Context,
  { taskId, title, completed }: CreateSubtaskInput,
): Promise<Subtask> {
  const values = [taskId, viewer.userId, requestId, title, completed ?? false, clientRequestId]
  const [subtask] = await db.run(insertSubtask, values)
  if (subtask === undefined) throw new ClosedParent()
  return subtask
}

/** Whether the viewer may change a subtask as it stands. @throws NotFound, RevisionConflict */
export const mayWriteSubtask = (context: Context, id: Id, revision: number): Promise<void> =>
  mayWrite(context, subtaskPrecondition, id, revision)

/** Changes a subtask's title or whether it is done. (§4 Subtasks, PATCH) @throws NotFound, RevisionConflict */
export async function updateSubtask(context: Context, id: Id, input: UpdateSubtaskInput): Promise<Subtask> {
  const { db, viewer, requestId } = context
  const { revision, title, completed } = input
  const [subtask] = await db.run(patchSubtask, [id, viewer.userId, revision, requestId, title, completed])
  return subtask ?? failedPrecondition(mayWriteSubtask(context, id, revision))
}

/** Deletes a subtask. (§4 Subtasks, DELETE) @throws NotFound, RevisionConflict */
export async function deleteSubtask(context: Context, id: Id, revision: number): Promise<true> {
  const [deleted] = await context.db.run(deleteSubtaskRow, [id, context.viewer.userId, revision, context.requestId])
  return deleted === undefined ? failedPrecondition(mayWriteSubtask(context, id, revision)) : true
}
