// Breaks things while clients write, and compares what they were told with what is stored:
//   npm run chaos -- [writes = 10000] [kills = 20] [restarts of the database = 1]
//   npm run chaos -- --sync [rounds = 100] [writes of a round = 60] [database restarts every so many rounds = 5]
//   npm run chaos -- --failover [failovers = 10] [switchovers = 10]
// The first kills nodes and restarts their database, and looks at what a webhook was told; time is not compressed: what a killed
// node had in flight comes when its lease ends. The second keeps copies of accounts level by the cursor of changes meanwhile, loses
// answers, holds a transaction open, and compares each copy with a GET of everything. The last takes the primary away from its
// synchronous standby; it needs Debian's postgresql-15, and root.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { runnerImport } from "vite"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))
const build = spawnSync(process.execPath, ["scripts/build.mjs", "--if-stale"], { stdio: "inherit" })
if (build.status !== 0) process.exit(1)

const load = async (path) => (await runnerImport(path, { configFile: false, logLevel: "silent" })).module

async function killNodes([writes = 10_000, kills = 20, databaseRestarts = 1]) {
  const { runChaos } = await load("./test/chaos/chaos.ts")
  const outcome = await runChaos({ writes, kills, databaseRestarts, patienceMs: 120_000, isDurable: true })
  console.table(outcome)
  return ["crashes", "lost", "undelivered", "invented", "ambiguous", "gaps", "unsigned"].filter(
    (name) => outcome[name] !== 0,
  )
}

async function failOver([failovers = 10, switchovers = 10]) {
  const { runFailovers, faultsOf } = await load("./test/chaos/failover.ts")
  const outcome = await runFailovers({ failovers, switchovers, quietMs: 2_000, patienceMs: 120_000 })
  const { waiting, failures, ...figures } = outcome
  console.table(figures)
  for (const text of failures) console.error(`Answered: ${text}`)
  for (const text of waiting) console.error(`Not delivered: ${text}`)
  return faultsOf(outcome)
}

async function keepLevel([rounds = 100, writes = 60, restartEvery = 5]) {
  const { runSync, faultsOf } = await load("./test/chaos/sync.ts")
  const outcome = await runSync({ rounds, writes, restartEvery, heldMs: 5_000, isDurable: true })
  console.table(outcome)
  return faultsOf(outcome)
}

const args = process.argv.slice(2)
const numbers = args.filter((arg) => !arg.startsWith("--")).map(Number)
const run = args.includes("--failover") ? failOver : args.includes("--sync") ? keepLevel : killNodes
const faults = await run(numbers)
if (faults.length > 0) console.error(`Not as promised: ${faults.join(", ")}`)
process.exit(faults.length === 0 ? 0 : 1)
