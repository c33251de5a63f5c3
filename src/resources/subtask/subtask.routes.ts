import { get, type Route, rowsOf } from "../../operations/route.js"
import { subtasks } from "./subtask.type.js"

/** The members that REST shows, in their order. */
export const SUBTASK = subtasks.members("completedById")

/** §4 Subtasks. */
export const subtaskRoutes: readonly Route[] = [
  get(
    "/subtasks",
    `query ($taskId: ID, $listId: ID, $completed: Boolean, $completedTasks: Boolean, $completedFrom: DateTime, $completedTo: DateTime) {
       subtasks(taskId: $taskId, listId: $listId, completed: $completed, completedTasks: $completedTasks,
         completedAt: { from: $completedFrom, to: $completedTo }) { ${SUBTASK} } }`,
  ),
  ...rowsOf("/subtasks", "subtask", SUBTASK),
]
