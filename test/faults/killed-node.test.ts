import "reflect-metadata"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { App } from "../../src/app.js"
import { readConfig } from "../../src/config/config.js"
import { openDatabase } from "../../src/database/client.js"
import { startMaintenance } from "../../src/jobs/maintenance.js"
import { statement } from "../../src/statement.js"
import { openFiles } from "../../src/transports/files/files.js"
import { buildServer, startBuiltServer } from "../support/built-server.js"
import { createClient } from "../support/client.js"
import { startCountingProxy } from "../support/counting-proxy.js"
import { silentLog } from "../support/log.js"
import { makeList, makePerson, type Person } from "../support/make.js"
import { startNodeOn } from "../support/node.js"
import { startOpaqueStore } from "../support/opaque-store.js"
import { createTestDatabase, runSql, type TestDatabase } from "../support/postgres.js"

const KILLS = 4
const WRITES_BEFORE_KILL = 40

let database: TestDatabase
let node: ChildProcess | undefined

beforeAll(async () => {
  buildServer()
  database = await createTestDatabase()
}, 180_000)
afterAll(async () => {
  node?.kill("SIGKILL")
  await database.drop()
})

/** Starts the built server; gives its address once it answers. */
async function start(): Promise<string> {
  const started = await startBuiltServer(database.url)
  node = started.node
  return started.url
}

describe("a node that is killed while it writes", () => {
  it("loses nothing that it acknowledged, repeats nothing under one key, and leaves nothing half-done", async () => {
    const store = openDatabase(database.url)
    const acknowledged = new Map<string, number>()
    let person: Person | undefined
    for (let kill = 0; kill < KILLS; kill++) {
      const url = await start()
      person ??= await makePerson({ url, database: store })
      const { credentials, inboxId } = person
      const client = createClient(url, credentials)
      let isAlive = true
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        for (let count = 0; isAlive; count++) {
          const title = `${kill}-${writer}-${count}`
          const reply = await client
            .post("/tasks", { list_id: inboxId, title }, { "Idempotency-Key": title })
            .catch(() => undefined)
          if (reply?.status === 201) acknowledged.set(title, reply.body.id)
        }
      })
      // In the middle of writing, wherever each writer is just then.
      const enough = acknowledged.size + WRITES_BEFORE_KILL
      while (acknowledged.size < enough) await sleep(5)
      const exited = once(node as ChildProcess, "exit")
      node?.kill("SIGKILL")
      isAlive = false
      await Promise.all([exited, ...writers])
    }

    const client = createClient(await start(), person?.credentials)
    const inboxId = person?.inboxId
    const tasks = (await client.get(`/tasks?list_id=${inboxId}`)).body as { id: number; title: string }[]
    expect(acknowledged.size).toBeGreaterThanOrEqual(KILLS * WRITES_BEFORE_KILL)
    const stored = new Map(tasks.map(({ id, title }) => [title, id]))
    expect(stored.size).toBe(tasks.length)
    for (const [title, id] of acknowledged) expect([title, stored.get(title)]).toEqual([title, id])
    // A client that never got its answer asks again: the same task, or the first.
    const [title] = acknowledged.keys()
    const again = await client.post("/tasks", { list_id: inboxId, title }, { "Idempotency-Key": title as string })
    expect([again.status, again.body.id]).toEqual([201, acknowledged.get(title as string)])
    // One event and one revision for each task: nothing was applied by halves.
    expect((await client.get(`/lists/${inboxId}`)).body.revision).toBe(1 + tasks.length)
    await store.stop()
  }, 300_000)
})

describe("a node that is killed while it removes bytes", () => {
  it("leaves them to the next, which takes over when it has not heard of that one for 30 s", async () => {
    const store = await startOpaqueStore()
    let removals = 0
    const hanging = await startCountingProxy(store.s3.endpoint, (asked) => asked.startsWith("DELETE") && ++removals > 4)
    const database = await createTestDatabase()
    const db = openDatabase(database.url)
    const config = { ...readConfig({}), s3: store.s3 }
    const opened = await openFiles({ config, db, log: silentLog, publicUrl: () => "http://here", now: () => new Date() }) // biome-ignore format: one call
    const ask = (name: string, text: string) => db.run(statement(`test_${name}`, text, ([value]) => value as string), []) // biome-ignore format: one line
    const owed = () => ask("owed", "select count(*) from storage_deletions")
    const left = async () => {
      let count = 0
      for await (const _ of opened.storage.keys()) count++
      return count
    }
    for (let number = 1; number <= 12; number++)
      await opened.storage.write(`tandem/uploads/${number}`, Buffer.from("hello"))
    await ask("owe", "insert into storage_deletions (storage_key) select 'tandem/uploads/' || n from generate_series(1, 12) n returning 1") // biome-ignore format: one line
    const { node: child } = await startBuiltServer(database.url, {
      S3_ENDPOINT: hanging.url,
      S3_BUCKET: store.s3.bucket,
      S3_ACCESS_KEY_ID: store.s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: store.s3.secretAccessKey,
    })
    let next: { stop(): Promise<void> } | undefined
    try {
      await expect.poll(() => removals, { timeout: 40_000, interval: 20 }).toBe(8) // as many as are asked for at once
      await expect.poll(left).toBe(8)
      const ended = once(child, "exit")
      child.kill("SIGKILL")
      await ended
      next = startMaintenance({ db, log: silentLog, jobs: opened.maintenance })
      await sleep(2_500)
      expect([await left(), await owed()]).toEqual([8, ["12"]])
      // The test does not wait for 30 s of silence.
      await ask("silence", "update maintenance_jobs set leased_until = now() where name = 'remove-bytes' returning 1")
      await expect.poll(left, { timeout: 40_000 }).toBe(0)
      await expect.poll(owed).toEqual(["0"])
    } finally {
      child.kill("SIGKILL")
      await next?.stop()
      opened.stop()
      await db.stop()
      await database.drop()
      await hanging.stop()
      await store.stop()
    }
  }, 300_000)
})

describe("a node that is killed while it takes away what was in a deleted list", () => {
  it("leaves the rest to the next", async () => {
    const TASKS = 300
    const fresh = await createTestDatabase()
    const db = openDatabase(fresh.url)
    const { node: child, url } = await startBuiltServer(fresh.url)
    const holder = new pg.Client({ connectionString: fresh.url })
    let next: App | undefined
    try {
      const owner = await makePerson({ url, database: db })
      const list = await makeList(owner)
      const ids = `select id from tasks where list_id = ${list.id}`
      await runSql(
        fresh.url,
        `insert into tasks (list_id, title, created_by_id) select ${list.id}, 't', ${owner.id} from generate_series(1, ${TASKS})`,
      )
      const left = async () => (await db.prisma.$queryRawUnsafe<unknown[]>(ids)).length
      const { revision } = (await owner.get(`/lists/${list.id}`)).body
      // It gets as far as a task that somebody holds.
      await holder.connect()
      await holder.query(`begin; select from tasks where id = (select max(id) from (${ids}) t) for update`)
      expect((await owner.delete(`/lists/${list.id}?revision=${revision}`)).status).toBe(204)
      await expect.poll(async () => [0, TASKS].includes(await left()), { timeout: 40_000 }).toBe(false)
      const ended = once(child, "exit")
      child.kill("SIGKILL")
      await ended
      await holder.query("rollback")
      next = await startNodeOn(fresh.url)
      await expect.poll(left, { timeout: 40_000 }).toBe(0)
      await expect
        .poll(
          async () => (await db.prisma.$queryRawUnsafe<unknown[]>(`select from lists where id = ${list.id}`)).length,
        )
        .toBe(0)
    } finally {
      child.kill("SIGKILL")
      await holder.end()
      await next?.stop()
      await db.stop()
      await fresh.drop()
    }
  }, 300_000)
})
