import { deletionBy, failedPrecondition, permission, whenAllowed } from "../../access/revision.js"
import type { Context } from "../../context.js"
import {
  BadRequest,
  ClosedParent,
  Forbidden,
  InvalidFields,
  MissingParameter,
  NotFound,
  Unavailable,
} from "../../errors.js"
import type { Id } from "../../statement.js"
import type { CreateMembershipInput, UpdateMembershipInput } from "./membership.input.js"
import {
  deleteMembershipRow,
  insertMembership,
  listToShare,
  membershipById,
  membershipPrecondition,
  membershipPreconditionToDelete,
  patchMembership,
  userExists,
} from "./membership.statements.js"
import { type Membership, MembershipState } from "./membership.type.js"

/** Whether the viewer may invite to a list. @throws ClosedParent, Forbidden (an inbox, an invitation not yet accepted) */
export async function mayInvite({ db, viewer }: Context, listId: Id): Promise<void> {
  const [list] = await db.run(listToShare, [listId, viewer.userId])
  if (list === undefined) throw new ClosedParent()
  if (list.isInbox) throw new Forbidden("An inbox can't be shared.")
  if (!list.isMember) throw new Forbidden("Only members can invite: accept the invitation first.")
}

// Two others can come between: one makes the placeholder, one the membership. More than that is a storm.
const ATTEMPTS = 5

/**
 * Invites a person by id or address; returns their membership if there is one. Whether the address was known can't be told
 * from the answer. (§4 Memberships, POST)
 * @throws MissingParameter, BadRequest (neither id nor address, or both), ClosedParent, Forbidden, NotFound (no such user)
 */
export async function createMembership(context: Context, input: CreateMembershipInput): Promise<Membership> {
  const { db, viewer, requestId } = context
  const { listId, userId, email, muted } = input
  refuseUnlessOne(input)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const [membership] = await db.run(insertMembership, [listId, viewer.userId, requestId, userId, email, muted])
    if (membership !== undefined) return membership
    await mayInvite(context, listId)
    if (userId != null && (await db.run(userExists, [userId])).length === 0) throw new NotFound()
  }
  throw new Unavailable()
}

function refuseUnlessOne({ userId, email }: CreateMembershipInput): void {
  if (userId == null && email == null)
    throw new MissingParameter({ userId: ["required, or email"], email: ["required, or userId"] })
  if (userId != null && email != null)
    throw new BadRequest("Invite by userId or by email, not both.", {
      userId: ["must not be given together with email"],
      email: ["must not be given together with userId"],
    })
}

/** Whether the viewer may change a membership as it stands. @throws NotFound, Forbidden (another's), RevisionConflict */
export const mayWriteMembership = permission(
  membershipPrecondition,
  "Only the invited user can accept an invitation or mute the list for themselves.",
)

/**
 * Accepts the viewer's invitation, mutes or unmutes their membership. Accepting again changes nothing and is no conflict.
 * (§4 Memberships, PATCH)
 * @throws MissingParameter (neither state nor muted), NotFound, Forbidden (another's), RevisionConflict, InvalidFields (another state)
 */
export async function updateMembership(context: Context, id: Id, input: UpdateMembershipInput): Promise<Membership> {
  const { db, viewer, requestId } = context
  const { revision, state, muted } = input
  if (state == null && muted == null) throw new MissingParameter({ state: ["required, or muted"] })
  const check = () => mayWriteMembership(context, id, revision)
  const accepts = await whenAllowed(() => isAcceptance(state), check)
  const [membership] = await db.run(patchMembership, [id, viewer.userId, revision, requestId, accepts, muted])
  const result = membership ?? (accepts ? await acceptedAlready(context, id, input) : undefined)
  return result ?? failedPrecondition(check())
}

function isAcceptance(state: MembershipState | null | undefined): boolean {
  if (state === MembershipState.pending) throw new InvalidFields({ state: ["must be accepted"] })
  return state === MembershipState.accepted
}

/** The viewer's membership when it is already as requested. */
async function acceptedAlready(
  { db, viewer }: Context,
  id: Id,
  { revision, muted }: UpdateMembershipInput,
): Promise<Membership | undefined> {
  const [own] = await db.run(membershipById, [id, viewer.userId])
  const isSame = own?.state === MembershipState.accepted && (muted ?? own.muted) === own.muted
  return isSame && own.userId === viewer.userId && revision <= own.revision ? own : undefined
}

/**
 * Ends a membership: leaves, rejects an invitation, or removes another as the list's owner. Their assignments and webhooks there
 * go with it. (§4 Memberships, DELETE)
 * @throws NotFound, Forbidden (the owner's, or another's when the viewer is not the owner), RevisionConflict
 */
export const deleteMembership = deletionBy(
  deleteMembershipRow,
  permission(
    membershipPreconditionToDelete,
    "Only the list's owner can remove other members, and the owner can't leave.",
  ),
)
