import { setTimeout as sleep } from "node:timers/promises"
import { pino } from "pino"
import { describe, expect, it } from "vitest"
import { createMailer } from "../../src/accounts/mailer.js"
import type { DatabaseClient } from "../../src/database/client.js"
import { startMailbox } from "../support/mailbox.js"

const mailFrom = "Tandem <tandem@example.org>"
const database = {} as DatabaseClient // nothing is kept there outside of development
const mail = {
  to: "ada@example.org",
  subject: "Zürich, wirklich?",
  text: "Open\nhttps://tandem.example.org/sign-up/finish?token=abc\n",
}

function logged() {
  const lines: any[] = []
  return { lines, log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) }) }
}

describe("createMailer", () => {
  it("prints mails to the log when there is no server, with their links", async () => {
    const { lines, log } = logged()
    const mailer = createMailer(
      { smtpUrl: undefined, mailFrom, environment: "test", publicUrl: undefined },
      log,
      database,
    )
    void mailer.later(async () => mail)
    await mailer.stop()
    expect(lines).toMatchObject([{ ...mail, msg: "a mail that was not sent: SMTP_URL is unset" }])
  })

  it("sends them to one address, whatever it looks like, and waits for them when it stops", async () => {
    const { lines, log } = logged()
    const mailbox = await startMailbox()
    const mailer = createMailer(
      { smtpUrl: mailbox.url, mailFrom, environment: "test", publicUrl: undefined },
      log,
      database,
    )
    void mailer.later(async () => {
      await sleep(50)
      return { ...mail, to: "ada,eve@example.org" }
    })
    void mailer.later(async () => undefined)
    await mailer.stop()
    expect(lines).toEqual([])
    expect(mailbox.mails).toHaveLength(1)
    expect(mailbox.mails[0]).toMatchObject({
      from: "tandem@example.org",
      text: expect.stringContaining("finish?token=abc"),
    })
    await mailbox.stop()
  })

  it("logs what could not be sent, without what it says", async () => {
    const { lines, log } = logged()
    const mailer = createMailer(
      { smtpUrl: "smtp://127.0.0.1:1", mailFrom, environment: "test", publicUrl: undefined },
      log,
      database,
    )
    void mailer.later(async () => mail)
    void mailer.later(async () => {
      throw new Error("no database")
    })
    await mailer.stop()
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      [50, "a mail could not be sent"],
      [50, "a mail could not be sent"],
    ])
    expect(JSON.stringify(lines)).not.toContain("token=abc")
  })
})
