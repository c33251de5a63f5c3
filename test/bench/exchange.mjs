// What it takes to move in and out: a backup of one list with 10,000 tasks and 7,000 rows in them, by the command line.
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const CLI = fileURLToPath(new URL("../../dist/cli/tandem.js", import.meta.url))
const USER = "user150@example.org"
const TASKS = 10_000
const AT = "2024-05-01T12:00:00.000Z"

const upTo = (count, make) => Array.from({ length: count }, (_, index) => make(index + 1))

const backup = {
  exported: AT,
  data: {
    lists: [{ id: 1, title: "Moved in", list_type: "list", created_at: AT }],
    tasks: upTo(TASKS, (id) => ({
      ...{ id, list_id: 1, title: `Task number ${id} to be done before long`, created_at: AT },
      ...{ completed: false, starred: id % 7 === 0, due_date: id % 2 === 0 ? "2030-02-28" : undefined },
    })),
    subtasks: upTo(5_000, (id) => ({ id, task_id: id, title: `Subtask ${id}`, completed: false, created_at: AT })),
    notes: upTo(1_000, (id) => ({ id, task_id: id * 3, content: `note ${id} `.repeat(12), created_at: AT })),
    reminders: upTo(1_000, (id) => ({ id, task_id: id * 5, date: "2031-05-02T07:30:00.000Z" })),
  },
}

/** @returns seconds for a whole command, its start included */
export async function measureExchange({ databases: { main }, folder, note }) {
  const [from, to] = [join(folder, "backup.json"), join(folder, "export.json")]
  writeFileSync(from, JSON.stringify(backup))
  const env = { ...process.env, DATABASE_URL: main.url, DATA_DIR: folder, NODE_ENV: "production" }
  async function timed(...words) {
    const startedAt = performance.now()
    await promisify(execFile)(process.execPath, [CLI, ...words], { env, maxBuffer: 2 ** 26 })
    const seconds = (performance.now() - startedAt) / 1e3
    note(`${words[0]}: ${seconds.toFixed(2)} s`)
    return seconds
  }
  const runs = {
    "import of 10,000 tasks with 7,000 rows in them": await timed("import", from, "--user", USER, "--json"),
    "the same again, all there": await timed("import", from, "--user", USER, "--json"),
    "their export": await timed("export", "--user", USER, "--output", to, "--json"),
  }
  const [[tasks, events]] = await main.rows(
    "select (select count(*) from tasks t join lists l on l.id = t.list_id where l.title = 'Moved in'), (select count(*) from events where request_id like 'import-%')",
  )
  if (tasks !== String(TASKS) || Number(events) < TASKS + 7_000)
    throw new Error(`imported ${tasks} tasks, ${events} events`)
  return runs
}
