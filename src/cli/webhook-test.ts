import { setTimeout as sleep } from "node:timers/promises"
import type { Command } from "commander"
import type { Context } from "../context.js"
import { redeliver, sendTestWebhook } from "../resources/webhook/webhook-delivery.commands.js"
import type { Id } from "../statement.js"
import { CommandError } from "./command-error.js"
import { examples } from "./examples.js"
import { print } from "./print.js"
import { contextOf, webhookNamed } from "./webhook-owner.js"
import { withDatabase } from "./with-database.js"

/** Longer than a server waits for an answer. */
const PATIENCE_MS = 30_000
const LOOK_MS = 250

/** What came of an attempt: an answer, or why there is none that is good. */
export type TestOutcome = {
  readonly status: string
  readonly responseCode: number | null
  readonly latencyMs: number | null
  readonly fault: string | null
}

/** How a delivery stands; undefined when it is gone. */
async function attemptsOf({ prisma }: Pick<Context["db"], "prisma">, id: Id) {
  const select = { attempts: true, lease: true, status: true, responseCode: true, latencyMs: true, fault: true }
  const found = await prisma.webhookDelivery.findUnique({ where: { id: BigInt(id) }, select })
  if (found === null) return undefined
  const { attempts, lease, ...outcome } = found
  return { attempts, isOver: lease === null, outcome: outcome satisfies TestOutcome }
}

/**
 * Has a running server send a test, at once also when one waits for its next attempt, and gives what came of it; undefined
 * when no server has attempted it in time, "gone" when the webhook was deleted meanwhile.
 * @throws NotFound
 */
export async function testOutcome(
  context: Pick<Context, "db" | "viewer">,
  webhookId: Id,
  patienceMs = PATIENCE_MS,
): Promise<TestOutcome | "gone" | undefined> {
  const { id, attempts } = await sendTestWebhook(context, webhookId)
  const earlier = attempts > 0 ? await attemptsOf(context.db, id) : undefined
  // One that is being sent just now is as good as another.
  const isFlying = earlier?.isOver === false
  if (earlier?.isOver) await redeliver(context, id)
  const until = performance.now() + patienceMs
  while (performance.now() < until) {
    const found = await attemptsOf(context.db, id)
    if (found === undefined) return "gone"
    if (found.isOver && found.attempts > attempts - Number(isFlying)) return found.outcome
    await sleep(LOOK_MS)
  }
  return undefined
}

type Options = { webhook: string; json?: boolean }

/** `webhook test`: one signed delivery, and what the endpoint answered. */
export const addWebhookTest = (webhooks: Command): Command =>
  webhooks
    .command("test")
    .summary("send a test to a webhook and show the answer")
    .description(
      "Makes a running server send one signed test, an update of the webhook that changes nothing, and shows what the endpoint answered. An answer of 200 to 299 enables a disabled webhook again; any other is exit code 1.",
    )
    .requiredOption("--webhook <id>", "the webhook, from: webhook list")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem webhook test --webhook 12"))
    .action(({ webhook, json = false }: Options) =>
      withDatabase(async ({ database, config }) => {
        const { id, makerId, url } = await webhookNamed(database, webhook)
        const outcome = await testOutcome(contextOf(database, config, makerId, "webhook-test"), id)
        if (outcome === undefined)
          throw new CommandError(
            `No server has sent the test within ${PATIENCE_MS / 1_000} seconds. Does one run on this database? It stays due until one does.`,
          )
        if (outcome === "gone") throw new CommandError(`--webhook: ${webhook} has just been deleted`)
        const { status, responseCode, latencyMs, fault } = outcome
        const isDelivered = status === "delivered"
        print(
          {
            webhook_id: Number(id),
            url,
            delivered: isDelivered,
            response_code: responseCode,
            latency_ms: latencyMs,
            error: fault,
          },
          json,
        )
        if (!isDelivered) process.exitCode = 1
      }),
    )
