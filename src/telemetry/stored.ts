import { type Runner, statement } from "../statement.js"
import { gauge, type Reading } from "./reading.js"

/** What waits, by what it waits for, and for how many seconds the oldest has. */
type Waiting = {
  readonly deliveries: Readonly<Record<"due" | "leased" | "later", number>>
  readonly oldestDelivery: number
  readonly pushes: number
  readonly oldestPush: number
  readonly jobs: readonly { readonly task: string; readonly state: string }[]
  readonly removals: Readonly<Record<"lists" | "objects", number>>
  readonly oldestRemoval: number
}

// Not Prisma: one look at all tables, also by a node that does nothing else. Of removals, lists are the deleted whose rows are still
// there, objects those whose row is gone: what is due and nobody's any more.
const waiting = statement(
  "metrics_of_what_waits",
  `select json_build_object(
     'deliveries', json_build_object('due', d.due, 'leased', d.leased, 'later', d.later), 'oldestDelivery', d.oldest,
     'pushes', p.count, 'oldestPush', p.oldest, 'jobs', j.jobs,
     'removals', json_build_object('lists', l.count, 'objects', (select count(*) from storage_deletions where due_at <= now())), 'oldestRemoval', l.oldest)
   from (
     select count(*) filter (where lease is null and due_at <= now()) as due, count(*) filter (where lease is not null) as leased,
       count(*) filter (where lease is null and due_at > now()) as later,
       coalesce(extract(epoch from now() - min(due_at) filter (where lease is null and due_at <= now())), 0) as oldest
     from webhook_deliveries where due_at is not null) d,
     (select count(*), coalesce(greatest(extract(epoch from now() - min(created_at)), 0), 0) as oldest from pushes) p,
     (select coalesce(json_agg(json_build_object('task', name,
        'state', case when leased_until > now() then 'running' when due_at > now() then 'later' else 'due' end) order by name), '[]') as jobs
      from maintenance_jobs) j,
     (select count(*), coalesce(extract(epoch from now() - min(deleted_at)), 0) as oldest from lists where deleted_at is not null) l`,
  ([found]) => JSON.parse(found as string) as Waiting,
)

const UP = "1 when the database answered this scrape, else 0."

/**
 * What waits in the database, for whichever node: each of them tells the same, so that one takes the maximum over nodes and
 * never their sum. When the database does not answer, that is all that is said.
 */
export async function readStored(db: Runner): Promise<Reading[]> {
  const [found] = await db.run(waiting, []).catch(() => [])
  if (found === undefined) return [gauge("tandem_database_up", UP, [{ labels: {}, value: 0 }], "min")]
  const by = (label: string, counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value }))
  const one = (value: number) => [{ labels: {}, value }]
  return [
    gauge("tandem_database_up", UP, one(1), "min"),
    gauge(
      "tandem_webhook_deliveries",
      "Deliveries to webhooks that wait: due now, leased by a node that attempts them, or due later.",
      by("state", found.deliveries),
      "max",
    ),
    gauge(
      "tandem_webhook_oldest_due_seconds",
      "For how long the oldest delivery that is due has waited for a node; 0 when none does.",
      one(found.oldestDelivery),
      "max",
    ),
    gauge("tandem_pushes_waiting", "Reminders to push to a device that wait.", one(found.pushes), "max"),
    gauge(
      "tandem_pushes_oldest_seconds",
      "For how long the oldest reminder to push has waited; 0 when none does.",
      one(found.oldestPush),
      "max",
    ),
    gauge(
      "tandem_jobs",
      "Background jobs, by their task and whether they are due, running, due later or given up.",
      found.jobs.map((labels) => ({ labels, value: 1 })),
      "max",
    ),
    gauge(
      "tandem_removals",
      "What was deleted and is still to be taken away: lists with what was in them, and objects in the store.",
      by("what", found.removals),
      "max",
    ),
    gauge(
      "tandem_removals_oldest_seconds",
      "For how long the list has waited that was deleted first of them; 0 when none does.",
      one(found.oldestRemoval),
      "max",
    ),
  ]
}
