import { Field, Int, ObjectType } from "type-graphql"
import { DateTime, Email, ID, Name } from "../../scalars/scalars.js"
import { type Id, table } from "../../statement.js"

/** Somebody with lists. (§2) */
@ObjectType({ simpleResolvers: true, description: "Somebody with lists." })
export class User {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => Name, { description: "What others see him as." })
  name: string

  @Field(() => Email, { description: "His address, in lower case." })
  email: string

  /** A picture of his own. The schema's field `avatarUrl` has one for everybody. */
  avatarUrl?: string | null

  @Field(() => DateTime, { description: "When he signed up." })
  createdAt: string

  @Field(() => DateTime, { description: "When his name or picture last changed." })
  updatedAt: string

  @Field(() => Int, { description: "Grows with each change of the user, his settings and his reminders." })
  revision: number
}

/** A user's row as answers show it. */
export const users = table<User>({
  id: "id",
  name: "text",
  email: "text",
  avatarUrl: "text",
  createdAt: "instant",
  updatedAt: "instant",
  revision: "integer",
})

/** Where a client begins to look for what has changed: whatever the viewer may see grows it. (§2) */
@ObjectType({ simpleResolvers: true, description: "Where to begin to look for what has changed." })
export class Root {
  @Field(() => ID, { description: "The viewer's identifier." })
  id: Id

  @Field(() => Int, { description: "Grows with each change of anything that the viewer may see, and never falls." })
  revision: number

  @Field(() => ID, { description: "The viewer's identifier." })
  userId: Id
}
