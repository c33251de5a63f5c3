import type { Context } from "../../context.js"
import { found } from "../../loading/loader.js"
import type { Id } from "../../statement.js"
import { insertTest, makeDueAgain } from "./webhook-delivery.statements.js"
import type { WebhookDelivery } from "./webhook-delivery.type.js"

type Asked = Pick<Context, "db"> & { readonly viewer: Pick<Context["viewer"], "userId"> }

/**
 * Sends a test: an update of the webhook that changes nothing. One at a time, so another request gives the one that is under
 * way. A webhook that was disabled is enabled again when it takes it.
 * @throws NotFound
 */
export async function sendTestWebhook({ db, viewer }: Asked, webhookId: Id): Promise<WebhookDelivery> {
  return found(await db.run(insertTest, [webhookId, viewer.userId]))
}

/**
 * Sends a delivery again under the same `webhook-id`: now, and from the first attempt on if it was done. What is in flight
 * stays as it is.
 * @throws NotFound
 */
export async function redeliver({ db, viewer }: Asked, id: Id): Promise<WebhookDelivery> {
  return found(await db.run(makeDueAgain, [id, viewer.userId]))
}
