#!/usr/bin/env node
import "reflect-metadata"
import { Command, CommanderError } from "commander"
import { Problem } from "../errors.js"
import { addAppCreate } from "./app-create.js"
import { addAppManage } from "./app-manage.js"
import { makeDemo } from "./demo.js"
import { addDoctor } from "./doctor.js"
import { addMigrate } from "./migrate.js"
import { print } from "./print.js"
import { addTokenCreate } from "./token-create.js"
import { addTokenManage } from "./token-manage.js"
import { addUserCreate } from "./user-create.js"
import { withDatabase } from "./with-database.js"

const program = new Command("tandem")
  .description(
    "A task and list service. Works on DATABASE_URL, or on the embedded database of DATA_DIR, beside a running server and without one.",
  )
  .showHelpAfterError("(add --help for what the command takes)")
  .exitOverride()

program
  .command("serve", { isDefault: true })
  .summary("start one node")
  .description("Starts one node. All settings are environment variables; .env.example explains them.")
  .action(async () => {
    await import("../main.js")
  })
addUserCreate(program.command("user").description("Users."))
const apps = program.command("app").description("Applications.")
addAppCreate(apps)
addAppManage(apps)
const tokens = program.command("token").description("Access tokens.")
addTokenCreate(tokens)
addTokenManage(tokens)
program
  .command("demo")
  .summary("make a demo user, application, list and token")
  .option("--json", "print one JSON object")
  .action(({ json = false }: { json?: boolean }) =>
    withDatabase(async ({ database, config }) => {
      const { clientId, accessToken, userId } = await makeDemo(database, config.defaultDialect)
      print({ client_id: clientId, access_token: accessToken, user_id: Number(userId) }, json)
    }),
  )
addMigrate(program)
addDoctor(program)

/** Errors about the settings or the database, written for the person who runs the command. */
const SENTENCES = /^(ConfigError|EmbeddedPostgresFault|MigrationError)$/

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode
  else {
    // A fault of the input or the settings is one sentence; the stack of anything else helps whoever reports it.
    const isKnown =
      error instanceof Problem ||
      (error instanceof Error && (error.message.startsWith("--") || SENTENCES.test(error.name)))
    process.stderr.write(`${isKnown ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`)
    process.exitCode = 1
  }
}
