import { randomBytes } from "node:crypto"
import { acceptedBy } from "../../access/access.js"
import { failedPrecondition, inRevisionWindow, refuseStale, whenAllowed } from "../../access/revision.js"
import { writerOf } from "../../access/writer.js"
import type { Context } from "../../context.js"
import { ClosedParent, Forbidden, InvalidFields, Unauthorized, type Violations } from "../../errors.js"
import type { Prisma } from "../../generated/prisma/client.js"
import type { Id } from "../../statement.js"
import type { CreateWebhookInput, UpdateWebhookInput } from "./webhook.input.js"
import { UNSEEN, webhookOf, webhookOpen } from "./webhook.rows.js"
import { insertWebhook, patchWebhook } from "./webhook.statements.js"
import type { Webhook } from "./webhook.type.js"

const SECRET_BYTES = 32

/** A secret as Standard Webhooks writes it. */
const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`

/** Whether the viewer is a member of a list. */
const isMemberOf = async ({ db, viewer }: Context, listId: Id): Promise<boolean> =>
  (await db.prisma.membership.count({ where: { listId: BigInt(listId), ...acceptedBy(viewer.userId) } })) > 0

/** Whether the viewer may add a webhook to a list, or to their account. @throws ClosedParent */
export async function mayCreateWebhook(context: Context, listId: Id | null | undefined): Promise<void> {
  if (listId != null && !(await isMemberOf(context, listId))) throw new ClosedParent()
}

/**
 * Makes a webhook. What it gives holds the secret, which nothing shows again. (§4 Webhooks, POST)
 * @throws ClosedParent, InvalidFields (an address inside, no kind of event), Unauthorized (the token has just ended)
 */
export async function createWebhook(context: Context, input: CreateWebhookInput): Promise<Webhook> {
  const { db, viewer, requestId } = context
  const { listId, url, processorType, configuration, events, skipOwn } = input
  const check = () => mayCreateWebhook(context, listId)
  await whenAllowed(() => refuseFaults(context, input), check)
  const secret = newSecret()
  const [webhook] = await db.run(insertWebhook, [
    ...[listId, viewer.userId, requestId, url, processorType ?? "generic", configuration ?? "", secret, viewer.tokenId],
    ...[kindsOf(events), skipOwn, writerOf(viewer)],
  ])
  if (webhook === undefined) {
    await check()
    throw new Unauthorized()
  }
  if (webhook.skipOwn) context.skippedWriters.add(writerOf(viewer))
  return { ...webhook, secret }
}

/** What the viewer may write. */
type Writable = Pick<Prisma.WebhookWhereInput, "createdById" | "OR">
const ownedBy = ({ viewer }: Context): Writable => ({ createdById: BigInt(viewer.userId) })
const deletableBy = (context: Context): Writable => ({
  OR: [ownedBy(context), { list: { memberships: { some: { userId: BigInt(context.viewer.userId), owner: true } } } }],
})

/** Refuses a write by how the webhook stands to the viewer. @throws NotFound, Forbidden (not `writable`), RevisionConflict */
async function mayWrite(
  { db, viewer }: Context,
  id: Id,
  writable: Writable,
  forbidden: string,
  revision?: number | null,
): Promise<void> {
  const find = (where: Writable) =>
    db.prisma.webhook.findFirst({
      where: { id: BigInt(id), AND: [webhookOpen(viewer.userId), where] },
      select: { ownRevision: true, revision: true },
    })
  const webhook = await find(writable)
  if (webhook === null && (await find({})) !== null) throw new Forbidden(forbidden)
  refuseStale(webhook, revision)
}

/** Whether the viewer may change a webhook as it stands. @throws NotFound, Forbidden (not its maker), RevisionConflict */
export const mayUpdateWebhook = (context: Context, id: Id, revision?: number): Promise<void> =>
  mayWrite(context, id, ownedBy(context), "Only who made a webhook changes it.", revision)

/**
 * Changes where a webhook posts to, and what it is told. What waits for it goes where it leads then.
 * @throws NotFound, Forbidden (not its maker), RevisionConflict, InvalidFields (an address inside, no kind of event)
 */
export async function updateWebhook(context: Context, id: Id, input: UpdateWebhookInput): Promise<Webhook> {
  const { db, viewer, requestId } = context
  const { revision, url, configuration, events, skipOwn } = input
  const check = () => mayUpdateWebhook(context, id, revision)
  await whenAllowed(() => refuseFaults(context, input), check)
  const [webhook] = await db.run(patchWebhook, [
    ...[id, viewer.userId, revision, requestId, url, configuration],
    ...[events !== undefined, kindsOf(events), skipOwn !== undefined, skipOwn],
  ])
  if (webhook?.skipOwn) await context.skippedWriters.refresh()
  return webhook ?? failedPrecondition(check())
}

const kindsOf = (events: readonly string[] | null | undefined): string[] | null =>
  events ? [...new Set(events)] : null

/** What a name leads to is asked at each delivery; an address that is written out is refused at once. */
function refuseFaults({ mayConnect }: Context, { url, events }: Pick<UpdateWebhookInput, "url" | "events">): void {
  const violations: Violations = {}
  if (url != null && !mayConnect(new URL(url).hostname))
    violations.url = ["must not lead to a private, loopback or link-local address"]
  if (events?.length === 0) violations.events = ["must name at least one kind of event, or be left out"]
  if (Object.keys(violations).length > 0) throw new InvalidFields(violations)
}

/**
 * Deletes a webhook. `revision` is compared when it is given. (§4 Webhooks, DELETE)
 * @throws NotFound, Forbidden (neither its maker nor the list's owner), RevisionConflict
 */
export async function deleteWebhook(context: Context, id: Id, revision?: number | null): Promise<true> {
  const { count } = await context.db.prisma.webhook.deleteMany({
    where: {
      ...{ id: BigInt(id), ...inRevisionWindow(revision) },
      AND: [webhookOpen(context.viewer.userId), deletableBy(context)],
    },
  })
  if (count > 0) return true
  const forbidden = "Only its creator and the list's owner can delete a webhook."
  return failedPrecondition(mayWrite(context, id, deletableBy(context), forbidden, revision))
}

/**
 * Gives a webhook a new secret, which the answer shows and nothing shows again. For 24 hours deliveries are signed with the
 * old one too; replacing it again within that time ends the oldest at once.
 * @throws NotFound, Forbidden (not its maker)
 */
export async function rotateWebhookSecret(context: Context, id: Id): Promise<Webhook> {
  const { db, viewer, requestId, now } = context
  const secret = newSecret()
  const [webhook] = await db.prisma.webhook.updateManyAndReturn({
    where: { id: BigInt(id), ...webhookOpen(viewer.userId), ...ownedBy(context) },
    data: { secret, updatedAt: now(), updatedById: BigInt(viewer.userId), updatedByRequestId: requestId },
    omit: UNSEEN,
  })
  if (webhook !== undefined) return { ...webhookOf(webhook), secret }
  return failedPrecondition(
    mayWrite(context, id, ownedBy(context), "Only its creator can get the secret of a webhook."),
  )
}
