import type { DatabaseClient } from "../database/client.js"
import { poll } from "../events/tail.js"
import { type Runner, statement } from "../statement.js"
import { readStored } from "../telemetry/stored.js"
import type { Finding } from "./file-findings.js"

/** Retention keeps 30 days and looks each hour. */
const OLDEST_EVENT_DAYS = 31
/** What was in a list of any size is gone sooner. */
const MAX_REMOVAL_SECONDS = 86_400
const INDEX_OF_POLL = "events_xid_idx"
/** A table of so few rows may be read otherwise: that is as fast as any index. */
const SMALL_TABLE_ROWS = 20_000

// Not Prisma: catalogs, settings and plans of PostgreSQL.
const age = statement(
  "doctor_age_of_events",
  `select c.reltuples::bigint, pg_total_relation_size(c.oid),
     (select extract(epoch from now() - occurred_at) / 86400 from events order by id limit 1), (select count(*) from (select from events limit ${SMALL_TABLE_ROWS}) few)
   from pg_class c where c.oid = 'events'::regclass`,
  ([rows, bytes, oldest, few]) => ({
    rows: Math.max(Number(rows), Number(few)),
    bytes: Number(bytes),
    oldestDays: oldest == null ? null : Number(oldest),
  }),
)

const standbys = statement(
  "doctor_standbys",
  `select application_name, state, sync_state, pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)
   from pg_stat_replication where application_name <> 'pg_basebackup' order by 1`,
  ([name, state, sync, behind]) => ({ name, state, sync, behindBytes: behind == null ? null : Number(behind) }),
)

/** What the server says of itself: its version as a number and as a text, and what it promises of commits. */
export const serverSettings = statement(
  "doctor_server_settings",
  `select ${["server_version_num", "server_version", "synchronous_commit", "synchronous_standby_names"].map((name) => `current_setting('${name}')`)}`,
  ([version, versionName, synchronousCommit, synchronousStandbyNames]) => ({
    version: Number(version),
    versionName,
    promise: { synchronousCommit, synchronousStandbyNames },
  }),
)
type Server = ReturnType<(typeof serverSettings)["read"]>

const bare = (name: string, text: string) => statement(`doctor_${name}`, text, ([value]) => value as string)
const prepare = bare("prepare_poll", `prepare doctor_poll as ${poll.text}`)
const generic = bare("plan_poll_once", "set local plan_cache_mode = force_generic_plan")
const explain = bare("explain_poll", "explain (format json) execute doctor_poll(pg_current_snapshot())")
const forget = bare("forget_poll", "deallocate doctor_poll")

type Plan = {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Plan Rows": number
  readonly "Total Cost": number
  readonly Plans?: readonly Plan[]
}

/** How the database would find events that are new, as a node's tail asks for them, and by which indexes. */
async function planOfPoll(database: DatabaseClient): Promise<{ plan: Plan | undefined; indexes: string[] }> {
  const text = await database.transaction(async ({ run }) => {
    await run(generic, [])
    await run(prepare, [])
    const [found] = await run(explain, [])
    await run(forget, [])
    return found
  })
  const [{ Plan: top }] = JSON.parse(text as string) as [{ Plan: Plan }]
  const find = (plan: Plan): Plan | undefined =>
    plan["Relation Name"] === "events" ? plan : plan.Plans?.map(find).find((found) => found !== undefined)
  const plan = find(top)
  const indexesOf = (one: Plan): string[] => [one["Index Name"] ?? [], one.Plans?.flatMap(indexesOf) ?? []].flat()
  return { plan, indexes: plan === undefined ? [] : indexesOf(plan) }
}

/** What can be told of the age of the events, the way to new ones, replication, the line of history, and what waits. */
export async function databaseFindings(database: DatabaseClient, server: Server | undefined): Promise<Finding[]> {
  return [
    ...(await findingsOfEvents(database)),
    await findingOfReplication(database, server?.promise),
    await findingOfHistory(database),
    ...(await findingsOfWaiting(database)),
  ]
}

async function findingsOfEvents(database: DatabaseClient): Promise<Finding[]> {
  const [found] = await database.run(age, [])
  if (found === undefined) return []
  const { rows, bytes, oldestDays } = found
  const { plan, indexes } = await planOfPoll(database)
  const way = [plan?.["Node Type"] ?? "nothing", ...indexes.map((index) => `of ${index}`)].join(" ")
  const isSlow = rows >= SMALL_TABLE_ROWS && !indexes.includes(INDEX_OF_POLL)
  return [
    {
      check: "age",
      ok: oldestDays === null || oldestDays < OLDEST_EVENT_DAYS,
      found:
        oldestDays === null
          ? "no events"
          : `the oldest of about ${rows} events (${Math.ceil(bytes / 1_048_576)} MiB) is ${oldestDays.toFixed(1)} days old; 30 are kept`,
      figures: { rows, bytes, oldestDays },
    },
    {
      check: "poll",
      ok: !isSlow,
      found: `new events are found by ${way}${isSlow ? `, and not by ${INDEX_OF_POLL}: try ANALYZE events` : ""}`,
      figures: { way, expectedRows: plan?.["Plan Rows"], cost: plan?.["Total Cost"] },
    },
  ]
}

async function findingOfReplication(database: Runner, settings: Server["promise"] | undefined): Promise<Finding> {
  // Not every engine has what tells of it, and not every role may see the states.
  const found = await database.run(standbys, []).catch(() => undefined)
  const waits = settings?.synchronousStandbyNames !== "" && settings?.synchronousCommit !== "local"
  const isSeen = found?.every(({ state }) => state !== null) ?? false
  const hasPartner = found?.some(({ sync }) => sync === "sync" || sync === "quorum") ?? false
  const isLacking = waits && isSeen && !hasPartner
  const each = (found ?? []).map(
    ({ name, state, sync, behindBytes }) =>
      `${name} ${state ?? "unseen"} ${sync ?? ""} ${behindBytes ?? "?"} bytes behind`,
  )
  const told =
    found === undefined
      ? "the server does not tell"
      : each.length === 0
        ? "a primary without standbys"
        : each.join("; ")
  return {
    check: "replication",
    ok: !isLacking,
    found: `${told}${isLacking ? "; commits wait for a synchronous standby that is not there" : ""}`,
    figures: { ...settings, standbys: found ?? null },
  }
}

async function findingOfHistory({ prisma }: DatabaseClient): Promise<Finding> {
  const histories = await prisma.history.findMany({ orderBy: { id: "desc" } })
  const [last] = histories
  if (last === undefined) return { check: "history", ok: true, found: "none has begun: no node was started yet" }
  const found = {
    name: last.name,
    floorId: Number(last.floorId),
    beganAt: last.beganAt.toISOString(),
    deletedId: Number(last.deletedId),
    lines: histories.length,
  }
  const { name, floorId, beganAt, deletedId, lines } = found
  return {
    check: "history",
    ok: true,
    found: `${name} since ${beganAt}, ${lines === 1 ? "the first" : `line ${lines}`}; floor at event ${floorId}, deleted up to ${deletedId}`,
    figures: found,
  }
}

async function findingsOfWaiting(database: Runner): Promise<Finding[]> {
  const readings = await readStored(database)
  const values = (name: string) => readings.find((reading) => reading.name === name)?.values ?? []
  const only = (name: string) => values(name)[0]?.value ?? 0
  const by = (name: string, label: string) => {
    const sums: Record<string, number> = {}
    for (const { labels, value } of values(name)) sums[`${labels[label]}`] = (sums[`${labels[label]}`] ?? 0) + value
    return sums
  }
  const told = (sums: Record<string, number>) =>
    Object.entries(sums)
      .map(([what, count]) => `${count} ${what}`)
      .join(", ") || "none"
  const [deliveries, jobs, removals] = [
    by("tandem_webhook_deliveries", "state"),
    by("tandem_jobs", "state"),
    by("tandem_removals", "what"),
  ]
  const [oldestDue, oldestRemoval] = [only("tandem_webhook_oldest_due_seconds"), only("tandem_removals_oldest_seconds")]
  return [
    {
      check: "deliveries",
      ok: true,
      found: `${told(deliveries)}; the oldest due for ${Math.round(oldestDue)} s`,
      figures: { ...deliveries, oldestDueSeconds: oldestDue },
    },
    { check: "pushes", ok: true, found: told({ waiting: only("tandem_pushes_waiting") }) },
    { check: "jobs", ok: !jobs.failed, found: told(jobs), figures: jobs },
    {
      check: "removals",
      ok: oldestRemoval < MAX_REMOVAL_SECONDS,
      found: `${told(removals)}; the oldest list deleted ${Math.round(oldestRemoval)} s ago`,
      figures: { ...removals, oldestSeconds: oldestRemoval },
    },
  ]
}
