import type { Command } from "commander"
import { applyMigrations, pendingMigrations } from "../database/migrate.js"
import { print } from "./print.js"
import { withDatabase } from "./with-database.js"

type Options = { check?: boolean; json?: boolean }

/** `migrate`: brings the schema up to date, as every start does. */
export const addMigrate = (program: Command): Command =>
  program
    .command("migrate")
    .summary("bring the database's schema up to date")
    .description(
      "Brings the database's schema up to date. Every start of the server does the same; several at once do no harm.",
    )
    .option("--check", "only tell what is pending; exit code 1 when something is")
    .option("--json", "print one JSON object")
    .action(({ check = false, json = false }: Options) =>
      withDatabase(async ({ databaseUrl, log }) => {
        const names = check ? await pendingMigrations(databaseUrl) : await applyMigrations(databaseUrl, log)
        if (check && names.length > 0) process.exitCode = 1
        const value = json ? names : names.join(", ") || "none"
        print(check ? { pending: value } : { applied: value }, json)
      }, false),
    )
