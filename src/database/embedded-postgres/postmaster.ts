import { spawn } from "node:child_process"
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Cluster, notRunnable, POSTGRES_ENV } from "./cluster.js"
import { EmbeddedPostgresFault, explained } from "./fault.js"

/** PostgreSQL's main process, as its file postmaster.pid describes it. */
export type Postmaster = { readonly pid: number; readonly port: number; readonly isReady: boolean }

/** A PostgreSQL that this process has started; `problem` tells how it ended, if it has. */
export type Launch = { problem: string | EmbeddedPostgresFault | undefined }

const LOG_LIMIT_BYTES = 8_000_000
const FAST_SHUTDOWN_MS = 30_000
const POLL_MS = 20

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "128MB",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  // Processes that a database of this size does not need.
  io_workers: "1",
  max_logical_replication_workers: "0",
  // Parallel queries share memory through /dev/shm, of which containers have little, and the queries here are short.
  max_parallel_workers_per_gather: "0",
}

/**
 * Only for tests: nothing is lost when PostgreSQL is killed, but a crash of the whole machine may break the cluster. A dozen nodes
 * of several workers use it at a time.
 */
const FORGETFUL = { fsync: "off", full_page_writes: "off", max_connections: "300" }

/** Finds the PostgreSQL that runs on the cluster, no matter which process started it. */
export function findPostmaster({ data }: Cluster): Postmaster | undefined {
  const [pid, folder, , port, , , , status] = read(join(data, "postmaster.pid")).split("\n")
  const found = { pid: Number(pid), port: Number(port), isReady: status?.trim() === "ready" }
  return found.pid > 0 && found.port > 0 && worksOn(found.pid, data, folder) ? found : undefined
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

/** The number alone proves nothing: after a crash another process may have it, and a copied folder names the original's. */
function worksOn(pid: number, data: string, folderInFile: string | undefined): boolean {
  try {
    process.kill(pid, 0)
    if (!existsSync("/proc/self/cwd")) return folderInFile === data
    return readlinkSync(`/proc/${pid}/cwd`) === data // PostgreSQL works in its data directory
  } catch {
    return false
  }
}

/**
 * Starts PostgreSQL, in a process group of its own: Ctrl-C reaches the node first, and a node that is killed leaves it
 * running for the next one. The caller holds the start lock and has found no postmaster.
 */
export function launchPostgres(cluster: Cluster, port: number, isDurable: boolean): Launch {
  const { data, account, binaries, logFile } = cluster
  removeMisleadingPidFile(data)
  const settings = Object.entries({ ...SETTINGS, ...(isDurable ? {} : FORGETFUL) })
  const parameters = settings.flatMap(([name, value]) => ["-c", `${name}=${value}`])
  // A file, not a pipe: PostgreSQL outlives this process.
  const log = explained(`cannot write to ${logFile}`, () => openLog(logFile))
  const logStart = fstatSync(log).size
  const child = spawn(binaries.postgres, ["-D", data, "-p", String(port), ...parameters], {
    ...account,
    cwd: "/",
    env: POSTGRES_ENV,
    detached: true,
    stdio: ["ignore", log, log],
  })
  closeSync(log)
  child.unref()
  const launch: Launch = { problem: undefined }
  child.on("error", (error) => {
    launch.problem = notRunnable(error)
  })
  child.on("exit", (code, signal) => {
    launch.problem = lastProblem(logFile, logStart) ?? `it ended at once (${signal ?? `exit code ${code}`})`
  })
  return launch
}

/** PostgreSQL refuses to start when the pid in a file left behind is in use again by an unrelated process of its user. */
function removeMisleadingPidFile(data: string): void {
  const file = join(data, "postmaster.pid")
  const pid = Number.parseInt(read(file), 10)
  try {
    // Otherwise the file stays: PostgreSQL learns from it whether children of a killed postmaster still use the data.
    if (pid > 0 && existsSync("/proc/self/cwd") && process.kill(pid, 0)) rmSync(file)
  } catch {
    // No such process, or one of another user: PostgreSQL knows what to do with those.
  }
}

function openLog(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  return openSync(file, size > LOG_LIMIT_BYTES ? "w" : "a", 0o600)
}

function lastProblem(logFile: string, from: number): string | undefined {
  const lines = read(logFile).slice(from).split("\n") // from a position in bytes: PostgreSQL writes ASCII here
  const at = lines.findLastIndex((line) => /(?:FATAL|PANIC): /.test(line))
  const told = lines.slice(at, at + 3).filter((line) => /(?:FATAL|PANIC|DETAIL|HINT): /.test(line))
  return at < 0
    ? lines.findLast(Boolean)
    : told.map((line) => line.replace(/^.*(?:FATAL|PANIC|DETAIL|HINT): +/, "")).join(" ")
}

/** Stops PostgreSQL and waits until it has ended: open transactions are rolled back, all else is on disk. */
export async function shutDown(cluster: Cluster): Promise<void> {
  const postmaster = findPostmaster(cluster)
  if (!postmaster) return
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    process.kill(postmaster.pid, signal)
    const deadline = Date.now() + FAST_SHUTDOWN_MS
    while (Date.now() < deadline) {
      if (findPostmaster(cluster)?.pid !== postmaster.pid) return
      await sleep(POLL_MS)
    }
  }
  throw new EmbeddedPostgresFault(`process ${postmaster.pid} does not stop`)
}
