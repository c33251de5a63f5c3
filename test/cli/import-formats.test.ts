import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { parseImport } from "../../src/exchange/parse-import.js"
import type { ParsedList, ParsedTask, Remark } from "../../src/exchange/parsed-import.js"
import { runCli } from "../support/cli.js"
import { makePerson, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"

let node: TestNode
let folder: string

beforeAll(async () => {
  node = await startNode()
  vi.stubEnv("DATABASE_URL", node.databaseUrl)
  folder = mkdtempSync(join(tmpdir(), "tandem-formats-"))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await node.stop()
  rmSync(folder, { recursive: true, force: true })
})

function fileOf(name: string, content: string | Buffer | object): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content))
  return path
}

async function importInto(person: Person, file: string) {
  const ran = await runCli("import", file, "--user", person.email, "--json")
  expect(ran).toMatchObject({ code: 0, err: "" })
  return ran.json
}

const NOW = new Date("2026-11-28T12:00:00Z")

/** What a file would make, without making it. */
function parsed(
  content: string | Buffer | object,
  title = "File",
): { lists: readonly ParsedList[]; tasks: ParsedTask[]; remarks: readonly Remark[] } {
  const bytes = Buffer.isBuffer(content)
    ? content
    : Buffer.from(typeof content === "string" ? content : JSON.stringify(content))
  const { lists, remarks } = parseImport(bytes, undefined, {
    importer: { name: "Ann", email: "ann@example.org" },
    title,
    now: NOW,
  })
  return { lists, tasks: lists.flatMap(({ tasks }) => tasks), remarks }
}
const graph = (...tasks: object[]) => [{ id: "l", displayName: "L", tasks }]
const said = (remarks: readonly Remark[]) => remarks.map(({ place, effect, reason }) => [effect, place, reason])

const HEAD = "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE"
const utf16 = (text: string, mark: number[], swap: boolean): Buffer => {
  const units = Buffer.from(text, "utf16le")
  return Buffer.concat([Buffer.from(mark), swap ? units.swap16() : units])
}

describe("the encoding of a file", () => {
  const csv = `${HEAD}\ntask,Müll,Größe \ufffd,4,1,,,,en,\n`
  const backup = JSON.stringify({ user: 1, data: { lists: [{ id: 1, title: "Müll" }], tasks: [] } })
  const latin = (text: string) => Buffer.from(text.replaceAll("\ufffd", "?"), "latin1")

  it.each([
    ["UTF-8", Buffer.from(csv)],
    ["UTF-8 with its mark", Buffer.from(`\ufeff${csv}`)],
    ["UTF-16LE with its mark", utf16(csv, [0xff, 0xfe], false)],
    ["UTF-16BE with its mark", utf16(csv, [0xfe, 0xff], true)],
  ])("is read when it is %s, with a replacement character that the file itself holds", (_, bytes) => {
    const { tasks, remarks } = parsed(bytes)
    expect([tasks[0]?.title, tasks[0]?.notes[0]?.content, remarks]).toEqual(["Müll", "Größe \ufffd", []])
  })

  it.each([
    ["a CSV as spreadsheets save it", "a.csv", latin(csv), "line 2: is not UTF-8"],
    [
      "a CSV in Mac Roman",
      "b.csv",
      Buffer.from(latin(csv).map((byte) => (byte === 0xfc ? 0x9f : byte))),
      "line 2: is not UTF-8",
    ],
    ["a backup with one such byte", "c.json", latin(backup), "line 1: is not UTF-8"],
    [
      "Tasks.json with one such byte",
      "d.json",
      latin(JSON.stringify([{ title: "L", tasks: [{ title: "ü" }] }], null, 1)),
      "line 6: is not UTF-8",
    ],
    ["lists of Microsoft with one such byte", "e.json", latin('[{"displayName":"ü"}]'), "line 1: is not UTF-8"],
    [
      "UTF-16 that ends in the middle",
      "f.csv",
      utf16(csv, [0xff, 0xfe], false).subarray(0, -1),
      "the file begins as UTF-16LE and is not that to its end",
    ],
    [
      "UTF-16 with half a character",
      "g.csv",
      utf16(csv.replace("Müll", "\ud83e"), [0xfe, 0xff], true),
      "the file begins as UTF-16BE and",
    ],
    [
      "UTF-16 without its mark",
      "h.csv",
      utf16(csv, [], false),
      "the file is not UTF-8, but UTF-16 or UTF-32 without a byte order mark",
    ],
  ])("is refused for %s, and nothing is made", async (_, name, bytes, message) => {
    expect(() => parsed(bytes)).toThrow(message)
    expect(() => parsed(bytes)).toThrow("save it as UTF-8 and import it again")
    if (name !== "a.csv") return
    const ann = await makePerson(node, "Latin Ann")
    const ran = await runCli("import", fileOf(name, bytes), "--user", ann.email)
    expect(ran).toEqual({
      code: 1,
      out: "",
      err: `${fileOf(name, bytes)}: ${message}, as the whole file must be; save it as UTF-8 and import it again\n`,
      json: undefined,
    })
    expect((await ann.get("/lists")).body).toHaveLength(1)
  })

  it("leaves halves of characters out, which JSON can write, and puts nothing in their place", () => {
    const { tasks, remarks } = parsed('[{"displayName":"L","tasks":[{"title":"a\\ud83eb\\u0000c"}]}]')
    expect([tasks[0]?.title, remarks[0]?.place]).toEqual(["abc", "[0].tasks[0].title"])
  })
})

describe("what a date says", () => {
  const range = { startDate: "2027-03-01", recurrenceTimeZone: "UTC" }
  const weekly = (more: object) => ({
    pattern: {
      type: "weekly",
      interval: 1,
      daysOfWeek: ["monday"],
      firstDayOfWeek: "sunday",
      month: 0,
      dayOfMonth: 0,
      index: "first",
    },
    range: { ...range, ...more },
  })

  it("is a remark where a series ends, and none where it does not", () => {
    const due = { dateTime: "2027-03-08T00:00:00", timeZone: "UTC" }
    const { tasks, remarks } = parsed(
      graph(
        {
          title: "until",
          dueDateTime: due,
          recurrence: weekly({ type: "endDate", endDate: "2027-06-28", numberOfOccurrences: 0 }),
        },
        {
          title: "ten times",
          dueDateTime: due,
          recurrence: weekly({ type: "numbered", numberOfOccurrences: 10, endDate: "0001-01-01" }),
        },
        { title: "for ever", recurrence: weekly({ type: "noEnd", endDate: "0001-01-01", numberOfOccurrences: 0 }) },
      ),
    )
    expect(said(remarks)).toEqual([
      ["changed", "[0].tasks[0].recurrence.range", 'it recurs without an end here, not until "2027-06-28"'],
      ["changed", "[0].tasks[1].recurrence.range", "it recurs without an end here, not 10 times"],
    ])
    // Without a day for its next task a series begins with its first.
    expect(tasks.map(({ dueDate, recurrenceType }) => [dueDate, recurrenceType])).toEqual([
      ["2027-03-08", "week"],
      ["2027-03-08", "week"],
      ["2027-03-01", "week"],
    ])
  })

  it("is a due date where it is a deadline, and a remark where there is a date beside it, or a duration", () => {
    const { tasks, remarks } = parsed(`${HEAD},DURATION,DURATION_UNIT,DEADLINE,DEADLINE_LANG
task,deadline,,4,1,,,,en,,,None,2027-05-31,en
task,both,,4,1,,,2027-04-01,en,,,,2027-05-31,en
task,long,,4,1,,,2027-05-02 10:00,en,,45,minute,,
task,plain,,4,1,,,2027-05-03,en,,None,None,,
task,step,,4,2,,,,,,,,2027-05-31,en
task,words,,4,1,,,,,,,,1 Jun 2027,en
`)
    expect(tasks.map(({ title, dueDate }) => [title, dueDate])).toEqual([
      ["deadline", "2027-05-31"],
      ["both", "2027-04-01"],
      ["long", "2027-05-02"],
      ["plain", "2027-05-03"],
      ["words", "2027-06-01"],
    ])
    expect(said(remarks)).toEqual([
      ["changed", "line 2, DEADLINE", "a task has one date here; it is its due date"],
      ["skipped", "line 3, DEADLINE", 'a task has one date here, and DATE is its due date: "2027-05-31"'],
      ["skipped", "line 4, DURATION", 'a task has no duration here: "45" minute'],
      ["changed", "line 4, DATE", "a due date has no time here; a reminder holds it"],
      ["skipped", "line 6, DEADLINE", "subtasks have none here"],
      ["changed", "line 7, DEADLINE", "a task has one date here; it is its due date"],
    ])
  })

  it("is a remark in every member and column that is not known, unless it is empty", () => {
    const unknown = "is not known to this import"
    expect(
      said(
        parsed(
          graph({
            title: "t",
            startDateTime: { dateTime: "2027-01-01T00:00:00" },
            status: "deferred",
            snooze: "P1D",
            hidden: false,
            extensions: [],
            "@odata.etag": "W/1",
          }),
        ).remarks,
      ),
    ).toEqual([
      ["skipped", "[0].tasks[0].snooze", unknown],
      ["skipped", "[0].tasks[0].startDateTime", 'a task has no start here: "2027-01-01T00:00:00"'],
      ["changed", "[0].tasks[0].status", '"deferred" has no counterpart; it is to be done'],
    ])
    expect(
      said(
        parsed([
          { title: "L", tasks: [{ title: "t", recurrenceType: "week", recurrenceCount: 2, startDate: "2027-01-01" }] },
        ]).remarks,
      ),
    ).toEqual([["skipped", "[0].tasks[0].startDate", unknown]])
    const data = {
      lists: [{ id: 1, title: "L" }],
      tasks: [{ id: 1, list_id: 1, title: "t", remind_until: "2027-01-01" }],
      goals: [{ id: 1 }],
      tags: [],
    }
    expect(said(parsed({ user: 1, data }).remarks)).toEqual([
      ["skipped", "data.goals", unknown],
      ["skipped", "data.tasks[0].remind_until", unknown],
    ])
    expect(
      said(
        parsed(
          `${HEAD},IS_COLLAPSED,START,__proto__\ntask,t,,4,1,,,,en,,True,2027-01-01,x,more\ntask,u,,4,1,,,,en,,,,,\n`,
        ).remarks,
      ),
    ).toEqual([
      ["skipped", "line 2, START", "is in no column that is read"],
      ["skipped", "line 2, __PROTO__", "is in no column that is read"],
      ["skipped", "line 2, cell 14", "is in no column that is read"],
    ])
  })

  it.each([
    ["2027-03-04T11:00:00", "UTC", "2027-03-05"],
    ["2027-07-04T12:00:00", "UTC", "2027-07-05"],
    ["2027-03-04T10:15:00", "UTC", "2027-03-05"],
    ["2027-03-04T13:00:00", "UTC", "2027-03-05"],
    ["2027-03-04T23:00:00.0000000", "UTC", "2027-03-05"],
    ["2027-03-05T00:00:00", "UTC", "2027-03-05"],
    ["2027-03-05T05:00:00", "Etc/GMT", "2027-03-05"],
    ["2027-03-05T10:00:00", undefined, "2027-03-05"],
    ["2027-03-05T00:00:00", "Pacific/Auckland", "2027-03-05"],
    ["2027-03-05T00:00:00", "America/Los_Angeles", "2027-03-05"],
    ["2027-03-05T12:00:00", "Pacific Standard Time", "2027-03-05"],
  ])("is the day that is meant: %s in %s", (dateTime, timeZone, dueDate) => {
    expect(parsed(graph({ title: "t", dueDateTime: { dateTime, timeZone } })).tasks[0]).toMatchObject({ dueDate })
  })

  it("is the instant of its zone where a task was completed too", () => {
    const completedDateTime = { dateTime: "2026-03-05T08:00:00.0000000", timeZone: "Pacific/Auckland" }
    expect(parsed(graph({ title: "t", status: "completed", completedDateTime })).tasks[0]?.completedAt).toBe(
      "2026-03-04T19:00:00.000Z",
    )
  })
})

describe("a body in HTML", () => {
  it.each([
    ["it&#8217;s 5&#160;&#8364; &#x2014; ok", "it’s 5 € — ok"],
    ["Caf&eacute; &uuml;ber &euro; &ndash; &hellip; &apos;x&apos;", "Café über € – … 'x'"],
    ["&amp;eacute; &amp;#233; &lt;b&gt;", "&eacute; &#233; <b>"],
    ["a<!-- 1 > 0 &eacute; -->b<!--", "ab<!--"],
    ["<p>one</p><p>&nbsp;</p>two", "one\n\ntwo"],
  ])("of %j is read as %j", (content, text) => {
    expect(parsed(graph({ title: "t", body: { contentType: "html", content } })).tasks[0]?.notes[0]?.content).toBe(text)
  })

  it("never holds NUL or half a character, whatever it names", () => {
    const content = "x &#0; &#xD800; &#99999999; &#xDC00;&#; &#x; &nosuch; y"
    const [note] = parsed(graph({ title: "t", body: { contentType: "html", content } })).tasks[0]?.notes ?? []
    expect(note?.content).toMatch(/^x .* y$/)
    expect(note?.content).not.toMatch(/[\0\p{Surrogate}]/u)
  })
})

describe("two files of things that are called alike", () => {
  const csv = (...lines: string[]) => `${HEAD}\n${lines.join("\n")}\n`
  const first = csv(
    "task,Milk,for the office,4,1,,,2027-01-10,en,",
    "task,Paper,,4,1,,,,en,",
    "section,Today,,,,,,,,",
    "task,Bin,,4,1,,,,,",
  )
  const second = csv(
    "task,Milk,for home,1,1,,,2027-02-20,en,",
    "task,Bread,,4,1,,,,en,",
    "section,Today,,,,,,,,",
    "task,Bin,,1,1,,,,,",
  )
  const milk = { title: "Milk", starred: false, due_date: "2027-01-10" }
  const otherMilk = { title: "Milk", starred: true, due_date: "2027-02-20" }

  async function tasksOf(person: Person): Promise<[string, any[]][]> {
    const lists = (await person.get("/lists")).body.slice(1)
    return Promise.all(
      lists.map(async ({ id, title }: any) => [title, (await person.get(`/tasks?list_id=${id}`)).body]),
    )
  }

  it("makes two projects by the number in the name, and nothing again", async () => {
    const ann = await makePerson(node, "Numbered Ann")
    const files = [fileOf("Errands [2200000001].csv", first), fileOf("Errands [2200000002].csv", second)]
    for (const file of files)
      expect(await importInto(ann, file)).toMatchObject({
        lists: { made: 2, already: 0 },
        tasks: { made: 3, already: 0 },
      })
    const before = await tasksOf(ann)
    expect(before).toMatchObject([
      ["Errands", [milk, { title: "Paper" }]],
      ["Today", [{ title: "Bin", starred: false }]],
      ["Errands", [otherMilk, { title: "Bread" }]],
      ["Today", [{ title: "Bin", starred: true }]],
    ])
    for (const file of files)
      expect(await importInto(ann, file)).toMatchObject({
        lists: { made: 0, already: 2 },
        tasks: { made: 0, already: 3 },
      })
    expect(await tasksOf(ann)).toEqual(before)
  })

  const bodied = ({ content, ...task }: any) => ({ ...task, body: { contentType: "text", content } })
  it.each<[string, any, any]>([
    ["Todoist without a number", { name: "Errands.csv", content: first }, { name: "Errands.csv", content: second }],
    [
      "Microsoft without ids",
      {
        name: "m1.json",
        content: [
          {
            displayName: "Errands",
            tasks: [
              bodied({ title: "Milk", content: "for the office", dueDateTime: { dateTime: "2027-01-10T00:00:00" } }),
              { title: "Paper" },
            ],
          },
        ],
      },
      {
        name: "m2.json",
        content: [
          {
            displayName: "Errands",
            tasks: [
              bodied({
                title: "Milk",
                content: "for home",
                importance: "high",
                dueDateTime: { dateTime: "2027-02-20T00:00:00" },
              }),
              { title: "Bread" },
            ],
          },
        ],
      },
    ],
    [
      "Tasks.json without ids",
      {
        name: "w1.json",
        content: [
          {
            title: "Errands",
            tasks: [
              { title: "Milk", dueDate: "2027-01-10", notes: [{ content: "for the office" }] },
              { title: "Paper" },
            ],
          },
        ],
      },
      {
        name: "w2.json",
        content: [
          {
            title: "Errands",
            tasks: [
              { title: "Milk", starred: true, dueDate: "2027-02-20", notes: [{ content: "for home" }] },
              { title: "Bread" },
            ],
          },
        ],
      },
    ],
  ])("makes what differs, and nothing again: %s", async (name, one, other) => {
    const ann = await makePerson(node, `Alike ${name}`)
    await importInto(ann, fileOf(one.name, one.content))
    const report = await importInto(ann, fileOf(other.name, other.content))
    const [[, tasks]] = (await tasksOf(ann)) as [[string, any[]]]
    expect(tasks).toMatchObject([milk, { title: "Paper" }, otherMilk, { title: "Bread" }])
    expect(report.tasks.already).toBe(0)
    const before = await tasksOf(ann)
    for (const { name, content } of [one, other]) {
      const again = await importInto(ann, fileOf(name, content))
      expect(Object.values(again).filter((count: any) => count?.made > 0)).toEqual([])
    }
    expect(await tasksOf(ann)).toEqual(before)
  })

  it("makes a note, subtask or reminder that differs in a task that is the same", async () => {
    const ann = await makePerson(node, "Parts Ann")
    const file = (content: string, step: string, reminder: string) =>
      fileOf("parts.json", [
        {
          title: "L",
          tasks: [
            {
              title: "t",
              notes: [{ content }],
              subtasks: [{ title: step }],
              reminders: [{ remindAt: reminder }],
              comments: [{ text: step }],
            },
          ],
        },
      ])
    await importInto(ann, file("a", "b", "2027-01-01T00:00:00Z"))
    expect(await importInto(ann, file("c", "d", "2027-01-02T00:00:00Z"))).toMatchObject({
      tasks: { made: 0, already: 1 },
      ...Object.fromEntries(
        ["notes", "subtasks", "reminders", "comments"].map((part) => [part, { made: 1, already: 0 }]),
      ),
    })
  })

  it("names the second row of an id, and keeps no count of it", () => {
    const row = (id: number, title: string) => ({ id, list_id: 1, title })
    const backup = { user: 1, data: { lists: [{ id: 1, title: "L" }], tasks: [row(1, "a"), row(1, "b")] } }
    const wunderlist = [
      {
        id: 1,
        title: "L",
        tasks: [
          { id: 1, title: "a" },
          { id: 1, title: "b" },
        ],
      },
    ]
    const microsoft = graph({ id: "1", title: "a" }, { id: "1", title: "b" })
    for (const [file, place] of [
      [backup, "data.tasks[1].id"],
      [wunderlist, "[0].tasks[1].id"],
      [microsoft, "[0].tasks[1].id"],
    ] as const) {
      const { tasks, remarks } = parsed(file)
      expect(tasks.map(({ title }) => title)).toEqual(["a"])
      expect(said(remarks)).toEqual([["skipped", place, '"1" is the id of another row of this file']])
    }
  })

  it("counts as there already what is there, and names what is gone", async () => {
    const ann = await makePerson(node, "Gone Ann")
    const file = fileOf("gone.json", [
      {
        title: "L",
        tasks: [
          { title: "stays", subtasks: [{ title: "s" }] },
          { title: "goes", notes: [{ content: "n" }] },
        ],
      },
    ])
    await importInto(ann, file)
    const [[, [stays, goes]]] = (await tasksOf(ann)) as [[string, any[]]]
    await ann.delete(`/tasks/${goes.id}?revision=${goes.revision}`)
    const [subtask] = (await ann.get(`/subtasks?task_id=${stays.id}`)).body
    await ann.delete(`/subtasks/${subtask.id}?revision=${subtask.revision}`)
    const report = await importInto(ann, file)
    expect(report).toMatchObject({
      lists: { made: 0, already: 1 },
      tasks: { made: 0, already: 1 },
      subtasks: { made: 0, already: 0 },
      notes: { made: 0, already: 0 },
      skipped: [
        { place: 'subtask "s"', reason: "was imported before and has been deleted since; --again creates it again" },
        {
          place: 'task "goes"',
          reason: "was imported before and has been deleted since, with its content; --again creates it again",
        },
      ],
    })
  })
})
