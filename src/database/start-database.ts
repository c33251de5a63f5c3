import type { Config } from "../config/config.js"
import type { Log } from "../log.js"
import { type DatabaseClient, openDatabase } from "./client.js"
import { startEmbeddedPostgres } from "./embedded-postgres.js"
import { openHistory } from "./history.js"
import { applyMigrations } from "./migrate.js"
import { requireServing } from "./requirements.js"

/** A database that is there and migrated. `stop` closes it, and ends the embedded PostgreSQL where it is that one. */
export type StartedDatabase = {
  readonly url: string
  /** Tells the folder of the embedded one from a copy. */
  readonly folder: string | undefined
  readonly client: DatabaseClient
  stop(): Promise<void>
}

/**
 * Opens the database that is named, or starts the embedded one, and brings its schema up to date; a command that looks at the
 * schema does without. When it fails nothing is left running.
 * @throws DatabaseFault, EmbeddedPostgresFault, MigrationError
 */
export async function startDatabase(
  { databaseUrl, dataDir, quotas }: Pick<Config, "databaseUrl" | "dataDir" | "quotas">,
  log: Log,
  migrates = true,
): Promise<StartedDatabase> {
  const embedded = databaseUrl === undefined ? await startEmbeddedPostgres({ dataDir, log }) : undefined
  const url = databaseUrl ?? embedded?.url ?? ""
  try {
    await requireServing(url)
    if (migrates) {
      await applyMigrations(url, log)
      await openHistory({ url, log, folder: embedded?.folder })
    }
  } catch (error) {
    await embedded?.stop()
    throw error
  }
  const client = openDatabase(url, quotas)
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
