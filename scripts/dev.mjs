// Bundles on every save and restarts the server after each bundle that could be made.
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))
const { bundleOnSave } = await import("./bundle.mjs")

let server
const watcher = await bundleOnSave(() => {
  // Node's own watcher restarts it from then on.
  if (server) return
  server = spawn(process.execPath, ["--watch", "--enable-source-maps", "dist/main.js"], { stdio: "inherit" })
  server.on("exit", (code) => stop(code ?? 1))
})

async function stop(code) {
  process.exitCode ??= code
  server?.kill()
  await watcher.close()
}
process.on("SIGINT", () => stop(0))
process.on("SIGTERM", () => stop(0))
