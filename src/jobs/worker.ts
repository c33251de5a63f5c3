import { EventEmitter } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import type { CronItem, Runner as JobRunner, TaskList, WorkerEvents } from "graphile-worker"
import type { Pool } from "pg"
import { openPool } from "../database/pool.js"
import type { Log } from "../log.js"
import { type Runner, statement } from "../statement.js"

/** What a job does. It may be run again after a node died with it, so doing it twice must be well. */
export type Job = (payload: unknown, signal: AbortSignal | undefined) => Promise<void>

/** A job that begins again some time after it has ended, on one of the nodes. */
export type RepeatingJob = {
  readonly everyMs: number
  readonly run: (signal: AbortSignal | undefined) => Promise<void>
}

/** What the worker of a node needs. */
export type WorkerParts = {
  readonly databaseUrl: string
  readonly db: Runner
  readonly log: Log
  /** By the name under which they are added. */
  readonly jobs?: Readonly<Record<string, Job>>
  readonly repeating?: Readonly<Record<string, RepeatingJob>>
  /** How often it looks for jobs of workers that have died. */
  readonly freeEveryMs?: number
}

const JOBS_AT_ONCE = 4
const CONNECTIONS = 4
/** As long as it takes: jobs that run at once share few connections, and the library takes no refusal of one. */
const WAITS_FOR_CONNECTION = 0
/** How late a job may be that was added for a later time; one that is due at once starts at once. */
const POLL_MS = 2_000
const BEAT_EVERY_MS = 10_000
const FREE_EVERY_MS = 15_000
/** A node answers before it works in the background. */
const START_AFTER_MS = 1_000
const RESTART_AFTER_MS = 1_000

const beat = statement(
  "beat_of_worker",
  "insert into worker_pools (id) values ($1) on conflict (id) do update set seen_at = now() returning 1",
  () => true,
)

// The library itself would wait four hours before it took a job from a worker that is gone.
const freeJobsOfDead = statement(
  "free_jobs_of_dead_workers",
  `with gone as (delete from worker_pools where seen_at < now() - interval '1 day')
   select graphile_worker.force_unlock_workers(array_agg(distinct j.locked_by)) from graphile_worker._private_jobs j
   where j.locked_by is not null and j.locked_at < now() - interval '30 seconds'
     and not exists (select from worker_pools p where p.id = j.locked_by and p.seen_at > now() - interval '30 seconds')
   having count(*) > 0`,
  () => true,
)

/**
 * Runs jobs of the database on this node, several at a time and each on one node only. A job whose node died runs again
 * within a minute. Starts by itself and again after whatever stops it but `stop`.
 */
export function startWorker(parts: WorkerParts): { stop(): Promise<void> } {
  const { db, log } = parts
  const stopping = new AbortController()
  let runner: JobRunner | undefined
  let poolId: string | undefined

  const trying = (what: string, attempt: () => Promise<unknown>) => {
    attempt().catch((error: unknown) => {
      if (!stopping.signal.aborted) log.debug({ err: error }, what)
    })
  }
  const sayAlive = () => {
    if (poolId !== undefined) trying("the worker could not say that it is alive", () => db.run(beat, [poolId]))
  }
  const events = new EventEmitter() as WorkerEvents
  events.on("pool:create", ({ workerPool }) => {
    poolId = workerPool.id
    sayAlive()
  })

  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {})

  async function run(): Promise<void> {
    await pause(START_AFTER_MS)
    while (!stopping.signal.aborted) {
      // Ours, because the library ends its own without waiting, when it has stopped to hear of its errors.
      const pool = openPool(parts.databaseUrl, { max: CONNECTIONS, connectionTimeoutMillis: WAITS_FOR_CONNECTION })
      try {
        runner = await startRunner(parts, events, pool)
        if (stopping.signal.aborted) await runner.stop()
        await runner.promise
      } catch (error) {
        if (!stopping.signal.aborted) log.warn({ err: error }, "the worker of background jobs stopped; it starts again")
      }
      runner = undefined
      await pool.end()
      await pause(RESTART_AFTER_MS)
    }
  }

  const running = run()
  const beating = setInterval(sayAlive, BEAT_EVERY_MS)
  const freeing = setInterval(() => {
    if (runner) trying("jobs of dead workers could not be freed", () => db.run(freeJobsOfDead, []))
  }, parts.freeEveryMs ?? FREE_EVERY_MS)
  return {
    async stop() {
      stopping.abort()
      clearInterval(beating)
      clearInterval(freeing)
      await runner?.stop().catch(() => {}) // it had stopped by itself
      await running
    },
  }
}

async function startRunner(parts: WorkerParts, events: WorkerEvents, pgPool: Pool): Promise<JobRunner> {
  const { jobs = {}, repeating = {}, log } = parts
  const { Logger, parseCronItems, run } = await import("graphile-worker")
  const taskList: TaskList = {}
  for (const [name, job] of Object.entries(jobs))
    taskList[name] = (payload, { abortSignal }) => job(payload, abortSignal)
  for (const [name, { run: work, everyMs }] of Object.entries(repeating)) {
    taskList[name] = async (_payload, { abortSignal, addJob }) => {
      try {
        await work(abortSignal)
      } catch (error) {
        // Its next turn is its next attempt.
        log.error({ err: error, job: name }, "a background job failed")
      }
      await addJob(name, {}, { ...alone(name), runAt: new Date(Date.now() + everyMs) })
    }
  }
  const runner = await run({
    pgPool,
    concurrency: JOBS_AT_ONCE,
    pollInterval: POLL_MS,
    noHandleSignals: true,
    // Else it looks at nobody's answer when it writes down how a job ended, and without a database that would end the node.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    taskList,
    // Should one ever be lost, it is back within a minute.
    parsedCronItems: parseCronItems(Object.keys(repeating).map(everyMinute)),
    events,
    logger: new Logger(() => (level, message, meta) => {
      // What it calls information is one line for each job.
      const line = level === "error" ? "error" : level === "warning" ? "warn" : "trace"
      log[line]({ worker: meta }, message)
    }),
  })
  for (const name of Object.keys(repeating))
    await runner.addJob(name, {}, { ...alone(name), jobKeyMode: "preserve_run_at" })
  return runner
}

const everyMinute = (task: string): CronItem => ({
  task,
  identifier: `keep ${task}`,
  match: "* * * * *",
  options: { backfillPeriod: 0, ...alone(task), jobKeyMode: "preserve_run_at" },
})

/** One that waits, by its key; and one that runs, by its queue: while it runs its key is free for the next. */
const alone = (task: string) => ({ jobKey: task, queueName: task })
