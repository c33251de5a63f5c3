import { createHash } from "node:crypto"
import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { createMailedLink } from "../../src/accounts/mailed-link.js"
import { codeFor, exchangeBody, type Member, makeApplication, makeMember, PASSWORD } from "../support/account.js"
import { createFormClient } from "../support/form-client.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"

let node: TestNode
let ann: Member

beforeAll(async () => {
  node = await startNode()
  ann = await makeMember(node)
})
afterAll(() => node.stop())

type Answer = { status: number; retryAfter: string | undefined; body: any }

/** Asks for a token from a network of its own. */
function exchangeFrom(
  localAddress: string,
  body: object,
  headers: Record<string, string> = {},
  url = node.url,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method: "POST", localAddress, headers: { "content-type": "application/json", ...headers } }
    request(`${url}/oauth/access_token`, options, (response) => {
      let text = ""
      response.on("data", (chunk) => {
        text += chunk
      })
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers["retry-after"],
          body: JSON.parse(text),
        }),
      )
    })
      .on("error", reject)
      .end(JSON.stringify(body))
  })
}

const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

async function signInFrom(address: string, email: string, password: string, headers = {}, url = node.url) {
  const browser = createFormClient(url, address)
  const page = await browser.get("/sign-in")
  return browser.send("/sign-in", { ...page.form("/sign-in"), email, password }, headers)
}

describe("wrong passwords (§3)", () => {
  it("are answered with 429 after the tenth, from wherever they come; a mailed link lets the owner in again", async () => {
    const { id, email } = await makeMember(node, "Locked")
    const attempt = (index: number) =>
      signInFrom(`127.0.0.${30 + index}`, email.toUpperCase(), "wrong", { "x-forwarded-for": `203.0.113.${index}` })
    for (let index = 0; index < 10; index++) expect((await attempt(index)).status).toBe(422)
    const eleventh = await attempt(11)
    expect(eleventh.status).toBe(429)
    expect(Number(eleventh.headers["retry-after"])).toBeGreaterThan(800)
    expect(Number(eleventh.headers["retry-after"])).toBeLessThanOrEqual(900)
    expect((await signInFrom("127.0.0.4", email, PASSWORD)).status).toBe(429)
    const link = { email, userId: id, next: undefined }
    const path = `/reset-password/finish?token=${await createMailedLink(node.database, "reset-password", link)}`
    const browser = createFormClient(node.url)
    const page = await browser.get(path)
    const password = "another password"
    expect((await browser.submit(page, "/reset-password/finish", { password })).status).toBe(303)
    expect((await signInFrom("127.0.0.4", email, password)).status).toBe(303)
  })

  it("are counted for the network too before anything is hashed: a hundred, of which a right one is none", async () => {
    const { email } = await makeMember(node)
    const key = createHash("sha256")
      .update(JSON.stringify(["passwords", "127.0.0.9"]))
      .digest()
    const counted = (count: number) =>
      node.database.prisma.attempt.upsert({
        where: { key },
        create: { key, count, expiresAt: new Date(Date.now() + 900_000) },
        update: { count },
      })
    await counted(99)
    expect((await signInFrom("127.0.0.9", email, PASSWORD)).status).toBe(303)
    expect((await node.database.prisma.attempt.findUniqueOrThrow({ where: { key } })).count).toBe(99)
    expect((await signInFrom("127.0.0.9", "no.one@example.org", "wrong")).status).toBe(422)
    expect((await signInFrom("127.0.0.9", "no.one@example.org", "wrong")).status).toBe(429)
    expect((await signInFrom("127.0.0.9", email, PASSWORD)).status).toBe(429)
    expect((await signInFrom("127.0.0.4", email, PASSWORD)).status).toBe(303)
  })

  it("are no more than ten of 30 at once, and no less for an address that nobody has", async () => {
    for (const email of [(await makeMember(node)).email, "nobody@example.org"]) {
      const replies = await times(30, () => signInFrom("127.0.0.5", email, "wrong"))
      const count = (status: number) => replies.filter((reply) => reply.status === status).length
      expect([count(422), count(429)]).toEqual([10, 20])
    }
  })

  it("are forgotten with the right one, and are counted for each account by itself", async () => {
    const bob = await makeMember(node, "Bob")
    const cid = await makeMember(node, "Cid")
    for (let index = 0; index < 10; index++) await signInFrom("127.0.0.6", bob.email, "wrong")
    expect((await signInFrom("127.0.0.6", cid.email, PASSWORD)).status).toBe(303)
    expect((await signInFrom("127.0.0.6", bob.email, PASSWORD)).status).toBe(303)
    expect((await signInFrom("127.0.0.6", bob.email, "wrong")).status).toBe(422)
  })

  it("are counted for the account by all nodes together, whatever a trusted proxy says", async () => {
    const second = await startNodeOn(node.databaseUrl, { trustProxy: 1 })
    try {
      const { email } = await makeMember(node)
      const from = (index: number) => ({ "x-forwarded-for": `203.0.113.${index}` })
      for (let index = 0; index < 6; index++) await signInFrom("127.0.0.1", email, "wrong", from(index), second.url)
      for (let index = 0; index < 5; index++) await signInFrom("127.0.0.7", email, "wrong")
      expect((await signInFrom("127.0.0.1", email, PASSWORD, from(99), second.url)).status).toBe(429)
      expect((await signInFrom("127.0.0.8", email, PASSWORD)).status).toBe(429)
    } finally {
      await second.stop()
    }
  })
})

describe("wrong secrets and codes (§3)", () => {
  it("of an application are answered with 429 after the tenth, from wherever; elsewhere it gets its token itself", async () => {
    const application = await makeApplication(node)
    const code = await codeFor(ann, application)
    const wrong = { ...exchangeBody(application, code), client_secret: "wrong" }
    for (let index = 0; index < 10; index++)
      expect(await exchangeFrom("127.0.0.3", wrong, { "x-forwarded-for": `203.0.113.${index}` })).toMatchObject({
        status: 400,
      })
    const eleventh = await exchangeFrom("127.0.0.3", wrong)
    expect(eleventh).toMatchObject({ status: 429, body: { error: "rate_limited" } })
    expect(Number(eleventh.retryAfter)).toBeGreaterThan(800)
    expect((await exchangeFrom("127.0.0.3", exchangeBody(application, code))).status).toBe(429)
    expect((await exchangeFrom("127.0.0.4", wrong)).status).toBe(429)
    expect((await exchangeFrom("127.0.0.4", exchangeBody(application, code))).status).toBe(200)
  })

  it("are refused by a node too whose clock is ahead of the database's", async () => {
    const application = await makeApplication(node)
    const wrong = { ...exchangeBody(application, "guess"), client_secret: "wrong" }
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_000_000 })
    try {
      for (let index = 0; index < 10; index++) expect((await exchangeFrom("127.0.0.11", wrong)).status).toBe(400)
      expect((await exchangeFrom("127.0.0.11", wrong)).status).toBe(429)
      const right = await exchangeFrom("127.0.0.11", exchangeBody(application, "guess"))
      expect(right.status).toBe(429)
      expect(Number(right.retryAfter)).toBeGreaterThan(800)
    } finally {
      vi.useRealTimers()
    }
  })

  it("are counted for a client ID that nobody has too", async () => {
    const body = { client_id: "nobody", client_secret: "x", code: "x" }
    const replies = await times(12, () => exchangeFrom("127.0.0.5", body))
    expect(replies.some(({ status }) => status === 429)).toBe(true)
  })

  it("count codes that were never given out, not one that comes again", async () => {
    const application = await makeApplication(node)
    const code = await codeFor(ann, application)
    for (let index = 0; index < 12; index++) await exchangeFrom("127.0.0.8", exchangeBody(application, code))
    expect((await exchangeFrom("127.0.0.8", exchangeBody(application, await codeFor(ann, application)))).status).toBe(
      200,
    )
    for (let index = 0; index < 10; index++)
      expect((await exchangeFrom("127.0.0.8", exchangeBody(application, `guess${index}`))).status).toBe(400)
    expect((await exchangeFrom("127.0.0.8", exchangeBody(application, "guess"))).status).toBe(429)
    expect((await exchangeFrom("127.0.0.10", exchangeBody(application, "guess"))).status).toBe(429)
    expect((await exchangeFrom("127.0.0.10", exchangeBody(application, await codeFor(ann, application)))).status).toBe(
      200,
    )
  })
})
