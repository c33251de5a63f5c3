import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { keyOfKeptMails } from "../../src/accounts/kept-mails.js"
import { areMailsKept } from "../../src/accounts/mailer.js"
import { createFormClient } from "../support/form-client.js"
import { type Mailbox, type ReceivedMail, startMailbox } from "../support/mailbox.js"
import { makeList, makePerson, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"

let node: TestNode
let mailbox: Mailbox
let owner: Person

beforeAll(async () => {
  mailbox = await startMailbox()
  node = await startNode({ smtpUrl: mailbox.url })
  owner = await makePerson(node, "Inviter")
})
afterAll(async () => {
  await node.stop()
  await mailbox.stop()
})

const someone = () => `guest.${randomUUID()}@example.org`
const inviteTo = (list: { id: number }, email: string) => owner.post("/memberships", { list_id: list.id, email })
const unsubscribeIn = ({ text }: ReceivedMail): string =>
  new URL(/http\S+\/unsubscribe\/\S+/.exec(text)?.[0] ?? "").pathname

describe("unsubscribing from mails about a list", () => {
  it("has headers for one click, and a page that asks before it does anything", async () => {
    const [list, email] = [await makeList(owner), someone()]
    await inviteTo(list, email)
    const mail = await mailbox.to(email)
    const path = unsubscribeIn(mail)
    expect(mail.headers).toMatchObject({
      "list-unsubscribe": `<${node.url}${path}>`,
      "list-unsubscribe-post": "List-Unsubscribe=One-Click",
    })
    const browser = createFormClient(node.url)
    const page = await browser.get(path)
    expect(page).toMatchObject({ status: 200, title: "Unsubscribe" })
    expect(page.text).toContain(email)
    expect(await node.database.prisma.unsubscription.count({ where: { listId: BigInt(list.id) } })).toBe(0)
    for (let time = 0; time < 2; time++)
      expect(await browser.submit(page, path)).toMatchObject({ status: 200, title: "You are unsubscribed" })
    expect(await node.database.prisma.unsubscription.count({ where: { listId: BigInt(list.id) } })).toBe(1)
  })

  it.each([
    ["application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"],
    [
      "multipart/form-data; boundary=x",
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
  ])(
    "takes one POST of a program of mail, as %s, and mails no more of that list and all of another",
    async (type, body) => {
      const [list, other, email] = [await makeList(owner), await makeList(owner), someone()]
      await inviteTo(list, email)
      const first = await mailbox.to(email)
      const reply = await fetch(node.url + unsubscribeIn(first), {
        method: "POST",
        headers: { "Content-Type": type, "Sec-Fetch-Site": "cross-site" },
        body,
      })
      expect(reply.status).toBe(200)
      const memberships = (await owner.get(`/memberships?list_id=${list.id}`)).body
      const pending = memberships.find(({ state }: any) => state === "pending")
      await owner.delete(`/memberships/${pending.id}?revision=${pending.revision}`)
      expect((await inviteTo(list, email)).status).toBe(201)
      await inviteTo(other, email)
      // Invitations are mailed in their order: when that of the other list has come, this one's was left out.
      const received = () => mailbox.mails.filter(({ to }) => to === email)
      await expect.poll(() => received().length, { timeout: 20_000 }).toBe(2)
      expect(unsubscribeIn(received()[1] as ReceivedMail)).not.toBe(unsubscribeIn(first))
      await expect.poll(() => node.database.prisma.invitationMail.count()).toBe(0)
      expect(received()).toHaveLength(2)
    },
  )

  it("answers the same for known and unknown addresses and for lists that are gone, and refuses what it has not signed", async () => {
    const known = await makePerson(node, "Known")
    const [list, email] = [await makeList(owner), someone()]
    await inviteTo(list, email)
    await inviteTo(list, known.email)
    const paths = [unsubscribeIn(await mailbox.to(email)), unsubscribeIn(await mailbox.to(known.email))]
    const answers = async () =>
      Promise.all(
        paths.map(async (path, index) => {
          const reply = await fetch(node.url + path, { method: "POST", body: new URLSearchParams({ a: "1" }) })
          return [reply.status, (await reply.text()).replaceAll(index === 0 ? email : known.email, "X")]
        }),
      )
    const [one, two] = await answers()
    expect(one?.[0]).toBe(200)
    expect(two).toEqual(one)
    await owner.delete(`/lists/${list.id}?revision=${(await owner.get(`/lists/${list.id}`)).body.revision}`)
    expect(await answers()).toEqual([one, one])
    const [payload, signature] = (paths[0] as string).slice("/unsubscribe/".length).split(".") as [string, string]
    const changed = Buffer.from(`${list.id} other@example.org`).toString("base64url")
    for (const token of [payload, `${payload}.`, `${changed}.${signature}`, `${payload}.${signature}x`, "a.b"]) {
      const reply = await fetch(`${node.url}/unsubscribe/${token}`, {
        method: "POST",
        body: new URLSearchParams({ a: "1" }),
      })
      expect([token, reply.status]).toEqual([token, 404])
    }
  })
})

describe("/dev/mails", () => {
  it("shows what is not mailed in development, newest first, links to it, and keeps a hundred", async () => {
    const development = await startNodeOn(node.databaseUrl, { environment: "development" })
    try {
      const browser = createFormClient(development.url)
      const email = someone()
      const asked = await browser.submit(await browser.get("/sign-up"), "/sign-up", { email })
      expect(asked.text).toContain("/dev/mails?key=")
      const path = `/dev/mails?key=${await keyOfKeptMails(node.database)}`
      const shown = async () => (await browser.get(path)).text
      await expect.poll(shown, { timeout: 20_000 }).toContain(email)
      const link = /href="(http[^"]+\/sign-up\/finish\?token=[^"]+)"/.exec(await shown())?.[1] as string
      expect(await browser.get(new URL(link).pathname + new URL(link).search)).toMatchObject({
        status: 200,
        title: "Finish signing up",
      })
      await node.database.prisma.keptMail.createMany({
        data: Array.from({ length: 120 }, (_, at) => ({
          recipient: "a@example.org",
          subject: `No. ${at}`,
          content: "<b>",
        })),
      })
      await browser.submit(await browser.get("/sign-up"), "/sign-up", { email: someone() })
      await expect.poll(() => node.database.prisma.keptMail.count(), { timeout: 20_000 }).toBe(100)
      const text = await shown()
      expect(text.indexOf("No. 119")).toBeLessThan(text.indexOf("No. 118"))
      expect(text).toContain("&lt;b&gt;")
      // A proxy on this machine, or a name that somebody else has given it.
      const foreign: Record<string, string>[] = [{ "x-forwarded-for": "203.0.113.5" }, { host: "evil.example" }]
      for (const headers of foreign) expect((await browser.get(path, headers)).status).toBe(404)
      // A proxy that says nothing of itself.
      for (const wrong of ["/dev/mails", "/dev/mails?key=x"]) expect((await browser.get(wrong)).status).toBe(404)
    } finally {
      await development.stop()
    }
  })

  it("does not exist in production, nor where a server sends mails", async () => {
    const path = `/dev/mails?key=${await keyOfKeptMails(node.database)}`
    const production = await startNodeOn(node.databaseUrl, { environment: "production", signUp: "open" })
    try {
      const browser = createFormClient(production.url)
      expect((await browser.get(path)).status).toBe(404)
      const asked = await browser.submit(await browser.get("/sign-up"), "/sign-up", { email: someone() })
      expect(asked.text).not.toContain("/dev/mails")
    } finally {
      await production.stop()
    }
    const sending = await startNodeOn(node.databaseUrl, { environment: "development", smtpUrl: mailbox.url })
    try {
      expect((await createFormClient(sending.url).get(path)).status).toBe(404)
    } finally {
      await sending.stop()
    }
    const settings = { smtpUrl: undefined, environment: "development" } as const
    const kept = ["https://tandem.example.org", "http://localhost:4000", "http://127.0.0.1/tandem", undefined].map(
      (publicUrl) => areMailsKept({ ...settings, publicUrl }),
    )
    expect(kept).toEqual([false, true, true, true])
  })
})
