import { Field, InputType, Int } from "type-graphql"
import { Email, ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { MembershipState } from "./membership.type.js"

/** Whom to invite to which list. (§4 Memberships, POST) */
@InputType({ description: "Whom to invite to which list: by userId or by email." })
export class CreateMembershipInput {
  @Field(() => ID, { description: "The list; the viewer must be its member." })
  listId: Id

  @Field(() => ID, { nullable: true, description: "Who is invited; needed unless email is given." })
  userId?: Id | null

  @Field(() => Email, {
    nullable: true,
    description: "The address of who is invited; he need not have signed up. Needed unless userId is given.",
  })
  email?: string | null

  @Field(() => Boolean, { nullable: true, description: "Whether he is to hear nothing of the list." })
  muted?: boolean | null
}

/** A change of a membership: what is left out stays. (§4 Memberships, PATCH) */
@InputType({ description: "A change of the viewer's own membership. What is left out stays." })
export class UpdateMembershipInput {
  @Field(() => Int, { description: "The membership's current revision." })
  revision: number

  @Field(() => MembershipState, { nullable: true, description: "`accepted`, which accepts the invitation." })
  state?: MembershipState | null

  @Field(() => Boolean, { nullable: true, description: "Whether to hear nothing of the list." })
  muted?: boolean | null
}
