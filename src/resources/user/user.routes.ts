import { get, patch, type Route } from "../../operations/route.js"

const USER = "id name email createdAt updatedAt revision __typename"

/** The viewer and the people they share lists with; §4 leaves their routes open. */
export const userRoutes: readonly Route[] = [
  get("/root", "query { root { id __typename revision userId } }"),
  get("/user", `query { viewer { ${USER} } }`),
  patch("/user", `mutation ($input: UpdateUserInput!) { updateUser(input: $input) { ${USER} } }`),
  get("/users", `query ($listId: ID) { users(listId: $listId) { ${USER} } }`),
]
