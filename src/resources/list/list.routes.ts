import { get, type Route, rowsOf } from "../../operations/route.js"
import { lists } from "./list.type.js"

/** The members that REST shows, in their order. */
export const LIST = lists.members()

/** The lists themselves; §4 leaves their routes open. */
export const listRoutes: readonly Route[] = [
  get("/lists", `query { lists { ${LIST} } }`, { knownByRevisions: true }),
  ...rowsOf("/lists", "list", LIST, {
    patch: { forbidden: "Only members can change a list, and an inbox can't be renamed." },
    remove: { forbidden: "Only its owner can delete a list, and an inbox can't be deleted." },
  }),
  get("/list_revisions", "query { listRevisions { id revision __typename } }", { knownByRevisions: true }),
]
