import cluster, { type Worker } from "node:cluster"
import { setTimeout as sleep } from "node:timers/promises"
import type { Log } from "./log.js"
import { relayReadings } from "./telemetry/relay.js"
import { tellAcceptTurns } from "./transports/http/accept-turn.js"

/** A worker that dies sooner than this is not replaced at once: it would only die again. */
const SETTLED_MS = 5_000
const PAUSE_MS = 1_000

/**
 * Runs `count` processes of this program behind one port, each a whole node: what happens in one reaches the subscribers of
 * the others by the database, as between machines. One that dies is replaced; SIGTERM and SIGINT stop all. Resolves with
 * the exit code when every process has ended: 0 when each of them did so in peace.
 */
export async function runWorkers(count: number, log: Log): Promise<number> {
  let isStopping = false
  let exitCode = 0

  function stop(): void {
    isStopping = true
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill("SIGTERM")
  }
  process.on("SIGTERM", stop).on("SIGINT", stop)
  relayReadings()
  tellAcceptTurns()

  /** Resolves when it has ended, with whether it ever listened. */
  async function run(): Promise<boolean> {
    const worker: Worker = cluster.fork()
    let hasListened = false
    worker.once("listening", () => {
      hasListened = true
    })
    if (isStopping) worker.process.kill("SIGTERM")
    const code = await new Promise<number | null>((resolve) => worker.once("exit", resolve))
    if (isStopping) exitCode ||= code === 0 ? 0 : 1
    return hasListened
  }

  async function keepRunning(index: number): Promise<void> {
    // The others find the database made and migrated, and only one makes the demo account.
    for (let isFirst = true; !isStopping; isFirst = false) {
      const startedAt = performance.now()
      const hasListened = await run()
      if (isStopping) return
      if (isFirst && !hasListened) {
        exitCode = 1 // it has said why: no other would fare better
        return stop()
      }
      log.error({ worker: index }, "a worker has died; another takes its place")
      if (performance.now() - startedAt < SETTLED_MS) await sleep(PAUSE_MS)
    }
  }

  const first = keepRunning(1)
  await Promise.race([first, new Promise<void>((resolve) => cluster.once("listening", () => resolve()))])
  const others = isStopping ? [] : Array.from({ length: count - 1 }, (_, index) => keepRunning(index + 2))
  await Promise.all([first, ...others])
  return exitCode
}

/** Whether this process is one of several, but not the first of them. */
export const isLaterWorker = (): boolean => cluster.worker !== undefined && cluster.worker.id !== 1

/** Whether this process serves requests itself. */
export const isServing = (count: number): boolean => count === 1 || cluster.isWorker
