import { randomUUID } from "node:crypto"
import type { Log } from "../log.js"
import { startLoop } from "../loop.js"
import { type Runner, statement } from "../statement.js"

/** What begins again some time after it has ended, on one of the nodes. A node may die with it, so doing it twice must be well. */
export type MaintenanceJob = {
  readonly everyMs: number
  /** What it throws is logged; its next turn is its next attempt. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

/** Jobs by the names under which nodes agree whose turn it is. */
export type MaintenanceJobs = Readonly<Record<string, MaintenanceJob>>

type Parts = { readonly db: Runner; readonly log: Log; readonly jobs: MaintenanceJobs }

/** A node answers before it works in the background. */
const FIRST_IN_MS = 1_000
/** A job of a node from which nothing is heard for so long is another's. */
const LEASE = "interval '30 seconds'"
const RENEW_EVERY_MS = 10_000

// Not Prisma: a node that is idle asks them, by the clock of the database.

const addJobs = statement(
  "add_maintenance_jobs",
  "insert into maintenance_jobs (name) select unnest($1::text[]) on conflict do nothing returning 1",
  () => true,
)

const takeDueJobs = statement(
  "take_due_maintenance_jobs",
  `update maintenance_jobs set leased_by = $1, leased_until = now() + ${LEASE} where name in (
     select name from maintenance_jobs where name = any($2::text[]) and due_at <= now() and coalesce(leased_until < now(), true)
     for update skip locked)
   returning name`,
  ([name]) => name as string,
)

const renewLeases = statement(
  "renew_maintenance_leases",
  `update maintenance_jobs set leased_until = now() + ${LEASE} where leased_by = $1 returning 1`,
  () => true,
)

// Only of the node that has it still: one that was silent for too long ends nobody else's.
const endJob = statement(
  "end_maintenance_job",
  `update maintenance_jobs set due_at = now() + $3::integer * interval '1 millisecond', leased_by = null, leased_until = null
   where name = $1 and leased_by = $2 returning 1`,
  () => true,
)

/**
 * Runs each job on one of the nodes at a time. Its row is its lease: free -> leased by a node (taken when it is due, renewed
 * every 10 s) -> free and due again `everyMs` after its end. The lease of a node that died ends by itself after 30 s, and the
 * next node takes the job. Jobs of one node run beside each other, so that one which waits for the store delays no other.
 */
export function startMaintenance({ db, log, jobs }: Parts): { stop(): Promise<void> } {
  const node = randomUUID()
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  const names = Object.keys(jobs)
  let areAdded = false

  async function runJob(name: string, { run, everyMs }: MaintenanceJob): Promise<void> {
    try {
      await run(stopping.signal)
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ err: error, job: name }, "a background job failed")
    }
    running.delete(name)
    await db.run(endJob, [name, node, everyMs]).catch((error: unknown) => {
      log.debug({ err: error, job: name }, "the end of a background job could not be written down; it runs again")
    })
  }

  const loop = startLoop({
    what: "background jobs are looked for",
    log,
    firstInMs: FIRST_IN_MS,
    async round() {
      if (!areAdded) await db.run(addJobs, [names])
      areAdded = true
      const idle = names.filter((name) => !running.has(name))
      for (const name of await db.run(takeDueJobs, [node, idle]))
        running.set(name, runJob(name, jobs[name] as MaintenanceJob))
      return Number.POSITIVE_INFINITY
    },
  })
  const renewing = setInterval(() => {
    if (running.size === 0) return
    db.run(renewLeases, [node]).catch((error: unknown) => log.debug({ err: error }, "leases could not be renewed"))
  }, RENEW_EVERY_MS)
  return {
    async stop() {
      stopping.abort()
      clearInterval(renewing)
      await loop.stop()
      await Promise.all(running.values())
    },
  }
}
