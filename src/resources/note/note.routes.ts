import { get, type Route, rowsOf } from "../../operations/route.js"
import { notes } from "./note.type.js"

/** The members that REST shows, in their order. */
export const NOTE = notes.members("createdById")

/** §4 Notes. */
export const noteRoutes: readonly Route[] = [
  get(
    "/notes",
    `query ($taskId: ID, $listId: ID, $completedTasks: Boolean) {
       notes(taskId: $taskId, listId: $listId, completedTasks: $completedTasks) { ${NOTE} } }`,
  ),
  ...rowsOf("/notes", "note", NOTE),
]
