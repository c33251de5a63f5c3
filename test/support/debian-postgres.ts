import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import pg from "pg"
import { freePort } from "./free-port.js"

/** Debian's PostgreSQL 15, for what the embedded one does not bring along: pg_dump, pg_basebackup and the like. */
const BIN = "/usr/lib/postgresql/15/bin"
/** Whether it is there. It runs as a user of its own, so that it takes root to start it. */
export const hasDebianPostgres = existsSync(join(BIN, "pg_basebackup")) && process.getuid?.() === 0

const PATIENCE_MS = 60_000
const USER = "tandem"

const idOf = (flag: string) => Number(execFileSync("id", [flag, "postgres"]))
const owner = () => ({ uid: idOf("-u"), gid: idOf("-g"), cwd: "/" })

/** Runs one of its programs to its end. @throws with what it said when it fails */
const runDebian = (program: string, ...args: string[]): string =>
  execFileSync(join(BIN, program), args, { ...owner(), encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

/** The same, while this process goes on with what others wait for. */
export const runDebianMeanwhile = async (program: string, ...args: string[]): Promise<void> =>
  void (await promisify(execFile)(join(BIN, program), args, owner()))

/** Makes a folder that belongs to it. */
export function makeDebianFolder(path: string): void {
  const { uid, gid } = owner()
  mkdirSync(path, { mode: 0o700 })
  chownSync(path, uid, gid)
}

/** A server of its, with a database `tandem` once {@link DebianServer.init} has made one. */
export type DebianServer = {
  readonly folder: string
  readonly port: number
  /** The address of the database. */
  readonly url: string
  /** Makes an empty cluster. */
  init(): void
  /** Resolves when it answers. */
  start(settings?: Record<string, string>): Promise<void>
  ask<Row extends object>(sql: string, database?: string): Promise<Row[]>
  /** Waits until a statement gives a row whose first column is true. */
  until(sql: string, what: string): Promise<void>
  /** Ends it: by SIGINT in good order, by SIGKILL with all its processes, as a crash does. */
  end(signal: NodeJS.Signals): Promise<void>
}

/** Opens the place of one in a folder that {@link makeDebianFolder} made, on a port that is free. */
export async function openDebianServer(folder: string): Promise<DebianServer> {
  const port = await freePort()
  let child: ChildProcess | undefined

  async function ask<Row extends object>(sql: string, database = "postgres"): Promise<Row[]> {
    const client = new pg.Client({ host: "127.0.0.1", port, user: USER, database })
    client.on("error", () => {})
    await client.connect()
    try {
      return (await client.query<Row>(sql)).rows
    } finally {
      await client.end()
    }
  }
  async function until(sql: string, what: string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS
    for (;;) {
      const [row] = await ask(sql).catch(() => [])
      if (row !== undefined && Object.values(row)[0] === true) return
      if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`)
      await sleep(50)
    }
  }
  return {
    folder,
    port,
    url: `postgres://${USER}@127.0.0.1:${port}/tandem`,
    ask,
    until,
    init: () =>
      void runDebian(
        "initdb",
        ...["-D", folder, "-U", USER, "--auth=trust", "--locale=C.UTF-8", "-E", "UTF8", "--no-sync"],
      ),
    async start(settings = {}) {
      const all = { port, listen_addresses: "127.0.0.1", unix_socket_directories: "", ...settings }
      const args = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])
      child = spawn(join(BIN, "postgres"), ["-D", folder, ...args], {
        ...owner(),
        detached: true, // a group of its own, so that all of it dies at once
        stdio: "ignore",
      })
      await until("select true", `the server on port ${port} answers`)
    },
    async end(signal) {
      const ending = child
      child = undefined
      if (ending?.pid === undefined || ending.exitCode !== null || ending.signalCode !== null) return
      const ended = once(ending, "exit")
      process.kill(signal === "SIGKILL" ? -ending.pid : ending.pid, signal)
      await ended
    },
  }
}
