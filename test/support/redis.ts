import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { freePort } from "./free-port.js"

/** Whether there is a redis-server to test with. CI installs one, so there it must be. */
export const hasRedis = process.env.CI !== undefined || spawnSync("redis-server", ["--version"]).status === 0
if (!hasRedis)
  console.warn("NOT TESTED: wake-up notifications through Redis, because there is no redis-server on this machine.")

/** A Redis of our own, which can be killed and started again. */
export type TestRedis = { readonly url: string; start(): Promise<void>; kill(): Promise<void> }

/** Starts one on a free port; it writes nothing to disk. */
export async function startRedis(): Promise<TestRedis> {
  const port = await freePort()
  let server: ChildProcess | undefined
  const redis: TestRedis = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const child = spawn("redis-server", [
        "--port",
        String(port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--daemonize",
        "no",
      ])
      server = child
      await new Promise<void>((resolve, reject) => {
        child.once("error", reject).once("exit", () => reject(new Error("redis-server ended at its start")))
        child.stdout?.on("data", (text) => String(text).includes("Ready to accept connections") && resolve())
      })
    },
    async kill() {
      if (server === undefined || server.exitCode !== null) return
      const dying = server.removeAllListeners("exit")
      server = undefined
      const ended = once(dying, "exit")
      dying.kill("SIGKILL")
      await ended
    },
  }
  await redis.start()
  return redis
}
