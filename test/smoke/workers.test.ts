import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { Agent, get } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type DatabaseClient, openDatabase } from "../../src/database/client.js"
import { listen } from "../live/listener.js"
import { parseExposition, seriesOf } from "../operations/exposition.js"
import { askByHand } from "../support/ask-by-hand.js"
import { buildServer } from "../support/built-server.js"
import { freePort } from "../support/free-port.js"
import { makeList, makePerson, makeTask } from "../support/make.js"
import { createTestDatabase, type TestDatabase } from "../support/postgres.js"

const WORKERS = 2
const READY_TIMEOUT_MS = 90_000

let stored: TestDatabase
let database: DatabaseClient
let primary: ChildProcess
let url: string
let output = ""

const children = (): number[] =>
  readFileSync(`/proc/${primary.pid}/task/${primary.pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean)
    .map(Number)

/** Waits for so many processes that listen, by what they log. */
async function untilListening(count: number): Promise<void> {
  for (const startedAt = Date.now(); output.split('"listening"').length - 1 < count; await sleep(50)) {
    if (primary.exitCode !== null || Date.now() - startedAt > READY_TIMEOUT_MS) throw new Error(`not ready:\n${output}`)
  }
}

beforeAll(async () => {
  buildServer()
  stored = await createTestDatabase()
  database = openDatabase(stored.url)
  url = `http://127.0.0.1:${await freePort()}`
  primary = spawn(process.execPath, ["dist/main.js"], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: stored.url,
      DATA_DIR: "/tmp/tandem-workers-test",
      PORT: new URL(url).port,
      WORKERS: String(WORKERS),
      NODE_ENV: "production",
    },
  })
  for (const stream of [primary.stdout, primary.stderr])
    stream?.setEncoding("utf8").on("data", (text) => {
      output += text
    })
  await untilListening(WORKERS)
}, 240_000)

afterAll(async () => {
  if (primary?.exitCode === null) primary.kill("SIGKILL")
  await database?.stop()
  await stored?.drop()
})

describe(`WORKERS=${WORKERS}`, () => {
  it("tells the subscribers of every process of what happens in any of them", async () => {
    const owner = await makePerson({ url, database })
    const list = await makeList(owner)
    // Connections go to the processes in turn, so that both have subscribers.
    const listeners = Array.from({ length: 2 * WORKERS }, () => listen(owner))
    const heard = listeners.map((listener) => listener.listUpdated(list.id, list.revision))
    for (let count = 0; count < 10; count++) await makeTask(owner, list, { title: `Task ${count}` })
    for (const listening of heard) {
      const events = await listening.until((all) => all.length === 10, 20_000)
      expect(events.map(({ after }: any) => after.title)).toEqual(Array.from({ length: 10 }, (_, n) => `Task ${n}`))
    }
    await Promise.all(listeners.map((listener) => listener.close()))
  }, 90_000)

  it("reads and writes by Prisma, which is loaded then, in the same database", async () => {
    const owner = await makePerson({ url, database })
    expect((await owner.post("/settings", { key: "theme", value: "dark" })).status).toBe(201)
    for (let count = 0; count < WORKERS; count++)
      expect(await owner.get("/settings")).toMatchObject({ status: 200, body: [{ key: "theme", value: "dark" }] })
    const [{ id, revision }] = (await owner.get("/settings")).body
    expect((await owner.patch(`/settings/${id}`, { revision, value: "light" })).status).toBe(200)
  })

  it("adds up the metrics of all processes, whichever of them is asked", async () => {
    const agent = new Agent({ keepAlive: false }) // connections go to the processes in turn
    const ask = (path: string): Promise<string> =>
      new Promise((resolve, reject) =>
        get(`${url}${path}`, { agent }, (response) => {
          let text = ""
          response.setEncoding("utf8").on("data", (part) => {
            text += part
          })
          response.on("end", () => resolve(text))
        }).on("error", reject),
      )
    const asked = async () =>
      seriesOf(parseExposition(await ask("/metrics")), "tandem_http_request_duration_seconds_count", {
        route: "/avatars",
      })
    const person = await makePerson({ url, database })
    for (let count = 0; count < 6; count++) await ask(`/avatars/${person.id}.png`)
    const first = await asked()
    expect(first).toBeGreaterThanOrEqual(6)
    expect(await asked()).toBe(first)
    const own = parseExposition(await ask("/metrics"))
    expect(seriesOf(own, "tandem_database_up")).toBe(1)
    expect(seriesOf(own, "process_resident_memory_bytes")).toBeGreaterThan(WORKERS * 50_000_000)
  }, 60_000)

  it("replaces a process that dies, while the others go on answering", async () => {
    const before = children()
    expect(before).toHaveLength(WORKERS)
    process.kill(before[0] as number, "SIGKILL")
    // Until its end is known it may still be given a connection.
    while (children().includes(before[0] as number)) await sleep(10)
    await sleep(100)
    const agent = new Agent({ keepAlive: false })
    for (let count = 0; count < 20; count++) {
      const status = await new Promise((resolve, reject) =>
        get(`${url}/api/health`, { agent }, (response) => resolve(response.resume().statusCode)).on("error", reject),
      )
      expect(status).toBe(200)
      await sleep(20)
    }
    await untilListening(WORKERS + 1)
    expect(children()).toHaveLength(WORKERS)
    expect(children()).not.toContain(before[0])
  }, 120_000)

  it("answers clients that have a connection, and ends all of them with 0 on SIGTERM", async () => {
    const exited = once(primary, "exit")
    const ending = children()
    // The kernel takes connections for a process that has not come to it yet.
    primary.kill("SIGSTOP")
    const early = await Promise.all(Array.from({ length: 30 }, () => askByHand(url)))
    primary.kill("SIGTERM")
    primary.kill("SIGCONT")
    expect(await Promise.all(early.map(({ answer }) => answer))).toEqual(Array(30).fill("HTTP/1.1 200 OK"))
    expect(await exited).toEqual([0, null])
    for (const pid of ending) expect(() => process.kill(pid, 0)).toThrow()
  }, 60_000)
})
