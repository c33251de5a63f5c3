import { get, patch, post, type Route, remove } from "../../operations/route.js"

const MEMBERSHIP = "id userId listId state __typename owner muted revision"

/** §4 Memberships. */
export const membershipRoutes: readonly Route[] = [
  get("/memberships", `query ($listId: ID) { memberships(listId: $listId) { ${MEMBERSHIP} } }`),
  get("/memberships/:id", `query ($id: ID!) { membership(id: $id) { ${MEMBERSHIP} } }`),
  post(
    "/memberships",
    `mutation ($input: CreateMembershipInput!) { createMembership(input: $input) { ${MEMBERSHIP} } }`,
    { forbidden: "Only members invite, and an inbox can't be shared." },
  ),
  patch(
    "/memberships/:id",
    `mutation ($id: ID!, $input: UpdateMembershipInput!) { updateMembership(id: $id, input: $input) { ${MEMBERSHIP} } }`,
    { forbidden: "Only who is invited accepts, and everybody mutes for himself." },
  ),
  remove(
    "/memberships/:id",
    "mutation ($id: ID!, $revision: Int!) { deleteMembership(id: $id, revision: $revision) }",
    {
      forbidden: "Only the list's owner removes others, and the owner himself can't leave.",
    },
  ),
]
