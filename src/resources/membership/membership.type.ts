import { Field, Int, ObjectType, registerEnumType } from "type-graphql"
import { tableOf } from "../../loading/fields.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** How far an invitation has come. (§3) */
export enum MembershipState {
  pending = "pending",
  accepted = "accepted",
}
registerEnumType(MembershipState, {
  name: "MembershipState",
  description: "The state of a membership.",
  valuesConfig: {
    pending: { description: "Invited: can see the list, its members and memberships, but nothing in it." },
    accepted: { description: "A member: can see and change everything in the list." },
  },
})

/** §2 Membership. */
@ObjectType({ simpleResolvers: true, description: "Connects a user to a list." })
export class Membership {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, {
    description:
      "The user. A person invited by email address has another identifier here until they accept, except to themselves.",
  })
  userId: Id

  @Field(() => ID, { description: "The list." })
  listId: Id

  @Field(() => MembershipState, { description: "Whether the user has accepted." })
  state: MembershipState

  @Field(() => Boolean, { description: "Whether the user owns the list." })
  owner: boolean

  @Field(() => Boolean, { description: "Whether the user has muted the list." })
  muted: boolean

  @Field(() => Int, { description: "Grows with each change of the membership." })
  revision: number
}

/** A membership's row as answers show it. */
export const memberships = tableOf(Membership)
