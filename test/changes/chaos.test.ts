import { execFileSync } from "node:child_process"
import { beforeAll, expect, it } from "vitest"
import { runSync } from "../chaos/sync.js"

beforeAll(() => {
  // What is killed is what ships.
  execFileSync(process.execPath, ["scripts/build.mjs", "--if-stale"], { stdio: "pipe" })
}, 180_000)

it("keeps copies level by cursors while nodes are killed, the database is restarted, and a transaction commits late", async () => {
  const outcome = await runSync({ rounds: 4, writes: 30, restartEvery: 2, heldMs: 1_000, isDurable: true })
  expect(outcome).toMatchObject({
    ...{ rounds: 4, kills: 4, databaseRestarts: 2, compared: 8 },
    ...{ unequal: 0, resyncs: 0, missing: 0, crashes: 0 },
  })
  expect(Math.min(outcome.acknowledged, outcome.pages, outcome.changes, outcome.pagesLost)).toBeGreaterThan(0)
}, 300_000)
