// Compiles on every save and restarts the server after each clean compile.
import { spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))

// What dist/ holds from now on is not what the last build left there.
rmSync("dist/.stamp", { force: true })

const compiler = spawn(process.execPath, ["node_modules/typescript/bin/tsc", "--watch", "--preserveWatchOutput"], {
  stdio: ["ignore", "pipe", "inherit"],
})
let server

compiler.stdout.setEncoding("utf8").on("data", (text) => {
  process.stdout.write(text)
  // Node's own watcher restarts it from then on; before a first clean compile there is nothing to start.
  if (!server && text.includes("Found 0 errors")) {
    server = spawn(process.execPath, ["--watch", "--enable-source-maps", "dist/main.js"], { stdio: "inherit" })
    server.on("exit", (code) => stop(code ?? 1))
  }
})
compiler.on("exit", (code) => stop(code ?? 1))

function stop(code) {
  process.exitCode ??= code
  compiler.kill()
  server?.kill()
}
process.on("SIGINT", () => stop(0))
process.on("SIGTERM", () => stop(0))
