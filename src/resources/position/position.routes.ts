import { get, patch, type Route } from "../../operations/route.js"
import { listPositions, subtaskPositions, taskPositions } from "./position.type.js"

/** The members that REST shows, in their order. */
export const LIST_POSITION = listPositions.members()
/** The members that REST shows, in their order. */
export const TASK_POSITION = taskPositions.members()
/** The members that REST shows, in their order. */
export const SUBTASK_POSITION = subtaskPositions.members()

/** §4 Positions. */
export const positionRoutes: readonly Route[] = [
  get("/list_positions", `query { listPositions { ${LIST_POSITION} } }`),
  get("/list_positions/:id", `query ($id: ID!) { listPosition(id: $id) { ${LIST_POSITION} } }`),
  // §2: only the answer to an update shows list_id.
  patch(
    "/list_positions/:id",
    `mutation ($id: ID!, $input: UpdatePositionInput!) { updateListPosition(id: $id, input: $input) { id listId values revision __typename } }`,
  ),
  get("/task_positions", `query ($listId: ID!) { taskPositions(listId: $listId) { ${TASK_POSITION} } }`),
  get("/task_positions/:id", `query ($id: ID!) { taskPosition(id: $id) { ${TASK_POSITION} } }`),
  patch(
    "/task_positions/:id",
    `mutation ($id: ID!, $input: UpdatePositionInput!) { updateTaskPosition(id: $id, input: $input) { ${TASK_POSITION} } }`,
  ),
  get(
    "/subtask_positions",
    `query ($taskId: ID, $listId: ID) { subtaskPositions(taskId: $taskId, listId: $listId) { ${SUBTASK_POSITION} } }`,
  ),
  get("/subtask_positions/:id", `query ($id: ID!) { subtaskPosition(id: $id) { ${SUBTASK_POSITION} } }`),
  patch(
    "/subtask_positions/:id",
    `mutation ($id: ID!, $input: UpdatePositionInput!) { updateSubtaskPosition(id: $id, input: $input) { ${SUBTASK_POSITION} } }`,
  ),
]
