import { get, patch, post, type Route, remove } from "../../operations/route.js"
import { folders } from "./folder.type.js"

/** The members that REST shows, in their order. */
export const FOLDER = folders.members()

/** §4 Folders. */
export const folderRoutes: readonly Route[] = [
  get("/folders", `query { folders { ${FOLDER} } }`),
  get("/folders/:id", `query ($id: ID!) { folder(id: $id) { ${FOLDER} } }`),
  // §4: not 201. The retired service answered 201.
  post("/folders", `mutation ($input: CreateFolderInput!) { createFolder(input: $input) { ${FOLDER} } }`, {
    status: 200,
    wunderlistStatus: 201,
  }),
  patch(
    "/folders/:id",
    `mutation ($id: ID!, $input: UpdateFolderInput!) { updateFolder(id: $id, input: $input) { ${FOLDER} } }`,
  ),
  remove("/folders/:id", "mutation ($id: ID!, $revision: Int!) { deleteFolder(id: $id, revision: $revision) }", {
    revisionMayBeString: true,
  }),
  get("/folder_revisions", "query { folderRevisions { id __typename revision } }", { knownByRevisions: true }),
]
