import { randomBytes } from "node:crypto"
import { rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { inject } from "vitest"

declare module "vitest" {
  export interface ProvidedContext {
    /** A database of the run's PostgreSQL, for a role that may create databases. */
    readonly postgresUrl: string
    /** A database that is migrated and empty, to be copied. */
    readonly templateDatabase: string
  }
}

export type TestDatabase = {
  readonly url: string
  /** Removes it and its folder, even while there are connections to it. */
  drop(): Promise<void>
}

/** An empty database with the current schema, of this test alone; takes some 50 ms. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(`TEMPLATE ${inject("templateDatabase")} STRATEGY FILE_COPY`)
}

/** An empty database without any schema. */
export function createBareDatabase(): Promise<TestDatabase> {
  return createDatabase("STRATEGY FILE_COPY")
}

async function createDatabase(from: string): Promise<TestDatabase> {
  const name = `${inject("templateDatabase")}_${randomBytes(8).toString("hex")}`
  await runOnServer(`CREATE DATABASE ${name} ${from}`)
  const url = databaseUrl(inject("postgresUrl"), name)
  return {
    url,
    async drop() {
      await dropDatabase(name)
      rmSync(folderOf(url), { recursive: true, force: true })
    },
  }
}

/** Where the nodes of a database store files: the same folder for all of them, removed with the run (global-setup.ts). */
export const folderOf = (url: string): string => join(tmpdir(), inject("templateDatabase"), new URL(url).pathname)

/** PostgreSQL's own vacuum, which may be in there just now, is not ours to end; it soon does so by itself. */
async function dropDatabase(name: string): Promise<void> {
  for (let patience = 100; ; patience--) {
    try {
      return await runOnServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    } catch (error) {
      const isVacuumed = (error as { code?: string }).code === "42501"
      if (!isVacuumed || patience === 0) throw error
      await sleep(100)
    }
  }
}

let server: pg.Pool | undefined

/** On a connection that stays, and does not keep the worker from ending. */
async function runOnServer(sql: string): Promise<void> {
  server ??= new pg.Pool({ connectionString: inject("postgresUrl"), max: 2, allowExitOnIdle: true }).on(
    "error",
    () => {},
  )
  await server.query(sql)
}

/** The address of another database of the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Runs one statement on a connection of its own. */
export async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** The longest that a test of ours keeps a transaction open, and some more; time for a test that waits for two of them. */
const OPEN_MS = 150_000
export const ALONE_TIMEOUT_MS = 2 * OPEN_MS + 60_000

/**
 * Waits until no transaction of the server is open that began before the last event of this database, told or deleted. Another
 * test's may be, in a database of its own: as far as a place tells, that one may yet write an event before it. Who calls it has
 * {@link ALONE_TIMEOUT_MS}.
 */
export async function untilAlone(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const deadline = performance.now() + OPEN_MS; ; await sleep(100)) {
      const { rows } = await client.query(
        `select pg_snapshot_xmin(pg_current_snapshot()) > greatest((select max(xid) from events), max(deleted_xid)) as is_alone
         from histories`,
      )
      if (rows[0].is_alone === true) return
      if (performance.now() > deadline)
        throw new Error(`A transaction of another database has been open for ${OPEN_MS / 1_000} s.`)
    }
  } finally {
    await client.end()
  }
}
