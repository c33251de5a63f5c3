import type { Log } from "../log.js"
import { type Runner, statement } from "../statement.js"
import type { MaintenanceJobs } from "./maintenance.js"

const HOUR_MS = 3_600_000
/** Small enough that nobody waits for it. */
const BATCH = 5_000

// Not Prisma: a node that is idle does it too, and what it deletes and how far it came is one statement. In the order of ids, from
// where the last deletion ended, so that nothing is looked for and an index on instants is not needed. How far it came is written
// down with it: a cursor is good while it lies behind that.
const deleteBatch = statement(
  "delete_old_events",
  `with current as (select id, floor_id, deleted_id from histories order by id desc limit 1),
   batch as materialized (
     select e.id, e.occurred_at from events e where e.id > (select deleted_id from current) order by e.id limit ${BATCH}),
   young as (select min(id) as id from batch where occurred_at >= now() - interval '30 days'),
   gone as (
     delete from events where id in (select b.id from batch b, young y where y.id is null or b.id < y.id) returning id, xid, occurred_at),
   last as (select * from gone order by id desc limit 1),
   noted as (
     update histories h set deleted_id = last.id, deleted_at = last.occurred_at, written_in = pg_current_xact_id(),
       deleted_xid = greatest(h.deleted_xid, coalesce((select xid from gone where id > h.floor_id order by xid desc limit 1), '0'))
     from last where h.id = (select id from current))
   select 1 from gone`,
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

/** Keeps the log of events at its 30 days. */
export const eventMaintenance = (db: Runner, log: Log): MaintenanceJobs => ({
  "delete-old-events": {
    everyMs: HOUR_MS,
    async run() {
      const deleted = await deleteOldEvents(db)
      if (deleted > 0) log.info({ deleted }, "deleted events older than 30 days")
    },
  },
})
