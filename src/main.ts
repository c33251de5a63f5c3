import "reflect-metadata"
import { readConfig } from "./config/config.js"
import { packageRoot } from "./config/package-root.js"
import { createLog, type Log } from "./log.js"
import { isSentence } from "./telemetry/sentence.js"
import { bearLeftReaders } from "./telemetry/streams.js"
import { isLaterWorker, isServing, runWorkers } from "./workers.js"

/** Starts one node, or WORKERS of them behind one port, and stops at SIGTERM or SIGINT; a second signal changes nothing. */
async function main(): Promise<void> {
  bearLeftReaders()
  const config = readConfig()
  const log = createLog({ level: config.logLevel, isProduction: config.environment === "production" })
  if (!isServing(config.workers)) {
    const exitCode = await runWorkers(config.workers, log)
    log.info("stopped")
    process.exit(exitCode)
  }
  // The parts of a node are loaded only by processes that are nodes.
  const [{ startApp }, { firstCalls, isEmpty, makeDemo, whereabouts }, { areMailsKept }, kept] = await Promise.all([
    import("./app.js"),
    import("./accounts/demo.js"),
    import("./accounts/mailer.js"),
    import("./accounts/kept-mails.js"),
  ])
  const starting = startApp(config, log)
  // From the first moment on, or a signal while it starts would end it in the middle of something.
  stopAtSignals(log, async () => (await starting).stop())
  const app = await starting
  log.info({ url: app.url }, "listening")
  try {
    // A database that somebody runs in earnest gets no account whose token stands on a terminal.
    if (config.environment === "production" || isLaterWorker()) return
    if (await isEmpty(app.database))
      process.stdout.write(firstCalls(app.url, await makeDemo(app.database, config.defaultDialect)))
    const mailsKey = areMailsKept(config) ? await kept.keyOfKeptMails(app.database) : undefined
    process.stdout.write(whereabouts(app.url, commandLine, mailsKey))
  } catch (error) {
    await app.stop()
    throw error
  }
}

/** How commands are run: in a clone by npm, elsewhere as the installed package has them. */
const commandLine = /[/\\]node_modules[/\\]/.test(packageRoot) ? "npx tandem-gateway" : "npm run --silent cli --"

let isStopping = false

function stopAtSignals(log: Log, stop: () => Promise<void>): void {
  const onSignal = () => {
    if (isStopping) return
    isStopping = true
    stop().then(
      () => {
        log.info("stopped")
        process.exit(0)
      },
      (error: unknown) => {
        log.error({ err: error }, "stopping failed")
        process.exit(1)
      },
    )
  }
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal)
}

/** What to tell the operator about a port that is not available; undefined for every other error. */
function portTrouble(error: unknown): string | undefined {
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number }
  if (code === "EADDRINUSE")
    return `Port ${port} on ${address} is taken, perhaps by another node: stop it, or set PORT (0 takes any that is free).`
  if (code === "EACCES" && port !== undefined) return `Port ${port} is for root: set PORT to one above 1023.`
  return undefined
}

main().catch((error: unknown) => {
  if (isStopping) return // what stopping interrupts is no fault
  const told = isSentence(error) ? error.message : ((error as Error).stack ?? String(error))
  process.stderr.write(`${portTrouble(error) ?? told}\n`)
  process.exit(1)
})
