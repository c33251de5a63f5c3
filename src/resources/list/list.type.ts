import { Field, Int, ObjectType, registerEnumType } from "type-graphql"
import { tableOf } from "../../loading/fields.js"
import { DateTime, ID, Title } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** The two kinds of list. */
export enum ListType {
  inbox = "inbox",
  list = "list",
}
registerEnumType(ListType, {
  name: "ListType",
  description: "The two kinds of list.",
  valuesConfig: {
    inbox: { description: "Every user has exactly one; it can't be renamed, shared or deleted." },
    list: { description: "Any other list." },
  },
})

/** §2 List. */
@ObjectType({ simpleResolvers: true, description: "A list of tasks, shared between its members." })
export class List {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => Title, { description: "Its title; `inbox` for an inbox." })
  title: string

  @Field(() => ListType, { description: "Whether it is an inbox." })
  listType: ListType

  @Field(() => Boolean, { description: "Whether it is marked as public. Gives nobody access." })
  public: boolean

  @Field(() => String, { description: "The kind of owner: always `user`." })
  ownerType: string

  @Field(() => ID, { description: "The user who owns it." })
  ownerId: Id

  @Field(() => DateTime, { description: "When it was created." })
  createdAt: string

  @Field(() => ID, { description: "The user who created it." })
  createdById: Id

  @Field(() => String, { nullable: true, description: "The X-Client-Request-Id of the request that created it." })
  createdByRequestId?: string | null

  @Field(() => Int, { description: "Grows with each change of the list and of everything in it." })
  revision: number
}

/** A list's row as answers show it. */
export const lists = tableOf(List, [], { ownerType: { always: "user" } })

/** The revision of a list: enough to find out whether to read it again. */
@ObjectType({ simpleResolvers: true, description: "The current revision of a list." })
export class ListRevision {
  @Field(() => ID, { description: "The list's identifier." })
  id: Id

  @Field(() => Int, { description: "Grows with each change of the list and of everything in it." })
  revision: number
}
