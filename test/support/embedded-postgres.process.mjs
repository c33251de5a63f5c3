// A process that uses an embedded PostgreSQL, so that a test can kill it:
//   node embedded-postgres.process.mjs <data folder>
// It prints the address when the database is ready, or the fault; SIGTERM stops it properly.
import { runnerImport } from "vite"

const source = new URL("../../src/database/embedded-postgres.ts", import.meta.url).pathname
const { module } = await runnerImport(source, { configFile: false, logLevel: "silent" })
const log = { info() {}, warn() {}, error() {} }
try {
  const postgres = await module.startEmbeddedPostgres({ dataDir: process.argv[2], log, isDurable: false })
  process.once("SIGTERM", () => postgres.stop())
  console.log(postgres.url)
} catch (error) {
  console.log(error.message)
  process.exitCode = 1
}
