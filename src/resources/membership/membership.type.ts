import { Field, Int, ObjectType, registerEnumType } from "type-graphql"
import { ID } from "../../scalars/scalars.js"
import { type Id, table } from "../../statement.js"

/** How far an invitation has come. (§3) */
export enum MembershipState {
  pending = "pending",
  accepted = "accepted",
}
registerEnumType(MembershipState, {
  name: "MembershipState",
  description: "How far an invitation has come.",
  valuesConfig: {
    pending: { description: "Invited: sees the list, its members and memberships, and nothing inside it." },
    accepted: { description: "A member: may see and change everything in the list." },
  },
})

/** What joins a user to a list. (§2 Membership) */
@ObjectType({ simpleResolvers: true, description: "What joins a user to a list." })
export class Membership {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, {
    description:
      "The user. Somebody invited by address has another identifier here until they accept, except to themselves.",
  })
  userId: Id

  @Field(() => ID, { description: "The list." })
  listId: Id

  @Field(() => MembershipState, { description: "Whether he has accepted." })
  state: MembershipState

  @Field(() => Boolean, { description: "Whether he owns the list." })
  owner: boolean

  @Field(() => Boolean, { description: "Whether he wants to hear nothing of the list." })
  muted: boolean

  @Field(() => Int, { description: "Grows with each change of the membership." })
  revision: number
}

/** A membership's row as answers show it. */
export const memberships = table<Membership>({
  id: "id",
  userId: "id",
  listId: "id",
  state: "text",
  owner: "boolean",
  muted: "boolean",
  revision: "integer",
})
