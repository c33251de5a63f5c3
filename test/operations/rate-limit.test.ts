import "reflect-metadata"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import WebSocket from "ws"
import type { App } from "../../src/app.js"
import { createAccessToken } from "../../src/oauth/access-token.js"
import { type BudgetStore, createBudget } from "../../src/operations/budget.js"
import { postgresStore } from "../../src/operations/postgres-store.js"
import { redisStore } from "../../src/operations/redis-store.js"
import { createCalendarFeed } from "../../src/resources/calendar-feed/calendar-feed.commands.js"
import { listen } from "../live/listener.js"
import { makeMember } from "../support/account.js"
import { createClient } from "../support/client.js"
import { silentLog } from "../support/log.js"
import { makePerson, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { hasRedis, startRedis } from "../support/redis.js"

const LIMIT = 12
const POLICY = { limit: LIMIT, windowMs: 60_000 }

let node: TestNode
let other: App
let ann: Person

beforeAll(async () => {
  node = await startNode({ rateLimit: POLICY })
  other = await startNodeOn(node.databaseUrl, { rateLimit: POLICY })
})
afterAll(async () => {
  await other.stop()
  await node.stop()
})
beforeEach(async () => {
  ann = await makePerson(node)
})

const spend = async (count: number, who = ann) => {
  for (let index = 0; index < count; index++) expect((await who.get("/root")).status).toBe(200)
}

describe("RATE_LIMIT", () => {
  it("says on each answer how the budget stands, and refuses what is beyond it in the contract's form", async () => {
    const first = await ann.get("/lists")
    expect(first.headers.get("ratelimit-policy")).toBe(`"default";q=${LIMIT};w=60`)
    expect(first.headers.get("ratelimit")).toBe(`"default";r=${LIMIT - 1};t=60`)
    await spend(LIMIT - 1)
    const refused = await ann.get("/lists")
    expect(refused.status).toBe(429)
    expect(refused.body.error).toMatchObject({ type: "rate_limited", translation_key: "api_error_rate_limited" })
    expect(refused.headers.get("ratelimit")).toMatch(/^"default";r=0;t=\d+$/)
    const seconds = Number(refused.headers.get("retry-after"))
    expect(seconds).toBeGreaterThan(50)
    expect(seconds).toBeLessThanOrEqual(60)
    expect(refused.headers.get("access-control-expose-headers")).toContain("RateLimit")
  })

  it("is one budget for REST, GraphQL and sockets, for all tokens of a user and on all nodes", async () => {
    await spend(2)
    const token = await createAccessToken(node.database, String(ann.id), ann.credentials.clientId as string)
    const elsewhere = createClient(other.url, { clientId: ann.credentials.clientId as string, token: token as string })
    expect((await elsewhere.get("/lists")).headers.get("ratelimit")).toContain(`r=${LIMIT - 3};`)
    const answer = await ann.graphql("{ lists { id } }")
    expect(answer.status).toBe(200)
    const listener = listen(elsewhere as Person)
    for (let count = 0; count < LIMIT - 4; count++)
      expect(await listener.run("{ lists { id } }")).toHaveProperty("data")
    // Used up over the socket of one node, so over every transport of both.
    const beyond: any = await listener.run("{ lists { id } }").catch((errors) => errors)
    expect(beyond[0].extensions).toMatchObject({ code: "RATE_LIMITED" })
    expect(beyond[0].extensions.retryAfterSeconds).toBeGreaterThan(0)
    const graphql = await ann.graphql("{ lists { id } }")
    expect(graphql).toMatchObject({ status: 429, code: "RATE_LIMITED" })
    expect((await ann.get("/lists")).status).toBe(429)
    expect((await elsewhere.post("/lists", { title: "No" })).status).toBe(429)
    await listener.close()
    await spend(1, await makePerson(node, "Bob"))
  })

  it("counts the root fields of an operation, and runs none when there are too many", async () => {
    const create = (count: number, part = "") =>
      `mutation { ${Array.from({ length: count }, (_, index) => `l${index}: createList(input: { title: "${part}" }) { id }`).join(" ")} }`
    const fragment = create(4, "in a fragment").replace("mutation", "mutation { ...Four } fragment Four on Mutation")
    expect(await ann.graphql(fragment)).toMatchObject({ status: 200 })
    expect((await ann.get("/lists")).headers.get("ratelimit")).toContain(`r=${LIMIT - 5};`)
    // New and prepared, and over a socket.
    const tooMany = create(LIMIT - 4, "too many")
    for (const _ of [1, 2]) expect(await ann.graphql(tooMany)).toMatchObject({ status: 429, code: "RATE_LIMITED" })
    const listener = listen(ann)
    const refused: any = await listener.run(create(LIMIT - 4, "by socket")).catch((errors) => errors)
    expect(refused[0].extensions).toMatchObject({ code: "RATE_LIMITED" })
    expect(await listener.run(create(3, "as many as are left"))).toHaveProperty("data")
    await listener.close()
    const { status, body } = await ann.get("/lists")
    expect(status).toBe(200)
    expect((await ann.get("/lists")).status).toBe(429)
    const titles = body.map(({ title }: { title: string }) => title)
    expect(titles).toContain("as many as are left")
    expect(titles).not.toContain("too many")
    expect(titles).not.toContain("by socket")
  })

  it("counts what comes over the SDK's socket too", async () => {
    const { clientId, token } = ann.credentials
    const socket = new WebSocket(
      `${node.url.replace("http", "ws")}/api/v1/sync?client_id=${clientId}&access_token=${token}`,
    )
    await new Promise((resolve) => socket.once("open", resolve))
    const ask = (id: number): Promise<any> => {
      const headers = { "x-client-request-id": String(id) }
      const answered = new Promise((resolve) =>
        socket.on("message", (data) => {
          const frame = JSON.parse(String(data))
          if (frame.headers?.["x-client-request-id"] === String(id)) resolve(frame)
        }),
      )
      socket.send(JSON.stringify({ type: "request", headers, verb: "GET", uri: "/api/v1/root", body: null }))
      return answered
    }
    await spend(LIMIT - 1)
    expect((await ask(1)).status).toBe(200)
    expect((await ask(2)).status).toBe(429)
    socket.close()
  })

  it("counts looks at the home page and readings of a calendar feed, which cost as much as what they show", async () => {
    const cleo = await makeMember(node, "Cleo")
    const { url } = await createCalendarFeed(node.database, cleo.id, null, node.url)
    for (let count = 0; count < LIMIT / 2; count++) {
      expect((await cleo.browser.get("/")).status).toBe(200)
      expect((await fetch(url)).status).toBe(200)
    }
    const refused = await cleo.browser.get("/")
    expect([refused.status, refused.title]).toEqual([429, "Too many attempts"])
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(50)
    expect((await fetch(url)).status).toBe(429)
    expect((await cleo.browser.get("/account")).status).toBe(200) // to revoke what reads too often
  })

  it("lets strangers share the budget of their network, separate from the budgets of users with a token", async () => {
    const stranger = createClient(node.url, { clientId: "nobody", token: "none" })
    const statuses = []
    for (let count = 0; count < LIMIT + 2; count++) statuses.push((await stranger.get("/lists")).status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(LIMIT)
    expect(statuses.slice(LIMIT)).toEqual([429, 429])
    expect((await stranger.graphql("{ lists { id } }")).status).toBe(429)
    await spend(1)
  })

  it("is off without the setting, and no answer speaks of it", async () => {
    const open = await startNodeOn(node.databaseUrl)
    const client = createClient(open.url, ann.credentials)
    for (let count = 0; count < LIMIT + 2; count++) {
      const { status, headers } = await client.get("/root")
      expect([status, headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([200, null, null])
    }
    await open.stop()
  })
})

describe("createBudget", () => {
  /** A store in memory that counts how often it is asked. */
  function memoryStore(limit: number, windowMs: number, now: () => number) {
    const windows = new Map<string, { count: number; endsAt: number }>()
    const store = {
      asked: 0,
      isGone: false as boolean,
      async take(key: string, wanted: number) {
        store.asked++
        await sleep(1)
        if (store.isGone) throw new Error("gone")
        let window = windows.get(key)
        if (window === undefined || window.endsAt <= now()) {
          window = { count: 0, endsAt: now() + windowMs }
          windows.set(key, window)
        }
        const granted = Math.max(0, Math.min(wanted, limit - window.count))
        window.count += wanted
        return { granted, left: Math.max(0, limit - window.count), resetInMs: window.endsAt - now() }
      },
      stop: async () => {},
    } satisfies BudgetStore & { asked: number; isGone: boolean }
    return store
  }

  it("asks once for fifty requests at most, gives the limit and no more, and refuses without asking", async () => {
    let time = 0
    const store = memoryStore(500, 60_000, () => time)
    const budget = createBudget({ limit: 500, windowMs: 60_000 }, store, silentLog, () => time)
    const decisions = await Promise.all(Array.from({ length: 700 }, () => budget.take("a")))
    expect(decisions.filter((decision) => decision?.isOver === false)).toHaveLength(500)
    for (let count = 0; count < 100; count++) expect(await budget.take("a")).toMatchObject({ isOver: true, left: 0 })
    expect(store.asked).toBeLessThan(20)
    time = 60_001
    expect(await budget.take("a")).toMatchObject({ isOver: false, left: 499, resetInSeconds: 60 })
    const askedOneByOne = store.asked
    for (let count = 0; count < 99; count++) await budget.take("a")
    expect(store.asked - askedOneByOne).toBe(9)
  })

  it("lets all pass while the store does not answer, asks it once a second, and counts again when it is back", async () => {
    let time = 0
    const store = memoryStore(2, 60_000, () => time)
    const budget = createBudget({ limit: 2, windowMs: 60_000 }, store, silentLog, () => time)
    store.isGone = true
    for (let count = 0; count < 20; count++) expect(await budget.take("a")).toBeUndefined()
    expect(store.asked).toBe(1)
    store.isGone = false
    time = 1_001
    for (const isOver of [false, false, true]) expect(await budget.take("a")).toMatchObject({ isOver })
  })
})

describe.each([
  ["PostgreSQL", true, async () => ({ open: () => postgresStore(node.database, POLICY), stop: async () => {} })],
  [
    "Redis",
    hasRedis,
    async () => {
      const redis = await startRedis()
      return { open: () => redisStore(redis.url, POLICY), stop: () => redis.kill() }
    },
  ],
] as const)("the store in %s", (_name, isThere, start) => {
  it.skipIf(!isThere)(
    "gives what is left and no more, however many ask at once, and begins anew with the window",
    async () => {
      const { open, stop } = await start()
      const store = open()
      let first: Awaited<ReturnType<BudgetStore["take"]>> | undefined
      await expect.poll(async () => (first = await store.take("key", 5))).toBeDefined()
      expect(first).toMatchObject({ granted: 5, left: 7 })
      const all = await Promise.all(Array.from({ length: 4 }, () => store.take("key", 3)))
      expect(all.reduce((sum, { granted }) => sum + granted, 0)).toBe(7)
      expect(all.every(({ resetInMs }) => resetInMs > 50_000 && resetInMs <= 60_000)).toBe(true)
      expect(await store.take("other", 1)).toMatchObject({ granted: 1, left: 11 })
      await store.stop()
      await stop()
    },
  )
})
