import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type DatabaseClient, openDatabase } from "../../src/database/client.js"
import { startEmbeddedPostgres } from "../../src/database/embedded-postgres.js"
import { silentLog } from "../support/log.js"

const NODE_PROGRAM = new URL("./node.process.mjs", import.meta.url).pathname

export type Node = { readonly url: string; readonly process: ChildProcess }

/** Nodes of the built server on a database of their own; each that ends is replaced by another. */
export type Cluster = {
  /** Those that answer now. */
  readonly nodes: readonly Node[]
  readonly database: DatabaseClient
  readonly databaseUrl: string
  /** How many nodes have ended by themselves. */
  crashes(): number
  /** Ends all connections of the database and starts it again; "SIGQUIT" as after a crash. */
  restartDatabase(signal: "SIGINT" | "SIGQUIT"): void
  /** Resolves when as many nodes answer as there were, and the database. */
  whole(): Promise<void>
  stop(): Promise<void>
}

async function startNode(databaseUrl: string, dataDir: string, delivery: object): Promise<Node> {
  const child = spawn(process.execPath, [NODE_PROGRAM, databaseUrl, dataDir, JSON.stringify(delivery)], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  const url = await Promise.race([
    once(child.stdout as NodeJS.EventEmitter, "data").then(([line]) => String(line).trim()),
    once(child, "exit").then(() => undefined),
  ])
  if (url !== undefined) return { url, process: child }
  await sleep(500) // the database is restarting
  return startNode(databaseUrl, dataDir, delivery)
}

/** Starts two nodes. Needs what `npm run build` makes. */
export async function startCluster({
  isDurable,
  delivery = {},
}: {
  isDurable: boolean
  delivery?: object
}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "tandem-chaos-"))
  chmodSync(folder, 0o755)
  const dataDir = join(folder, ".tandem")
  const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog, isDurable })
  const database = openDatabase(postgres.url)
  const start = () => startNode(postgres.url, join(folder, "files"), delivery)
  const nodes = await Promise.all([start(), start()])
  const returning = new Set<Promise<void>>()
  let crashes = 0
  let isOver = false

  function replaceAtExit(node: Node): void {
    node.process.once("exit", (_code, signal) => {
      if (isOver) return
      if (signal === null) crashes++
      nodes.splice(nodes.indexOf(node), 1)
      const back = start().then((fresh) => {
        nodes.push(fresh)
        replaceAtExit(fresh)
      })
      returning.add(back)
      void back.then(() => returning.delete(back))
    })
  }
  for (const node of nodes) replaceAtExit(node)

  return {
    nodes,
    database,
    databaseUrl: postgres.url,
    crashes: () => crashes,
    restartDatabase(signal) {
      const [pid] = readFileSync(join(dataDir, "postgres/data/postmaster.pid"), "utf8").split("\n")
      process.kill(Number(pid), signal)
    },
    async whole() {
      // One that is killed ends a moment later.
      while (nodes.some(({ process: { killed } }) => killed)) await sleep(10)
      while (returning.size > 0) await Promise.all(returning)
      while (!(await isReady(nodes))) await sleep(100)
    },
    async stop() {
      isOver = true
      await Promise.all(returning)
      for (const node of nodes) node.process.kill("SIGKILL")
      await database.stop()
      await postgres.stop()
      // Run as root the data may lie elsewhere.
      rmSync(realpathSync(join(dataDir, "postgres")), { recursive: true, force: true })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function isReady(nodes: readonly Node[]): Promise<boolean> {
  const answers = await Promise.all(
    nodes.map(({ url }) =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    ),
  )
  return answers.every(Boolean)
}
