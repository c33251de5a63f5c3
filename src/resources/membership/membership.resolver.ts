import { Arg, Ctx, Extensions, FieldResolver, Int, Mutation, Query, Resolver, Root } from "type-graphql"
import type { Context } from "../../context.js"
import { childrenOf, found, inVisible } from "../../loading/loader.js"
import { ID } from "../../scalars/scalars.js"
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
import { membershipById, membershipsOfList, membershipsOfLists, membershipsOfUser } from "./membership.statements.js"
import { Membership } from "./membership.type.js"

const membershipsIn = childrenOf(membershipsOfLists, (membership) => membership.listId)

/** Memberships: read, invite, accept, end. (§4 Memberships) */
@Resolver(() => Membership)
export class MembershipResolver {
  @Query(() => Membership, { description: "One membership." })
  async membership(
    @Arg("id", () => ID, { description: "The membership's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<Membership> {
    return found(await db.run(membershipById, [id, viewer.userId]))
  }

  @Query(() => [Membership], { description: "The memberships of one list; else the viewer's own. By id ascending." })
  async memberships(
    @Arg("listId", () => ID, { nullable: true, description: "The list's identifier." }) listId: Id | null | undefined,
    @Ctx() { db, viewer }: Context,
  ): Promise<Membership[]> {
    if (listId == null) return db.run(membershipsOfUser, [viewer.userId])
    return inVisible(await db.run(membershipsOfList, [listId, viewer.userId]))
  }

  @Extensions({ once: "inTransaction" })
  @Mutation(() => Membership, {
    description: "Invites somebody to a list. Gives the membership that he has when he has one already.",
  })
  @Extensions({
    verdict: (context: Context, { input }: { input: CreateMembershipInput }) => mayInvite(context, input.listId),
  })
  createMembership(
    @Arg("input", () => CreateMembershipInput, { description: "Who is invited, and where to." })
    input: CreateMembershipInput,
    @Ctx() context: Context,
  ): Promise<Membership> {
    return createMembership(context, input)
  }

  @Mutation(() => Membership, {
    description: "Accepts the viewer's invitation, or mutes his membership. Needs its current revision.",
  })
  @Extensions({
    verdict: (context: Context, { id, input }: { id: Id; input: UpdateMembershipInput }) =>
      mayWriteMembership(context, id, input.revision),
  })
  updateMembership(
    @Arg("id", () => ID, { description: "The membership's identifier." }) id: Id,
    @Arg("input", () => UpdateMembershipInput, { description: "What changes." }) input: UpdateMembershipInput,
    @Ctx() context: Context,
  ): Promise<Membership> {
    return updateMembership(context, id, input)
  }

  @Mutation(() => Boolean, {
    description:
      "Leaves a list, rejects an invitation, or removes a member as the list's owner. Needs its current revision.",
  })
  deleteMembership(
    @Arg("id", () => ID, { description: "The membership's identifier." }) id: Id,
    @Arg("revision", () => Int, { description: "The membership's current revision." }) revision: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return deleteMembership(context, id, revision)
  }
}

/** Who is joined to a list. */
@Resolver(() => List)
export class MembershipsOfList {
  @FieldResolver(() => [Membership], { description: "Its memberships, invitations included, by id ascending." })
  memberships(@Root() { id }: List, @Ctx() context: Context): Promise<Membership[]> {
    return membershipsIn(context, id)
  }
}
