import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createFormClient } from "../support/form-client.js"
import { type Mailbox, type ReceivedMail, startMailbox } from "../support/mailbox.js"
import { makeList, makePerson, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"

let mailbox: Mailbox
let node: TestNode
let other: { stop(): Promise<void> }
let owner: Person

beforeAll(async () => {
  mailbox = await startMailbox()
  node = await startNode({ smtpUrl: mailbox.url })
  other = await startNodeOn(node.databaseUrl, { smtpUrl: mailbox.url })
  owner = await makePerson(node, "Inviter")
})
afterAll(async () => {
  await other.stop()
  await node.stop()
  await mailbox.stop()
})

const withoutNames = ({ text }: ReceivedMail) =>
  text.replaceAll(/127.0.0.1:\d+/g, "here").replace(/unsubscribe\/\S+/, "unsubscribe/token")
const invite = async (members: object) =>
  owner.post("/memberships", { list_id: (await makeList(owner, "Free money at evil.example")).id, ...members })

describe("POST /api/v1/memberships (§4 Memberships)", () => {
  it("mails the invitation once, to known and unknown addresses alike, with nothing in it that the inviter has chosen", async () => {
    const known = await makePerson(node, "Known")
    await invite({ email: "unknown@example.org" })
    await invite({ email: known.email })
    const byId = await makePerson(node, "Numbered")
    await invite({ user_id: byId.id })
    const mails = [await mailbox.to("unknown@example.org"), await mailbox.to(known.email), await mailbox.to(byId.email)]
    for (const mail of mails) {
      expect(mail.subject).toBe("You are invited to a list")
      expect(withoutNames(mail)).toBe(withoutNames(mails[0] as ReceivedMail))
      expect(mail.text).toContain(`${owner.email} invites you to a list on Tandem.`)
      expect(mail.text).not.toContain("evil.example")
    }
    await sleep(1_500)
    expect(mailbox.mails.filter(({ to }) => to.includes(known.email))).toHaveLength(1)
  })

  it("mails nobody for an invitation that was withdrawn or rolled back, nor more than 5 times in 15 minutes", async () => {
    const requests = [
      {
        id: "a",
        method: "POST",
        path: "/api/v1/memberships",
        body: { list_id: owner.inboxId, email: "never@example.org" },
      },
      { id: "b", method: "GET", path: "/api/v1/tasks/1" },
    ]
    expect((await owner.post("/batch", { requests })).status).not.toBe(200)
    for (let count = 0; count < 7; count++) await invite({ email: "flooded@example.org" })
    const received = () => mailbox.mails.filter(({ to }) => to.includes("flooded@example.org")).length
    await expect.poll(received, { timeout: 40_000 }).toBe(5)
    await sleep(1_500)
    expect(received()).toBe(5)
    // What others invite somebody to keeps no mail from them that they ask for.
    const person = await makePerson(node, "Asking")
    for (let count = 0; count < 6; count++) await invite({ email: person.email })
    const browser = createFormClient(node.url)
    await browser.submit(await browser.get("/reset-password"), "/reset-password", { email: person.email })
    const subjects = () => mailbox.mails.filter(({ to }) => to.includes(person.email)).map(({ subject }) => subject)
    await expect.poll(subjects, { timeout: 40_000 }).toContain("Choose a new password")
    expect(mailbox.mails.filter(({ to }) => to.includes("never@example.org"))).toEqual([])
  })
})
