import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { App } from "../../src/app.js"
import { makePerson, type Person } from "../support/make.js"
import { startNodeOn } from "../support/node.js"
import { createTestDatabase, type TestDatabase } from "../support/postgres.js"
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
  it("answers 503 at both doors within 3 s, stays alive, and answers again within 5 s of its return", async () => {
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
    expect(Date.now() - startedAt).toBeLessThan(3_000)
    for (const { status, body, headers } of [read, write]) {
      expect([status, body.error.type]).toEqual([503, "unavailable"])
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
    }
    expect([graphql.status, graphql.code]).toEqual([503, "UNAVAILABLE"])
    expect([probe.status, alive.status]).toEqual([503, 200])

    await proxy.restore()
    const restoredAt = Date.now()
    while ((await ann.get("/lists")).status !== 200) {
      expect(Date.now() - restoredAt).toBeLessThan(5_000)
      await sleep(50)
    }
    expect((await ann.get("/lists")).body).toHaveLength(1)
  })
})
