import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { pino } from "pino"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { applyMigrations, pendingMigrations } from "../../src/database/migrate.js"
import { eventually } from "../live/listener.js"
import { silentLog } from "../support/log.js"
import { createBareDatabase, createTestDatabase, runSql, type TestDatabase } from "../support/postgres.js"

let database: TestDatabase
let folder: string
let lines: string[]
const log = pino({}, { write: (line) => lines.push(line) })

beforeEach(async () => {
  database = await createBareDatabase()
  folder = mkdtempSync(join(tmpdir(), "tandem-migrations-"))
  lines = []
})
afterEach(async () => {
  rmSync(folder, { recursive: true })
  await database.drop()
})

/** Puts a migration into the folder of this test. */
function write(name: string, script: string): void {
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, name, "migration.sql"), script)
}

async function query(text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

const apply = () => applyMigrations(database.url, log, folder)
const exists = async (relation: string) =>
  (await query(`SELECT to_regclass('${relation}') AS found`))[0]?.found !== null

describe("applyMigrations", () => {
  it("applies in the order of their names and says which", async () => {
    write("2_more", "ALTER TABLE one ADD COLUMN b int;")
    write("1_one", "CREATE TABLE one (a int);")
    writeFileSync(join(folder, "migration_lock.toml"), 'provider = "postgresql"')
    expect(await apply()).toEqual(["1_one", "2_more"])
    expect(await query("SELECT a, b FROM one")).toEqual([])
  })

  it("applies nothing twice, and only what is new", async () => {
    write("1_one", "CREATE TABLE one ();")
    await apply()
    expect(await apply()).toEqual([])
    write("2_two", "CREATE TABLE two ();")
    expect(await apply()).toEqual(["2_two"])
  })

  it("takes function bodies and several statements", async () => {
    write("1_f", "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END; $$; SELECT f();")
    await apply()
    expect(await query("SELECT f()")).toEqual([{ f: 1 }])
  })

  it("takes what PostgreSQL refuses inside of a transaction", async () => {
    write("1_one", "CREATE TABLE one (a int);")
    write("2_index", "CREATE INDEX CONCURRENTLY one_a ON one (a);")
    expect(await apply()).toEqual(["1_one", "2_index"])
    expect(await exists("one_a")).toBe(true)
  })

  it("applies once when 20 nodes start at once on an empty database", async () => {
    write("1_slow", "CREATE TABLE one (a int); SELECT pg_sleep(0.3);")
    write("2_row", "INSERT INTO one VALUES (1);")
    write("3_index", "CREATE INDEX CONCURRENTLY one_a ON one (a);")
    const applied = await Promise.all(Array.from({ length: 20 }, apply))
    expect(applied.flat()).toEqual(["1_slow", "2_row", "3_index"])
    expect(await query("SELECT a FROM one")).toEqual([{ a: 1 }])
  })

  /** Keeps a transaction open that has written to table one, while `work` runs. */
  async function whileWritten(work: () => Promise<void>): Promise<void> {
    const writer = new pg.Client({ connectionString: database.url })
    await writer.connect()
    await writer.query("BEGIN; INSERT INTO one VALUES (1)")
    try {
      await work()
    } finally {
      await writer.end()
    }
  }
  const NODE = "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tandem migrate'"
  const isHeldUp = async () => (await query(`SELECT pid ${NODE} AND wait_event_type = 'Lock'`)).length > 0

  it("makes an index anew whose making was cut off, or whose record was", async () => {
    write("1_one", "CREATE TABLE one (a int);")
    await apply()
    write("2_index", "-- Fast.\nCREATE INDEX CONCURRENTLY one_a ON one (a);")
    await whileWritten(async () => {
      const cut = expect(apply()).rejects.toThrow(/terminat/)
      await eventually(isHeldUp)
      await query(`SELECT pg_terminate_backend(pid) ${NODE}`)
      await cut
    })
    const VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'one_a'::regclass"
    expect(await query(VALID)).toEqual([{ indisvalid: false }])
    expect(await pendingMigrations(database.url, folder)).toEqual(["2_index"])
    expect(await apply()).toEqual(["2_index"])
    expect(await query(VALID)).toEqual([{ indisvalid: true }])
    await runSql(database.url, "UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '2_index'")
    expect(await apply()).toEqual(["2_index"])
    expect(await apply()).toEqual([])
  })

  it("lets writers pass while it waits for a table that somebody keeps", async () => {
    write("1_one", "CREATE TABLE one (a int);")
    await apply()
    write("2_more", "ALTER TABLE one ADD COLUMN b int;")
    lines = []
    const givenWay = () => lines.filter((line) => line.includes("lets others pass")).length
    let applying: Promise<string[]> | undefined
    let [between, after] = [0, 0]
    await whileWritten(async () => {
      applying = apply()
      // One at a time, with a pause: what waits behind the migration lets few of them be made.
      while (givenWay() < 2) {
        const before = givenWay()
        await query("INSERT INTO one VALUES (2)")
        if (before === 1) between++
        await sleep(100)
      }
      after = (await query("SELECT a FROM one")).length
    })
    expect(between).toBeGreaterThan(10)
    expect(await applying).toEqual(["2_more"])
    expect(await query("SELECT a, b FROM one")).toEqual(Array(after).fill({ a: 2, b: null }))
  })

  it("leaves nothing of a migration that fails, and names it, the reason and what to do", async () => {
    write("1_bad", "CREATE TABLE good (); CREATE TABLE bad (x nonsense);")
    write("2_next", "CREATE TABLE next ();")
    await expect(apply()).rejects.toThrow(/^P3018: .*1_bad failed: type "nonsense" does not exist.*rolled_back_at/)
    expect(await exists("good")).toBe(false)
    expect(await exists("next")).toBe(false)
  })

  it("applies nothing over a failed migration until somebody has dealt with it", async () => {
    write("1_bad", "CREATE TABLE bad (x nonsense);")
    await expect(apply()).rejects.toThrow()
    write("1_bad", "CREATE TABLE good ();")
    const refusal: Error = await apply().catch((error) => error)
    expect(refusal.message).toMatch(/^P3009: .*1_bad, started at \d{4}-/)
    expect(await exists("good")).toBe(false)

    await runSql(database.url, /UPDATE .*$/.exec(refusal.message)?.[0] ?? "")
    expect(await apply()).toEqual(["1_bad"])
    expect(await exists("good")).toBe(true)
  })

  it("leaves nothing when it is cut off halfway, and the next start does it", async () => {
    write("1_cut", "CREATE TABLE one (); SELECT pg_terminate_backend(pg_backend_pid());")
    await expect(apply()).rejects.toThrow(/terminat/)
    expect(await exists("one")).toBe(false)
    write("1_cut", "CREATE TABLE one ();")
    expect(await apply()).toEqual(["1_cut"])
  })

  it("warns of a migration that was changed after it was applied, and of one that it does not know", async () => {
    write("1_one", "CREATE TABLE one ();")
    write("2_two", "CREATE TABLE two ();")
    await apply()
    write("1_one", "CREATE TABLE one (a int);")
    rmSync(join(folder, "2_two"), { recursive: true })
    lines = []
    expect(await apply()).toEqual([])
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 40, migration: "1_one", msg: expect.stringContaining("has been changed") },
      { level: 40, migration: "2_two", msg: expect.stringContaining("does not know") },
    ])
  })

  it("fails when there is no server, and does not hang", async () => {
    await expect(applyMigrations("postgresql://nobody@127.0.0.1:1/none", log, folder)).rejects.toThrow(
      /nothing listens at 127\.0\.0\.1:1/,
    )
  })
})

describe("pendingMigrations", () => {
  it("names what would be applied, and applies nothing", async () => {
    write("1_one", "CREATE TABLE one ();")
    expect(await pendingMigrations(database.url, folder)).toEqual(["1_one"])
    expect(await exists("one")).toBe(false)
    expect(await exists("_prisma_migrations")).toBe(false)
    await apply()
    write("2_two", "CREATE TABLE two ();")
    expect(await pendingMigrations(database.url, folder)).toEqual(["2_two"])
  })
})

describe("the migrations of this project", () => {
  const prisma = (...args: string[]) =>
    spawnSync("node_modules/.bin/prisma", [...args, "--config", "prisma/prisma.config.ts"], {
      encoding: "utf8",
      env: { ...process.env, DATABASE_URL: database.url },
    })

  it("are all in the database that tests copy", async () => {
    const copy = await createTestDatabase()
    expect(await pendingMigrations(copy.url)).toEqual([])
    await copy.drop()
  })

  it("give exactly what schema.prisma says, in Prisma's eyes", async () => {
    await applyMigrations(database.url, silentLog)
    const status = prisma("migrate", "status")
    expect(status.stdout).toContain("Database schema is up to date!")
    const diff = prisma(
      "migrate",
      "diff",
      "--from-config-datasource",
      "--to-schema",
      "prisma/schema.prisma",
      "--exit-code",
    )
    expect({ exit: diff.status, said: diff.stdout.trim() }).toEqual({ exit: 0, said: "No difference detected." })
  }, 240_000)

  it("have names that sort by time", () => {
    const names = readdirSync("prisma/migrations").filter((name) => !name.endsWith(".toml"))
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect(name).toMatch(/^\d{14}_[a-z0-9_]+$/)
  })
})
