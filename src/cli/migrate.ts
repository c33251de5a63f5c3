import type { Command } from "commander"
import { openHistory } from "../database/history.js"
import { applyMigrations, pendingMigrations } from "../database/migrate.js"
import type { Log } from "../log.js"
import { examples } from "./examples.js"
import { print } from "./print.js"
import { showProgress } from "./progress.js"
import { withDatabase } from "./with-database.js"

type Options = { check?: boolean; restored?: boolean; json?: boolean }

async function migrateWithProgress(databaseUrl: string, log: Log): Promise<string[]> {
  const { length: total } = await pendingMigrations(databaseUrl)
  const progress = showProgress("Applying migrations")
  let applied = 0
  progress.at(applied, total)
  try {
    // One line in the log for each that was applied.
    const counting = { info: () => progress.at(++applied, total), warn: log.warn.bind(log) as Log["warn"] }
    return await applyMigrations(databaseUrl, counting as Pick<Log, "info" | "warn">)
  } finally {
    progress.stop()
  }
}

/** `migrate`: brings the schema up to date, as every start does. */
export const addMigrate = (program: Command): Command =>
  program
    .command("migrate")
    .summary("bring the database's schema up to date")
    .description(
      "Brings the database's schema up to date, and notices a database that was restored. Every start of the server does the same; several at once do no harm.",
    )
    .option("--check", "only tell what is pending; exit code 1 when something is")
    .option("--restored", "say that the database was set back, after a snapshot of a disk, which shows nothing of it")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem migrate", "tandem migrate --check --json"))
    .action(({ check = false, restored = false, json = false }: Options) =>
      withDatabase(async ({ databaseUrl, folder, log }) => {
        const names = check ? await pendingMigrations(databaseUrl) : await migrateWithProgress(databaseUrl, log)
        if (!check) await openHistory({ url: databaseUrl, log, folder, isRestored: restored })
        if (check && names.length > 0) process.exitCode = 1
        const value = json ? names : names.join(", ") || "none"
        print(check ? { pending: value } : { applied: value }, json)
      }, false),
    )
