import { Arg, Ctx, Extensions, FieldResolver, Int, Mutation, Query, Resolver, Root } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { toUpdate } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { childrenOf, found, inVisible, rowsById } from "../../loading/loader.js"
import { Email, ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { List } from "../list/list.type.js"
import {
  createMembership,
  deleteMembership,
  mayInvite,
  mayWriteMembership,
  updateMembership,
} from "./membership.commands.js"
import { CreateMembershipInput, UpdateMembershipInput } from "./membership.input.js"
import {
  addressesOfInvitations,
  membershipById,
  membershipsOfList,
  membershipsOfLists,
  membershipsOfUser,
} from "./membership.statements.js"
import { Membership } from "./membership.type.js"

const membershipsIn = childrenOf(membershipsOfLists, (membership) => membership.listId)
const addressOf = rowsById(addressesOfInvitations)

/** Memberships: read, invite, accept, end. (§4 Memberships) */
@Resolver(() => Membership)
export class MembershipResolver {
  @FieldResolver(() => Email, {
    nullable: true,
    description:
      "The email address that the viewer invited, until it is accepted; null for invitations of other members.",
  })
  async invitedEmail(@Root() { id }: Membership, @Ctx() context: Context): Promise<string | undefined> {
    return (await addressOf(context, id))?.email
  }

  @Needs("read")
  @Query(() => Membership, { description: "Get a membership." })
  async membership(
    @Arg("id", () => ID, { description: "The membership's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<Membership> {
    return found(await db.run(membershipById, [id, viewer.userId]))
  }

  @Needs("read")
  @Query(() => [Membership], {
    description: "List memberships. Those of a list, or the viewer's own, by id ascending.",
  })
  async memberships(
    @Arg("listId", () => ID, { nullable: true, description: "The list's identifier." }) listId: Id | null | undefined,
    @Ctx() { db, viewer }: Context,
  ): Promise<Membership[]> {
    if (listId == null) return db.run(membershipsOfUser, [viewer.userId])
    return inVisible(await db.run(membershipsOfList, [listId, viewer.userId]))
  }

  @Extensions({ once: "inTransaction" })
  @Needs("share")
  @Mutation(() => Membership, {
    description: "Create a membership. Invites a person to a list; returns their membership if they already have one.",
  })
  @Extensions({
    precondition: (context: Context, { input }: { input: CreateMembershipInput }) => mayInvite(context, input.listId),
  })
  createMembership(
    @Arg("input", () => CreateMembershipInput, { description: "Its fields." })
    input: CreateMembershipInput,
    @Ctx() context: Context,
  ): Promise<Membership> {
    return createMembership(context, input)
  }

  @Needs("share")
  @Mutation(() => Membership, {
    description:
      "Update a membership. Accepts the viewer's invitation, or mutes the list for them. Requires its current revision.",
  })
  @Extensions(toUpdate(mayWriteMembership))
  updateMembership(
    @Arg("id", () => ID, { description: "The membership's identifier." }) id: Id,
    @Arg("input", () => UpdateMembershipInput, { description: "The fields to change." }) input: UpdateMembershipInput,
    @Ctx() context: Context,
  ): Promise<Membership> {
    return updateMembership(context, id, input)
  }

  @Needs("share")
  @Mutation(() => Boolean, {
    description:
      "Delete a membership. Leaves a list, rejects an invitation, or removes a member (as the list's owner). Requires its current revision.",
  })
  deleteMembership(
    @Arg("id", () => ID, { description: "The membership's identifier." }) id: Id,
    @Arg("revision", () => Int, { description: "The membership's current revision." }) revision: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return deleteMembership(context, id, revision)
  }
}

/** The memberships of a list. */
@Resolver(() => List)
export class MembershipsOfList {
  @FieldResolver(() => [Membership], { description: "Its memberships, invitations included, by id ascending." })
  memberships(@Root() { id }: List, @Ctx() context: Context): Promise<Membership[]> {
    return membershipsIn(context, id)
  }
}
