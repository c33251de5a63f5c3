import { type Runner, statement } from "../statement.js"
import { gauge, type Reading } from "./reading.js"

const deliveries = statement(
  "metrics_of_deliveries",
  `select count(*) filter (where lease is null and due_at <= now()), count(*) filter (where lease is not null),
     count(*) filter (where lease is null and due_at > now()),
     coalesce(extract(epoch from now() - min(due_at) filter (where lease is null and due_at <= now())), 0)
   from webhook_deliveries where due_at is not null`,
  (fields) => fields.map(Number),
)

const pushes = statement(
  "metrics_of_pushes",
  "select count(*), coalesce(greatest(extract(epoch from now() - min(created_at)), 0), 0) from pushes",
  (fields) => fields.map(Number),
)

const jobs = statement(
  "metrics_of_jobs",
  `select name, case when leased_until > now() then 'running' when due_at > now() then 'later' else 'due' end
   from maintenance_jobs order by name`,
  ([task, state]) => ({ labels: { task: task as string, state: state as string }, value: 1 }),
)

// Of lists the deleted whose rows are still there, of objects those whose row is gone: what is due and nobody's any more.
const removals = statement(
  "metrics_of_removals",
  `select (select count(*) from lists where deleted_at is not null),
     (select count(*) from storage_deletions where due_at <= now()),
     coalesce((select extract(epoch from now() - min(deleted_at)) from lists where deleted_at is not null), 0)`,
  (fields) => fields.map(Number),
)

/**
 * What waits in the database, for whichever node: each of them tells the same, so that one takes the maximum over nodes and
 * never their sum. When the database does not answer, that is all that is said.
 */
export async function readStored(db: Runner): Promise<Reading[]> {
  const [ofDeliveries, ofPushes, ofJobs, ofRemovals] = await Promise.allSettled([
    db.run(deliveries, []),
    db.run(pushes, []),
    db.run(jobs, []),
    db.run(removals, []),
  ])
  const isUp = ofDeliveries.status === "fulfilled"
  const readings = [
    gauge(
      "tandem_database_up",
      "1 when the database answered this scrape, else 0.",
      [{ labels: {}, value: isUp ? 1 : 0 }],
      "min",
    ),
  ]
  if (ofDeliveries.status === "fulfilled") {
    const [due = 0, leased = 0, later = 0, oldest = 0] = ofDeliveries.value[0] ?? []
    const counts = Object.entries({ due, leased, later })
    readings.push(
      gauge(
        "tandem_webhook_deliveries",
        "Deliveries to webhooks that wait: due now, leased by a node that attempts them, or due later.",
        counts.map(([state, value]) => ({ labels: { state }, value })),
        "max",
      ),
      gauge(
        "tandem_webhook_oldest_due_seconds",
        "For how long the oldest delivery that is due has waited for a node; 0 when none does.",
        [{ labels: {}, value: oldest }],
        "max",
      ),
    )
  }
  if (ofPushes.status === "fulfilled") {
    const [count = 0, oldest = 0] = ofPushes.value[0] ?? []
    readings.push(
      gauge("tandem_pushes_waiting", "Reminders to push to a device that wait.", [{ labels: {}, value: count }], "max"),
      gauge(
        "tandem_pushes_oldest_seconds",
        "For how long the oldest reminder to push has waited; 0 when none does.",
        [{ labels: {}, value: oldest }],
        "max",
      ),
    )
  }
  if (ofJobs.status === "fulfilled")
    readings.push(
      gauge(
        "tandem_jobs",
        "Background jobs, by their task and whether they are due, running, due later or given up.",
        ofJobs.value,
        "max",
      ),
    )
  if (ofRemovals.status === "fulfilled") {
    const [lists = 0, objects = 0, oldest = 0] = ofRemovals.value[0] ?? []
    readings.push(
      gauge(
        "tandem_removals",
        "What was deleted and is still to be taken away: lists with what was in them, and objects in the store.",
        Object.entries({ lists, objects }).map(([what, value]) => ({ labels: { what }, value })),
        "max",
      ),
      gauge(
        "tandem_removals_oldest_seconds",
        "For how long the list has waited that was deleted first of them; 0 when none does.",
        [{ labels: {}, value: oldest }],
        "max",
      ),
    )
  }
  return readings
}
