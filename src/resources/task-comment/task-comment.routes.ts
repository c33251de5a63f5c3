import { get, type Route, rowsOf } from "../../operations/route.js"
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
  ...rowsOf("/task_comments", "taskComment", COMMENT, {
    patch: { forbidden: "Only its author can edit a comment." },
    remove: { forbidden: "Only its author and the list's owner can delete a comment." },
  }),
]
