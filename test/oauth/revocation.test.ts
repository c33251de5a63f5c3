import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { App } from "../../src/app.js"
import { accessUpkeep } from "../../src/jobs/expired-access.js"
import { listen } from "../live/listener.js"
import {
  askForToken,
  codeFor,
  exchangeBody,
  type Member,
  makeApplication,
  makeMember,
  type TestApplication,
  tokenFor,
} from "../support/account.js"
import { createClient } from "../support/client.js"
import type { Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"

let first: TestNode
let second: App

beforeAll(async () => {
  first = await startNode()
  second = await startNodeOn(first.databaseUrl)
})
afterAll(async () => {
  await second.stop()
  await first.stop()
})

type Case = { ann: Member; application: TestApplication; token: string }

/** How a token can end; each is done on the first node. */
const ENDS: [string, (of: Case) => Promise<unknown>][] = [
  [
    "its user revokes the application on its page",
    async ({ ann }) => {
      const page = await ann.browser.get("/authorizations")
      const action = /action="(\/authorizations\/\d+\/revoke)"/.exec(page.text)?.[1] as string
      expect((await ann.browser.submit(page, action)).status).toBe(303)
    },
  ],
  [
    "its application revokes it",
    ({ application, token }) =>
      askForToken(
        first.url,
        { client_id: application.clientId, client_secret: application.clientSecret, token },
        { path: "/oauth/revoke" },
      ),
  ],
  [
    "its application is deleted",
    ({ application }) => first.database.prisma.application.delete({ where: { clientId: application.clientId } }),
  ],
]

describe.each(ENDS)("when %s", (_, end) => {
  it("the token ends on every node within a second: over REST, GraphQL and an open socket", async () => {
    const ann = await makeMember(first)
    const application = await makeApplication(first)
    const token = await tokenFor(first, ann, application)
    const clients = [first.url, second.url].map((url) => createClient(url, { clientId: application.clientId, token }))
    const sockets = clients.map((client) => listen(Object.assign(client, { id: 0 }) as unknown as Person, client.url))
    for (const client of clients) expect((await client.get("/lists")).status).toBe(200)
    const listenings = sockets.map((socket) => socket.accountUpdated(undefined, "id"))
    for (const socket of sockets)
      expect(await socket.run("{ viewer { id } }")).toMatchObject({ data: { viewer: { id: ann.id } } })

    await end({ ann, application, token })
    const endedAt = Date.now()
    const [here] = clients
    if (!_.includes("deleted")) expect((await here?.get("/lists"))?.status).toBe(401)
    for (const client of clients) {
      await expect.poll(async () => (await client.get("/lists")).status, { timeout: 1_500, interval: 20 }).toBe(401)
      expect((await client.graphql("{ viewer { id } }")).status).toBe(401)
    }
    await Promise.all(sockets.map((socket) => socket.closed(1_500)))
    expect(Date.now() - endedAt).toBeLessThan(1_500)
    expect(listenings.map(({ events }) => events)).toEqual([[], []])
  })
})

describe("revoking an application", () => {
  it("also ends codes that are not exchanged yet, and what renews", async () => {
    const ann = await makeMember(first)
    const application = await makeApplication(first)
    const code = await codeFor(ann, application)
    const offline = await codeFor(ann, application, { scope: "offline_access" })
    const { body } = await askForToken(
      first.url,
      exchangeBody(application, offline, { grant_type: "authorization_code" }),
    )
    await ENDS[0]?.[1]({ ann, application, token: "" })
    expect(await askForToken(first.url, exchangeBody(application, code))).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    })
    const renewal = {
      client_id: application.clientId,
      client_secret: application.clientSecret,
      refresh_token: body.refresh_token,
      grant_type: "refresh_token",
    }
    expect(await askForToken(first.url, renewal)).toMatchObject({ status: 400, body: { error: "invalid_grant" } })
  })
})

describe("a token whose time is over", () => {
  it("ends on open sockets too, and leaves nothing behind that is of no use", async () => {
    const ann = await makeMember(first)
    const application = await makeApplication(first)
    const token = await tokenFor(first, ann, application)
    const tokenHash = createHash("sha256").update(token).digest()
    const client = createClient(second.url, { clientId: application.clientId, token })
    const socket = listen(Object.assign(client, { id: 0 }) as unknown as Person, second.url)
    expect(await socket.run("{ viewer { id } }")).toMatchObject({ data: { viewer: { id: ann.id } } })
    await first.database.prisma.accessToken.update({
      where: { tokenHash },
      data: { expiresAt: new Date(Date.now() - 1) },
    })
    const jobs = accessUpkeep(first.database)
    await jobs["end-expired-tokens"]?.run(undefined)
    await socket.closed(1_500)
    await first.database.prisma.$executeRaw`update authorization_codes set expires_at = now() - interval '2 days'`
    await first.database.prisma.$executeRaw`update sessions set expires_at = now() - interval '1 second'`
    await jobs["delete-leftovers-of-access"]?.run(undefined)
    expect(await first.database.prisma.session.count()).toBe(0)
    expect(await first.database.prisma.authorizationCode.count()).toBe(0)
  })
})

describe("when a token was last used", () => {
  it("is written down behind the request's back, once for many requests", async () => {
    const ann = await makeMember(first)
    const application = await makeApplication(first)
    const token = await tokenFor(first, ann, application)
    const tokenHash = createHash("sha256").update(token).digest()
    const lastUse = async () =>
      (await first.database.prisma.accessToken.findUniqueOrThrow({ where: { tokenHash } })).lastUsedAt
    expect(await lastUse()).toBeNull()
    const client = createClient(first.url, { clientId: application.clientId, token })
    await Promise.all(Array.from({ length: 50 }, () => client.get("/lists")))
    await expect.poll(lastUse, { timeout: 8_000 }).toBeInstanceOf(Date)
    expect(Math.abs(Date.now() - ((await lastUse()) as Date).getTime())).toBeLessThan(10_000)
    expect((await ann.browser.get("/authorizations")).text).toContain("last used <time")
  })
})
