import { type App, startApp, type TestSettings } from "../../src/app.js"
import { type Config, readConfig } from "../../src/config/config.js"
import type { DatabaseClient } from "../../src/database/client.js"
import { silentLog } from "./log.js"
import { createTestDatabase, folderOf } from "./postgres.js"

/** A node of our own on an empty database of its own. */
export type TestNode = {
  readonly url: string
  readonly databaseUrl: string
  readonly database: DatabaseClient
  readonly status: App["status"]
  stop(): Promise<void>
}

/** No watch looks whether access has ended: only its events tell. Tests of the watch itself set it short. */
export const NEVER_MS = 3_600_000

type Settings = Partial<Config> & Pick<TestSettings, "accessWatchMs">

/** Starts another node on a database that exists, with the folder of that database for files; it listens on a free port. */
export function startNodeOn(
  databaseUrl: string,
  { accessWatchMs = NEVER_MS, ...settings }: Settings = {},
): Promise<App> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    PORT: "0",
    NODE_ENV: "test",
    DATA_DIR: settings.dataDir ?? folderOf(databaseUrl),
  })
  return startApp({ ...config, ...settings }, silentLog, { accessWatchMs })
}

let shared: Promise<TestNode> | undefined

/**
 * The node of this worker, for tests that need none of their own: they see only what they made. It ends with the worker;
 * its database and folder go with the run (global-setup.ts).
 */
export function sharedNode(): Promise<TestNode> {
  shared ??= startNode()
  return shared
}

/** Starts a node on an empty database, with a folder for files; `stop` removes both. */
export async function startNode(settings: Settings = {}): Promise<TestNode> {
  const database = await createTestDatabase()
  const app = await startNodeOn(database.url, settings)
  return {
    url: app.url,
    databaseUrl: database.url,
    database: app.database,
    status: app.status,
    async stop() {
      await app.stop()
      await database.drop()
    },
  }
}
