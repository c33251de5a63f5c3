import type { Log } from "../log.js"
import { type Runner, statement } from "../statement.js"

const HOUR_MS = 3_600_000
/** Small enough that nobody waits for it. */
const BATCH = 5_000

// Two nodes that do it at once share the work.
const deleteBatch = statement(
  "delete_old_events",
  `delete from events where id in (
     select id from events where occurred_at < now() - interval '30 days' order by occurred_at limit ${BATCH} for update skip locked)
   returning 1`,
  () => 1,
)

/** Deletes the events that are older than the 30 days for which subscribers may resume; gives how many. (§9 Events) */
export async function deleteOldEvents(db: Runner): Promise<number> {
  for (let deleted = 0; ; ) {
    const batch = (await db.run(deleteBatch, [])).length
    deleted += batch
    if (batch < BATCH) return deleted
  }
}

/** Keeps the log of events at its 30 days: looks at the start and then every hour. */
export function startEventRetention(db: Runner, log: Log, everyMs = HOUR_MS): { stop(): Promise<void> } {
  let isStopping = false
  let running = sweep()

  async function sweep(): Promise<void> {
    try {
      const deleted = await deleteOldEvents(db)
      if (deleted > 0) log.info({ deleted }, "deleted events older than 30 days")
    } catch (error) {
      if (!isStopping) log.warn({ err: error }, "old events could not be deleted; the next attempt is in an hour")
    }
  }

  const timer = setInterval(() => {
    running = running.then(sweep)
  }, everyMs)
  timer.unref()
  return {
    async stop() {
      isStopping = true
      clearInterval(timer)
      await running
    },
  }
}
