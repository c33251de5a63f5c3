import { once } from "node:events"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Command } from "commander"
import { Webhook } from "standardwebhooks"
import type { Context, Transacted } from "../context.js"
import { InvalidFields } from "../errors.js"
import { createWebhook, deleteWebhook } from "../resources/webhook/webhook.commands.js"
import { CommandError } from "./command-error.js"
import { examples } from "./examples.js"
import { harmless } from "./print.js"
import { recorded } from "./recorded.js"
import { contextOf, listNamed, type MadeWebhook, webhookInWords } from "./webhook-owner.js"
import { testOutcome } from "./webhook-test.js"
import { type Workbench, withDatabase } from "./with-database.js"

type Options = { list: string; host: string; port: string; url?: string; count?: string; json?: boolean }

const MAX_BODY_BYTES = 4_000_000
const TEST_PATIENCE_MS = 5_000

const wholeNumber = (option: string, text: string, least: number, most: number): number => {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text)
  throw new CommandError(`${option}: ${text} must be a whole number from ${least} to ${most}`)
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ""
  for await (const chunk of request.setEncoding("utf8")) {
    body += chunk
    if (body.length > MAX_BODY_BYTES) throw new Error("the body is too large")
  }
  return body
}

/** What is printed of a delivery; the rest is in --json. */
type Body = {
  readonly operation?: string
  readonly list_revision?: number
  readonly subject?: { readonly type?: string; readonly id?: number }
  readonly after?: Readonly<Record<string, unknown>>
}
type Delivery = { readonly id: string; readonly isVerified: boolean; readonly body: Body }

/** Takes deliveries and tells of each, once, whether its signature is right. */
async function startReceiver(
  host: string,
  port: number,
  secret: () => string,
  tell: (delivery: Delivery) => void,
): Promise<Server> {
  const told = new Set<string>()
  const server = createServer(async (request, response) => {
    try {
      const text = await bodyOf(request)
      const id = String(request.headers["webhook-id"] ?? "")
      let isVerified = true
      try {
        new Webhook(secret()).verify(text, request.headers as Record<string, string>)
      } catch {
        isVerified = false
      }
      response.writeHead(isVerified ? 204 : 401).end()
      const body = JSON.parse(text) as Delivery["body"]
      // The same delivery may come more than once: only the first is news.
      if (!told.has(id)) tell({ id, isVerified, body })
      told.add(id)
    } catch {
      if (!response.headersSent) response.writeHead(400)
      response.end()
    }
  })
  server.listen(port, host)
  try {
    await once(server, "listening")
  } catch (error) {
    throw new CommandError(`--port: cannot listen on ${host}:${port}: ${(error as Error).message}`)
  }
  return server
}

const printed = ({ id, isVerified, body }: Delivery): string => {
  const { subject = {}, after = {} } = body
  const what = `${body.operation} ${subject.type} ${subject.id}`
  const title = after.title ?? after.text ?? after.content
  const about = title === undefined ? "" : ` ${JSON.stringify(String(title).slice(0, 60))}`
  const line = `${isVerified ? "verified" : "NOT VERIFIED"}  ${id}  revision ${body.list_revision}  ${what}${about}`
  // Anyone who reaches this address can write it.
  return `${harmless(line).replace(/\s/g, " ")}\n`
}

/** Sends a test and says what stands in the way when it does not arrive. */
async function tryOut(context: Context, webhookId: string): Promise<void> {
  const outcome = await testOutcome(context, webhookId, TEST_PATIENCE_MS)
  if (outcome === undefined)
    process.stderr.write("No server has sent a test within five seconds. Does one run on this database?\n")
  else if (outcome !== "gone" && outcome.fault !== null)
    process.stderr.write(
      `The server could not deliver: ${outcome.fault}. It must reach this address, and be started with a WEBHOOK_ALLOWED_NETWORKS that opens it.\n`,
    )
}

async function listen({ database, config }: Workbench, options: Options, stopSignal: AbortSignal): Promise<void> {
  const { host, json = false } = options
  const port = wholeNumber("--port", options.port, 0, 65_535)
  const most = options.count === undefined ? Number.POSITIVE_INFINITY : wholeNumber("--count", options.count, 1, 1e9)
  const list = await listNamed(database, options.list)
  let secret = ""
  let count = 0
  let stop = () => {}
  const enough = new Promise<void>((resolve) => {
    stop = resolve
  })
  const server = await startReceiver(
    host,
    port,
    () => secret,
    (delivery) => {
      process.stdout.write(
        json
          ? `${JSON.stringify({ id: delivery.id, verified: delivery.isVerified, body: delivery.body })}\n`
          : printed(delivery),
      )
      if (++count >= most) stop()
    },
  )
  if (stopSignal.aborted) stop()
  stopSignal.addEventListener("abort", stop)
  process.stdout.once("error", stop) // nobody reads what comes
  try {
    const at = server.address() as AddressInfo
    const url = options.url ?? `http://${host.includes(":") ? `[${host}]` : host}:${at.port}/`
    const within = (inside: Transacted) => contextOf(inside, config, list.ownerId, "webhook-listen")
    const context = within(database)
    const input = { listId: list.id, url, processorType: "tandem webhook listen", configuration: "" }
    const subject = (made: Pick<MadeWebhook, "id" | "url">) => `${webhookInWords(made)}, of list ${list.id}`
    const webhook = await recorded(database, { act: "webhook listen", subject }, (inside) =>
      createWebhook(within(inside), input),
    ).catch((error) => {
      if (!(error instanceof InvalidFields) || error.violations.url === undefined) throw error
      throw new CommandError(refused(url, error))
    })
    secret = webhook.secret as string
    try {
      process.stderr.write(
        `Listening at ${url} for changes of the list ${JSON.stringify(list.title)}. Press Ctrl+C to stop and remove the webhook.\n`,
      )
      await Promise.race([tryOut(context, webhook.id), enough])
      await enough
    } finally {
      const ended = { act: "webhook listen ended", subject: subject(webhook) }
      // With its list or maker it is gone already.
      await recorded(database, ended, (inside) => deleteWebhook(within(inside), webhook.id)).catch(() => {})
    }
  } finally {
    process.stdout.removeListener("error", stop)
    server.closeAllConnections()
    server.close()
  }
}

/**
 * Runs `work` until it ends by itself, with what tells it of SIGINT or SIGTERM. Every further signal changes nothing: a terminal
 * and npm send two at once, and the second would end the process before its work is undone.
 */
async function untilStopped(work: (stopSignal: AbortSignal) => Promise<void>): Promise<void> {
  const control = new AbortController()
  const end = () => control.abort()
  process.on("SIGINT", end).on("SIGTERM", end)
  try {
    await work(control.signal)
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end)
  }
}

const refused = (url: string, { violations }: InvalidFields): string =>
  `--host: ${url} ${violations.url?.join(", ")}. Servers do not post to private addresses unless WEBHOOK_ALLOWED_NETWORKS allows them: start the server, and this command, with WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8, or give a public address that leads here with --url.`

/** `webhook listen`: shows deliveries as they arrive. */
export const addWebhookListen = (webhooks: Command): Command =>
  webhooks
    .command("listen")
    .summary("show a list's deliveries as they arrive")
    .description(
      `Creates a webhook for a list while it runs, receives what a running server sends to it, checks each signature and
prints the deliveries. The first is a test. Ctrl+C removes the webhook.

The server must be allowed to reach this machine: WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8 for both.`,
    )
    .requiredOption("--list <id>", "the list")
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--port <number>", "the port to listen on; 0 means any free port", "0")
    .option(
      "--url <url>",
      "the address at which the server reaches this command, such as a tunnel (default: host and port)",
    )
    .option("--count <number>", "stop after this number of deliveries")
    .option("--json", "print one JSON object for each delivery, on a line of its own")
    .addHelpText(
      "after",
      examples(
        "WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8 tandem webhook listen --list 3",
        "tandem webhook listen --list 3 --port 9000 --url https://tunnel.example.org/ --json",
      ),
    )
    .action((options: Options) =>
      untilStopped((stopSignal) => withDatabase((bench) => listen(bench, options, stopSignal))),
    )
