import { get, patch, post, type Route, remove } from "../../operations/route.js"

const LIST = "id title listType public ownerType ownerId createdAt createdById createdByRequestId revision __typename"

/** The lists themselves; §4 leaves their routes open. */
export const listRoutes: readonly Route[] = [
  get("/lists", `query { lists { ${LIST} } }`),
  get("/lists/:id", `query ($id: ID!) { list(id: $id) { ${LIST} } }`),
  post("/lists", `mutation ($input: CreateListInput!) { createList(input: $input) { ${LIST} } }`),
  patch(
    "/lists/:id",
    `mutation ($id: ID!, $input: UpdateListInput!) { updateList(id: $id, input: $input) { ${LIST} } }`,
    { forbidden: "Only members change a list, and nobody renames an inbox." },
  ),
  remove("/lists/:id", "mutation ($id: ID!, $revision: Int!) { deleteList(id: $id, revision: $revision) }", {
    forbidden: "Only its owner deletes a list, and nobody deletes an inbox.",
  }),
  get("/list_revisions", "query { listRevisions { id revision __typename } }", { knownByRevisions: true }),
]
