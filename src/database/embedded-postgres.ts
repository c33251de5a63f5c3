import { mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import type { Log } from "../log.js"
import { type Cluster, openCluster } from "./embedded-postgres/cluster.js"
import { EmbeddedPostgresFault, explained } from "./embedded-postgres/fault.js"
import { choosePort, rememberPort } from "./embedded-postgres/port.js"
import { findPostmaster, type Launch, launchPostgres, shutDown } from "./embedded-postgres/postmaster.js"
import { withStartLock } from "./embedded-postgres/start-lock.js"

export type EmbeddedPostgres = {
  /** Of the database `tandem`, for the role that owns it; the same as long as the node lives. */
  readonly url: string
  /** Tells this folder from a copy of it: a file that is made once is younger in each copy. */
  readonly folder: string
  /** Stops PostgreSQL too, unless another process uses the same folder: the last one stops it. */
  stop(): Promise<void>
}

export type EmbeddedPostgresOptions = {
  /** The folder that holds everything; made when it is not there. */
  readonly dataDir: string
  readonly log: Pick<Log, "info" | "warn" | "error">
  /** False for tests: faster, but a crash of the machine may break the data. */
  readonly isDurable?: boolean
}

const READY_WITHIN_MS = 60_000
const POLL_MS = 20
const RELAUNCH_MS = 250
const MAX_PAUSE_MS = 5_000

// Every process that uses the database holds this advisory lock, shared, on its watching connection.
const USED = 7_270_736_900

// Reasons for which PostgreSQL does not start that pass by themselves.
const PASSING = /Address already in use|could not create any TCP\/IP sockets|still in use|lock file .* already exists/

/**
 * Gives the PostgreSQL of `dataDir` to this process: adopts the one that runs there already, or starts it, or
 * makes it first. From then on it is watched, and started again at the same address when it dies.
 * @throws EmbeddedPostgresFault that says in a sentence what is in the way
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, isDurable = true } = options
  explained(`cannot make the folder ${dataDir}`, () => makeFolder(dataDir))
  const locked = <Result>(work: () => Promise<Result>) => withStartLock(join(dataDir, "postgres.lock"), work)

  let isStopping = false
  let recovery = Promise.resolve()
  const { cluster, ...first } = await locked(async () => {
    const cluster = openCluster(dataDir, isDurable)
    return { cluster, ...(await reach(cluster, isDurable)) }
  })
  const { port } = first
  let { watcher } = first
  log.info({ dataDirectory: cluster.data, port }, `${first.isLaunched ? "started" : "adopted"} the embedded PostgreSQL`)
  watch()

  function watch(): void {
    watcher.once("end", () => {
      if (!isStopping) recovery = recover()
    })
  }

  async function recover(): Promise<void> {
    log.warn("the embedded PostgreSQL has gone; starting it again")
    for (let pauseMs = RELAUNCH_MS; !isStopping; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        watcher = (await locked(() => reach(cluster, isDurable, port))).watcher
        watch()
        log.info({ port }, "the embedded PostgreSQL is back")
        return
      } catch (error) {
        log.error({ err: error }, "the embedded PostgreSQL is still gone")
        await sleep(pauseMs)
      }
    }
  }

  return {
    url: addressOf(cluster, port, "tandem"),
    folder: String(statSync(join(cluster.data, "PG_VERSION"), { bigint: true }).birthtimeNs),
    async stop() {
      isStopping = true
      await recovery
      await locked(async () => {
        const isLast = await releaseUse(watcher)
        await watcher.end()
        if (isLast) await shutDown(cluster)
      })
    },
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch {
    mkdirSync(path, { mode: 0o700 }) // which tells the reason: the recursive form says of a read-only file system that it is not there
  }
}

function addressOf({ password }: Cluster, port: number, name: "tandem" | "postgres"): string {
  return `postgresql://${name}:${password}@127.0.0.1:${port}/${name}`
}

type Reached = { readonly watcher: pg.Client; readonly port: number; readonly isLaunched: boolean }

/**
 * Connects to the cluster's PostgreSQL as soon as it is ready, and starts it when it does not run.
 * @param knownPort the port that this node has told others; PostgreSQL is of no use at another
 */
async function reach(cluster: Cluster, isDurable: boolean, knownPort?: number): Promise<Reached> {
  const deadline = Date.now() + READY_WITHIN_MS
  let launch: Launch | undefined
  let refusal: unknown
  while (Date.now() < deadline) {
    const postmaster = findPostmaster(cluster)
    if (postmaster) {
      const { port } = postmaster
      if (port !== (knownPort ?? port)) throw new EmbeddedPostgresFault(`it is now at port ${port}. Restart this node`)
      const attempt = postmaster.isReady && (await connectWatcher(addressOf(cluster, port, "postgres")))
      if (attempt instanceof pg.Client) {
        rememberPort(cluster.portFile, port)
        return { watcher: attempt, port, isLaunched: launch !== undefined }
      }
      if (attempt instanceof EmbeddedPostgresFault) {
        if (launch) await shutDown(cluster)
        throw attempt
      }
      refusal = attempt || "it is still starting, or stopping"
    } else if (!launch || launch.problem !== undefined) {
      refusal = launch?.problem ?? refusal
      if (refusal instanceof EmbeddedPostgresFault) throw refusal
      if (launch && !PASSING.test(String(refusal))) throw new EmbeddedPostgresFault(String(refusal))
      if (launch) await sleep(RELAUNCH_MS)
      launch = launchPostgres(cluster, knownPort ?? (await choosePort(cluster.portFile)), isDurable)
    }
    await sleep(POLL_MS)
  }
  throw new EmbeddedPostgresFault(`it is not ready after ${READY_WITHIN_MS / 1000} s: ${refusal}`)
}

/** The connection tells at once when PostgreSQL dies, and while it lasts PostgreSQL knows that it is in use. */
async function connectWatcher(connectionString: string): Promise<pg.Client | Error> {
  const watcher = new pg.Client({
    connectionString,
    application_name: "tandem watcher",
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
  })
  watcher.on("error", () => {}) // "end" follows
  try {
    await watcher.connect()
    await watcher.query("SELECT pg_advisory_lock_shared($1)", [USED])
    return watcher
  } catch (error) {
    await watcher.end().catch(() => {})
    const isPasswordWrong = (error as { code?: string }).code === "28P01"
    return isPasswordWrong
      ? new EmbeddedPostgresFault("its password is not the one in the file beside its data")
      : (error as Error)
  }
}

/** Gives up the shared lock; true when nobody else holds it. */
async function releaseUse(watcher: pg.Client): Promise<boolean> {
  try {
    await watcher.query("SELECT pg_advisory_unlock_shared($1)", [USED])
    const { rows } = await watcher.query("SELECT pg_try_advisory_lock($1) AS alone", [USED])
    return rows[0].alone
  } catch {
    return false // it has gone by itself, or another process starts it again
  }
}
