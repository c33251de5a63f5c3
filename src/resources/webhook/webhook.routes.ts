import { get, post, type Route, remove } from "../../operations/route.js"
import { webhooks } from "./webhook.type.js"

/** The members that REST shows, in their order. */
export const WEBHOOK = webhooks.members()

/** §4 Webhooks. */
export const webhookRoutes: readonly Route[] = [
  get("/webhooks", `query ($listId: ID!) { webhooks(listId: $listId) { ${WEBHOOK} } }`),
  get("/webhooks/:id", `query ($id: ID!) { webhook(id: $id) { ${WEBHOOK} } }`),
  post("/webhooks", `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { ${WEBHOOK} } }`, {
    requires: ["processorType", "configuration"],
  }),
  remove("/webhooks/:id", "mutation ($id: ID!, $revision: Int!) { deleteWebhook(id: $id, revision: $revision) }", {
    // Clients of the retired service sent no revision.
    wunderlistDocument: "mutation ($id: ID!) { deleteWebhook(id: $id) }",
    forbidden: "Only its creator and the list's owner can delete a webhook.",
  }),
]
