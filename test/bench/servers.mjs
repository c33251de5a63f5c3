// The servers that are compared: how each is started, and when it is ready.
import { once } from "node:events"
import { createServer } from "node:net"
import { resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { installPostGraphile } from "./peers/install.mjs"
import { POSTGRAPHILE } from "./peers/workloads.mjs"
import { cpuUs, end, memoryMiB, spawnOn } from "./processes.mjs"
import { requestFor, WORKLOADS } from "./workloads.mjs"

const here = (path) => resolve(fileURLToPath(new URL(".", import.meta.url)), path)
const READY_WITHIN_MS = 60_000

/** Tandem as it is run in production, the hand-written limits, and what each is measured with. */
export const SERVERS = {
  tandem: { script: "../../dist/main.js", node: ["--max-semi-space-size=64"], database: "main" },
  limit: { script: "limits/http.mjs", database: "main", env: { LIMIT: "json" }, only: ["W1", "W2", "W5"] },
  "limit, rows": { script: "limits/http.mjs", database: "main", env: { LIMIT: "rows" }, only: ["W1"] },
  "limit, one statement": {
    script: "limits/http.mjs",
    database: "bare",
    env: { LIMIT: "bare" },
    only: ["W3", "W4", "W6"],
  },
  "limit, changes": { script: "limits/sync.mjs", database: "main", only: [] },
  "limit, find": { script: "limits/find.mjs", database: "main", only: [] },
  "limit, streams": { script: "limits/event-stream.mjs", database: "main", only: [] },
  "limit, sockets": { script: "limits/socket.mjs", database: "main", only: [] },
}

/** Adds those that others made; the first time installs them. */
export function addPeers() {
  SERVERS["PostGraphile 5"] = { ...installPostGraphile(), database: "peer", workloads: POSTGRAPHILE }
}

/** How a server is asked to do a piece of work. */
export const workloadOf = (server, name) => SERVERS[server].workloads?.[name] ?? WORKLOADS[name]

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const { port } = probe.address()
  probe.close()
  await once(probe, "close")
  return port
}

/** Starts one, on the first core when no others are named; resolves with the first good answer. `row` fills the request that it has to answer. */
export async function startServer(name, { url, row, env = {}, cores = "0", workload = workloadOf(name, "W2") }) {
  const { program = process.execPath, script, node: usual = [], env: own = {} } = SERVERS[name]
  const port = await freePort()
  const startedAt = performance.now()
  const settings = {
    DATABASE_URL: url,
    PORT: String(port),
    DATA_DIR: process.env.BENCH_FOLDER,
    NODE_ENV: "production",
    LOG_LEVEL: "info",
  }
  const node = process.env.BENCH_NODE_OPTIONS?.split(" ") ?? usual
  const child = spawnOn(cores, program, [...node, here(script)], {
    env: { ...process.env, ...settings, ...own, ...env },
    // A peer tells of each type that it does not know.
    stdio: ["ignore", "ignore", SERVERS[name].workloads ? "ignore" : "inherit"],
  })
  const { path, init } = requestFor(workload, row)
  for (;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
      await response.text()
      if (response.ok) break
    } catch {
      // not listening yet
    }
    if (child.exitCode !== null || performance.now() - startedAt > READY_WITHIN_MS) {
      await end(child)
      throw new Error(`${name} does not answer.`)
    }
    await sleep(10)
  }
  return {
    name,
    port,
    startMs: performance.now() - startedAt,
    cpuUs: () => cpuUs(child.pid),
    memoryMiB: () => memoryMiB(child.pid),
    stop: () => end(child),
  }
}
