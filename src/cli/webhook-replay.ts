import type { Command } from "commander"
import type { DatabaseClient } from "../database/client.js"
import { redeliver } from "../resources/webhook/webhook-delivery.commands.js"
import type { WebhookDelivery } from "../resources/webhook/webhook-delivery.type.js"
import { DateTime, idOf, Refusal } from "../scalars/scalars.js"
import type { Id, Runner } from "../statement.js"
import { CommandError } from "./command-error.js"
import { examples } from "./examples.js"
import { printAll } from "./print.js"
import { webhookNamed } from "./webhook-owner.js"
import { withDatabase } from "./with-database.js"

type Options = { webhook?: string; since?: string; failed?: boolean; json?: boolean }

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** An instant, or how long ago: 90m. @throws CommandError */
function instantOf(since: string, now: Date): string {
  const ago = /^(\d{1,6})([smhd])$/.exec(since)
  if (ago) {
    const instant = new Date(now.getTime() - Number(ago[1]) * (UNITS_MS[ago[2] as string] as number))
    if (instant.getUTCFullYear() < 1) throw new CommandError(`--since: ${since} is before the year 1`)
    return instant.toISOString()
  }
  try {
    return DateTime.parseValue(since) as string
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new CommandError(`--since: ${since} ${error.reason}, or so long ago, like 90m, 2h or 3d`)
  }
}

async function replay(database: Runner, viewer: { userId: Id }, ids: readonly Id[]): Promise<WebhookDelivery[]> {
  const again: WebhookDelivery[] = []
  // Like the mutation redeliver: a delivery that is being sent stays as it is.
  for (const id of ids)
    again.push(await redeliver({ db: database as Parameters<typeof redeliver>[0]["db"], viewer }, id))
  return again
}

async function replayOne(database: DatabaseClient, delivery: string): Promise<WebhookDelivery[]> {
  const id = idOf(delivery.replace(/^msg_/, ""))
  const sent = await database.prisma.webhookDelivery.findUnique({ where: { id: BigInt(id) } })
  const webhook = sent && (await database.prisma.webhook.findUnique({ where: { id: sent.webhookId } }))
  if (webhook === null)
    throw new CommandError(
      `<delivery>: there is no delivery ${delivery} of an existing webhook; deliveries are stored for 30 days`,
    )
  return replay(database, { userId: String(webhook.createdById) }, [id])
}

async function replaySince(
  database: DatabaseClient,
  { webhook, since, failed = false }: Options,
): Promise<WebhookDelivery[]> {
  if (webhook === undefined)
    throw new CommandError("<delivery>: name a delivery, or --webhook <id> with --since <when>")
  if (since === undefined) throw new CommandError("--since: say since when to send deliveries again, like 2h")
  const { makerId } = await webhookNamed(database, webhook)
  const createdAt = { gte: new Date(instantOf(since, new Date())) }
  const where = { webhookId: BigInt(idOf(webhook)), createdAt, ...(failed && { status: "failed" }) }
  const found = await database.prisma.webhookDelivery.findMany({ where, select: { id: true }, orderBy: { id: "asc" } })
  return replay(
    database,
    { userId: makerId },
    found.map(({ id }) => String(id)),
  )
}

/** `webhook replay`: sends deliveries again. */
export const addWebhookReplay = (webhooks: Command): Command =>
  webhooks
    .command("replay")
    .summary("send deliveries again")
    .description(
      "Makes a running server send deliveries again, with the same webhook-id: one by its id, or all of a webhook since an instant. Deliveries that are being sent stay as they are.",
    )
    .argument("[delivery]", "its id, with or without the msg_ of the header webhook-id")
    .option("--webhook <id>", "all deliveries of this webhook")
    .option("--since <when>", "with --webhook: an instant, or how long ago: 90m, 2h, 3d")
    .option("--failed", "with --webhook: only failed deliveries")
    .option("--json", "print one JSON array")
    .addHelpText(
      "after",
      examples("tandem webhook replay msg_4711", "tandem webhook replay --webhook 12 --since 2h --failed"),
    )
    .action((delivery: string | undefined, options: Options) =>
      withDatabase(async ({ database }) => {
        if (delivery !== undefined && options.webhook !== undefined)
          throw new CommandError("--webhook: cannot be combined with a delivery")
        const again =
          delivery === undefined ? await replaySince(database, options) : await replayOne(database, delivery)
        const rows = again.map(({ id, webhookId, status, operation, subjectType, subjectId, createdAt }) => ({
          id: Number(id),
          webhook_id: Number(webhookId),
          status,
          operation: operation?.toLowerCase() ?? null,
          subject_type: subjectType,
          subject_id: subjectId === null ? null : Number(subjectId),
          created_at: createdAt,
        }))
        printAll(rows, options.json ?? false, "There are no such deliveries.")
      }),
    )
