import { createHash, randomUUID } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type pg from "pg"
import { packageRoot } from "../config/package-root.js"
import type { Log } from "../log.js"
import { DatabaseFault, databaseFault } from "./fault.js"
import { unhurriedClient } from "./pipeline.js"

/** One step of the schema, as it lies in `prisma/migrations`. */
type Migration = { readonly name: string; readonly script: string; readonly checksum: string }

/** A row of Prisma's table; without `finishedAt` the migration failed, or was cut off and says nothing of why (`isCut`). */
type Applied = {
  readonly name: string
  readonly checksum: string
  readonly startedAt: Date
  readonly finishedAt: Date | null
  readonly isCut: boolean
}

/** The schema cannot be brought up to date, and a person has to decide what to do about it. */
export class MigrationError extends Error {
  override readonly name = "MigrationError"
}

const MIGRATIONS = join(packageRoot, "prisma/migrations")

// Prisma Migrate's own, so that `prisma migrate deploy` and a node that starts do not meet.
const MIGRATION_LOCK = 72_707_369
const LOCK_PATIENCE_MS = 120_000
const LOCK_PAUSE_MS = 250
/** So long a migration waits for a table while others wait behind it; then it lets them pass, each time for longer. */
const TABLE_PATIENCE_MS = 500
const TABLE_PAUSE_MS = 10 * TABLE_PATIENCE_MS
const MAX_TABLE_PAUSE_MS = 4 * TABLE_PAUSE_MS

/** The one that Prisma Migrate makes. */
const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`

const RECORD_START = "INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)"
const RECORD_FINISH = "UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE id = $1"
// A script may have committed its start by a COMMIT of its own.
const RECORD_FAILURE = `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ($1, $2, $3, $4)
  ON CONFLICT (id) DO UPDATE SET logs = excluded.logs`

const FORGET_CUT =
  "DELETE FROM _prisma_migrations WHERE finished_at IS NULL AND logs IS NULL AND rolled_back_at IS NULL"

const NOT_IN_TRANSACTION = "25001"
const LOCK_NOT_AVAILABLE = "55P03"

/**
 * Brings the schema up to date, as `prisma migrate deploy` does but without its engine: same table, lock and checksums.
 * Any number of nodes may do it at once; one applies, the others wait and find it done.
 * Each migration is one transaction, so a node that is killed leaves nothing half done; what one leaves of an index that is made
 * outside of any, the next start takes away and makes anew.
 * @param folder where the migrations lie; only tests name it
 * @returns the names of those applied now
 * @throws MigrationError when one fails or has failed before, DatabaseFault when the database is another program's, lacks a right
 *  or cannot be reached
 */
export async function applyMigrations(
  url: string,
  log: Pick<Log, "info" | "warn">,
  folder = MIGRATIONS,
): Promise<string[]> {
  const migrations = readMigrations(folder)
  return withClient(url, async (client) => {
    await takeLock(client)
    const found = await readApplied(client)
    // With the lock held nobody is at it any more.
    if (found.some(({ isCut }) => isCut)) await client.query(FORGET_CUT)
    const applied = found.filter(({ isCut }) => !isCut)
    const failed = applied.find(({ finishedAt }) => finishedAt === null)
    if (failed) throw new MigrationError(failedBefore(failed))
    warnOfDifferences(migrations, applied, log)

    const pending = migrations.filter(({ name }) => !applied.some((row) => row.name === name))
    if (pending.length === migrations.length) await refuseForeign(client)
    if (applied.length === 0 && pending.length > 0) await client.query(CREATE_TABLE)
    for (const migration of pending) {
      await apply(client, migration, log)
      log.info({ migration: migration.name }, "applied a migration")
    }
    return pending.map(({ name }) => name)
  })
}

/**
 * Asks again and again, where many do at different instants: a node that waited inside of a statement would hold up CREATE INDEX
 * CONCURRENTLY, which waits for that statement in turn.
 */
async function takeLock(client: pg.Client): Promise<void> {
  for (const deadline = performance.now() + LOCK_PATIENCE_MS; ; await sleep(LOCK_PAUSE_MS * Math.random())) {
    const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS mine", [MIGRATION_LOCK])
    if (rows[0].mine) return
    if (performance.now() > deadline)
      throw new MigrationError(
        `another node or \`prisma migrate\` has been applying migrations for ${LOCK_PATIENCE_MS / 1_000} s. Start again when it is done`,
      )
  }
}

/** Names the migrations that `applyMigrations` would apply, oldest first, and applies none. */
export async function pendingMigrations(url: string, folder = MIGRATIONS): Promise<string[]> {
  const migrations = readMigrations(folder)
  const applied = await withClient(url, readApplied)
  const done = new Set(applied.filter(({ finishedAt }) => finishedAt !== null).map(({ name }) => name))
  return migrations.map(({ name }) => name).filter((name) => !done.has(name))
}

/** At once: to give each of so many small files to another thread takes ten times as long. */
function readMigrations(folder: string): Migration[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  return names.sort().map((name) => {
    const script = readFileSync(`${folder}/${name}/migration.sql`, "utf8")
    return { name, script, checksum: createHash("sha256").update(script).digest("hex") }
  })
}

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = unhurriedClient(url, { application_name: "tandem migrate" })
  client.on("error", () => {}) // the statement that runs is rejected with the same
  try {
    await client.connect()
    return await work(client)
  } catch (error) {
    throw error instanceof MigrationError ? error : databaseFault(error, url)
  } finally {
    await client.end() // which also gives the lock back
  }
}

/** Tables of something else would be in the way of ours, or ours of theirs. What an extension has brought is nobody's. */
const FOREIGN = `SELECT c.relname AS name FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY c.relname LIMIT 4`

async function refuseForeign(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(FOREIGN)
  const names = rows.map(({ name }) => name)
  // Of a first start that failed, this is all that is there.
  if (names.length === 0 || (names.length === 1 && names[0] === "_prisma_migrations")) return
  throw new DatabaseFault(
    `the database holds tables of another program (${names.slice(0, 3).join(", ")}${names.length > 3 ? " …" : ""}). Create a database of its own for Tandem`,
  )
}

/** What the database has, without those that a person has marked as rolled back. */
async function readApplied(client: pg.Client): Promise<Applied[]> {
  const { rows: tables } = await client.query("SELECT to_regclass('_prisma_migrations') AS name")
  if (tables[0].name === null) return []
  const { rows } = await client.query<Applied>(
    `SELECT migration_name AS name, checksum, started_at AS "startedAt", finished_at AS "finishedAt",
         finished_at IS NULL AND logs IS NULL AS "isCut" FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  )
  return rows
}

function warnOfDifferences(migrations: Migration[], applied: Applied[], log: Pick<Log, "warn">): void {
  for (const { name, checksum } of applied) {
    const migration = migrations.find((one) => one.name === name)
    if (!migration) log.warn({ migration: name }, "the database has a migration that this version does not know")
    else if (migration.checksum !== checksum)
      log.warn({ migration: name }, "a migration has been changed since it was applied; the change has no effect here")
  }
}

async function apply(client: pg.Client, migration: Migration, log: Pick<Log, "info">): Promise<void> {
  const id = randomUUID()
  const deadline = performance.now() + LOCK_PATIENCE_MS
  for (let pauseMs = TABLE_PAUSE_MS; ; pauseMs = Math.min(1.5 * pauseMs, MAX_TABLE_PAUSE_MS))
    try {
      await client.query("BEGIN")
      await client.query(`SET LOCAL lock_timeout = ${TABLE_PATIENCE_MS}`)
      await client.query(RECORD_START, [id, migration.checksum, migration.name])
      await client.query(migration.script)
      await client.query(RECORD_FINISH, [id])
      await client.query("COMMIT")
      return
    } catch (error) {
      const { code } = error as pg.DatabaseError
      const isHeldUp = code === LOCK_NOT_AVAILABLE && performance.now() < deadline
      if (isPassing(error) && !isHeldUp) throw error // nothing is left of the attempt; the next start tries again
      await client.query("ROLLBACK")
      if (isHeldUp) {
        log.info({ migration: migration.name, pauseMs }, "a migration waits for a table in use, and lets others pass")
        await sleep(pauseMs)
        continue
      }
      if (code !== NOT_IN_TRANSACTION) return fail(client, id, migration, error as Error)
      return applyBare(client, id, migration)
    }
}

const MADE_CONCURRENTLY =
  /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?("[^"]+"|\w+)\s+ON\b/gim

/** For what PostgreSQL refuses inside of a transaction, such as CREATE INDEX CONCURRENTLY in a migration of its own. */
async function applyBare(client: pg.Client, id: string, migration: Migration): Promise<void> {
  await client.query(RECORD_START, [id, migration.checksum, migration.name])
  try {
    // What an attempt that was cut off has left, whether it had come to its end or not.
    for (const [, index] of migration.script.matchAll(MADE_CONCURRENTLY))
      await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`)
    await client.query(migration.script)
  } catch (error) {
    if (!isPassing(error)) return fail(client, id, migration, error as Error)
    await client.query(FORGET_CUT).catch(() => {}) // without a connection the next start does it
    throw error
  }
  await client.query(RECORD_FINISH, [id])
}

/** Whether the fault lies with the server or the connection and not with the script. */
const isPassing = (error: unknown) =>
  !/^(?!08|40|53|55P03|57|58)[0-9A-Z]{5}$/.test(`${(error as pg.DatabaseError).code}`)

async function fail(client: pg.Client, id: string, { name, checksum }: Migration, error: Error): Promise<never> {
  await client.query(RECORD_FAILURE, [id, checksum, name, error.message])
  throw new MigrationError(`P3018: the migration ${name} failed: ${error.message}. ${whatToDo(name)}`, { cause: error })
}

const failedBefore = ({ name, startedAt }: Applied) =>
  "P3009: there is a failed migration in the database, so no others are applied. " +
  `${name}, started at ${startedAt.toISOString()}, failed. ${whatToDo(name)}`

const whatToDo = (name: string) =>
  "Mend the database or the migration, then let it run again by: UPDATE _prisma_migrations SET rolled_back_at = now() " +
  `WHERE migration_name = '${name}' AND finished_at IS NULL`
