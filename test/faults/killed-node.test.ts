import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openDatabase } from "../../src/database/client.js"
import { createClient } from "../support/client.js"
import { makePerson, type Person } from "../support/make.js"
import { createTestDatabase, type TestDatabase } from "../support/postgres.js"

const KILLS = 4
const WRITES_BEFORE_KILL = 40

let database: TestDatabase
let node: ChildProcess | undefined

beforeAll(async () => {
  execFileSync("node", ["scripts/build.mjs", "--if-stale"], { stdio: "pipe" })
  database = await createTestDatabase()
}, 180_000)
afterAll(async () => {
  node?.kill("SIGKILL")
  await database.drop()
})

/** Starts the built server; gives its address once it answers. */
async function start(): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: database.url,
    PORT: "0",
    NODE_ENV: "production",
    DATA_DIR: mkdtempSync(join(tmpdir(), "tandem-faults-")),
  }
  const started = spawn(process.execPath, ["dist/main.js"], { env, stdio: ["ignore", "pipe", "inherit"] })
  node = started
  let output = ""
  for await (const chunk of started.stdout.setEncoding("utf8")) {
    output += chunk
    const [, url] = /"url":"([^"]+)","msg":"listening"/.exec(output) ?? []
    if (url !== undefined) {
      started.stdout.on("data", () => {}).resume()
      return url
    }
  }
  throw new Error(`the server ended: ${output}`)
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
  }, 120_000)
})
