// Writes the migration for what has been changed in prisma/schema.prisma, and the client that goes with it:
//   npm run migration -- task-colour
// It compares the schema with all migrations so far, in a PostgreSQL that lasts as long as that takes. A new column of a table whose
// rows have revisions raises them. Other triggers and functions are not in the schema: what a change needs of them is written by hand.
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const MIGRATIONS = "prisma/migrations"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))
const [name] = process.argv.slice(2)
if (!/^[a-z][a-z0-9-]*$/.test(name ?? "")) {
  console.error("Name what the migration does, in small letters and hyphens: npm run migration -- task-colour")
  process.exit(2)
}
run(process.execPath, ["scripts/build.mjs", "--client"])
const { startEmbeddedPostgres } = await import("../dist/database/embedded-postgres.js")

const folder = mkdtempSync(join(tmpdir(), "tandem-migration-"))
chmodSync(folder, 0o755) // run as root, PostgreSQL is another user and has to get in
const log = { trace() {}, debug() {}, info() {}, warn: console.error, error: console.error }
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "data"), log, isDurable: false })
try {
  // Only a superuser may make the database in which the migrations are tried.
  const url = Object.assign(new URL(postgres.url), { username: "postgres" }).href
  const sql = run(
    "npx",
    ["prisma", "migrate", "diff", "--config", "prisma/prisma.config.ts", "--from-migrations", MIGRATIONS].concat([
      "--to-schema",
      "prisma/schema.prisma",
      "--script",
    ]),
    { DATABASE_URL: url },
  )
  if (/^(\s|--.*)*$/.test(sql)) console.log("The migrations make what the schema says: there is nothing to write.")
  else {
    const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14)
    const path = join(MIGRATIONS, `${stamp}_${name.replaceAll("-", "_")}`)
    const text = [sql.trim(), ...watchingColumnsOf(sql)].join("\n\n")
    mkdirSync(path)
    writeFileSync(join(path, "migration.sql"), `${text}\n`)
    console.log(`${path}/migration.sql`)
  }
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** For each table that gets a column, how its own changes were watched last: the columns are read anew. */
function watchingColumnsOf(sql) {
  const tables = new Set([...sql.matchAll(/ALTER TABLE "(\w+)" ADD COLUMN/g)].map(([, table]) => table))
  const watched = readdirSync(MIGRATIONS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .flatMap(
      (name) =>
        readFileSync(join(MIGRATIONS, name, "migration.sql"), "utf8").match(/^SELECT watch_own_changes\(.*$/gm) ?? [],
    )
  return [...tables].flatMap((table) => watched.findLast((line) => line.includes(`('${table}',`)) ?? [])
}

/** Runs a program and gives what it printed; ends with it when it fails. */
function run(program, args, env = {}) {
  const { status, stdout } = spawnSync(program, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  })
  if (status !== 0) throw new Error(`${program} ${args.slice(0, 3).join(" ")} failed`)
  return stdout
}
