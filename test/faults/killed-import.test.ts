import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { buildServer } from "../support/built-server.js"
import { runCli } from "../support/cli.js"
import { makePerson } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"

let node: TestNode
let other: pg.Client
let folder: string

beforeAll(async () => {
  buildServer()
  node = await startNode()
  other = new pg.Client({ connectionString: node.databaseUrl })
  await other.connect()
  vi.stubEnv("DATABASE_URL", node.databaseUrl)
  folder = mkdtempSync(join(tmpdir(), "tandem-killed-import-"))
}, 180_000)
afterAll(async () => {
  vi.unstubAllEnvs()
  await other.end()
  await node.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe("an import that is killed", () => {
  it("leaves whole batches, and makes nothing twice when it is run again", async () => {
    const ann = await makePerson(node, "Killed Ann")
    const file = join(folder, "backup.json")
    const tasks = Array.from({ length: 500 }, (_, n) => ({ id: n + 1, list_id: n < 450 ? 1 : 2, title: `Task ${n}` }))
    const subtasks = tasks.map(({ id }) => ({ id, task_id: id, title: `Step ${id}` }))
    const lists = [
      { id: 1, title: "First" },
      { id: 2, title: "inbox", list_type: "inbox" },
    ]
    writeFileSync(file, JSON.stringify({ user: 1, data: { lists, tasks, subtasks } }))
    const made = async (table: string) =>
      Number((await other.query(`select count(*) from ${table} where created_by_id = $1`, [ann.id])).rows[0].count)

    // It waits for a lock in the middle of its last batch, so that it dies there however slow the machine is.
    await other.query("begin")
    await other.query("select from lists where id = $1 for update", [ann.inboxId])
    const words = ["dist/cli/tandem.js", "import", file, "--user", ann.email]
    const cli = spawn(process.execPath, words, { stdio: "ignore" })
    const exited = once(cli, "exit")
    while ((await made("subtasks")) < 450) {
      expect(cli.exitCode).toBeNull()
      await sleep(20)
    }
    cli.kill("SIGKILL")
    await exited
    expect([await made("tasks"), await made("subtasks")]).toEqual([450, 450])
    await other.query("commit")

    const ran = await runCli("import", file, "--user", ann.email, "--json")
    const rest = { made: 50, already: 450 }
    expect(ran.json).toMatchObject({ lists: { made: 0, already: 1 }, tasks: rest, subtasks: rest, skipped: [] })
    for (const [title, count] of [
      ["First", 450],
      ["inbox", 50],
    ]) {
      const list = (await ann.get("/lists")).body.find((one: { title: string }) => one.title === title)
      const titles = (await ann.get(`/tasks?list_id=${list.id}`)).body.map((task: { title: string }) => task.title)
      expect(titles).toEqual(
        tasks.filter(({ list_id }) => (list_id === 1) === (title === "First")).map((task) => task.title),
      )
      // One revision for each row: nothing was applied by halves, nor twice.
      expect([titles.length, list.revision]).toEqual([count, 1 + 2 * Number(count)])
    }
  }, 120_000)
})
