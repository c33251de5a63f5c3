import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { openDatabase } from "../../src/database/client.js"
import { startEmbeddedPostgres } from "../../src/database/embedded-postgres.js"
import { statement } from "../../src/statement.js"
import { silentLog } from "../support/log.js"
import { makeList, makePerson } from "../support/make.js"
import { makeHook } from "../webhooks/make-hook.js"
import { startReceiver } from "../webhooks/receiver.js"

const NODE_PROGRAM = new URL("./node.process.mjs", import.meta.url).pathname

export type PacePlan = {
  readonly lists: number
  readonly webhooksPerList: number
  readonly changesPerSecond: number
  readonly seconds: number
}

/** How soon webhooks hear of changes at a steady pace, and how fast one node works off what has piled up. */
export type Pace = {
  readonly changes: number
  readonly deliveries: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly drainedPerSecond: number
}

const makeAllDue = statement(
  "pace_make_all_due",
  "update webhook_deliveries set status = 'pending', due_at = clock_timestamp(), attempts = 0 returning 1",
  () => 1,
)

/** Measures one node of the built server on a PostgreSQL of its own. */
export async function measurePace({ lists, webhooksPerList, changesPerSecond, seconds }: PacePlan): Promise<Pace> {
  const folder = mkdtempSync(join(tmpdir(), "tandem-pace-"))
  chmodSync(folder, 0o755)
  const dataDir = join(folder, ".tandem")
  const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog })
  const database = openDatabase(postgres.url)
  const lateMs: number[] = []
  const receiver = await startReceiver((response, { body }) => {
    lateMs.push(Date.now() - Date.parse(body.enqueued_at))
    response.writeHead(204).end()
  })
  const node = spawn(process.execPath, [NODE_PROGRAM, postgres.url, join(folder, "files"), "{}"], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  try {
    const [line] = await once(node.stdout, "data")
    const ann = await makePerson({ url: String(line).trim(), database })
    const made: { id: number }[] = []
    for (let index = 0; index < lists; index++) {
      const list = await makeList(ann)
      for (let count = 0; count < webhooksPerList; count++) await makeHook(ann, list, receiver.url)
      made.push(list)
    }
    await sleep(1_000)
    lateMs.length = 0

    const changes = changesPerSecond * seconds
    const sent: Promise<unknown>[] = []
    const beganAt = performance.now()
    for (let count = 0; count < changes; count++) {
      await sleep(Math.max(0, beganAt + (count * 1_000) / changesPerSecond - performance.now()))
      sent.push(ann.post("/tasks", { list_id: made[count % lists]?.id, title: "Pace" }))
    }
    await Promise.all(sent)
    const deliveries = changes * webhooksPerList
    for (let waited = 0; lateMs.length < deliveries && waited < 60_000; waited += 50) await sleep(50)
    const sorted = lateMs.toSorted((one, other) => one - other)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] as number

    const before = receiver.received.length
    const drainedAt = performance.now()
    const due = (await database.run(makeAllDue, [])).length
    while (receiver.received.length < before + due && performance.now() - drainedAt < 120_000) await sleep(10)
    const drainedMs = performance.now() - drainedAt
    return {
      changes,
      deliveries: lateMs.length - (receiver.received.length - before),
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      drainedPerSecond: Math.round(((receiver.received.length - before) * 1_000) / drainedMs),
    }
  } finally {
    node.kill("SIGKILL")
    await receiver.stop()
    await database.stop()
    await postgres.stop()
    // Run as root the data may lie elsewhere.
    rmSync(realpathSync(join(dataDir, "postgres")), { recursive: true, force: true })
    rmSync(folder, { recursive: true, force: true })
  }
}
