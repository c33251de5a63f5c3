import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from "vitest"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/database/embedded-postgres.js"
import { silentLog } from "./log.js"

const PROGRAM = new URL("./embedded-postgres.process.mjs", import.meta.url).pathname

export type Place = {
  /** A folder of this test that everybody may enter; its owner is the user of this process. */
  readonly folder: string
  /** Below it, what DATA_DIR would name. */
  readonly dataDir: string
  /** Uses the database of the folder in this process, until `close` or the end of the test. */
  open(where?: string): Promise<EmbeddedPostgres>
  close(postgres: EmbeddedPostgres): Promise<void>
  /** Uses it in a process of its own, which prints the address, or the fault. */
  openElsewhere(options?: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv }): Promise<Elsewhere>
  /** The process that works on the data, as the data themselves tell. */
  postmasterPid(): number | undefined
}

export type Elsewhere = { readonly child: ChildProcess; readonly said: string }

/**
 * Gives each test of the file a data folder of its own, and leaves neither files nor processes behind.
 * @param isMade whether a cluster, the same for all, is in it already; making one takes a second
 */
export function dataDirPerTest({ isMade }: { isMade: boolean }): Place {
  let folder = ""
  let made = ""
  const opened: EmbeddedPostgres[] = []
  const children: ChildProcess[] = []
  const place: Place = {
    get folder() {
      return folder
    },
    get dataDir() {
      return join(folder, ".tandem")
    },
    async open(where = place.dataDir) {
      const postgres = await startEmbeddedPostgres({ dataDir: where, log: silentLog, isDurable: false })
      opened.push(postgres)
      return postgres
    },
    async close(postgres) {
      opened.splice(opened.indexOf(postgres), 1)
      await postgres.stop()
    },
    async openElsewhere(options = {}) {
      const stdio = ["ignore", "pipe", "inherit"] as const
      const child = spawn(process.execPath, [PROGRAM, place.dataDir], { stdio: [...stdio], ...options })
      children.push(child)
      const [line] = await once(child.stdout as NodeJS.EventEmitter, "data")
      return { child, said: String(line).trim() }
    },
    postmasterPid: () => livingPid(join(place.dataDir, "postgres/data/postmaster.pid")),
  }

  beforeAll(async () => {
    if (!isMade) return
    made = makeFolder()
    const postgres = await startEmbeddedPostgres({ dataDir: join(made, ".tandem"), log: silentLog, isDurable: false })
    await postgres.stop()
  })
  afterAll(() => rmSync(made, { recursive: true, force: true }))
  beforeEach(() => {
    folder = makeFolder()
    if (isMade) copyTree(join(made, ".tandem"), place.dataDir)
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((postgres) => postgres.stop()))
    await Promise.all(children.splice(0).map((child) => end(child, "SIGKILL")))
    const pid = place.postmasterPid()
    if (pid) process.kill(pid, "SIGQUIT")
    await vi.waitFor(() => expect(place.postmasterPid()).toBeUndefined(), 10_000)
    // Run as root the data may lie elsewhere.
    const link = join(place.dataDir, "postgres")
    if (existsSync(link)) rmSync(realpathSync(link), { recursive: true })
    rmSync(folder, { recursive: true })
  })
  return place
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tandem-embedded-"))
  chmodSync(folder, 0o755)
  return folder
}

/** Copies with owners and modes, which Node's own `cp` loses. */
export function copyTree(from: string, to: string): void {
  expect(spawnSync("cp", ["-a", from, to], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" })
}

/** @returns the exit code, or null when the signal ended it */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  child.kill(signal)
  await once(child, "exit")
  return child.exitCode
}

function livingPid(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, "utf8"), 10)
    return process.kill(pid, 0) ? pid : undefined
  } catch {
    return undefined
  }
}

export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on("error", () => {}) // the query is rejected with the same
  try {
    await client.connect()
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

export const works = async (url: string) => expect(await query(url, "SELECT 1 AS one")).toEqual([{ one: 1 }])
