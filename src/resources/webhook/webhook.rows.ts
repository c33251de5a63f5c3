import { listOpenTo } from "../../access/access.js"
import type { Prisma } from "../../generated/prisma/client.js"
import type { Id } from "../../statement.js"
import { type Webhook, webhooks } from "./webhook.type.js"

/** A webhook that a user may see: of a list that is open to them, or of their own account. */
export const webhookOpen = (userId: Id) =>
  ({
    OR: [{ list: listOpenTo(userId) }, { listId: null, createdById: BigInt(userId) }],
  }) satisfies Prisma.WebhookWhereInput

/** What is not read of a webhook. */
export const UNSEEN = { secret: true } satisfies Prisma.WebhookOmit

/** A webhook as Prisma gives its row, in which no kinds of events are null. */
export const webhookOf = (row: Prisma.WebhookGetPayload<{ omit: typeof UNSEEN }>): Webhook => ({
  ...webhooks.readPrisma(row),
  events: row.events.length === 0 ? null : row.events,
})
