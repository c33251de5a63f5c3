import { Extensions, Field, Int, ObjectType } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { tableOf } from "../../loading/fields.js"
import { DateTime, ID, ShortText, Text, WebhookUrl } from "../../scalars/scalars.js"
import { EventKind } from "../../scalars/webhook-scalars.js"
import type { Id } from "../../statement.js"

/** §2 Webhook. */
@ObjectType({
  simpleResolvers: true,
  description: "An address that is notified of changes: in a list, or in everything that its creator can see.",
})
export class Webhook {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, { nullable: true, description: "The list; null for one of its maker's account." })
  listId: Id | null

  @Field(() => ID, {
    nullable: true,
    description: "The membership of its creator, with which it ends; null for a webhook of an account.",
  })
  membershipId: Id | null

  @Field(() => String, { description: "The kind of membership: always `Membership`." })
  membershipType: string

  @Field(() => WebhookUrl, { description: "Where changes are posted to." })
  url: string

  @Field(() => ShortText, {
    description: "A name for how changes are processed, chosen by its creator; has no effect.",
  })
  processorType: string

  @Field(() => Text, { description: "A text that is included in each delivery; the service gives it no meaning." })
  configuration: string

  @Field(() => [EventKind], { nullable: true, description: "Which events are delivered; null for all." })
  events: string[] | null

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether what the application that created it writes is left out.",
  })
  skipOwn: boolean | null

  @Field(() => ID, { description: "The user who created it." })
  createdById: Id

  @Field(() => DateTime, { description: "When it was created." })
  createdAt: string

  @Field(() => DateTime, { description: "When it last changed." })
  updatedAt: string

  @Field(() => Int, { description: "Grows with each change of the webhook." })
  revision: number

  @Needs("manage")
  @Extensions({ secret: true })
  @Field(() => String, {
    nullable: true,
    description:
      "Verifies the signatures of its deliveries (Standard Webhooks). Returned when it is created or rotated, and null afterwards.",
  })
  secret?: string | null
}

/** A webhook's row as answers show it: without the secret. */
export const webhooks = tableOf(Webhook, ["secret"], { membershipType: { always: "Membership" } })
