import { Field, Int, ObjectType, registerEnumType } from "type-graphql"
import { EventSubject } from "../events/event.subject.js"
import { ID } from "../scalars/scalars.js"
import type { Id } from "../statement.js"
import type { Shown } from "./kinds.js"

/** What to do with an object in a copy. */
export enum ChangeOperation {
  upsert = "upsert",
  delete = "delete",
}
registerEnumType(ChangeOperation, {
  name: "ChangeOperation",
  description: "What to do with an object in a copy.",
  valuesConfig: {
    upsert: { description: "Put `data` in the place of what the copy has, if it has anything." },
    delete: { description: "Forget the object and everything in it." },
  },
})

@ObjectType({ simpleResolvers: true, description: "One object that changed, as it is now." })
export class Change {
  @Field(() => String, { description: "The kind of object, as its REST member `type` has it: `task`, `note`, …" })
  type: string

  @Field(() => ID, { description: "The object's identifier." })
  id: Id

  @Field(() => ChangeOperation, { description: "What to do with it in a copy." })
  operation: ChangeOperation

  @Field(() => ID, {
    nullable: true,
    description: "The list in which it is, or was when it is gone; null for what lies in no list.",
  })
  listId?: Id | null

  @Field(() => Int, { description: "The object's revision." })
  revision: number

  @Field(() => ID, {
    nullable: true,
    description: "Who made the last change; null where nobody's request did, or nothing was changed.",
  })
  actorId?: Id | null

  @Field(() => String, { nullable: true, description: "The request that made it." })
  requestId?: string | null

  @Field(() => EventSubject, {
    nullable: true,
    description: "The object as it is read by itself; null when it is gone.",
  })
  data?: Shown | null
}

@ObjectType({ simpleResolvers: true, description: "A page of changes, and where to go on." })
export class ChangePage {
  @Field(() => [Change], {
    description: "Each object once: first those that are gone, then the others, each behind what it lies in.",
  })
  changes: readonly Change[]

  @Field(() => String, {
    description:
      "`after` of the next page, of the next poll, or of `accountUpdated` when no page follows. Good for 30 days from now.",
  })
  cursor: string

  @Field(() => Boolean, { description: "Whether another page follows at once. A copy is complete when none does." })
  hasMore: boolean

  @Field(() => Boolean, {
    description:
      "Whether the page is a part of the whole account: what a copy holds that no page of it shows is to be forgotten.",
  })
  full: boolean
}
