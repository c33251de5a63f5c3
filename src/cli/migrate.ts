import type { Command } from "commander"
import { openHistory } from "../database/history.js"
import { applyMigrations, pendingMigrations } from "../database/migrate.js"
import type { Log } from "../log.js"
import { forgetStore } from "../storage/embedded/claim.js"
import { examples } from "./examples.js"
import { print } from "./print.js"
import { showProgress } from "./progress.js"
import { withDatabase } from "./with-database.js"

type Options = { check?: boolean; restored?: boolean; newStore?: boolean; json?: boolean }

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
      "Brings the database's schema up to date, and detects a database that was restored. Every start of the server does the same. Running several at once is safe.",
    )
    .option("--check", "only show what is pending; exit code 1 if anything is")
    .option("--restored", "declare that the database was restored from a disk snapshot, which cannot be detected")
    .option("--new-store", "let the next node start with an empty embedded store, because the previous one is lost")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem migrate", "tandem migrate --check --json"))
    .action(({ check = false, restored = false, newStore = false, json = false }: Options) =>
      withDatabase(async ({ database, databaseUrl, folder, log }) => {
        const names = check ? await pendingMigrations(databaseUrl) : await migrateWithProgress(databaseUrl, log)
        if (!check) await openHistory({ url: databaseUrl, log, folder, isRestored: restored })
        if (!check && newStore) await forgetStore(database)
        if (check && names.length > 0) process.exitCode = 1
        const value = json ? names : names.join(", ") || "none"
        print(check ? { pending: value } : { applied: value }, json)
      }, false),
    )
