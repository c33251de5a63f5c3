import { setTimeout as sleep } from "node:timers/promises"
import type { createTransport } from "nodemailer"
import type { Config } from "../config/config.js"
import type { DatabaseClient } from "../database/client.js"
import type { Log } from "../log.js"
import { isLoopback } from "../scalars/redirect-uri.js"
import { keepMail } from "./kept-mails.js"

const ATTEMPTS = 3
const PAUSE_MS = 2_000
const SMTP_TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 }
/** A mail server that hangs does not keep a node from stopping. */
const STOP_DEADLINE_MS = 5_000

/** A mail of plain text. */
export type Mail = {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Where its recipient ends mails of this kind: as a page, and with one POST (RFC 8058). */
  readonly unsubscribeUrl?: string
}

/** Sends mails behind the request's back, so that its time tells nothing of them. */
export type Mailer = {
  /** Whether mails are kept for a page, in place of being sent. */
  readonly keepsMails: boolean
  /** Does work that may end in mails; what fails is logged. Resolves when that is done, for which no request waits. */
  later(work: () => Promise<Mail | undefined>): Promise<void>
  /** Resolves when what was begun is done, at the latest after five seconds. */
  stop(): Promise<void>
}

/**
 * Whether mails can be read at `/dev/mails`: they hold links that open accounts, so this is for development alone, and not where
 * others are told an address of the service.
 */
export const areMailsKept = ({
  smtpUrl,
  environment,
  publicUrl,
}: Pick<Config, "smtpUrl" | "environment" | "publicUrl">): boolean =>
  smtpUrl === undefined &&
  environment === "development" &&
  (publicUrl === undefined || isLoopback(new URL(publicUrl).hostname))

type Settings = Pick<Config, "smtpUrl" | "mailFrom" | "environment" | "publicUrl">

/** Through SMTP_URL; without it mails are printed to the log, with the links they hold, and kept in development. */
export function createMailer(settings: Settings, log: Log, database: DatabaseClient): Mailer {
  const { smtpUrl, mailFrom } = settings
  const keepsMails = areMailsKept(settings)
  const underWay = new Set<Promise<void>>()
  let stopping = false
  let transport: Promise<ReturnType<typeof createTransport>> | undefined

  async function send(mail: Mail): Promise<void> {
    if (smtpUrl === undefined) {
      log.warn({ to: mail.to, subject: mail.subject, text: mail.text }, "a mail that was not sent: SMTP_URL is unset")
      if (keepsMails) await keepMail(database, mail)
      return
    }
    // Read from disk with the first mail: most nodes never send one.
    transport ??= import("nodemailer").then((nodemailer) =>
      nodemailer.createTransport({ url: smtpUrl, ...SMTP_TIMEOUTS }),
    )
    for (let attempt = 1; ; attempt++) {
      try {
        // As an object: an address is never taken for a list of them.
        const { to, subject, text } = mail
        const addressed = { from: mailFrom, to: { name: "", address: to }, subject, text, headers: headersOf(mail) }
        await (await transport).sendMail(addressed)
        return
      } catch (error) {
        if (attempt === ATTEMPTS || stopping) throw error
        await sleep(PAUSE_MS * attempt, undefined, { ref: false })
      }
    }
  }

  return {
    keepsMails,
    later(work) {
      const task = work()
        .then((mail) => mail && send(mail))
        .catch((error: unknown) => log.error({ err: error }, "a mail could not be sent"))
        .finally(() => underWay.delete(task))
      underWay.add(task)
      return task
    },
    async stop() {
      stopping = true
      await Promise.race([Promise.all(underWay), sleep(STOP_DEADLINE_MS, undefined, { ref: false })])
      ;(await transport)?.close()
    },
  }
}

const headersOf = ({ unsubscribeUrl }: Mail): Record<string, string> =>
  unsubscribeUrl === undefined
    ? {}
    : { "List-Unsubscribe": `<${unsubscribeUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }
