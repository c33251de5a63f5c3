import { get, patch, type Route } from "../../operations/route.js"
import { users } from "./user.type.js"

/** The members that REST shows, in their order. */
export const USER = users.members("avatarUrl")

/** The viewer and the people they share lists with; §4 leaves their routes open. */
export const userRoutes: readonly Route[] = [
  get("/user", `query { viewer { ${USER} } }`),
  patch("/user", `mutation ($input: UpdateUserInput!) { updateUser(input: $input) { ${USER} } }`),
  get("/users", `query ($listId: ID) { users(listId: $listId) { ${USER} } }`, { knownByRevisions: true }),
]
