import { type Config, readConfig } from "../config/config.js"
import type { DatabaseClient } from "../database/client.js"
import { startDatabase } from "../database/start-database.js"
import { createLog, type Log } from "../log.js"

/** What a command works with. */
export type Workbench = {
  readonly config: Config
  readonly database: DatabaseClient
  readonly databaseUrl: string
  /** Tells the folder of the embedded database from a copy. */
  readonly folder: string | undefined
  readonly log: Log
}

/**
 * Runs a command on the database that the server uses: DATABASE_URL, or the embedded one of DATA_DIR, which is shared with a
 * running server or started for the command's time. The schema is brought up to date first, unless the command looks at it.
 */
export async function withDatabase<Result>(
  work: (bench: Workbench) => Promise<Result>,
  migrates = true,
): Promise<Result> {
  const config = readConfig()
  // What a command answers goes to standard output, so only trouble is logged, and elsewhere.
  const log = createLog({ level: "warn", isProduction: config.environment === "production" }, process.stderr)
  const { client: database, url: databaseUrl, folder, stop } = await startDatabase(config, log, migrates)
  try {
    return await work({ config, database, databaseUrl, folder, log })
  } finally {
    await stop()
  }
}
