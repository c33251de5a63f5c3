import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { App } from "../../src/app.js"
import { type DatabaseClient, openDatabase } from "../../src/database/client.js"
import { statement } from "../../src/statement.js"
import { quiet } from "../live/listener.js"
import { makePerson, type Person } from "../support/make.js"
import { startNodeOn } from "../support/node.js"
import { createTestDatabase, runSql, type TestDatabase } from "../support/postgres.js"
import { type CuttableWay, startProxy } from "../support/proxy.js"

let database: TestDatabase
let proxy: CuttableWay
let app: App
let ann: Person

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startProxy(database.url)
  app = await startNodeOn(proxy.url)
  ann = await makePerson(app)
})
afterAll(async () => {
  await app.stop()
  await proxy.stop()
  await database.drop()
})

describe("a node whose database is gone", () => {
  it("answers 503 over REST and GraphQL within 3 s, stays alive, and answers again within 5 s of its return", async () => {
    expect((await ann.get("/lists")).status).toBe(200)
    await proxy.cut()
    const startedAt = Date.now()
    const [read, write, graphql, probe, alive] = await Promise.all([
      ann.get("/lists"),
      ann.post("/lists", { title: "lost" }),
      ann.graphql("{ lists { id } }"),
      fetch(`${app.url}/readyz`),
      fetch(`${app.url}/healthz`),
    ])
    expect(Date.now() - startedAt).toBeLessThan(15_000) // three on a machine that does nothing else
    for (const { status, body, headers } of [read, write]) {
      expect([status, body.error.type]).toEqual([503, "unavailable"])
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
    }
    expect([graphql.status, graphql.code]).toEqual([503, "UNAVAILABLE"])
    expect([probe.status, alive.status]).toEqual([503, 200])

    await proxy.restore()
    const restoredAt = Date.now()
    while ((await ann.get("/lists")).status !== 200) {
      expect(Date.now() - restoredAt).toBeLessThan(30_000)
      await sleep(50)
    }
    expect((await ann.get("/lists")).body).toHaveLength(1)
  })
})

describe("a node whose connections the server ends (57P01)", () => {
  /** Ends every connection to the database but its own. */
  const terminate = () =>
    runSql(
      database.url,
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    )
  const one = statement("test_one", "select 1", ([one]) => one)
  /** A busy machine takes its time to open a connection. */
  const PATIENCE = { timeout: 30_000 }
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  beforeAll(() => {
    process.on("uncaughtException", note).on("unhandledRejection", note)
  })
  afterAll(() => {
    process.off("uncaughtException", note).off("unhandledRejection", note)
  })

  /** Uses each of its pools, so that each has a connection. */
  async function use(db: DatabaseClient): Promise<void> {
    const pools = [() => db.run(one, []), () => db.prisma.user.count(), () => db.transaction(({ run }) => run(one, []))]
    for (const pool of pools)
      await expect.poll(() => pool().then(() => "used", () => "not yet"), PATIENCE).toBe("used") // biome-ignore format: one line
  }

  it("answers 503, if anything, at each way into the database when they were idle, and the next request goes on", async () => {
    const setting = (await ann.post("/settings", { key: "theme", value: "dark" })).body
    const ways = [
      () => ann.get("/lists"),
      async () => {
        const { revision } = (await ann.get(`/settings/${setting.id}`)).body
        return ann.patch(`/settings/${setting.id}`, { revision, value: "light" })
      },
      () => ann.post("/lists", { title: "x" }, { "Idempotency-Key": randomUUID() }),
      () => ann.graphql("{ lists { id } }"),
    ]
    for (const way of ways) await expect.poll(async () => (await way()).status, PATIENCE).toBeLessThan(300)
    await terminate()
    for (const way of ways) {
      const { status } = await way()
      expect([200, 201, 503]).toContain(status)
      await expect.poll(async () => (await way()).status, PATIENCE).toBeLessThan(300)
    }
    expect(unhandled).toEqual([])
  })

  it("has no unhandled error when they end while its pools are being closed", async () => {
    for (const isHeld of [true, false]) {
      const db = openDatabase(proxy.url)
      await use(db)
      // What the server says last arrives when nobody waits for it any more.
      if (isHeld) proxy.hold()
      await terminate()
      const stopped = db.stop()
      proxy.release()
      await stopped
    }
    const other = await startNodeOn(proxy.url)
    await use(other.database)
    proxy.hold()
    await terminate()
    const stopped = other.stop()
    proxy.release()
    await stopped
    await quiet(100)
    expect(unhandled).toEqual([])
  })
})
