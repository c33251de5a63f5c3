import { get, patch, post, type Route, remove } from "../../operations/route.js"
import { memberships } from "./membership.type.js"

/** The members that REST shows, in their order. */
export const MEMBERSHIP = memberships.members()

/** §4 Memberships. */
export const membershipRoutes: readonly Route[] = [
  get("/memberships", `query ($listId: ID) { memberships(listId: $listId) { ${MEMBERSHIP} } }`, {
    knownByRevisions: true,
  }),
  get("/memberships/:id", `query ($id: ID!) { membership(id: $id) { ${MEMBERSHIP} } }`),
  post(
    "/memberships",
    `mutation ($input: CreateMembershipInput!) { createMembership(input: $input) { ${MEMBERSHIP} } }`,
    { forbidden: "Only members can invite, and an inbox can't be shared." },
  ),
  patch(
    "/memberships/:id",
    `mutation ($id: ID!, $input: UpdateMembershipInput!) { updateMembership(id: $id, input: $input) { ${MEMBERSHIP} } }`,
    { forbidden: "Only the invited user can accept an invitation or mute the list for themselves." },
  ),
  remove(
    "/memberships/:id",
    "mutation ($id: ID!, $revision: Int!) { deleteMembership(id: $id, revision: $revision) }",
    {
      forbidden: "Only the list's owner can remove other members, and the owner can't leave.",
    },
  ),
]
