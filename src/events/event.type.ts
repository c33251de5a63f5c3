import { GraphQLScalarType } from "graphql"
import { Extensions, Field, Int, ObjectType } from "type-graphql"
import { EventOperation } from "../scalars/event-operation.js"
import { DateTime, ID } from "../scalars/scalars.js"
import type { Id } from "../statement.js"
import { ChangeEvent } from "./event.js"
import { EventSubject, restObjectOf, type Subject, subjectOf } from "./event.subject.js"
import { writeFingerprint } from "./fingerprint.js"

/** A whole JSON object, for what has the form of the REST contract. */
const JSONObject = new GraphQLScalarType({
  name: "JSONObject",
  description: "A JSON object in the form of the REST contract.",
  serialize: (value) => value,
})

/** For a field that a getter answers: it depends on the event alone, so that all subscribers get the same. */
const SHARED = { shared: true }

/** §9 Events. */
@ObjectType({ simpleResolvers: true, description: "One change of one object in a list." })
export class Event extends ChangeEvent {
  @Field(() => ID, { description: "Its identifier. It does not tell the order of events: `listRevision` does." })
  override readonly id: Id

  @Field(() => EventOperation, { description: "What happened." })
  override readonly operation: ChangeEvent["operation"]

  @Field(() => String, {
    description: "The type of the object, as in the REST member `type`: `task`, `task_comment`, …",
  })
  override readonly subjectType: string

  @Field(() => ID, { description: "The object's identifier." })
  override readonly subjectId: Id

  @Field(() => ID, { description: "The list in which it happened." })
  override readonly listId: Id | null

  @Field(() => Int, { description: "The list's revision that this change made. Revisions have no gaps." })
  override readonly listRevision: number | null

  @Field(() => Int, { description: "The object's revision after the change; its last one after a deletion." })
  override readonly revision: number

  @Field(() => ID, { nullable: true, description: "The user who made the change; null when no request made it." })
  override readonly actorId: Id | null

  @Field(() => String, { nullable: true, description: "The request that made the change." })
  override readonly requestId: string | null

  @Field(() => DateTime, { description: "When it happened." })
  override readonly occurredAt: string

  /** What tells it from every other event. */
  @Extensions(SHARED)
  @Field(() => String, {
    description:
      "`sinceFingerprint` of the next subscription to the list: it identifies this event, even after the service was restored from a backup.",
  })
  get fingerprint(): string {
    return writeFingerprint(this)
  }

  #before: Record<string, unknown> | undefined
  #after: Record<string, unknown> | undefined
  #subject: Subject | undefined

  /** What was, in the form of the REST contract. */
  @Extensions(SHARED)
  @Field(() => JSONObject, {
    nullable: true,
    description: "The object before the change, as REST shows it; null when it is new.",
  })
  get before(): Record<string, unknown> | undefined {
    if (this.was !== null) this.#before ??= restObjectOf(this.subjectType, this.was)
    return this.#before
  }

  /** What is, in the form of the REST contract. */
  @Extensions(SHARED)
  @Field(() => JSONObject, {
    nullable: true,
    description: "The object after the change, as REST shows it; null when it is gone.",
  })
  get after(): Record<string, unknown> | undefined {
    if (this.is !== null) this.#after ??= restObjectOf(this.subjectType, this.is)
    return this.#after
  }

  /** What is, as its GraphQL type. */
  @Extensions(SHARED)
  @Field(() => EventSubject, {
    nullable: true,
    description: "The object after the change; null when it is gone. Related objects are read when the event is sent.",
  })
  get subject(): Subject | undefined {
    if (this.is !== null) this.#subject ??= subjectOf(this.subjectType, this.is)
    return this.#subject
  }
}

/** §9 Events. */
@ObjectType({ simpleResolvers: true, description: "One change of one object that the viewer can see." })
export class AccountEvent extends Event {
  @Field(() => ID, {
    nullable: true,
    description: "The list in which it happened; null for what only the viewer sees.",
  })
  override readonly listId: Id | null

  @Field(() => Int, {
    nullable: true,
    description: "The list's revision that this change made; null for what only the viewer sees.",
  })
  override readonly listRevision: number | null
}
