import { get, type Route, rowsOf } from "../../operations/route.js"
import { memberships } from "./membership.type.js"

/** The members that REST shows, in their order. */
export const MEMBERSHIP = memberships.members()

/** §4 Memberships. */
export const membershipRoutes: readonly Route[] = [
  get("/memberships", `query ($listId: ID) { memberships(listId: $listId) { ${MEMBERSHIP} } }`, {
    knownByRevisions: true,
  }),
  ...rowsOf("/memberships", "membership", MEMBERSHIP, {
    post: { forbidden: "Only members can invite, and an inbox can't be shared." },
    patch: { forbidden: "Only the invited user can accept an invitation or mute the list for themselves." },
    remove: { forbidden: "Only the list's owner can remove other members, and the owner can't leave." },
  }),
]
