import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type DatabaseClient, openDatabase } from "../../src/database/client.js"
import { type MaintenanceJobs, startMaintenance } from "../../src/jobs/maintenance.js"
import { statement } from "../../src/statement.js"
import { silentLog } from "../support/log.js"
import { createTestDatabase, type TestDatabase } from "../support/postgres.js"

let database: TestDatabase
let db: DatabaseClient
const nodes: { stop(): Promise<void> }[] = []

beforeEach(async () => {
  database = await createTestDatabase()
  db = openDatabase(database.url)
})
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
  await db.stop()
  await database.drop()
})

const start = (jobs: MaintenanceJobs) => nodes.push(startMaintenance({ db, log: silentLog, jobs }))
const run = (name: string, text: string) =>
  db.run(
    statement(`test_${name}`, text, (row) => row),
    [],
  )

describe("maintenance", () => {
  it("begins a job again after it has ended, well or not, and on one node at a time", async () => {
    let running = 0
    let most = 0
    let done = 0
    const work = async () => {
      most = Math.max(most, ++running)
      await sleep(30)
      running--
      if (++done % 2 === 0) throw new Error("failed this time")
    }
    for (let count = 0; count < 2; count++) start({ tick: { everyMs: 10, run: work } })
    await expect.poll(() => done, { timeout: 30_000 }).toBeGreaterThan(3)
    expect(most).toBe(1)
  })

  it("runs jobs beside each other, so that one which waits delays no other", async () => {
    let done = 0
    start({
      wait: {
        everyMs: 10,
        run: (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
      },
      tick: { everyMs: 10, run: async () => void done++ },
    })
    await expect.poll(() => done, { timeout: 30_000 }).toBeGreaterThan(1)
  })

  it("takes the job of a node that has died, and leaves that of one that lives", async () => {
    const lease = (name: string, until: string) =>
      `insert into maintenance_jobs (name, leased_by, leased_until) values ('${name}', 'another node', now() + interval '${until}') returning 1`
    await run("dead", lease("dead", "-1 seconds"))
    await run("alive", lease("alive", "10 seconds"))
    const done: string[] = []
    const job = (name: string) => ({ everyMs: 60_000, run: async () => void done.push(name) })
    start({ alive: job("alive"), dead: job("dead") })
    await expect.poll(() => done, { timeout: 30_000 }).toEqual(["dead"])
    await sleep(1_500)
    expect(done).toEqual(["dead"])
  })

  it("does not end a job that another node has taken meanwhile", async () => {
    let finish = () => {}
    let isRunning = false
    const work = () =>
      new Promise<void>((resolve) => {
        isRunning = true
        finish = resolve
      })
    start({ slow: { everyMs: 60_000, run: work } })
    await expect.poll(() => isRunning, { timeout: 30_000 }).toBe(true)
    await run("taken", "update maintenance_jobs set leased_by = 'another node' where name = 'slow' returning 1")
    finish()
    await nodes.pop()?.stop()
    expect(await run("lease", "select leased_by, leased_until is not null from maintenance_jobs")).toEqual([
      ["another node", "t"],
    ])
  })
})
