import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type DatabaseClient, openDatabase } from "../../src/database/client.js"
import { startWorker } from "../../src/jobs/worker.js"
import { statement } from "../../src/statement.js"
import { silentLog } from "../support/log.js"
import { createTestDatabase, type TestDatabase } from "../support/postgres.js"

let database: TestDatabase
let db: DatabaseClient
const workers: { stop(): Promise<void> }[] = []

beforeEach(async () => {
  database = await createTestDatabase()
  db = openDatabase(database.url)
})
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
  await db.stop()
  await database.drop()
})

const start = (parts: Partial<Parameters<typeof startWorker>[0]>) =>
  workers.push(startWorker({ databaseUrl: database.url, db, log: silentLog, ...parts }))
const run = (name: string, text: string) =>
  db.run(
    statement(`test_${name}`, text, (row) => row),
    [],
  )
const add = () => run("add", "select graphile_worker.add_job('work', '{}')")

describe("the worker of background jobs", () => {
  it("runs each job on one of the nodes", async () => {
    const done: number[] = []
    for (const node of [1, 2]) start({ jobs: { work: async () => void done.push(node) } })
    await sleep(1_500)
    for (let count = 0; count < 20; count++) await add()
    await expect.poll(() => done.length, { timeout: 10_000 }).toBe(20)
    await sleep(200)
    expect(done).toHaveLength(20)
  })

  it("runs the job of a worker that has died again, and leaves that of one that lives", async () => {
    let done = 0
    await add()
    await add()
    const lock = (pool: string, id: string) =>
      `update graphile_worker._private_jobs set locked_by = '${pool}', locked_at = now() - interval '31 seconds', attempts = 1 where id = (select ${id}(id) from graphile_worker._private_jobs) returning 1`
    await run("lock_dead", lock("pool-of-a-dead-node", "min"))
    await run("lock_alive", lock("pool-of-another-node", "max"))
    await run("beat", "insert into worker_pools (id) values ('pool-of-another-node')")
    await run(
      "last_beat",
      "insert into worker_pools (id, seen_at) values ('pool-of-a-dead-node', now() - interval '31 seconds')",
    )
    start({ jobs: { work: async () => void done++ }, freeEveryMs: 200 })
    await expect.poll(() => done, { timeout: 10_000 }).toBe(1)
    await sleep(500)
    expect(done).toBe(1)
  })

  it("begins a repeating job again after it has ended, well or not, and on one node at a time", async () => {
    let running = 0
    let most = 0
    let done = 0
    const work = async () => {
      most = Math.max(most, ++running)
      await sleep(30)
      running--
      if (++done % 2 === 0) throw new Error("failed this time")
    }
    for (let count = 0; count < 2; count++) start({ repeating: { tick: { everyMs: 10, run: work } } })
    await expect.poll(() => done, { timeout: 15_000 }).toBeGreaterThan(3)
    expect(most).toBe(1)
  })
})
