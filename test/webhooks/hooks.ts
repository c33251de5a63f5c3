import { type App, startApp } from "../../src/app.js"
import { type Config, readConfig } from "../../src/config/config.js"
import type { DeliverySettings } from "../../src/jobs/webhook-delivery/webhook-delivery.js"
import { statement } from "../../src/statement.js"
import { silentLog } from "../support/log.js"
import { NEVER_MS } from "../support/node.js"
import { createTestDatabase, folderOf, type TestDatabase } from "../support/postgres.js"

/** A node that may reach receivers on this machine. */
export type HookNode = App & { readonly databaseUrl: string }

/** Starts one on an empty database of its own, which `stop` drops, or on one that exists. */
export async function startHookNode(
  delivery: DeliverySettings = {},
  { on, ...settings }: Partial<Config> & { on?: { databaseUrl: string } } = {},
): Promise<HookNode> {
  const made: TestDatabase | undefined = on ? undefined : await createTestDatabase()
  const databaseUrl = on?.databaseUrl ?? (made as TestDatabase).url
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    PORT: "0",
    NODE_ENV: "test",
    DATA_DIR: folderOf(databaseUrl),
    WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
  })
  const app = await startApp({ ...config, ...settings }, silentLog, { accessWatchMs: NEVER_MS, ...delivery })
  return {
    ...app,
    databaseUrl,
    async stop() {
      await app.stop()
      await made?.drop()
    },
  }
}

/** The log of a webhook's deliveries as the database has it, the oldest first. */
export const deliveriesOf = (node: Pick<App, "database">, hook: { id: number }) =>
  node.database.run(allDeliveries, [hook.id])

const allDeliveries = statement(
  "test_deliveries",
  "select id, status, attempts, response_code, latency_ms, fault, lease from webhook_deliveries where webhook_id = $1::bigint order by id",
  ([id, status, attempts, responseCode, latencyMs, fault, lease]) => ({
    id: Number(id),
    status,
    attempts: Number(attempts),
    responseCode: responseCode === null ? null : Number(responseCode),
    latencyMs: latencyMs === null ? null : Number(latencyMs),
    fault,
    lease,
  }),
)
