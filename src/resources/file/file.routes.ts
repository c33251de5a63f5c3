import { get, post, type Route, remove } from "../../operations/route.js"
import { files } from "./file.type.js"

/** The members that REST shows, in their order. */
export const FILE = `${files.members()} url`

/** §4 Files. */
export const fileRoutes: readonly Route[] = [
  get(
    "/files",
    `query ($taskId: ID, $listId: ID, $completedTasks: Boolean) {
       files(taskId: $taskId, listId: $listId, completedTasks: $completedTasks) { ${FILE} } }`,
  ),
  get("/files/:id", `query ($id: ID!) { file(id: $id) { ${FILE} } }`),
  post("/files", `mutation ($input: CreateFileInput!) { createFile(input: $input) { ${FILE} } }`),
  remove("/files/:id", "mutation ($id: ID!, $revision: Int!) { deleteFile(id: $id, revision: $revision) }", {
    refusesInWords: true,
  }),
]
