import { execFileSync } from "node:child_process"
import { beforeAll, expect, it } from "vitest"
import { runChaos } from "../chaos/chaos.js"

beforeAll(() => {
  // What is killed is what ships.
  execFileSync(process.execPath, ["scripts/build.mjs", "--if-stale"], { stdio: "pipe" })
}, 180_000)

it("tells every committed change, under one id, through five kills and a restart of the database (S14)", async () => {
  const outcome = await runChaos({
    writes: 200,
    kills: 5,
    databaseRestarts: 1,
    patienceMs: 60_000,
    isDurable: false,
    // One that is not answered in time on a busy machine is attempted again within the patience.
    delivery: { leaseMs: 9_000, timeoutMs: 3_000, schedule: Array.from({ length: 8 }, () => 500) },
  })
  expect(outcome).toMatchObject({
    acknowledged: 200,
    kills: 5,
    lost: 0,
    undelivered: 0,
    invented: 0,
    ambiguous: 0,
    gaps: 0,
    unsigned: 0,
  })
  expect(outcome.committed).toBeGreaterThanOrEqual(200)
}, 300_000)
