import { get, patch, post, type Route, remove } from "../../operations/route.js"
import { lists } from "./list.type.js"

/** The members that REST shows, in their order. */
export const LIST = lists.members()

/** The lists themselves; §4 leaves their routes open. */
export const listRoutes: readonly Route[] = [
  get("/lists", `query { lists { ${LIST} } }`, { knownByRevisions: true }),
  get("/lists/:id", `query ($id: ID!) { list(id: $id) { ${LIST} } }`),
  post("/lists", `mutation ($input: CreateListInput!) { createList(input: $input) { ${LIST} } }`),
  patch(
    "/lists/:id",
    `mutation ($id: ID!, $input: UpdateListInput!) { updateList(id: $id, input: $input) { ${LIST} } }`,
    { forbidden: "Only members can change a list, and an inbox can't be renamed." },
  ),
  remove("/lists/:id", "mutation ($id: ID!, $revision: Int!) { deleteList(id: $id, revision: $revision) }", {
    forbidden: "Only its owner can delete a list, and an inbox can't be deleted.",
  }),
  get("/list_revisions", "query { listRevisions { id revision __typename } }", { knownByRevisions: true }),
]
