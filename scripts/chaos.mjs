// Writes while nodes are killed and the database is restarted, and prints what a webhook was told:
//   npm run chaos -- [writes = 10000] [kills = 20] [restarts of the database = 1]
// Time is not compressed: what a killed node had in flight comes when its lease ends.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { runnerImport } from "vite"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))
const build = spawnSync(process.execPath, ["scripts/build.mjs", "--if-stale"], { stdio: "inherit" })
if (build.status !== 0) process.exit(1)

const [writes = 10_000, kills = 20, databaseRestarts = 1] = process.argv.slice(2).map(Number)
const { module } = await runnerImport("./test/chaos/chaos.ts", { configFile: false, logLevel: "silent" })
const outcome = await module.runChaos({ writes, kills, databaseRestarts, patienceMs: 120_000, isDurable: true })
console.table(outcome)
const isWhole = ["crashes", "lost", "undelivered", "invented", "ambiguous", "gaps", "unsigned"].every(
  (name) => outcome[name] === 0,
)
process.exit(isWhole ? 0 : 1)
