import { Field, Int, ObjectType, registerEnumType } from "type-graphql"
import { connectionOf } from "../../loading/connection.js"
import { EventOperation } from "../../scalars/event-operation.js"
import { DateTime, ID } from "../../scalars/scalars.js"
import { type Id, table } from "../../statement.js"

/** How far a delivery has come. */
export enum WebhookDeliveryStatus {
  PENDING = "pending",
  DELIVERED = "delivered",
  FAILED = "failed",
}
registerEnumType(WebhookDeliveryStatus, {
  name: "WebhookDeliveryStatus",
  description: "How far a delivery has come.",
  valuesConfig: {
    PENDING: { description: "It is under way, or is to be attempted when it is due." },
    DELIVERED: { description: "It was answered with 200 to 299." },
    FAILED: { description: "It was given up." },
  },
})

/** One change as it was told to one webhook. The log is kept for 30 days. (§9 Webhooks) */
@ObjectType({ simpleResolvers: true, description: "One change as it was told to one webhook; kept for 30 days." })
export class WebhookDelivery {
  @Field(() => ID, { description: "Its identifier; the header `webhook-id` is `msg_` and this." })
  id: Id

  @Field(() => ID, { description: "The webhook." })
  webhookId: Id

  @Field(() => ID, { nullable: true, description: "The event that it tells of; null for a test." })
  eventId: Id | null

  @Field(() => WebhookDeliveryStatus, { description: "How far it has come." })
  status: WebhookDeliveryStatus

  @Field(() => Int, { description: "How many attempts there were, with the one that is under way." })
  attempts: number

  @Field(() => Int, { nullable: true, description: "The status that the last attempt was answered with, if it was." })
  responseCode: number | null

  @Field(() => Int, { nullable: true, description: "How long the last attempt took, in milliseconds." })
  latencyMs: number | null

  @Field(() => String, { nullable: true, description: "What was wrong with the last attempt; null when nothing was." })
  fault: string | null

  @Field(() => DateTime, { description: "When the change was made." })
  createdAt: string

  @Field(() => DateTime, { nullable: true, description: "When the last attempt began." })
  attemptedAt: string | null

  @Field(() => DateTime, {
    nullable: true,
    description: "When the next attempt is due, unless the one under way succeeds; null when there is to be none.",
  })
  dueAt: string | null

  @Field(() => EventOperation, {
    nullable: true,
    description: "What happened; null for a test and when it is not known any more.",
  })
  operation: EventOperation | null

  @Field(() => String, {
    nullable: true,
    description: "The kind of object that it happened to, as its REST member `type` has it.",
  })
  subjectType: string | null

  @Field(() => ID, { nullable: true, description: "The object that it happened to." })
  subjectId: Id | null

  @Field(() => Int, { nullable: true, description: "The list's revision that the change made." })
  listRevision: number | null
}

/** A delivery's row, with what is known of its event. */
export const webhookDeliveries = table<WebhookDelivery>({
  id: "id",
  webhookId: "id",
  eventId: "id",
  status: "text",
  attempts: "integer",
  responseCode: "integer",
  latencyMs: "integer",
  fault: "text",
  createdAt: "instant",
  attemptedAt: "instant",
  dueAt: "instant",
  operation: "text",
  subjectType: "text",
  subjectId: "id",
  listRevision: "integer",
})

/** The log of a webhook, the newest first. */
export const WebhookDeliveryConnection = connectionOf("WebhookDelivery", () => WebhookDelivery, "the newest first")
