import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openDatabase } from "../../src/database/client.js"
import { makeList, makePerson, type Person } from "../support/make.js"
import { createBareDatabase, folderOf, type TestDatabase } from "../support/postgres.js"

// Follows README's "How to add a field" on a copy of the tree, to the letter: what it tells to write is written where it says.

/** What the steps need, and nothing that a copy would take long for. */
const COPIED = ["package.json", "package-lock.json", "tsconfig.json", "prisma", "scripts", "src"]
const TIMEOUT_MS = 300_000
/** As many as one more member of a task may touch, with a test and a line in CHANGELOG.md. */
const MAX_FILES = 6

const copy = mkdtempSync(join(tmpdir(), "tandem-new-field-"))
const [, section = ""] =
  /\n## How to add a field\n([\s\S]*?)\nA new resource/.exec(readFileSync("README.md", "utf8")) ?? []
/** Each step that shows code: the file and the lines for it. */
const steps = [
  ...section.matchAll(/^\d\. `([^`]+)`[^\n]*\n(?: {3}[^`\n][^\n]*\n)* {3}```\w+\n([\s\S]*?)\n {3}```$/gm),
].map(([, file = "", lines = ""]) => ({ file, lines: lines.replaceAll(/^ {3}/gm, "") }))
const run = (...words: string[]) =>
  execFileSync(words[0] as string, words.slice(1), { cwd: copy, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

/** What the node of the copy answers; the client of the suite would hold it to today's OpenAPI document. */
async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
  const headers = { ...owner.headers, "Content-Type": "application/json" }
  const reply = await fetch(`${url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
  return { status: reply.status, body: await reply.json() }
}
const create = async (members: object) =>
  (await ask("POST", "/tasks", { list_id: list.id, title: "Painted", ...members })).body

let url = ""
let written: string[] = []
let database: TestDatabase | undefined
let node: ChildProcess | undefined
let store: ReturnType<typeof openDatabase>
let owner: Person
let list: { id: number }

beforeAll(async () => {
  for (const name of COPIED) cpSync(name, join(copy, name), { recursive: true })
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"))
  for (const { file, lines } of steps) {
    const before = readFileSync(file, "utf8")
    const after = before.replaceAll(/^ *starred\b.*$/gm, (line) => `${line}\n${lines}`)
    expect([file, after === before]).toEqual([file, false])
    writeFileSync(join(copy, file), after)
  }
  // The same for what belongs to a task: behind every line that declares `completed`.
  for (const { file, lines } of steps) {
    const path = join(copy, file.replaceAll("task", "subtask"))
    const model = file.endsWith(".prisma") ? "(?<=^model Subtask \\{[^}]*^)" : "^"
    const member = new RegExp(`${model} *completed\\b.*$`, "gm")
    writeFileSync(
      path,
      readFileSync(path, "utf8").replaceAll(member, (line) => `${line}\n${lines}`),
    )
  }
  const [, command = ""] = /`npm run (migration -- task-colour)`/.exec(section) ?? []
  const migrations = new Set(readdirSync("prisma/migrations"))
  run("npm", "run", "--silent", ...command.split(" "))
  written = readdirSync(join(copy, "prisma/migrations")).filter((name) => !migrations.has(name))
  run("node", "scripts/build.mjs")
  run("node", "dist/transports/docs/print.js")

  database = await createBareDatabase()
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url, PORT: "0", DATA_DIR: folderOf(database.url) }
  node = spawn(process.execPath, ["dist/main.js"], { cwd: copy, env, stdio: ["ignore", "pipe", "inherit"] })
  let output = ""
  while (!output.includes('"listening"')) output += String((await once(node.stdout as NodeJS.EventEmitter, "data"))[0])
  store = openDatabase(database.url)
  url = /"url":"([^"]+)","msg":"listening"/.exec(output)?.[1] as string
  owner = await makePerson({ url, database: store })
  list = await makeList(owner)
}, TIMEOUT_MS)
afterAll(async () => {
  if (node?.kill()) await once(node, "exit")
  await store?.stop()
  await database?.drop()
  rmSync(copy, { recursive: true })
})

describe("a new member of a task, as README adds one", { timeout: TIMEOUT_MS }, () => {
  it(`touches at most ${MAX_FILES} files: those of the steps, a migration, a test and CHANGELOG.md`, () => {
    expect(steps.map(({ file }) => file)).toEqual([
      "prisma/schema.prisma",
      "src/resources/task/task.type.ts",
      "src/resources/task/task.input.ts",
    ])
    expect(written).toHaveLength(1)
    expect(steps.length + written.length + 2).toBeLessThanOrEqual(MAX_FILES)
    const sql = readFileSync(join(copy, "prisma/migrations", written[0] as string, "migration.sql"), "utf8")
    expect(sql).toMatch(/ALTER TABLE "tasks" ADD COLUMN +"colour" TEXT;/)
    expect(sql).toMatch(/^SELECT watch_own_changes\('tasks', /m)
  })

  it("is set, changed and removed over REST, and raises the revision", async () => {
    const made = await create({ colour: "red" })
    expect(made).toMatchObject({ colour: "red", revision: 1 })
    const path = `/tasks/${made.id}`
    const change = async (body: object) =>
      (await ask("PATCH", path, { ...body, revision: (await ask("GET", path)).body.revision })).body
    expect(await change({ colour: "blue" })).toMatchObject({ colour: "blue", revision: 2 })
    expect(await change({ title: "Other" })).toMatchObject({ colour: "blue", revision: 3 })
    expect(await change({ remove: ["colour"] })).not.toHaveProperty("colour")
    await change({ colour: "green" })
    expect(await change({ colour: null })).not.toHaveProperty("colour")
    expect((await ask("PATCH", path, { revision: 6, colour: "" })).status).toBe(422)
  })

  it("is set and read over GraphQL, and told in events and changes", async () => {
    const { cursor } = (await ask("GET", "/root")).body
    const { data } = await owner.graphql(
      "mutation ($input: CreateTaskInput!) { createTask(input: $input) { id colour } }",
      { input: { listId: list.id, title: "Painted", colour: "red" } },
    )
    expect(data.createTask).toMatchObject({ colour: "red" })
    const { changes } = (await ask("GET", `/changes?after=${cursor}`)).body
    expect(changes).toContainEqual(
      expect.objectContaining({ type: "task", data: expect.objectContaining({ colour: "red" }) }),
    )
    const [event] = await store.run(
      {
        name: "event_of_test",
        text: `select after from events where subject_type = 'task' and subject_id = ${data.createTask.id}`,
        read: ([after]) => JSON.parse(after as string),
      },
      [],
    )
    expect(event).toMatchObject({ colour: "red" })
  })

  it("is added to a subtask in the same way", async () => {
    const { id } = await create({})
    const { body: made } = await ask("POST", "/subtasks", { task_id: id, title: "Painted", colour: "red" })
    expect(made).toMatchObject({ colour: "red", completed: false, revision: 1 })
    const path = `/subtasks/${made.id}`
    const change = async (revision: number, body: object) => (await ask("PATCH", path, { ...body, revision })).body
    expect(await change(1, { colour: "blue" })).toMatchObject({ colour: "blue", revision: 2 })
    expect(await change(2, { completed: true })).toMatchObject({ colour: "blue", completed: true, revision: 3 })
    expect(await change(3, { colour: null })).not.toHaveProperty("colour")
  })

  it("comes with the next task of a recurring one", async () => {
    const fresh = await makeList(owner)
    const members = { colour: "red", due_date: "2031-01-01", recurrence_type: "day", recurrence_count: 1 }
    const { id } = await create({ list_id: fresh.id, ...members })
    await ask("PATCH", `/tasks/${id}`, { revision: 1, completed: true })
    expect((await ask("GET", `/tasks?list_id=${fresh.id}`)).body).toMatchObject([
      { colour: "red", due_date: "2031-01-02" },
    ])
  })

  it("is in the export, the OpenAPI document, the schema and the types of the client", async () => {
    await create({ colour: "violet" })
    const { url: at } = database as TestDatabase
    const env = { PATH: process.env.PATH, DATABASE_URL: at, DATA_DIR: folderOf(at) }
    const exported = execFileSync(process.execPath, ["dist/cli/tandem.js", "export", "--user", owner.email], {
      cwd: copy,
      encoding: "utf8",
      env,
    })
    expect(exported).toContain('"colour":"violet"')
    for (const [file, text] of [
      ["openapi.json", '"colour": {'],
      ["schema.graphql", "colour: String"],
      ["src/client/wire.ts", "readonly colour?: string"],
    ] as const)
      expect(readFileSync(join(copy, file), "utf8")).toContain(text)
  })
})
