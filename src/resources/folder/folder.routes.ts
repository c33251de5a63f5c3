import { get, type Route, rowsOf } from "../../operations/route.js"
import { folders } from "./folder.type.js"

/** The members that REST shows, in their order. */
export const FOLDER = folders.members()

/** §4 Folders. */
export const folderRoutes: readonly Route[] = [
  get("/folders", `query { folders { ${FOLDER} } }`),
  ...rowsOf("/folders", "folder", FOLDER, {
    // §4: not 201. The retired service answered 201.
    post: { status: 200, wunderlistStatus: 201 },
    remove: { revisionMayBeString: true },
  }),
  get("/folder_revisions", "query { folderRevisions { id __typename revision } }", { knownByRevisions: true }),
]
