import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse as parseCsv } from "csv-parse/sync"
import ICAL from "ical.js"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { runProgram } from "../../src/cli/program.js"
import { contentLine, escaped } from "../../src/exchange/calendar-text.js"
import { writeCalendar } from "../../src/exchange/write-calendar.js"
import { harmless } from "../../src/exchange/write-csv.js"
import { statement } from "../../src/statement.js"
import { runCli } from "../support/cli.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"

let node: TestNode
let folder: string
let ann: Person
let trip: any

const LONG = "Ärger, mit; Sonderzeichen\\ und 🦉🦉🦉 ".repeat(6)

beforeAll(async () => {
  node = await startNode()
  vi.stubEnv("DATABASE_URL", node.databaseUrl)
  vi.stubEnv("PUBLIC_URL", "https://tandem.example.org")
  folder = mkdtempSync(join(tmpdir(), "tandem-export-"))
  ann = await makePerson(node, "Export Ann")
  const bob = await makePerson(node, "Export Bob")
  trip = await makeList(ann, "Trip, abroad")
  await addMember(node, trip, bob)
  const empty = await makeList(ann, "Empty")
  await ann.post("/folders", { title: "Away", list_ids: [trip.id, empty.id] })
  await ann.patch(`/list_positions/${ann.id}`, { revision: 1, values: [empty.id, trip.id] })
  const task = await makeTask(ann, trip, {
    title: LONG.slice(0, 200),
    due_date: "2027-01-31",
    starred: true,
    assignee_id: ann.id,
  })
  await ann.patch(`/tasks/${task.id}`, { revision: 1, recurrence_type: "month", recurrence_count: 2 })
  const first = (await ann.post("/subtasks", { task_id: task.id, title: "first" })).body
  const second = (await ann.post("/subtasks", { task_id: task.id, title: "second", completed: true })).body
  await ann.patch(`/subtask_positions/${task.id}`, { revision: 1, values: [second.id, first.id] })
  await ann.post("/notes", { task_id: task.id, content: `line one\nline two, with "quotes"\r\n${LONG}` })
  await ann.post("/reminders", { task_id: task.id, date: "2027-01-30T08:15:30.500Z" })
  await bob.post("/reminders", { task_id: task.id, date: "2027-01-01T00:00:00Z" })
  await ann.post("/task_comments", { task_id: task.id, text: "mine" })
  await bob.post("/task_comments", { task_id: task.id, text: "bob's" })
  await makeTask(ann, trip, { title: '=HYPERLINK("http://evil.example")' })
  await makeTask(ann, trip, { title: "Over", completed: true })
  await makeTask(bob, await makeList(bob, "Bob's own"), { title: "invisible" })
  await makeTask(ann, { id: ann.inboxId }, { title: "In the inbox" })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await node.stop()
  rmSync(folder, { recursive: true, force: true })
})

const exportOf = async (who: Person, format: string): Promise<string> => {
  const ran = await runCli("export", "--user", who.email, "--format", format)
  expect(ran).toMatchObject({ code: 0, err: "" })
  return ran.out
}

describe("tandem export --format json", () => {
  it("writes all that one can see, each row as the REST interface shows it", async () => {
    const backup = JSON.parse(await exportOf(ann, "json"))
    expect(backup).toMatchObject({ user: ann.id, exported: expect.stringMatching(/Z$/) })
    const { data } = backup
    const lists = (await ann.get("/lists")).body
    expect(data.lists).toEqual(lists)
    const tasks = []
    for (const { id } of lists)
      for (const completed of [false, true])
        tasks.push(...(await ann.get(`/tasks?list_id=${id}&completed=${completed}`)).body)
    expect(data.tasks).toEqual(tasks)
    for (const [member, path] of [
      ["subtasks", "subtasks"],
      ["notes", "notes"],
      ["reminders", "reminders"],
      ["task_positions", "task_positions"],
    ]) {
      const all = (await ann.get(`/${path}?list_id=${trip.id}`)).body
      // A position that nobody has set is no row.
      expect(data[member as string]).toMatchObject(
        all.filter(({ values }: any) => values === undefined || values.length > 0),
      )
    }
    expect(data.folders).toEqual((await ann.get("/folders")).body)
    expect(data.task_comments.map(({ text, author }: any) => [text, author])).toEqual([
      ["mine", { id: ann.id, name: ann.name }],
      ["bob's", { id: expect.any(Number), name: "Export Bob" }],
    ])
    expect(JSON.stringify(data)).not.toMatch(/invisible|secret|own_revision/)
  })

  it("comes back as the same tree in another account", async () => {
    const output = join(folder, "ann.json")
    const { json } = await runCli("export", "--user", String(ann.id), "--output", output, "--json")
    expect(json).toEqual({ output, format: "json", tasks: 4, bytes: statSync(output).size })
    const cid = await makePerson(node, "Export Cid")
    const { json: report } = await runCli("import", output, "--user", cid.email, "--json")
    expect(report.changed).toEqual([
      { place: "data.task_comments[1]", reason: "was written by another person, whose name is put before it" },
    ])
    const tree = `{ lists { title listType folder { title } tasks(completed: false) { ...T } done: tasks(completed: true) { ...T } } }
      fragment T on Task { title starred completed completedAt createdAt dueDate recurrenceType recurrenceCount
        subtasks { title completed completedAt } notes { content createdAt } reminders { date } comments { text } }`
    const [anns, cids] = [(await ann.graphql(tree)).data.lists, (await cid.graphql(tree)).data.lists]
    const titles = (lists: any[]) => lists.map(({ title }) => title)
    // The exported order of lists is what the other account's ids follow.
    expect(titles(cids)).toEqual(["inbox", "Empty", "Trip, abroad"])
    const byTitle = (lists: any[]) => [...lists].sort((a, b) => a.title.localeCompare(b.title))
    const said = JSON.parse(JSON.stringify(byTitle(anns)).replace('"text":"bob\'s"', '"text":"Export Bob: bob\'s"'))
    expect(byTitle(cids)).toEqual(said)
  })
})

describe("tandem export --format csv", () => {
  it("writes one row for each task, and no formula", async () => {
    const rows = parseCsv(await exportOf(ann, "csv"), { columns: true }) as Record<string, string>[]
    expect(rows.map(({ list, title, completed }) => [list, title, completed])).toEqual([
      ["inbox", "In the inbox", "false"],
      ["Trip, abroad", LONG.slice(0, 200), "false"],
      ["Trip, abroad", '\'=HYPERLINK("http://evil.example")', "false"],
      ["Trip, abroad", "Over", "true"],
    ])
    expect(rows[1]).toMatchObject({
      due_date: "2027-01-31",
      starred: "true",
      assignee: "Export Ann",
      recurrence: "every 2 months",
      reminders: "2027-01-30T08:15:30.500Z",
      notes: `line one\nline two, with "quotes"\r\n${LONG}`,
      subtasks: "[x] second\n[ ] first",
    })
    expect(rows[3]?.completed_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    for (const sign of ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
      expect(harmless(`${sign}1`)).toBe(`'${sign}1`)
    for (const plain of ["1=1", " =1", "a-b", "", "'=1"]) expect(harmless(plain)).toBe(plain)
  })
})

describe("tandem export --format ics", () => {
  it("is iCalendar that a parser of others reads, line by line within 75 octets", async () => {
    const ics = await exportOf(ann, "ics")
    expect(ics).toMatch(/\r\n$/)
    for (const line of ics.slice(0, -2).split("\r\n")) {
      expect(line).not.toMatch(/[\r\n]/)
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    }
    const calendar = new ICAL.Component(ICAL.parse(ics))
    const todos = calendar.getAllSubcomponents("vtodo")
    const byTitle = (title: string) => {
      const found = todos.find((todo) => todo.getFirstPropertyValue("summary") === title)
      return (name: string): any => found?.getFirstPropertyValue(name)
    }
    expect(todos).toHaveLength(4 + 2)
    const uids = todos.map((todo) => todo.getFirstPropertyValue("uid"))
    expect(new Set(uids).size).toBe(6)

    const whole = byTitle(LONG.slice(0, 200))
    const uid = String(whole("uid"))
    expect(uid).toMatch(/^task-\d+@tandem\.example\.org$/)
    expect(whole("due")).toMatchObject({ isDate: true })
    expect(String(whole("due"))).toBe("2027-01-31")
    expect(String(whole("rrule"))).toBe("FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=-1")
    expect([whole("status"), whole("priority"), whole("completed")]).toEqual(["NEEDS-ACTION", 1, null])
    expect(whole("description")).toBe(`line one\nline two, with "quotes"\n${LONG}\n\n[x] second\n[ ] first`)
    expect(String(whole("categories"))).toBe("Trip, abroad")
    const alarms = todos.flatMap((todo) => todo.getAllSubcomponents("valarm"))
    expect(alarms.map((alarm) => String(alarm.getFirstPropertyValue("trigger")))).toEqual(["2027-01-30T08:15:30Z"])
    for (const [title, status] of [
      ["first", "NEEDS-ACTION"],
      ["second", "COMPLETED"],
    ] as const) {
      const subtask = byTitle(title)
      expect([subtask("related-to"), subtask("status")]).toEqual([uid, status])
    }
    const over = byTitle("Over")
    expect(over("status")).toBe("COMPLETED")
    expect(String(over("completed"))).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    for (const todo of todos) expect(String(todo.getFirstPropertyValue("dtstamp"))).toMatch(/Z$/)
  })

  it.each(["a,b;c\\d\ne", "🦉".repeat(60), "é".repeat(37), "x".repeat(75), "x".repeat(76), "CR\rLF\r\nBELL\u0007"])(
    "folds and escapes %j so that it comes back",
    (text) => {
      const line = contentLine(`SUMMARY:${escaped(text)}`)
      for (const each of line.split("\r\n")) expect(Buffer.byteLength(each)).toBeLessThanOrEqual(75)
      const [property] = (ICAL.parse(`BEGIN:VTODO\r\n${line}END:VTODO\r\n`) as any)[1]
      expect(property[3]).toBe(text.replace(/\r\n?/g, "\n").replaceAll("\u0007", ""))
    },
  )

  it("reads no more than a page at a time, however many tasks there are", async () => {
    const many = await makePerson(node, "Export Many")
    await node.database.run(insertMany, [many.inboxId, many.id, 3_500])
    let largest = 0
    const runner: typeof node.database = {
      ...node.database,
      async run(each, values) {
        const rows = await node.database.run(each, values)
        largest = Math.max(largest, rows.length)
        return rows
      },
    }
    let tasks = 0
    let longest = 0
    for await (const piece of writeCalendar(runner, String(many.id), { name: "x", host: "h", as: "tasks" })) {
      tasks += piece.split("BEGIN:VTODO").length - 1
      longest = Math.max(longest, piece.length)
    }
    expect([tasks, largest]).toEqual([3_500, 1_000])
    expect(longest).toBeLessThan(400_000)
  })
})

const insertMany = statement(
  "test_insert_many",
  "insert into tasks (list_id, title, created_by_id, updated_by_id) select $1::bigint, 'Task ' || n, $2::bigint, $2::bigint from generate_series(1, $3::integer) n",
  () => true,
)

describe("tandem export, what cannot be done", () => {
  it("says which argument is wrong, leaves no half of a file, and ends quietly when its reader leaves", async () => {
    expect(await runCli("export", "--user", "nobody@example.org")).toMatchObject({
      code: 1,
      err: "--user: there is no user nobody@example.org; create one with: user create\n",
    })
    expect(await runCli("export", "--user", ann.email, "--format", "xml")).toMatchObject({
      code: 2,
      err: expect.stringContaining("Allowed choices are json, csv, ics"),
    })
    expect(await runCli("export", "--user", ann.email, "--json")).toMatchObject({
      code: 1,
      err: "--json: requires --output, the file for the export itself\n",
    })
    const write = process.stdout.write
    process.stdout.write = (() => {
      process.stdout.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }))
      return false
    }) as typeof write
    const leaving = runProgram(["export", "--user", ann.email]).finally(() => {
      process.stdout.write = write
    })
    await expect(leaving).resolves.toBeUndefined()
    const nowhere = join(folder, "none", "x.json")
    expect((await runCli("export", "--user", ann.email, "--output", nowhere)).err).toMatch(
      /^--output: .* cannot be written: ENOENT/,
    )
    expect(readdirSync(folder).filter((name) => name.endsWith(".partial"))).toEqual([])
    expect(() => readFileSync(nowhere)).toThrow()
  })
})
