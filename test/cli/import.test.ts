import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { DatabaseClient } from "../../src/database/client.js"
import { importLists } from "../../src/exchange/import-lists.js"
import { parseImport } from "../../src/exchange/parse-import.js"
import { readWordedDate } from "../../src/exchange/todoist-date.js"
import { statement } from "../../src/statement.js"
import { runCli } from "../support/cli.js"
import { makePerson, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"

let node: TestNode
let folder: string

beforeAll(async () => {
  node = await startNode()
  vi.stubEnv("DATABASE_URL", node.databaseUrl)
  folder = mkdtempSync(join(tmpdir(), "tandem-import-"))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await node.stop()
  rmSync(folder, { recursive: true, force: true })
})

function fileOf(name: string, content: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
  return path
}

const importInto = async (person: Person, file: string, ...more: string[]) => {
  const ran = await runCli("import", file, "--user", person.email, "--json", ...more)
  expect(ran).toMatchObject({ code: 0, err: "" })
  return ran.json
}

const TREE = `{ lists { title listType folder { title } tasks(completed: false) { ...T } done: tasks(completed: true) { ...T } } }
  fragment T on Task { title starred completed completedAt createdAt dueDate recurrenceType recurrenceCount assignee { name }
    subtasks { title completed } notes { content } reminders { date } comments { text } }`

/** All that somebody sees, without what differs between accounts. */
const treeOf = async (person: Person): Promise<any[]> => (await person.graphql(TREE)).data.lists

const AT = "2019-05-01T12:00:00.000Z"
const backup = {
  user: 77,
  exported: AT,
  data: {
    lists: [
      { id: 10, title: "inbox", list_type: "inbox", created_at: AT },
      { id: 4294967301, title: "Trip", list_type: "list", created_at: AT },
      { id: 4294967302, title: "Home", list_type: "list", created_at: AT },
    ],
    tasks: [
      { id: 2, list_id: 4294967301, title: "Second", created_at: AT, completed: false, starred: true },
      { id: 1, list_id: 4294967301, title: "First", created_at: AT, due_date: "2020-02-29", assignee_id: 77 },
      {
        id: 3,
        list_id: 4294967301,
        title: "Done",
        created_at: AT,
        completed: true,
        completed_at: "2019-06-01T08:00:00Z",
      },
      { id: 4, list_id: 10, title: "From the inbox", recurrence_type: "month", recurrence_count: 2 },
      { id: 5, list_id: 4294967302, title: `${"long ".repeat(60)}🦉`, assignee_id: 78 },
      { id: 6, list_id: 4294967302, title: " ", due_date: "2019-02-30", recurrence_type: "week" },
      { id: 7, list_id: 99, title: "Of no list" },
      { id: 8, list_id: 4294967302, title: 5 },
    ],
    subtasks: [
      { id: 21, task_id: 1, title: "a", completed: true, completed_at: AT },
      { id: 22, task_id: 1, title: "b" },
      { id: 23, task_id: 404, title: "of no task" },
    ],
    notes: [{ id: 31, task_id: 1, content: "Gate 4\nseat\u0000 12", created_at: AT }],
    reminders: [
      { id: 41, task_id: 1, date: "2019-05-02T07:30:00.000Z" },
      { id: 42, task_id: 1, date: "soon" },
    ],
    task_comments: [
      { id: 51, task_id: 1, text: "mine", created_by_id: 77 },
      { id: 52, task_id: 1, text: "hello", author: { id: 78, name: "Cleo" } },
    ],
    files: [{ id: 61, task_id: 1, file_name: "ticket.pdf" }],
    folders: [{ id: 71, title: "Away", list_ids: [4294967301] }],
    memberships: [
      { id: 81, user_id: 77, list_id: 4294967301 },
      { id: 82, user_id: 78, list_id: 4294967301 },
    ],
    settings: [{ id: 91, key: "k", value: "v" }],
    task_positions: [{ id: 4294967301, list_id: 4294967301, values: [1, 2, 3] }],
    subtask_positions: [{ id: 1, task_id: 1, values: [22, 21] }],
    list_positions: [{ id: 77, values: [4294967302, 4294967301] }],
  },
}

describe("tandem import, a backup of the retired service", () => {
  it("makes the tree, in its order, and says of every row what was not taken and why", async () => {
    const ann = await makePerson(node, "Import Ann")
    const file = fileOf("backup.json", backup)
    const dry = await importInto(ann, file, "--dry-run")
    expect((await treeOf(ann)).map(({ title }) => title)).toEqual(["inbox"])
    const report = await importInto(ann, file)
    expect(report).toEqual({ ...dry, dry_run: false })
    expect(report).toMatchObject({
      format: "backup",
      lists: { made: 2, already: 0 },
      tasks: { made: 6, already: 0 },
      subtasks: { made: 2, already: 0 },
      notes: { made: 2, already: 0 },
      comments: { made: 2, already: 0 },
      reminders: { made: 1, already: 0 },
    })
    expect(report.skipped).toEqual(
      [
        ["data.tasks[7].title", "must be a string"],
        ["data.subtasks[2].task_id", "names no task of this file: 404"],
        ["data.tasks[6].list_id", "names no list of this file: 99"],
        ["data.files[0]", '"ticket.pdf": a backup holds no bytes; attach it again'],
        ["data.settings", "settings are not imported"],
        ["data.memberships", "nobody is invited by an import; invite them yourself"],
        ["data.tasks[4].assignee_id", "is another person; only the importing user can be assigned"],
        ["data.tasks[5].due_date", '"2019-02-30" must be a real calendar date in the form YYYY-MM-DD'],
        ["data.tasks[5].recurrence_type", "a recurrence needs a type, one of day, week, month, year, and a count"],
        [
          "data.reminders[1].date",
          '"soonZ" must be an ISO 8601 date and time with a time zone, like 2013-08-30T08:36:13.273Z',
        ],
      ].map(([place, reason]) => ({ place, reason })),
    )
    expect(report.changed.map(({ place }: any) => place)).toEqual([
      "data.tasks[4].title",
      "data.tasks[5].title",
      "data.notes[0].content",
      "data.task_comments[1]",
    ])
    const task = { starred: false, completed: false, completedAt: null, dueDate: null, assignee: null }
    const plain = {
      ...task,
      recurrenceType: null,
      recurrenceCount: null,
      subtasks: [],
      notes: [],
      reminders: [],
      comments: [],
    }
    expect(await treeOf(ann)).toEqual([
      {
        title: "inbox",
        listType: "inbox",
        folder: null,
        tasks: [
          {
            ...plain,
            title: "From the inbox",
            createdAt: expect.any(String),
            recurrenceType: "month",
            recurrenceCount: 2,
          },
        ],
        done: [],
      },
      {
        title: "Home",
        listType: "list",
        folder: null,
        tasks: [
          {
            ...plain,
            title: `${"long ".repeat(50)}long…`,
            createdAt: expect.any(String),
            notes: [{ content: `${"long ".repeat(60)}🦉` }],
          },
          { ...plain, title: "Untitled", createdAt: expect.any(String) },
        ],
        done: [],
      },
      {
        title: "Trip",
        listType: "list",
        folder: { title: "Away" },
        tasks: [
          {
            ...plain,
            title: "First",
            createdAt: AT,
            dueDate: "2020-02-29",
            assignee: { name: ann.name },
            subtasks: [
              { title: "b", completed: false },
              { title: "a", completed: true },
            ],
            notes: [{ content: "Gate 4\nseat 12" }],
            reminders: [{ date: "2019-05-02T07:30:00.000Z" }],
            comments: [{ text: "mine" }, { text: "Cleo: hello" }],
          },
          { ...plain, title: "Second", createdAt: AT, starred: true },
        ],
        done: [{ ...plain, title: "Done", createdAt: AT, completed: true, completedAt: "2019-06-01T08:00:00.000Z" }],
      },
    ])
  })

  it("makes nothing twice, adds what a newer backup holds, and makes again what is gone only when it is told to", async () => {
    const ann = await makePerson(node, "Again Ann")
    const file = fileOf("again.json", backup)
    await importInto(ann, file)
    const before = await treeOf(ann)
    expect(await importInto(ann, file)).toMatchObject({
      lists: { made: 0, already: 2 },
      tasks: { made: 0, already: 6 },
      subtasks: { made: 0, already: 2 },
      notes: { made: 0, already: 2 },
      comments: { made: 0, already: 2 },
      reminders: { made: 0, already: 1 },
    })
    expect(await treeOf(ann)).toEqual(before)

    const { data } = backup
    const newer = {
      ...backup,
      data: {
        ...data,
        tasks: [...data.tasks, { id: 11, list_id: 4294967301, title: "Third" }],
        subtasks: [...data.subtasks, { id: 29, task_id: 2, title: "new in an old task" }],
      },
    }
    const added = await importInto(ann, fileOf("newer.json", newer))
    expect([added.tasks, added.subtasks]).toEqual([
      { made: 1, already: 6 },
      { made: 1, already: 2 },
    ])
    const [trip] = (await treeOf(ann)).filter(({ title }) => title === "Trip")
    expect(trip.tasks.map(({ title, subtasks }: any) => [title, subtasks.length])).toEqual([
      ["First", 2],
      ["Second", 1],
      ["Third", 0],
    ])

    const home = (await ann.get("/lists")).body.find(({ title }: any) => title === "Home")
    await ann.delete(`/lists/${home.id}?revision=${home.revision}`)
    const without = await importInto(ann, file)
    expect(without.lists).toEqual({ made: 0, already: 1 })
    expect(without.skipped).toContainEqual({
      place: 'list "Home"',
      reason: "was imported before and has been deleted since, with its content; --again creates it again",
    })
    expect(await importInto(ann, file, "--again")).toMatchObject({
      lists: { made: 1, already: 1 },
      tasks: { made: 2, already: 4 },
    })
  })

  it("makes one tree when it runs four times at once", async () => {
    const ann = await makePerson(node, "Racing Ann")
    const file = fileOf("race.json", backup)
    // In processes of their own they would not share what they print; the statements are what takes turns.
    const reading = { importer: ann, title: "race", now: new Date() }
    const settings = { isDryRun: false, isAgain: false, requestId: "race", onProgress() {} }
    await Promise.all(
      [1, 2, 3, 4].map(() =>
        importLists(node.database, String(ann.id), parseImport(readFileSync(file), undefined, reading), settings),
      ),
    )
    await importInto(ann, file)
    const tree = await treeOf(ann)
    expect(tree.map(({ title, tasks, done }) => [title, tasks.length, done.length])).toEqual([
      ["inbox", 1, 0],
      ["Home", 2, 0],
      ["Trip", 2, 1],
    ])
    expect(tree[2].tasks[0].subtasks).toHaveLength(2)
  })

  it("counts revisions and tells events as if each row had been made by itself", async () => {
    const [ann, bob] = [await makePerson(node, "BatchAnn"), await makePerson(node, "SingleBob")]
    const lists = [{ id: 1, title: "L" }]
    const kinds = { tasks: [], subtasks: [], notes: [], task_comments: [], reminders: [] } as Record<string, any[]>
    const shape = { lists, ...kinds } as Record<string, any>
    const list = (await bob.post("/lists", { title: "L" })).body
    await importInto(ann, fileOf("list.json", { user: 1, data: { lists } }))
    await node.database.run(hookAllLists, [ann.id, bob.id])
    for (let id = 1; id <= 3; id++) {
      shape.tasks.push({ id, list_id: 1, title: `t${id}` })
      shape.subtasks.push({ id, task_id: id, title: "s" }, { id: id + 10, task_id: id, title: "s" })
      shape.notes.push({ id, task_id: id, content: "n" })
      shape.task_comments.push({ id, task_id: id, text: "c" })
      shape.reminders.push({ id, task_id: id, date: "2031-05-02T07:30:00.000Z" })
    }
    await importInto(ann, fileOf("count.json", { user: 1, data: shape }))
    const tasks = []
    for (const { title } of shape.tasks) tasks.push((await bob.post("/tasks", { list_id: list.id, title })).body)
    for (const { task_id, title } of shape.subtasks)
      await bob.post("/subtasks", { task_id: tasks[task_id - 1].id, title })
    for (const { task_id, content } of shape.notes)
      await bob.post("/notes", { task_id: tasks[task_id - 1].id, content })
    for (const { task_id, text } of shape.task_comments)
      await bob.post("/task_comments", { task_id: tasks[task_id - 1].id, text })
    for (const { task_id, date } of shape.reminders)
      await bob.post("/reminders", { task_id: tasks[task_id - 1].id, date })

    const seenBy = async (person: Person) => {
      const made = (await person.get("/lists")).body.find(({ title }: any) => title === "L")
      const inList = (await person.get(`/tasks?list_id=${made.id}`)).body
      const events = await node.database.run(eventsOfList, [made.id])
      return {
        list: made.revision,
        root: (await person.get("/root")).body.revision,
        tasks: inList.map(({ revision }: any) => revision),
        events: events.map(({ shown }) => shown).sort(),
        revisions: events.map(({ revision }) => revision),
        deliveries: await node.database.run(deliveriesOfList, [made.id]),
        user: (await person.get("/user")).body.revision,
      }
    }
    const [batched, single] = [await seenBy(ann), await seenBy(bob)]
    expect(batched).toEqual(single)
    expect(batched.revisions).toEqual(Array.from({ length: 17 }, (_, index) => index + 1))
    expect(batched.deliveries.filter((what) => what !== "webhook CREATE")).toHaveLength(15)
  })

  it("writes hundreds of rows in a transaction, and goes on where it was interrupted", async () => {
    const ann = await makePerson(node, "Many Ann")
    const tasks = Array.from({ length: 2_000 }, (_, index) => ({ id: index + 1, list_id: 1, title: `Task ${index}` }))
    const reading = { importer: ann, title: "", now: new Date() }
    const parsed = parseImport(
      Buffer.from(JSON.stringify({ user: 1, data: { lists: [{ id: 1, title: "Many" }], tasks } })),
      undefined,
      reading,
    )
    let transactions = 0
    const database: DatabaseClient = {
      ...node.database,
      transaction: (work) => {
        transactions++
        return node.database.transaction(work)
      },
    }
    const settings = { isDryRun: false, isAgain: false, requestId: "x", onProgress() {} }
    const interrupted = importLists(database, String(ann.id), parsed, {
      ...settings,
      onProgress(seen) {
        if (seen >= 1_000) throw new Error("killed")
      },
    })
    await expect(interrupted).rejects.toThrow("killed")
    const { counts } = await importLists(database, String(ann.id), parsed, settings)
    expect(counts.tasks).toEqual({ made: 1_000, already: 1_000 })
    // One for the list, one for each 1,000 tasks; those that are there already take one too.
    expect(transactions).toBeLessThanOrEqual(1 + 1 + 2)
    const list = (await ann.get("/lists")).body.find(({ title }: any) => title === "Many")
    expect(list.revision).toBe(2_001)
    expect((await ann.get(`/lists/tasks_count?list_id=${list.id}`)).body.uncompleted_count).toBe(2_000)
  })
})

const hookAllLists = statement(
  "test_hook_all_lists",
  `insert into webhooks (list_id, membership_id, url, processor_type, configuration, secret, created_by_id, updated_by_id)
   select l.id, m.id, 'http://127.0.0.1:1/', 'generic', '', 's', l.owner_id, l.owner_id from lists l join memberships m on m.list_id = l.id
   where l.owner_id in ($1::bigint, $2::bigint) and l.list_type = 'list' returning id`,
  () => true,
)
const deliveriesOfList = statement(
  "test_deliveries_of_list",
  `select e.subject_type || ' ' || e.operation from webhook_deliveries d join webhooks w on w.id = d.webhook_id join events e on e.id = d.event_id
   where w.list_id = $1::bigint order by d.id`,
  ([what]) => what as string,
)

const eventsOfList = statement(
  "test_events_of_list",
  "select list_revision, operation || ' ' || subject_type from events where list_id = $1::bigint order by list_revision",
  ([revision, shown]) => ({ revision: Number(revision), shown: shown as string }),
)

describe("tandem import, a file of any size", () => {
  const MOST = 64 * 2 ** 20
  const tooLarge = (file: string) =>
    `${file}: has more than 64 MiB, the most that is read; divide it into several, by list for instance\n`

  it("is read up to 64 MiB, and refused past them, also where it has no end", async () => {
    const ann = await makePerson(node, "Large Ann")
    const path = fileOf("large.json", "[]".padEnd(MOST))
    expect(await importInto(ann, path)).toMatchObject({ lists: { made: 0 }, tasks: { made: 0 } })
    appendFileSync(path, " ")
    for (const file of [path, "/dev/zero"])
      expect(await runCli("import", file, "--user", ann.email)).toMatchObject({ code: 1, out: "", err: tooLarge(file) })
    rmSync(path)
  })

  it("is refused from standard input too, which is not read to its end", async () => {
    const endless = new Readable({ read() { this.push(Buffer.alloc(2 ** 20)) } }) // biome-ignore format: one line
    const stdin = vi.spyOn(process, "stdin", "get").mockReturnValue(endless as unknown as typeof process.stdin)
    const ran = await runCli("import", "-", "--user", (await makePerson(node, "Endless Ann")).email)
    stdin.mockRestore()
    expect([ran.code, ran.err, endless.destroyed]).toEqual([1, tooLarge("standard input"), true])
  })
})

describe("tandem import, other services", () => {
  it("takes over the retired service's last export, lists with all inside", async () => {
    const ann = await makePerson(node, "Export Ann")
    const file = fileOf("Tasks.json", [
      {
        id: 5,
        title: "Trip",
        folder: "Away",
        listType: "list",
        createdAt: AT,
        members: [{ name: "Ann" }, { name: "Cleo" }],
        tasks: [
          {
            id: 6,
            title: "Pack",
            completed: true,
            completedAt: "2019-06-01T08:00:00.000Z",
            starred: true,
            dueDate: "2019-06-01",
            createdAt: AT,
            notes: [{ content: "both bags" }, { content: "" }],
            reminders: [{ remindAt: "2019-05-31T18:00:00.000Z" }],
            subtasks: [{ id: 7, title: "socks", completed: true, createdAt: AT }],
            comments: [{ text: "hurry", author: { name: "Cleo" }, createdAt: AT }],
            files: [{ fileName: "map.png", contentType: "image/png" }],
            assignee: { name: "Cleo" },
          },
        ],
      },
      { title: 3 },
    ])
    const report = await importInto(ann, file)
    expect(report).toMatchObject({ format: "wunderlist", tasks: { made: 1, already: 0 } })
    expect(report.skipped.map(({ place }: any) => place)).toEqual([
      "[0].members",
      "[0].tasks[0].assignee",
      "[0].tasks[0].files[0]",
      "[1].title",
    ])
    expect((await treeOf(ann))[1]).toMatchObject({
      title: "Trip",
      folder: { title: "Away" },
      done: [
        {
          title: "Pack",
          starred: true,
          completedAt: "2019-06-01T08:00:00.000Z",
          dueDate: "2019-06-01",
          subtasks: [{ title: "socks", completed: true }],
          notes: [{ content: "both bags" }],
          reminders: [{ date: "2019-05-31T18:00:00.000Z" }],
          comments: [{ text: "Cleo: hurry" }],
        },
      ],
    })
    expect((await importInto(ann, file)).tasks).toEqual({ made: 0, already: 1 })
  })

  it("takes over a project of Todoist: sections, subtasks, comments, dates in words", async () => {
    const ann = await makePerson(node, "Todoist Ann")
    const csv = `\ufeffTYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE
meta,view_style=list,,,,,,,,
task,"Call, then write","the ""red"" one",1,1,Ann (1),,2026-12-01 15:00,en,Europe/Berlin
task,step one,,4,2,Ann (1),,,,
task,deeper,lost words,4,3,Ann (1),,,,
note,see above,,,,Cleo (2),,,,

section,Later,,,,,,,,
task,Water plants,,4,1,Ann (1),Cleo (2),every 2 weeks,en,
task,Odd,,4,1,Ann (1),,every weekday,en,
task,Jour,,4,1,Ann (1),,demain,fr,
what,x,,,,,,,,
`
    const report = await importInto(ann, fileOf("Work [2203306141].csv", csv))
    expect(report).toMatchObject({ format: "todoist", lists: { made: 2 }, tasks: { made: 4 }, subtasks: { made: 2 } })
    expect(report.skipped).toEqual(
      [
        ["line 5, DESCRIPTION", "subtasks have none here"],
        ["line 9, RESPONSIBLE", "nobody can be assigned by an import of this format"],
        ["line 10, DATE", '"every weekday" has no counterpart here; set a due date yourself'],
        ["line 11, DATE", '"demain" has no counterpart here; set a due date yourself'],
        ["line 12, TYPE", '"what" is none of task, section, note'],
      ].map(([place, reason]) => ({ place, reason })),
    )
    const [, work, later] = await treeOf(ann)
    expect(work).toMatchObject({
      title: "Work",
      folder: { title: "Work" },
      tasks: [
        {
          title: "Call, then write",
          starred: true,
          dueDate: "2026-12-01",
          notes: [{ content: 'the "red" one' }],
          reminders: [{ date: "2026-12-01T14:00:00.000Z" }],
          subtasks: [{ title: "step one" }, { title: "deeper" }],
          comments: [{ text: "Cleo: see above" }],
        },
      ],
    })
    expect(later).toMatchObject({
      title: "Later",
      tasks: [
        { title: "Water plants", recurrenceType: "week", recurrenceCount: 2 },
        { title: "Odd" },
        { title: "Jour" },
      ],
    })
    expect((await importInto(ann, join(folder, "Work [2203306141].csv"))).tasks).toEqual({ made: 0, already: 4 })
  })

  it.each([
    ["2026-12-01", { dueDate: "2026-12-01" }],
    ["1 Dec 2026", { dueDate: "2026-12-01" }],
    ["Dec 1st, 2026", { dueDate: "2026-12-01" }],
    ["1 Mar", { dueDate: "2027-03-01" }],
    ["29 Feb", { dueDate: "2028-02-29" }],
    ["tomorrow at 9am", { dueDate: "2026-11-29", time: "09:00" }],
    ["12:30", { dueDate: "2026-11-28", time: "12:30" }],
    ["monday", { dueDate: "2026-11-30" }],
    ["every day", { dueDate: "2026-11-28", recurrenceType: "day", recurrenceCount: 1 }],
    ["every other week", { dueDate: "2026-11-28", recurrenceType: "week", recurrenceCount: 2 }],
    ["every tuesday 8:00", { dueDate: "2026-12-01", time: "08:00", recurrenceType: "week", recurrenceCount: 1 }],
    ["every 15th", { dueDate: "2026-12-15", recurrenceType: "month", recurrenceCount: 1 }],
    ["every 3 months starting 5 Jan 2027", { dueDate: "2027-01-05", recurrenceType: "month", recurrenceCount: 3 }],
    ["every dec 24", { dueDate: "2026-12-24", recurrenceType: "year", recurrenceCount: 1 }],
    ["yearly", { dueDate: "2026-11-28", recurrenceType: "year", recurrenceCount: 1 }],
  ])("reads the date %j", (words, meaning) => {
    expect(readWordedDate(words, "2026-11-28")).toEqual(meaning)
  })

  it.each(["every mon, wed", "every 0 days", "2026-02-30", "31 Feb 2027", "someday", "every last friday", "25:00"])(
    "does not guess at the date %j",
    (words) => expect(readWordedDate(words, "2026-11-28")).toBeUndefined(),
  )

  it("takes over lists of Microsoft To Do", async () => {
    const ann = await makePerson(node, "Graph Ann")
    const utc = (dateTime: string) => ({ dateTime, timeZone: "UTC" })
    const file = fileOf("todo.json", {
      value: [
        {
          id: "AQ1",
          displayName: "Tasks",
          wellknownListName: "defaultList",
          tasks: [
            {
              id: "AQ2",
              title: "Report",
              status: "notStarted",
              importance: "high",
              dueDateTime: utc("2026-12-01T23:00:00.0000000"),
              isReminderOn: true,
              reminderDateTime: { dateTime: "2026-12-01T09:00:00.0000000", timeZone: "America/New_York" },
              body: { contentType: "html", content: "<p>one &amp; two</p><div>three</div>" },
              checklistItems: [{ id: "i", displayName: "draft", isChecked: true }],
              recurrence: { pattern: { type: "weekly", interval: 2, daysOfWeek: ["tuesday"] } },
            },
            {
              title: "Done",
              status: "completed",
              completedDateTime: utc("2026-01-02T03:04:05.1234567"),
              recurrence: { pattern: { type: "relativeMonthly", interval: 1 } },
              categories: ["Red"],
            },
          ],
        },
      ],
    })
    const report = await importInto(ann, file)
    expect(report).toMatchObject({ format: "microsoft", lists: { made: 0 }, tasks: { made: 2 } })
    expect(report.skipped.map(({ place }: any) => place)).toEqual([
      "[0].tasks[1].categories",
      "[0].tasks[1].recurrence",
    ])
    expect(await treeOf(ann)).toMatchObject([
      {
        title: "inbox",
        tasks: [
          {
            title: "Report",
            starred: true,
            dueDate: "2026-12-02",
            recurrenceType: "week",
            recurrenceCount: 2,
            notes: [{ content: "one & two\nthree" }],
            reminders: [{ date: "2026-12-01T14:00:00.000Z" }],
            subtasks: [{ title: "draft", completed: true }],
          },
        ],
        done: [{ title: "Done", completedAt: "2026-01-02T03:04:05.123Z" }],
      },
    ])
    expect((await importInto(ann, file)).tasks).toEqual({ made: 0, already: 2 })
  })
})

describe("tandem import, what cannot be read", () => {
  it("says of values beyond any calendar, or nested without end, where they are, and takes the rest", async () => {
    const ann = await makePerson(node, "Hostile Ann")
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
    const backup = `{"user":1,"data":{"lists":[{"id":1,"title":"a"}],"tasks":[{"id":1,"list_id":1,"title":"Deep",
      "recurrence_type":"day","recurrence_count":${deep}}]}}`
    expect((await importInto(ann, fileOf("deep.json", backup))).skipped).toEqual([
      { place: "data.tasks[0].recurrence_type", reason: "an array must be an integer" },
    ])
    const moments = ["+275760-09-13T00:00:00", "0000-01-01T00:00:00", "9999-12-31T23:59:59"]
    const tasks = moments.map((dateTime) => ({
      title: dateTime,
      dueDateTime: { dateTime },
      isReminderOn: true,
      reminderDateTime: { dateTime, timeZone: "America/New_York" },
    }))
    const content = `${["<", "<style", "<br", " "].map((part) => part.repeat(60_000)).join("")}x`
    Object.assign(tasks[0] as object, { body: { contentType: "html", content } })
    const graph = await importInto(ann, fileOf("far.json", JSON.stringify([{ displayName: "Far", tasks }])))
    expect([graph.tasks.made, graph.reminders.made, graph.skipped.map(({ place }: any) => place)]).toEqual([
      3,
      0,
      tasks.flatMap((_, index) => ["reminder", "due"].map((name) => `[0].tasks[${index}].${name}DateTime.dateTime`)),
    ])
    const csv = "TYPE,CONTENT,DATE,TIMEZONE\ntask,a,0000-01-01,\ntask,b,9999-12-31 23:59,America/New_York\n"
    const todoist = await importInto(ann, fileOf("Far.csv", csv))
    expect([todoist.tasks.made, todoist.skipped.map(({ place }: any) => place)]).toEqual([
      2,
      ["line 2, DATE", "line 3, DATE"],
    ])
  })

  it("shows nothing of a file that a terminal would obey", async () => {
    const ann = await makePerson(node, "Terminal Ann")
    const row = { id: 1, task_id: "\u001b]0;taken\u0007", title: "x" }
    const backup = fileOf("escapes.json", JSON.stringify({ user: 1, data: { lists: [], subtasks: [row] } }))
    const { out } = await runCli("import", backup, "--user", String(ann.id))
    expect(out).toContain("names no task of this file: \ufffd]0;taken\ufffd\n")
    const { err } = await runCli("import", fileOf("escapes.txt", "\u001b[31m{"), "--user", String(ann.id))
    expect(err).toMatch(/: the file is neither JSON .*\ufffd\[31m/)
    expect(err).not.toContain("\u001b")
  })

  it.each([
    ["x.json", "{", "the file is neither JSON nor a CSV of Todoist:"],
    ["x.json", "{}", "the file is none of these: a backup { user, data: { lists, … } }, or an array of lists"],
    ["x.json", '{"data":{"tasks":{}}}', "data.tasks must be an array"],
    ["x.csv", "TYPE,TEXT\ntask,x\n", "line 1: has no column CONTENT; Todoist's files begin with TYPE,CONTENT,…"],
    ["x.csv", 'TYPE,CONTENT\ntask,"x\n', "the file is no CSV:"],
    ["x.zip", "PK\u0003\u0004", "the file is a zip archive: unpack it and import the Tasks.json or the .csv inside"],
  ])("says of %s holding %j where it is wrong, with exit code 1", async (name, content, message) => {
    const ann = await makePerson(node, "Wrong Ann")
    const ran = await runCli("import", fileOf(name, content), "--user", String(ann.id))
    expect(ran).toMatchObject({ code: 1, out: "", err: expect.stringContaining(`${name}: ${message}`) })
    expect(ran.err.trim().split("\n")).toHaveLength(1)
  })

  it("says which argument names nothing", async () => {
    const missing = await runCli("import", join(folder, "none.json"), "--user", "nobody@example.org")
    expect(missing).toMatchObject({
      code: 1,
      err: "--user: there is no user nobody@example.org; create one with: user create\n",
    })
    const ann = await makePerson(node, "No File Ann")
    expect((await runCli("import", join(folder, "none.json"), "--user", ann.email)).err).toMatch(
      /^\S*none\.json: cannot be read: ENOENT/,
    )
    expect(await runCli("import", "x", "--user", ann.email, "--format", "wordlist")).toMatchObject({ code: 2 })
  })

  it("takes some lists only when they are named, and says which there are", async () => {
    const ann = await makePerson(node, "Some Ann")
    const file = fileOf("some.json", backup)
    expect(await importInto(ann, file, "--list", "Home", "--list", "inbox")).toMatchObject({
      lists: { made: 1, already: 0 },
      tasks: { made: 3, already: 0 },
    })
    expect(await runCli("import", file, "--user", ann.email, "--list", "Hom")).toMatchObject({
      code: 1,
      err: '--list: the file has no list "Hom"; it has "Home", "Trip", "inbox"\n',
    })
  })

  it("shows people a table, and reasons once with their places", async () => {
    const ann = await makePerson(node, "Table Ann")
    const { out } = await runCli("import", fileOf("table.json", backup), "--user", ann.email)
    expect(out).toContain(
      "what       imported  already there\nlists             2              0\ntasks             6              0\n",
    )
    expect(out).toContain("skipped: settings are not imported\n  data.settings\n")
  })
})

describe("a backup with an instant that its zone puts before the year 1", () => {
  it("is imported without it, and leaves nothing else out", async () => {
    const carla = await makePerson(node, "Carla")
    const zero = "0001-01-01T00:00:00+01:00"
    const data = {
      lists: [{ id: 10, title: "Zero", list_type: "list", created_at: zero }],
      tasks: [
        { id: 1, list_id: 10, title: "First", created_at: zero, completed: true, completed_at: zero },
        { id: 2, list_id: 10, title: "Second" },
      ],
      reminders: [{ id: 3, task_id: 2, date: zero }],
    }
    const { tasks, reminders } = await importInto(carla, fileOf("zero.json", { user: 1, exported: AT, data }))
    expect([tasks.made, reminders.made]).toEqual([2, 0])
  })
})
