import "reflect-metadata"
import { ConfigError, readConfig } from "./config.js"
import { EmbeddedPostgresFault } from "./database/embedded-postgres/fault.js"
import { MigrationError } from "./database/migrate.js"
import { createLog } from "./log.js"
import { isLaterWorker, isServing, runWorkers } from "./workers.js"

/** Starts one node, or WORKERS of them behind one port, and stops at SIGTERM or SIGINT; a second signal changes nothing. */
async function main(): Promise<void> {
  const config = readConfig()
  const log = createLog({ level: config.logLevel, isProduction: config.environment === "production" })
  if (!isServing(config.workers)) process.exit(await runWorkers(config.workers, log))
  // What a node is made of is loaded by who is one.
  const [{ startApp }, { firstCalls, isEmpty, makeDemo }] = await Promise.all([
    import("./app.js"),
    import("./cli/demo.js"),
  ])
  const app = await startApp(config, log)
  log.info({ url: app.url }, "listening")
  // A database that somebody runs in earnest gets no account whose token stands on a terminal.
  if (config.environment !== "production" && !isLaterWorker() && (await isEmpty(app.database)))
    process.stdout.write(firstCalls(app.url, await makeDemo(app.database, config.defaultDialect)))

  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    app.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "stopping failed")
        process.exit(1)
      },
    )
  }
  process.on("SIGTERM", stop).on("SIGINT", stop)
}

/** Errors that are a sentence for the person who starts it; where they were thrown is of no help. */
const SENTENCES = [ConfigError, EmbeddedPostgresFault, MigrationError]

main().catch((error: unknown) => {
  const isSentence = SENTENCES.some((kind) => error instanceof kind)
  process.stderr.write(`${error instanceof Error ? (isSentence ? error.message : error.stack) : error}\n`)
  process.exit(1)
})
