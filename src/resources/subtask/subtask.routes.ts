import { get, patch, post, type Route, remove } from "../../operations/route.js"
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
  get("/subtasks/:id", `query ($id: ID!) { subtask(id: $id) { ${SUBTASK} } }`),
  post("/subtasks", `mutation ($input: CreateSubtaskInput!) { createSubtask(input: $input) { ${SUBTASK} } }`),
  patch(
    "/subtasks/:id",
    `mutation ($id: ID!, $input: UpdateSubtaskInput!) { updateSubtask(id: $id, input: $input) { ${SUBTASK} } }`,
  ),
  remove("/subtasks/:id", "mutation ($id: ID!, $revision: Int!) { deleteSubtask(id: $id, revision: $revision) }"),
]
