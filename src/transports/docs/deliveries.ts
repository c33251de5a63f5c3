import { EVENT_KINDS } from "../../scalars/webhook-scalars.js"
import { type JsonSchema, schemaNamed } from "./json-schema.js"

// Requests that the service sends: OpenAPI calls them webhooks, too.

const text = (description: string): JsonSchema => ({ type: "string", description })
const id = (description: string): JsonSchema => ({ type: "integer", format: "int64", minimum: 1, description })

const header = (name: string, description: string, example: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example,
})

const ANY_OBJECT = { type: "object", additionalProperties: true }

/** The bodies of deliveries. */
export const deliverySchemas: Readonly<Record<string, JsonSchema>> = {
  Delivery: {
    type: "object",
    description: "One change in a list, as it is delivered to webhooks; the same at each attempt.",
    required: [
      "event",
      "operation",
      "subject",
      "before",
      "after",
      "client",
      "webhook_id",
      "configuration",
      "enqueued_at",
    ],
    properties: {
      event: {
        type: "string",
        enum: EVENT_KINDS,
        description: "What happened to what; a webhook's `events` name these.",
      },
      operation: { type: "string", enum: ["create", "update", "delete"], description: "What happened." },
      subject: {
        type: "object",
        description: "The changed object.",
        required: ["type", "id", "revision", "parents"],
        properties: {
          type: text("The type of the object: `task`, `task_comment`, …"),
          id: id("Its identifier."),
          revision: { type: "integer", format: "int32", description: "Its revision after the change." },
          parents: {
            type: "array",
            description: "The objects that contain it, the nearest first.",
            items: {
              type: "object",
              required: ["type", "id"],
              properties: { type: text("The type of the object."), id: id("Its identifier.") },
            },
          },
        },
      },
      before: { ...ANY_OBJECT, description: "The object before the change, as REST shows it; `{}` when it is new." },
      after: { ...ANY_OBJECT, description: "The object after the change; its last state when it is deleted." },
      client: {
        type: "object",
        description: "The request that made the change.",
        properties: { request_id: text("Its `X-Client-Request-Id`, else its `X-Request-Id`.") },
      },
      user_id: id("The user who made the change; absent when no request made it."),
      list_id: id("The list in which it happened; left out for what only its creator sees."),
      list_revision: {
        type: "integer",
        format: "int32",
        description: "The list's revision that the change made; left out where `list_id` is.",
      },
      webhook_id: id("The webhook."),
      configuration: text("The webhook's configuration."),
      enqueued_at: { type: "string", format: "date-time", description: "When the change was made." },
      cursor: text(
        "The place behind the event, for its creator alone: `after` of `accountUpdated`. Left out of a test, which is no event.",
      ),
    },
  },
}

const EXAMPLE = {
  event: "task.completed",
  operation: "update",
  subject: { type: "task", id: 345, revision: 4, parents: [{ type: "list", id: 12 }] },
  before: { id: 345, list_id: 12, title: "Buy milk", completed: false, revision: 3, type: "task" },
  after: { id: 345, list_id: 12, title: "Buy milk", completed: true, revision: 4, type: "task" },
  client: { request_id: "5f0c2b8e-4a51-4f6c-9d55-0d5a1f0e6a11" },
  user_id: 1,
  list_id: 12,
  list_revision: 27,
  webhook_id: 51,
  configuration: "",
  enqueued_at: "2026-12-01T09:30:00.000Z",
  cursor: "MWExYi8xMDA6MTAxOi8xMDA6MTAyOi81LzE3OTYwMDAwMDA",
}

/** What is posted to the `url` of a webhook. */
export const deliveries = {
  delivery: {
    post: {
      operationId: "delivery",
      tags: ["Webhooks"],
      summary: "Receive a delivery",
      description: `Each change of the list, its deletion too, at least once. \`webhook-signature\` is that of [Standard Webhooks](https://www.standardwebhooks.com);
\`secret\` of \`createWebhook\` verifies it. ResponseSchema within 15 seconds. A delivery that is not answered with 200 to 299 is retried, eight times over 27.6 hours.`,
      security: [],
      parameters: [
        header(
          "webhook-id",
          "Identifies the delivery; the same at each attempt, so that you recognise one that you already have.",
          "msg_9001",
        ),
        header("webhook-timestamp", "When this attempt was made, in seconds.", "1796117400"),
        header(
          "webhook-signature",
          "One or two signatures, separated by a space.",
          "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
        ),
      ],
      requestBody: {
        required: true,
        content: { "application/json": { schema: schemaNamed("Delivery"), example: EXAMPLE } },
      },
      responses: {
        "2XX": { description: "The delivery was accepted. The body is ignored." },
        410: { description: "The webhook is gone: it is disabled." },
      },
    },
  },
}
