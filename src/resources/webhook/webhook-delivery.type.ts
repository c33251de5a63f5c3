import { Field, Int, ObjectType, registerEnumType } from "type-graphql"
import { connectionOf } from "../../loading/connection.js"
import { tableOf } from "../../loading/fields.js"
import { EventOperation } from "../../scalars/event-operation.js"
import { DateTime, ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** How far a delivery has come. */
export enum WebhookDeliveryStatus {
  PENDING = "pending",
  DELIVERED = "delivered",
  FAILED = "failed",
}
registerEnumType(WebhookDeliveryStatus, {
  name: "WebhookDeliveryStatus",
  description: "The state of a delivery.",
  valuesConfig: {
    PENDING: { description: "It is being sent, or waits for its next attempt." },
    DELIVERED: { description: "It was answered with a status of 200 to 299." },
    FAILED: { description: "It was given up." },
  },
})

/** The delivery of one change to one webhook. The log reaches back 30 days. (§9 Webhooks) */
@ObjectType({ simpleResolvers: true, description: "The delivery of one change to one webhook, stored for 30 days." })
export class WebhookDelivery {
  @Field(() => ID, { description: "Its identifier. The header `webhook-id` is `msg_` followed by it." })
  id: Id

  @Field(() => ID, { description: "The webhook." })
  webhookId: Id

  @Field(() => ID, { nullable: true, description: "The event that it delivers; null for a test." })
  eventId: Id | null

  @Field(() => WebhookDeliveryStatus, { description: "Its state." })
  status: WebhookDeliveryStatus

  @Field(() => Int, { description: "The number of attempts, including the one being made." })
  attempts: number

  @Field(() => Int, { nullable: true, description: "The status of the last attempt's response, if there was one." })
  responseCode: number | null

  @Field(() => Int, { nullable: true, description: "How long the last attempt took, in milliseconds." })
  latencyMs: number | null

  @Field(() => String, {
    name: "error",
    simple: false,
    nullable: true,
    description: "Why the last attempt failed; null when it did not.",
  })
  fault: string | null

  @Field(() => DateTime, { description: "When the change was made." })
  createdAt: string

  @Field(() => DateTime, { nullable: true, description: "When the last attempt began." })
  attemptedAt: string | null

  @Field(() => DateTime, {
    nullable: true,
    description: "When the next attempt is due, unless the one being made succeeds; null when there will be none.",
  })
  dueAt: string | null

  @Field(() => EventOperation, {
    nullable: true,
    description: "What happened; null for a test, and when it is no longer known.",
  })
  operation: EventOperation | null

  @Field(() => String, {
    nullable: true,
    description: "The type of the changed object, as in the REST member `type`.",
  })
  subjectType: string | null

  @Field(() => ID, { nullable: true, description: "The changed object." })
  subjectId: Id | null

  @Field(() => Int, { nullable: true, description: "The list's revision that the change made." })
  listRevision: number | null
}

/** A delivery's row, with what is known of its event. */
export const webhookDeliveries = tableOf(WebhookDelivery)

/** The log of a webhook, the newest first. */
export const WebhookDeliveryConnection = connectionOf("WebhookDelivery", () => WebhookDelivery, "the newest first")
