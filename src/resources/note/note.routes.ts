import { get, patch, post, type Route, remove } from "../../operations/route.js"
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
  get("/notes/:id", `query ($id: ID!) { note(id: $id) { ${NOTE} } }`),
  post("/notes", `mutation ($input: CreateNoteInput!) { createNote(input: $input) { ${NOTE} } }`),
  patch(
    "/notes/:id",
    `mutation ($id: ID!, $input: UpdateNoteInput!) { updateNote(id: $id, input: $input) { ${NOTE} } }`,
  ),
  remove("/notes/:id", "mutation ($id: ID!, $revision: Int!) { deleteNote(id: $id, revision: $revision) }"),
]
