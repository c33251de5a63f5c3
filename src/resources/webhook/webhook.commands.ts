import { randomBytes } from "node:crypto"
import { mayWrite, whenAllowed, whyNoRow } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { ClosedParent, Forbidden, InvalidFields, Unauthorized } from "../../errors.js"
import type { Id } from "../../statement.js"
import type { CreateWebhookInput } from "./webhook.input.js"
import {
  deleteWebhookRow,
  insertWebhook,
  listToWatch,
  replaceSecret,
  secretStanding,
  webhookStanding,
} from "./webhook.statements.js"
import type { Webhook } from "./webhook.type.js"

const SECRET_BYTES = 32

/** A secret as Standard Webhooks writes it. */
const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`

/** Whether the viewer may add a webhook to a list. @throws ClosedParent */
export async function mayCreateWebhook({ db, viewer }: Context, listId: Id): Promise<void> {
  if ((await db.run(listToWatch, [listId, viewer.userId])).length === 0) throw new ClosedParent()
}

/**
 * Makes a webhook. What it gives holds the secret, which nothing shows again. (§4 Webhooks, POST)
 * @throws ClosedParent, InvalidFields (an address inside), Unauthorized (the token has just ended)
 */
export async function createWebhook(context: Context, input: CreateWebhookInput): Promise<Webhook> {
  const { db, viewer, requestId } = context
  const { listId, url, processorType, configuration } = input
  const check = () => mayCreateWebhook(context, listId)
  await whenAllowed(() => refuseInside(context, url), check)
  const secret = newSecret()
  const values = [listId, viewer.userId, requestId, url, processorType, configuration, secret, viewer.tokenId]
  const [webhook] = await db.run(insertWebhook, values)
  if (webhook === undefined) {
    await check()
    throw new Unauthorized()
  }
  return { ...webhook, secret }
}

/** What a name leads to is asked at each delivery; an address that is written out is refused at once. */
function refuseInside({ mayReach }: Context, url: string): void {
  if (!mayReach(new URL(url).hostname))
    throw new InvalidFields({ url: ["must not lead to a private, loopback or link-local address"] })
}

/**
 * Deletes a webhook. `revision` is compared when it is given. (§4 Webhooks, DELETE)
 * @throws NotFound, Forbidden (neither its maker nor the list's owner), RevisionConflict
 */
export async function deleteWebhook(context: Context, id: Id, revision?: number | null): Promise<true> {
  const { db, viewer, requestId } = context
  const [deleted] = await db.run(deleteWebhookRow, [id, viewer.userId, revision, requestId])
  if (deleted !== undefined) return true
  const forbidden = () => new Forbidden("Only its creator and the list's owner can delete a webhook.")
  return whyNoRow(mayWrite(context, webhookStanding, id, revision, forbidden))
}

/**
 * Gives a webhook a new secret, which the answer shows and nothing shows again. For 24 hours deliveries are signed with the
 * old one too; replacing it again within that time ends the oldest at once.
 * @throws NotFound, Forbidden (not its maker)
 */
export async function rotateWebhookSecret(context: Context, id: Id): Promise<Webhook> {
  const { db, viewer, requestId } = context
  const secret = newSecret()
  const [webhook] = await db.run(replaceSecret, [id, viewer.userId, requestId, secret])
  if (webhook !== undefined) return { ...webhook, secret }
  const forbidden = () => new Forbidden("Only its creator can get the secret of a webhook.")
  return whyNoRow(mayWrite(context, secretStanding, id, undefined, forbidden))
}
