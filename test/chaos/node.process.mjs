// One node of the built server, to be killed:
//   node node.process.mjs <database> <folder for files, one for all nodes of a run> <delivery settings as JSON>
// It prints its address when it answers.
import { startApp } from "../../dist/app.js"
import { readConfig } from "../../dist/config/config.js"
import { createLog } from "../../dist/log.js"

const [databaseUrl, dataDir, delivery] = process.argv.slice(2)
const config = readConfig({
  DATABASE_URL: databaseUrl,
  PORT: "0",
  DATA_DIR: dataDir,
  WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
})
const log = createLog({ level: "silent", isProduction: true })
// While the database is restarting no node can start: it is tried again.
const app = await startApp(config, log, JSON.parse(delivery)).catch(() => process.exit(2))
process.once("SIGTERM", () => app.stop().then(() => process.exit(0)))
// The parent process is gone.
process.stdin.resume().once("end", () => process.exit(1))
console.log(app.url)
