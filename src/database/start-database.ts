import type { Config } from "../config/config.js"
import type { Log } from "../log.js"
import { type DatabaseClient, openDatabase } from "./client.js"
import { startEmbeddedPostgres } from "./embedded-postgres.js"
import { openHistory } from "./history.js"
import { applyMigrations } from "./migrate.js"

/** A database that is there and migrated. `stop` closes it, and ends the embedded PostgreSQL where it is that one. */
export type StartedDatabase = {
  readonly url: string
  /** Tells the folder of the embedded one from a copy. */
  readonly folder: string | undefined
  readonly client: DatabaseClient
  stop(): Promise<void>
}

/** Opens the database that is named, or starts the embedded one. */
export async function startDatabase(
  { databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">,
  log: Log,
): Promise<StartedDatabase> {
  const embedded = databaseUrl === undefined ? await startEmbeddedPostgres({ dataDir, log }) : undefined
  const url = databaseUrl ?? embedded?.url ?? ""
  await applyMigrations(url, log)
  await openHistory({ url, log, folder: embedded?.folder })
  const client = openDatabase(url)
  return {
    url,
    folder: embedded?.folder,
    client,
    async stop() {
      await client.stop()
      await embedded?.stop()
    },
  }
}
