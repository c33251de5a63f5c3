import { changeOf, creationOf, deletionOf, permissionOf } from "../../loading/child.statements.js"
import { CreateSubtaskInput, UpdateSubtaskInput } from "./subtask.input.js"
import { subtaskKind } from "./subtask.statements.js"

/** Adds a subtask to a task. (§4 Subtasks, POST) @throws ClosedParent */
export const createSubtask = creationOf(subtaskKind, CreateSubtaskInput, ({ completed }) => ({
  completed_at: `case when ${completed} then now() end`,
  completed_by_id: `case when ${completed} then $2::bigint end`,
}))

/** Whether the viewer may change a subtask as it stands. @throws NotFound, RevisionConflict */
export const mayWriteSubtask = permissionOf(subtaskKind)

/** Changes a subtask's title or whether it is done. (§4 Subtasks, PATCH) @throws NotFound, RevisionConflict */
export const updateSubtask = changeOf(subtaskKind, UpdateSubtaskInput, mayWriteSubtask, ({ completed }) => ({
  completed_at: `case when ${completed} then coalesce(s.completed_at, now()) end`,
  completed_by_id: `case when ${completed} then coalesce(s.completed_by_id, $2::bigint) end`,
}))

/** Deletes a subtask. (§4 Subtasks, DELETE) @throws NotFound, RevisionConflict */
export const deleteSubtask = deletionOf(subtaskKind, mayWriteSubtask)
