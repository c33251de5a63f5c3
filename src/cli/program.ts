import "reflect-metadata"
import { Command, CommanderError } from "commander"
import { makeDemo } from "../accounts/demo.js"
import { packageVersion } from "../config/package-root.js"
import { isSentence } from "../telemetry/sentence.js"
import { addAppCreate } from "./app-create.js"
import { addAppManage } from "./app-manage.js"
import { addAudit } from "./audit.js"
import { CommandError } from "./command-error.js"
import { addDoctor } from "./doctor.js"
import { examples } from "./examples.js"
import { addExport } from "./export.js"
import { addImport } from "./import.js"
import { addMigrate } from "./migrate.js"
import { harmless, print } from "./print.js"
import { addStats } from "./stats.js"
import { addTokenCreate } from "./token-create.js"
import { addTokenManage } from "./token-manage.js"
import { addUserCreate } from "./user-create.js"
import { addUserDelete } from "./user-delete.js"
import { addUserInvite } from "./user-invite.js"
import { addUserManage } from "./user-manage.js"
import { addUserPromote } from "./user-promote.js"
import { addUserResetPassword } from "./user-reset-password.js"
import { addUserResetSecondFactor } from "./user-reset-second-factor.js"
import { addUserUnlink } from "./user-unlink.js"
import { addWebhookListen } from "./webhook-listen.js"
import { addWebhookManage } from "./webhook-manage.js"
import { addWebhookReplay } from "./webhook-replay.js"
import { addWebhookTest } from "./webhook-test.js"
import { withDatabase } from "./with-database.js"

/** Documented in the help of `tandem`. */
const FAILURE = 1
const USAGE = 2

const EXIT_CODES = `
Exit codes:
  0  success
  1  failure, or a check found something wrong
  2  the command was not understood
`

/** The whole command line as a tree. */
function createProgram(): Command {
  const program = new Command("tandem")
    .description(
      "A task and list service. Commands use DATABASE_URL, or the embedded database of DATA_DIR, whether or not a server is running.",
    )
    .version(packageVersion, "-V, --version", "print the version")
    .showHelpAfterError("(see --help)")
    .exitOverride()
    .addHelpText(
      "after",
      examples("tandem", "tandem user create --email ann@example.org --name Ann", "tandem import --help") + EXIT_CODES,
    )
  program
    .command("serve")
    .summary("start one node (the default command)")
    .description("Starts one node. All settings are environment variables; .env.example explains them.")
    .addHelpText("after", examples("PORT=8080 DATABASE_URL=postgresql://localhost/tandem tandem serve"))
    .action(async () => {
      await import("../main.js")
    })
  const users = program.command("user").description("Users.")
  addUserCreate(users)
  addUserDelete(users)
  addUserInvite(users)
  addUserManage(users)
  addUserPromote(users)
  addUserResetPassword(users)
  addUserResetSecondFactor(users)
  addUserUnlink(users)
  const apps = program.command("app").description("Applications.")
  addAppCreate(apps)
  addAppManage(apps)
  const tokens = program.command("token").description("Access tokens.")
  addTokenCreate(tokens)
  addTokenManage(tokens)
  addImport(program)
  addExport(program)
  const webhooks = program.command("webhook").description("Webhooks, and tools for developers of their receivers.")
  addWebhookManage(webhooks)
  addWebhookTest(webhooks)
  addWebhookListen(webhooks)
  addWebhookReplay(webhooks)
  program
    .command("demo")
    .summary("create a demo user, application, list and token")
    .description(
      "Creates a demo user with a list, and an application with a token for that user. If the user exists already, only the latter.",
    )
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem demo --json"))
    .action(({ json = false }: { json?: boolean }) =>
      withDatabase(async ({ database, config }) => {
        const { clientId, accessToken, userId } = await makeDemo(database, config.defaultDialect)
        print({ client_id: clientId, access_token: accessToken, user_id: Number(userId) }, json)
      }),
    )
  addMigrate(program)
  addDoctor(program)
  addStats(program)
  addAudit(program)
  return program
}

/** Runs a command. What is wrong goes to standard error as a sentence; the exit code is left in `process.exitCode`. */
export async function runProgram(words: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(words.length === 0 ? ["serve"] : words, { from: "user" })
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode !== 0) process.exitCode = USAGE
      return
    }
    // A mistake in the input or the settings is one sentence; for anything else the stack helps in a bug report.
    const { message, stack = String(error) } = error as Error
    const isKnown = isSentence(error) || error instanceof CommandError || message?.startsWith("--")
    const text = isKnown ? message : stack
    process.stderr.write(`${harmless(text)}\n`)
    process.exitCode = FAILURE
  }
}
