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
    patienceMs: 30_000,
    isDurable: false,
    delivery: { leaseMs: 3_000, timeoutMs: 1_000 },
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
