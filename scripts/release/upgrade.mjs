import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { ask, run, same, startNode } from "./process.mjs"

/** The last migration that 0.1 had. */
const LAST_OF_BEFORE = "20261128000150_calendar_stamps"
const DATA = new URL("data-of-0.1.sql", import.meta.url)
const TABLES = [
  "users",
  "lists",
  "memberships",
  "tasks",
  "subtasks",
  "notes",
  "task_comments",
  "reminders",
  "folders",
  "settings",
  "webhooks",
  "access_tokens",
]
const TOKEN = { "X-Client-ID": "personal", "X-Access-Token": "token of ann" }

/** What a database holds: rows of each table, and what people wrote. */
async function contentOf(url) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const counts = {}
    for (const table of TABLES)
      counts[table] = Number((await client.query(`select count(*) from ${table}`)).rows[0].count)
    const { rows } = await client.query(
      `select md5(string_agg(t::text, ',' order by t)) as digest from (
         select 'task', id, title, due_date::text, completed::text, recurrence_type from tasks
         union all select 'note', id, content, null, null, null from notes
         union all select 'comment', id, text, null, null, null from task_comments
         union all select 'subtask', id, title, null, completed::text, null from subtasks) t`,
    )
    return { counts, digest: rows[0].digest }
  } finally {
    await client.end()
  }
}

async function fill(url) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(readFileSync(DATA, "utf8"))
  } finally {
    await client.end()
  }
}

/** Makes a database of 0.1 with data, upgrades it with the package that is installed, and looks at what became of it. */
export async function tryUpgrade(node, installed, port) {
  const folder = mkdtempSync(join(tmpdir(), "tandem-upgrade-"))
  chmodSync(folder, 0o755) // run as root, PostgreSQL is another user and has to get in
  const { startEmbeddedPostgres } = await import("../../dist/database/embedded-postgres.js")
  const log = { info() {}, warn: console.error, error: console.error }
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "data"), log, isDurable: false })
  try {
    const env = {
      ...installed.env,
      DATABASE_URL: postgres.url,
      DATA_DIR: join(folder, "files"),
      NODE_ENV: "production",
    }
    const tandem = (...words) => run(node, [installed.cli, ...words], { cwd: installed.folder, env }).stdout
    withMigrationsUpTo(LAST_OF_BEFORE, installed.root, () => tandem("migrate"))
    await fill(postgres.url)
    const before = await contentOf(postgres.url)
    const { applied } = JSON.parse(tandem("migrate", "--json"))
    same("the content after the upgrade", await contentOf(postgres.url), before)
    tandem("doctor")
    const running = await startNode(node, installed, env, port)
    try {
      await use(running.url)
    } finally {
      same("the exit code of the node", await running.stop(), 0)
    }
    tandem("doctor")
    return { migrations: applied.length, rows: Object.values(before.counts).reduce((sum, count) => sum + count, 0) }
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs something as if the package had no migrations behind one. */
function withMigrationsUpTo(last, root, work) {
  const [here, aside] = [join(root, "prisma/migrations"), join(root, "prisma/migrations-aside")]
  const later = readdirSync(here).filter((name) => /^\d/.test(name) && name > last)
  run("mkdir", ["-p", aside])
  for (const name of later) renameSync(join(here, name), join(aside, name))
  try {
    work()
  } finally {
    for (const name of later) renameSync(join(aside, name), join(here, name))
  }
}

/** A token of 0.1 reads what it read, and what was to recur does. */
async function use(url) {
  const api = (path, options) => ask(`${url}/api/v1${path}`, { headers: TOKEN, ...options })
  const lists = await api("/lists")
  same("lists", lists.length, 21)
  const list = lists.find(({ title }) => title === "List 1")
  const members = await api(`/memberships?list_id=${list.id}`)
  same("memberships", members.map(({ state }) => state).sort(), ["accepted", "accepted", "pending"])
  const tasks = await api(`/tasks?list_id=${list.id}`)
  const plants = tasks.find(({ title }) => title === "Water the plants")
  await api(`/tasks/${plants.id}`, { method: "PATCH", body: { revision: plants.revision, completed: true } })
  const open = await api(`/tasks?list_id=${list.id}`)
  same("what recurs", open.filter(({ title, id }) => title === "Water the plants" && id !== plants.id).length, 1)
  const query = "{ viewer { name } folders { title listIds } settings { key value } }"
  const { data } = await ask(`${url}/graphql`, { headers: TOKEN, method: "POST", body: { query } })
  same(
    "the viewer",
    [data.viewer.name, data.folders[0].listIds.length, data.settings[0].value],
    ["Ann", 3, "Europe/Berlin"],
  )
}
