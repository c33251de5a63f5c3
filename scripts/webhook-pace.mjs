// How soon webhooks hear of a change, and how many deliveries one node makes in a second:
//   node scripts/webhook-pace.mjs [lists = 100] [webhooks of each = 1] [changes per second = 50] [seconds = 20]
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { runnerImport } from "vite"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))
const build = spawnSync(process.execPath, ["scripts/build.mjs", "--if-stale"], { stdio: "inherit" })
if (build.status !== 0) process.exit(1)

const [lists = 100, webhooksPerList = 1, changesPerSecond = 50, seconds = 20] = process.argv.slice(2).map(Number)
const { module } = await runnerImport("./test/chaos/pace.ts", { configFile: false, logLevel: "silent" })
console.table(await module.measurePace({ lists, webhooksPerList, changesPerSecond, seconds }))
process.exit(0)
