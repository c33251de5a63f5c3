import { Field, Int, ObjectType } from "type-graphql"
import { tableOf } from "../../loading/fields.js"
import { DateTime, Email, ID, Name } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** §2 User. */
@ObjectType({ simpleResolvers: true, description: "A person with an account." })
export class User {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => Name, { description: "The name that other people see." })
  name: string

  @Field(() => Email, { description: "The user's email address, in lower case." })
  email: string

  /** The user's own picture. The schema's field `avatarUrl` has one for everyone. */
  avatarUrl?: string | null

  @Field(() => DateTime, { description: "When the user signed up." })
  createdAt: string

  @Field(() => DateTime, { description: "When the user's name or picture last changed." })
  updatedAt: string

  @Field(() => Int, { description: "Grows with each change of the user, their settings and their reminders." })
  revision: number
}

/** A user's row as answers show it. */
export const users = tableOf(User, [], { avatarUrl: "text" })

/** Where a client starts looking for changes: every change that the viewer can see raises it. (§2) */
@ObjectType({ simpleResolvers: true, description: "Where to start looking for changes." })
export class Root {
  @Field(() => ID, { description: "The viewer's identifier." })
  id: Id

  @Field(() => Int, { description: "Grows with each change of anything that the viewer can see, and never falls." })
  revision: number

  @Field(() => ID, { description: "The viewer's identifier." })
  userId: Id

  @Field(() => String, {
    description: "The moment of this answer: `after` of `changes` and of `accountUpdated`. Good for 30 days.",
  })
  cursor: string
}
