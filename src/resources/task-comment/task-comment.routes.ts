import { get, patch, post, type Route, remove } from "../../operations/route.js"
import { taskComments } from "./task-comment.type.js"

/** The members that REST shows, in their order. */
export const COMMENT = `${taskComments.members("createdById")} author { id name avatar } read`

/** §4 Task comments. */
export const taskCommentRoutes: readonly Route[] = [
  get(
    "/task_comments",
    `query ($taskId: ID, $listId: ID, $completedTasks: Boolean) {
       taskComments(taskId: $taskId, listId: $listId, completedTasks: $completedTasks) { ${COMMENT} } }`,
  ),
  get("/task_comments/:id", `query ($id: ID!) { taskComment(id: $id) { ${COMMENT} } }`),
  post(
    "/task_comments",
    `mutation ($input: CreateTaskCommentInput!) { createTaskComment(input: $input) { ${COMMENT} } }`,
  ),
  patch(
    "/task_comments/:id",
    `mutation ($id: ID!, $input: UpdateTaskCommentInput!) { updateTaskComment(id: $id, input: $input) { ${COMMENT} } }`,
    { forbidden: "Only its author can edit a comment." },
  ),
  remove(
    "/task_comments/:id",
    "mutation ($id: ID!, $revision: Int!) { deleteTaskComment(id: $id, revision: $revision) }",
    { forbidden: "Only its author and the list's owner can delete a comment." },
  ),
]
