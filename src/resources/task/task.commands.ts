import { deletionBy, permission, whenAllowed } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { ClosedParent, InvalidFields, NotFound, type Violations } from "../../errors.js"
import { changedValues, newValues } from "../../loading/fields.js"
import type { Id } from "../../statement.js"
import { type CreateTaskInput, REMOVABLE, TASK_SETTABLES, type UpdateTaskInput } from "./task.input.js"
import { deleteTaskRow, insertTask, openList, patchTask, taskPrecondition } from "./task.statements.js"
import type { Task } from "./task.type.js"

const ASSIGNEE_NO_MEMBER: Violations = { assigneeId: ["must be an accepted member of the list"] }

/** Whether a list takes new tasks from the viewer. @throws ClosedParent */
export async function mayCreateTask(
  { db, viewer }: Context,
  { listId }: Pick<CreateTaskInput, "listId">,
): Promise<void> {
  if ((await db.run(openList, [listId, viewer.userId])).length === 0) throw new ClosedParent()
}

/** Makes a task. (§4 Tasks, POST) @throws ClosedParent, InvalidFields (an assignee who is no member, half a recurrence, §8) */
export async function createTask(context: Context, input: CreateTaskInput): Promise<Task> {
  const { db, viewer, requestId, clientRequestId } = context
  const [task] = await db.run(insertTask, [
    ...[input.listId, viewer.userId, requestId, clientRequestId],
    ...newValues(TASK_SETTABLES, input),
  ])
  if (task !== undefined) return task
  await mayCreateTask(context, input)
  throw new InvalidFields(ASSIGNEE_NO_MEMBER)
}

/** The changes that an input means: names in `remove` and nulls become what removing leaves. Either half clears the recurrence. */
function changesOf({ revision: _, remove, ...input }: UpdateTaskInput): Partial<UpdateTaskInput> {
  const violations: Violations = {}
  const removed = new Set(remove ?? [])
  for (const { name } of REMOVABLE) {
    if (removed.has(name) && input[name] != null) violations[name] = ["must not be set and removed at once"]
    if (input[name] === null) removed.add(name)
  }
  if (Object.keys(violations).length > 0) throw new InvalidFields(violations)
  const halves = ["recurrenceType", "recurrenceCount"] as const
  if (halves.some((half) => removed.has(half)) && halves.every((half) => input[half] == null))
    for (const half of halves) removed.add(half)
  const left = REMOVABLE.flatMap(({ name, removed: left }) => (removed.has(name) ? [[name, left]] : []))
  return { ...input, ...Object.fromEntries(left) }
}

/** Whether the viewer may change a task as it stands. @throws NotFound, RevisionConflict */
export const mayWriteTask = permission(taskPrecondition)

/**
 * Changes a task; moves it when `listId` names another list that is open to the viewer. (§4 Tasks, PATCH)
 * @throws NotFound, RevisionConflict, InvalidFields (recurrence without its pair, an assignee who is no member, §8)
 */
export async function updateTask(context: Context, id: Id, input: UpdateTaskInput): Promise<Task> {
  const { db, viewer, requestId } = context
  const changes = await whenAllowed(
    () => changesOf(input),
    () => mayWriteTask(context, id, input.revision),
  )
  const { listId } = changes
  const [task] = await db.run(patchTask, [
    ...[id, viewer.userId, input.revision, requestId, listId],
    ...changedValues(TASK_SETTABLES, changes),
  ])
  if (task !== undefined) return task
  await mayWriteTask(context, id, input.revision)
  if (listId != null && (await db.run(openList, [listId, viewer.userId])).length === 0) throw new NotFound()
  throw new InvalidFields(ASSIGNEE_NO_MEMBER)
}

/** Deletes a task with everything in it. (§4 Tasks, DELETE) @throws NotFound, RevisionConflict */
export const deleteTask = deletionBy(deleteTaskRow, mayWriteTask)
