import { Field, InputType, Int } from "type-graphql"
import { Email, ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { MembershipState } from "./membership.type.js"

/** §4 Memberships, POST. */
@InputType({ description: "The fields of a new membership: a list, and a user by userId or by email." })
export class CreateMembershipInput {
  @Field(() => ID, { description: "The list; the viewer must be a member." })
  listId: Id

  @Field(() => ID, { nullable: true, description: "The user to invite; required unless email is given." })
  userId?: Id | null

  @Field(() => Email, {
    nullable: true,
    description: "The email address to invite; it need not have an account. Required unless userId is given.",
  })
  email?: string | null

  @Field(() => Boolean, { nullable: true, description: "Whether to mute the list for the invited user." })
  muted?: boolean | null
}

/** §4 Memberships, PATCH. */
@InputType({ description: "A change of the viewer's own membership. Fields that are left out stay unchanged." })
export class UpdateMembershipInput {
  @Field(() => Int, { description: "The membership's current revision." })
  revision: number

  @Field(() => MembershipState, { nullable: true, description: "`accepted`, which accepts the invitation." })
  state?: MembershipState | null

  @Field(() => Boolean, { nullable: true, description: "Whether to mute the list." })
  muted?: boolean | null
}
