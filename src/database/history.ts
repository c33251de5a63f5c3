import { setTimeout as sleep } from "node:timers/promises"
import type pg from "pg"
import type { Log } from "../log.js"
import { type Id, statement } from "../statement.js"
import { rawClient, rawText, runOn, unhurriedClient } from "./pipeline.js"

/** A line of history: what was committed in it comes after what was there when it began. */
export type History = {
  readonly name: string
  /** Events up to this one were there before: they are nobody's news. */
  readonly floorId: Id
}

/** What a server says of itself; a member is missing where the role may not ask or the engine does not know. */
export type Server = Readonly<Partial<Record<"system" | "database" | "table" | "timeline" | "folder", string>>>

/** What a start or a new connection found out about the database's past (decision 24). */
export type HistoryCheck = {
  /** Undefined when nobody has opened the database yet. */
  readonly history: History | undefined
  /** `copied`: restored, or copied file by file. `promoted`: the same rows, on what was a standby or a recovered backup. */
  readonly outcome: "same" | "promoted" | "copied"
  readonly server: Server
  /** When the server was last started. */
  readonly startedAt: string
}

/** How long a node that has just started waits for one that was there before to say that a promotion lost nothing. */
const VOUCH_WITHIN_MS = 3_000
const LOOK_AGAIN_MS = 250
/** Nobody waits for it but a node that starts. */
const CONNECT_WITHIN_MS = 10_000
// Held while a line of history begins.
const HISTORY_LOCK = 72_707_370
/** More than a lost history can have given out: ids are wide enough for a tenth of all that there are, revisions are not. */
const LEAP = 1_000_000
// And so much more for each second since the last event that is there: what goes on behind the first restore of a backup gives out
// less, so that the second one leaps past it. Revisions have 31 bits, and count no more than a month.
const IDS_A_SECOND = 10_000
const REVISIONS_A_SECOND = 50
const MONTH_SECONDS = 30 * 86_400

const lastHistory = statement(
  "history_check",
  `select h.name, h.floor_id, h.server, h.xmin::text::bigint = h.written_in::text::bigint & 4294967295,
     (select oid from pg_database where datname = current_database()), 'histories'::regclass::oid, pg_postmaster_start_time()
   from (select) one left join (select *, xmin from histories order by id desc limit 1) h on true`,
  (fields) => fields,
)

// Each is refused to some roles, or by some engines.
const SYSTEM = "select system_identifier from pg_control_system()"
const TIMELINE = "select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"

/** What `sql` gives, if the server says it at all. */
async function asked(client: pg.Client, sql: string): Promise<string | undefined> {
  try {
    return Object.values((await client.query(sql)).rows[0])[0] as string
  } catch (error) {
    const { code } = error as pg.DatabaseError
    if (code === undefined || /^(08|57)/.test(code)) throw error
    return undefined
  }
}

/**
 * Looks whether the database is the one in which its history was written down.
 * @param folder tells the data folder from a copy of it, where that is known
 */
export async function checkHistory(client: pg.Client, folder?: string): Promise<HistoryCheck> {
  const [fields] = (await runOn(client, lastHistory, [])) as [(string | null)[]]
  const [name, floorId, written, isOriginal, database, table, startedAt] = fields as string[]
  const server: Server = {
    system: await asked(client, SYSTEM),
    database,
    table,
    timeline: await asked(client, TIMELINE),
    folder,
  }
  const found = { server, startedAt: startedAt as string }
  if (name == null) return { ...found, history: undefined, outcome: "same" }
  const known = JSON.parse(written as string) as Server
  const differs = (what: keyof Server) =>
    known[what] !== undefined && server[what] !== undefined && known[what] !== server[what]
  const isCopy = isOriginal !== "t" || differs("system") || differs("database") || differs("table") || differs("folder")
  return {
    ...found,
    history: { name, floorId: floorId as Id },
    outcome: isCopy ? "copied" : differs("timeline") ? "promoted" : "same",
  }
}

/** Writes down that the database goes on on `server` without having lost anything. */
export async function vouch(client: pg.Client, { name }: History, server: Server): Promise<void> {
  await client.query({
    text: "update histories set server = $2, written_in = pg_current_xact_id() where name = $1",
    values: [name, server],
  })
}

/**
 * Begins a line of history, unless somebody else has meanwhile: no id and no revision that a lost one may have given out is
 * given again. Writes wait until it is done: a second for each 100,000 rows.
 * @param was the one that has ended; undefined in a database that has none yet
 */
export async function beginHistory(url: string, was: History | undefined, server: Server): Promise<void> {
  const client = unhurriedClient(url, {
    application_name: "tandem history",
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    types: rawText,
  })
  client.on("error", () => {}) // the statement that runs is rejected with the same
  try {
    await client.connect()
    await client.query("begin")
    await client.query(`select pg_advisory_xact_lock(${HISTORY_LOCK})`)
    const { rows } = await client.query("select name from histories order by id desc limit 1")
    if (rows[0]?.name !== was?.name) return
    if (was !== undefined) await leap(client)
    await client.query({
      text: `insert into histories (name, floor_id, server, deleted_id, deleted_at)
        select substr(md5(gen_random_uuid()::text), 1, 16), coalesce((select max(id) from events), 0), $1, coalesce(h.deleted_id, 0), h.deleted_at
        from (select) one left join (select * from histories order by id desc limit 1) h on true`,
      values: [server],
    })
    await client.query("commit")
  } finally {
    await client.end().catch(() => {})
  }
}

/** Moves sequences and revisions to where no lost history has been. Events are locked, so that none is on its way with a lower id. */
async function leap(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    "select attrelid::regclass as name from pg_attribute join pg_class c on c.oid = attrelid where attname = 'own_revision' and relkind = 'r' and relnamespace = current_schema()::regnamespace order by 1",
  )
  const tables = rows.map(({ name }) => name as string)
  const { rows: ages } = await client.query(
    `select greatest(0, extract(epoch from clock_timestamp() - coalesce(
       (select occurred_at from events order by id desc limit 1), (select began_at from histories order by id desc limit 1)))) as seconds`,
  )
  const seconds = Number(ages[0]?.seconds)
  // Parts of a second count: a small dump is restored twice within one.
  const leap = LEAP + Math.ceil(REVISIONS_A_SECOND * Math.min(seconds, MONTH_SECONDS))
  await client.query(`lock table ${tables.join(", ")}, events in share row exclusive mode`)
  await client.query(
    `select setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, 0) + greatest(${LEAP}, coalesce(last_value, 0) / 10) + ${Math.ceil(IDS_A_SECOND * seconds)})
     from pg_sequences where schemaname = current_schema()`,
  )
  for (const table of tables) {
    // It is nobody's change: no event, and nothing that follows from one.
    await client.query(`alter table ${table} disable trigger user`)
    await client.query(`update ${table} set revision = revision + ${leap}, own_revision = revision + ${leap}`)
    await client.query(`alter table ${table} enable trigger user`)
  }
}

type Opening = {
  url: string
  log: Pick<Log, "warn">
  folder?: string | undefined
  /** Somebody says that it was set back, which a copy of a whole disk does not show. */
  isRestored?: boolean
}

/**
 * To be called before anything is written: begins another line of history where the database is not the one in which the last
 * was written down. After a promotion that no running node vouches for, too.
 */
export async function openHistory({ url, log, folder, isRestored = false }: Opening): Promise<void> {
  const client = rawClient(url, { application_name: "tandem history", connectionTimeoutMillis: CONNECT_WITHIN_MS })
  client.on("error", () => {}) // the statement that runs is rejected with the same
  try {
    await client.connect()
    let { history, outcome, server } = await checkHistory(client, folder)
    for (let waited = 0; outcome === "promoted" && waited < VOUCH_WITHIN_MS; waited += LOOK_AGAIN_MS) {
      await sleep(LOOK_AGAIN_MS)
      ;({ history, outcome, server } = await checkHistory(client, folder))
    }
    if (history !== undefined && outcome === "same" && !isRestored) return
    if (history !== undefined)
      log.warn({ was: history.name }, "the database was restored, or lost what was committed: another history begins")
    await beginHistory(url, history, server)
  } finally {
    await client.end().catch(() => {})
  }
}
