import { createHash, randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { App } from "../../src/app.js"
import { accessMaintenance } from "../../src/jobs/expired-access.js"
import { createAccessToken } from "../../src/oauth/access-token.js"
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
import { runCli } from "../support/cli.js"
import { type Client, createClient } from "../support/client.js"
import type { Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"

/** A second, as promised, and what a machine that does much else at the same time adds to it. */
const SOON_MS = 30_000

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

const idOf = ({ clientId }: TestApplication) =>
  first.database.prisma.application.findUniqueOrThrow({ where: { clientId } }).then(({ id }) => String(id))

/** How a token can end; each is done on the first node. */
const ENDS: [string, (of: Case) => Promise<unknown>][] = [
  [
    "its user revokes the application on its page",
    async ({ ann, application }) => {
      const page = await ann.browser.get("/authorizations")
      expect((await ann.browser.submit(page, `/authorizations/${await idOf(application)}/revoke`)).status).toBe(303)
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
    const [here] = clients
    if (!_.includes("deleted")) expect((await here?.get("/lists"))?.status).toBe(401)
    for (const client of clients) {
      await expect.poll(async () => (await client.get("/lists")).status, { timeout: SOON_MS, interval: 20 }).toBe(401)
      expect((await client.graphql("{ viewer { id } }")).status).toBe(401)
    }
    expect(await Promise.all(sockets.map((socket) => socket.closed(SOON_MS)))).toEqual([4403, 4403])
    expect(listenings.map(({ events }) => events)).toEqual([[], []])
  })
})

const adopt = (userId: string) =>
  first.database.prisma.list.findFirstOrThrow({ where: { ownerId: BigInt(userId) } }).then(({ id }) => Number(id))
const KEYS = { p256dh: `BP${"A".repeat(85)}`, auth: "A".repeat(22) }

/** A webhook and a device, made with a token. */
async function makeThings(client: Client, listId: number, name: string): Promise<void> {
  const hook = { list_id: listId, url: `https://hooks.example/${name}`, processor_type: "generic", configuration: "" }
  expect((await client.post("/webhooks", hook)).status).toBe(201)
  const subscription = { endpoint: `https://push.example/${randomUUID()}`, keys: KEYS }
  expect((await client.post("/devices", { udid: name, platform: "web_push", subscription })).status).toBe(201)
}

/** The webhooks and devices of a user, by the name that they were made with. */
async function thingsOf(userId: string): Promise<string[]> {
  const where = { userId: BigInt(userId) }
  const hooks = await first.database.prisma.webhook.findMany({ where: { createdById: where.userId } })
  const devices = await first.database.prisma.device.findMany({ where })
  return [
    ...hooks.map(({ url }) => url.slice("https://hooks.example/".length)),
    ...devices.map(({ udid }) => udid),
  ].sort()
}

const ALL_ENDS: typeof ENDS = [
  ...ENDS,
  [
    "its user revokes it over GraphQL",
    async ({ ann, application }) => {
      const own = await createAccessToken(first.database, ann.id, "personal")
      const client = createClient(first.url, { clientId: "personal", token: own })
      const mutation = `mutation { revokeAuthorization(applicationId: ${await idOf(application)}) }`
      expect((await client.graphql(mutation)).code).toBeUndefined()
    },
  ],
  [
    "its token is revoked on the command line",
    async ({ token }) => {
      const tokenHash = createHash("sha256").update(token).digest()
      const { id } = await first.database.prisma.accessToken.findUniqueOrThrow({ where: { tokenHash } })
      vi.stubEnv("DATABASE_URL", first.databaseUrl)
      expect((await runCli("token", "revoke", "--id", String(id))).code).toBe(0)
      vi.unstubAllEnvs()
    },
  ],
]

describe.each(ALL_ENDS)("when %s", (_, end) => {
  it("its webhooks and devices end, and nobody else's", async () => {
    const ann = await makeMember(first)
    const listId = await adopt(ann.id)
    const [application, other] = [await makeApplication(first), await makeApplication(first, { name: "Other" })]
    const token = await tokenFor(first, ann, application)
    const by = (of: TestApplication, its: string) => createClient(first.url, { clientId: of.clientId, token: its })
    await makeThings(by(application, token), listId, "its")
    await makeThings(by(other, await tokenFor(first, ann, other)), listId, "another's")
    const { data } = await createClient(first.url, {
      clientId: "personal",
      token: await createAccessToken(first.database, ann.id, "personal"),
    }).graphql('mutation { createAccessToken(input: { name: "script" }) { token } }')
    await makeThings(
      createClient(first.url, { clientId: "personal", token: data.createAccessToken.token }),
      listId,
      "own",
    )
    await end({ ann, application, token })
    expect(await thingsOf(ann.id)).toEqual(["another's", "another's", "own", "own"])
  })
})

describe("when a user's revoking of an application breaks off", () => {
  it("no refresh token is gone while access tokens stay", async () => {
    const ann = await makeMember(first)
    const application = await makeApplication(first)
    const code = await codeFor(ann, application, { scope: "offline_access" })
    const { refresh_token } = (
      await askForToken(first.url, exchangeBody(application, code, { grant_type: "authorization_code" }))
    ).body
    expect(refresh_token).toEqual(expect.any(String))
    const page = await ann.browser.get("/authorizations")
    const revoke = async () => ann.browser.submit(page, `/authorizations/${await idOf(application)}/revoke`)
    const left = async () => {
      const where = {
        userId: BigInt(ann.id),
        name: null,
        sessionId: null,
        application: { clientId: application.clientId },
      }
      const { accessToken, refreshToken } = first.database.prisma
      return [
        await accessToken.count({ where: { ...where, revokedAt: null } }),
        await refreshToken.count({ where: { userId: where.userId, application: where.application } }),
      ]
    }
    expect(await left()).toEqual([1, 1])
    await runSql(
      first.databaseUrl,
      `create function break_off() returns trigger language plpgsql as $$ begin raise 'broken off'; end $$;
       create trigger break_off before update on access_tokens for each row when (new.user_id = ${ann.id}) execute function break_off()`,
    )
    try {
      expect((await revoke()).status).toBe(500)
      expect(await left()).toEqual([1, 1])
    } finally {
      await runSql(first.databaseUrl, "drop function break_off() cascade")
    }
    expect((await revoke()).status).toBe(303)
    expect(await left()).toEqual([0, 0])
  })
})

describe("what an application made", () => {
  const renewed = async (application: TestApplication, refresh_token: string) =>
    (
      await askForToken(first.url, {
        client_id: application.clientId,
        client_secret: application.clientSecret,
        refresh_token,
        grant_type: "refresh_token",
      })
    ).body

  it("stays while it has access: after a renewal, and when one of two consents ends", async () => {
    const ann = await makeMember(first)
    const listId = await adopt(ann.id)
    const application = await makeApplication(first)
    const consent = async () => {
      const code = await codeFor(ann, application, { scope: "offline_access" })
      const { body } = await askForToken(
        first.url,
        exchangeBody(application, code, { grant_type: "authorization_code" }),
      )
      return body
    }
    const [one, two] = [await consent(), await consent()]
    await makeThings(
      createClient(first.url, { clientId: application.clientId, token: one.access_token }),
      listId,
      "its",
    )
    const next = await renewed(application, one.refresh_token)
    const revoke = (token: string) =>
      askForToken(
        first.url,
        { client_id: application.clientId, client_secret: application.clientSecret, token },
        { path: "/oauth/revoke" },
      )
    await revoke(one.access_token)
    await revoke(next.access_token)
    expect(await thingsOf(ann.id)).toEqual(["its", "its"])
    await revoke(two.refresh_token)
    expect(await thingsOf(ann.id)).toEqual(["its", "its"])
    await revoke(next.refresh_token)
    expect(await thingsOf(ann.id)).toEqual([])
  })

  it("is not made by a token that ended a moment ago on another node", async () => {
    const ann = await makeMember(first)
    const listId = await adopt(ann.id)
    const application = await makeApplication(first)
    const token = await tokenFor(first, ann, application)
    const elsewhere = createClient(second.url, { clientId: application.clientId, token })
    expect((await elsewhere.get("/lists")).status).toBe(200)
    await ENDS[1]?.[1]({ ann, application, token })
    const hook = { list_id: listId, url: "https://hooks.example/late", processor_type: "generic", configuration: "" }
    expect((await elsewhere.post("/webhooks", hook)).status).toBe(401)
    expect(await thingsOf(ann.id)).toEqual([])
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
    const listening = socket.accountUpdated(undefined, "id") // without one its client closes it
    expect(await socket.run("{ viewer { id } }")).toMatchObject({ data: { viewer: { id: ann.id } } })
    await first.database.prisma.accessToken.update({
      where: { tokenHash },
      data: { expiresAt: new Date(Date.now() - 1) },
    })
    const jobs = accessMaintenance(first.database)
    await jobs["end-expired-tokens"]?.run(new AbortController().signal)
    expect(await socket.closed(SOON_MS)).toBe(4403)
    expect(listening.events).toEqual([])
    await first.database.prisma.$executeRaw`update authorization_codes set expires_at = now() - interval '2 days'`
    await first.database.prisma.$executeRaw`update sessions set expires_at = now() - interval '1 second'`
    await jobs["delete-leftovers-of-access"]?.run(new AbortController().signal)
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
    await expect.poll(lastUse, { timeout: SOON_MS }).toBeInstanceOf(Date)
    expect(Math.abs(Date.now() - ((await lastUse()) as Date).getTime())).toBeLessThan(2 * SOON_MS)
    expect((await ann.browser.get("/authorizations")).text).toContain("last used <time")
  })
})
