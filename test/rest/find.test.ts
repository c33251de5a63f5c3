import { beforeAll, describe, expect, it } from "vitest"
import { createOperations } from "../../src/operations/operations.js"
import type { Runner } from "../../src/statement.js"
import { buildSchema } from "../../src/transports/graphql/schema.js"
import { createClient } from "../support/client.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"

// Random viewers and filters against a model in memory, and each limit by itself.

const FILTERS = 400
const QUERY = `query ($filter: TaskFilter, $orderBy: TaskOrder! = DUE_DATE_ASC, $first: Int! = 100, $after: String) {
  findTasks(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    nodes { id matches { type id } } pageInfo { hasNextPage endCursor } } }`
const WORDS = [
  "Buy milk",
  "buy MILK today",
  "Straße",
  "STRASSE 5",
  "ﬁnd the ﬁle",
  "Ｆｕｌｌ width",
  "买牛奶和面包",
  "Cafe\u0301",
  "Café au lait",
  "100 % sure",
  "under_score",
  "back\\slash",
  ".* [a-z]+ $1",
  "ΟΔΟΣ οδός",
  "Landingpages",
]
const TEXTS = [
  "milk",
  "MILK",
  "strasse",
  "ß",
  "fi",
  "full",
  "牛奶",
  "café",
  "CAFÉ",
  "%",
  "_",
  "\\",
  ".*",
  "σ",
  "landing",
  "a",
  "zzz",
]
const ORDERS = ["DUE_DATE", "CREATED_AT", "COMPLETED_AT", "TITLE"] as const

type Row = Record<string, any>
type Kind = "note" | "subtask" | "task_comment" | "file"

let node: TestNode
let people: Person[]
let lists: any[]
let tasks: Row[]
let children: { kind: Kind; id: string; taskId: string; text: string }[]
const open = new Map<number, Set<string>>()

/** The same numbers in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

const sqlText = (text: string) => `'${text.replaceAll("'", "''")}'`
const rowsOf = (sql: string): Promise<Row[]> => node.database.prisma.$queryRawUnsafe(sql) as Promise<Row[]>

beforeAll(async () => {
  node = await sharedNode()
  const roll = dice(11)
  people = await Promise.all(["Ann", "Bob", "Cid"].map((name) => makePerson(node, name)))
  lists = []
  for (const owner of [...people, ...people]) lists.push(await makeList(owner))
  for (const [at, list] of lists.entries())
    for (const [who, person] of people.entries())
      if (who === at % 3) open.set(person.id, (open.get(person.id) ?? new Set()).add(String(list.id)))
      else if (roll(3) > 0) {
        const state = roll(3) === 0 ? "pending" : "accepted"
        await addMember(node, list, person, state)
        if (state === "accepted") open.set(person.id, (open.get(person.id) ?? new Set()).add(String(list.id)))
      }
  const word = () => sqlText(WORDS[roll(WORDS.length)] as string)
  const values = Array.from({ length: 150 }, () => {
    const isDone = roll(3) === 0
    const assignee = roll(3) === 0 ? people[roll(3)]?.id : "null"
    const due = roll(3) === 0 ? "null" : `date '2030-01-01' + ${roll(12)}`
    return `(${lists[roll(5)].id}, ${word()}, ${assignee}, ${due}, ${roll(2) === 0}, ${isDone}, ${isDone ? `timestamptz '2029-06-01' + ${roll(8)} * interval '1 day'` : "null"},
      ${people[0]?.id}, timestamptz '2029-01-01' + ${roll(10)} * interval '1.5 seconds')`
  })
  await runSql(
    node.databaseUrl,
    `insert into tasks (list_id, title, assignee_id, due_date, starred, completed, completed_at, created_by_id, created_at) values ${values}`,
  )
  const ids = lists.map(({ id }) => id)
  tasks = await rowsOf(
    `select id::text, list_id::text, title, assignee_id::text, due_date::text as due, starred, completed, completed_at, created_at,
       created_at::text as created_text, completed_at::text as completed_text from tasks where list_id in (${ids}) order by tasks.id`,
  )
  const some = () => tasks[roll(tasks.length)]?.id
  const many = (count: number, make: () => string) => Array.from({ length: count }, make).join(", ")
  await runSql(
    node.databaseUrl,
    `insert into notes (task_id, content, created_by_id) values ${many(60, () => `(${some()}, 'see: ' || ${word()}, 1)`)};
     insert into subtasks (task_id, title, created_by_id) values ${many(60, () => `(${some()}, ${word()}, 1)`)};
     insert into task_comments (task_id, text, created_by_id) values ${many(40, () => `(${some()}, ${word()}, 1)`)};
     insert into files (task_id, user_id, file_name, content_type, file_size, storage_key)
       values ${many(30, () => `(${some()}, ${people[0]?.id}, ${word()} || '.pdf', '', 1, gen_random_uuid()::text)`)}`,
  )
  const inLists = `join tasks t on t.id = x.task_id where t.list_id in (${ids}) order by x.id`
  const read = async (kind: Kind, table: string, column: string) =>
    (
      await rowsOf(`select x.id::text, x.task_id::text as "taskId", x.${column} as text from ${table} x ${inLists}`)
    ).map((row) => ({ kind, ...row }) as (typeof children)[number])
  children = [
    ...(await read("note", "notes", "content")),
    ...(await read("subtask", "subtasks", "title")),
    ...(await read("task_comment", "task_comments", "text")),
    ...(await read("file", "files", "file_name")),
  ]
})

const fold = (text: string): string => text.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ß", "ss")
const holds = (text: string, sought: string): boolean =>
  fold(text).replaceAll("ς", "σ").includes(fold(sought).replaceAll("ς", "σ"))
const isIn = (value: string | undefined, { from, to }: { from?: string; to?: string }) =>
  value !== undefined && (from === undefined || value >= from) && (to === undefined || value <= to)
const instant = (value: Date | null): string | undefined => value?.toISOString()

/** Where a task holds a text, as answers tell it. */
function matchesOf(task: Row, text: string): Row[] {
  const own = holds(task.title, text) ? [{ type: "task", id: task.id }] : []
  const inside = children.filter((child) => child.taskId === task.id && holds(child.text, text))
  return [...own, ...inside.map(({ kind, id }) => ({ type: kind, id }))]
}

function isWanted(viewer: Person, filter: Row, task: Row): boolean {
  const { listIds, completed, starred, assigneeId, due, completedAt, createdAt, text } = filter
  return (
    (open.get(viewer.id)?.has(task.list_id) ?? false) &&
    (listIds === undefined || listIds.includes(task.list_id)) &&
    (completed === undefined || task.completed === completed) &&
    (starred === undefined || task.starred === starred) &&
    (assigneeId === undefined || task.assignee_id === (assigneeId === "me" ? String(viewer.id) : assigneeId)) &&
    (due === undefined || ("none" in due ? (task.due === null) === due.none : isIn(task.due ?? undefined, due))) &&
    (completedAt === undefined || isIn(instant(task.completed_at), completedAt)) &&
    (createdAt === undefined || isIn(instant(task.created_at), createdAt)) &&
    (text === undefined || matchesOf(task, text).length > 0)
  )
}

function inOrder(found: Row[], order: string): Row[] {
  const [, by = "", direction] = /^(.*)_(ASC|DESC)$/.exec(order) ?? []
  const keyOf = (task: Row): string | null =>
    ({ DUE_DATE: task.due, CREATED_AT: task.created_text, COMPLETED_AT: task.completed_text, TITLE: fold(task.title) })[
      by
    ] ?? null
  const sign = direction === "DESC" ? -1 : 1
  return found.toSorted((a, b) => {
    const [one, other] = [keyOf(a), keyOf(b)]
    if ((one === null) !== (other === null)) return one === null ? 1 : -1
    const compared = one === null ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other as string))
    return sign * (compared || Number(a.id) - Number(b.id))
  })
}

function randomFilter(roll: (sides: number) => number): Row {
  const some = <T>(...values: T[]): T => values[roll(values.length)] as T
  const filter: Row = {}
  const maybe = (name: string, oneIn: number, make: () => unknown) => {
    if (roll(oneIn) === 0) filter[name] = make()
  }
  maybe("listIds", 4, () => [...lists.filter(() => roll(2) === 0).map(({ id }) => String(id)), "99999999"])
  maybe("completed", 3, () => roll(2) === 0)
  maybe("starred", 4, () => roll(2) === 0)
  maybe("assigneeId", 4, () => some("me", "me", String(people[roll(3)]?.id), "99999999", "0"))
  const day = (offset: number) => `2030-01-${String(1 + offset).padStart(2, "0")}`
  maybe("due", 3, () =>
    some<Row>(
      { none: true },
      { none: false },
      { from: day(roll(8)) },
      { to: day(roll(8)) },
      { from: day(2), to: day(2 + roll(6)) },
    ),
  )
  const at = (offset: number) => new Date(Date.UTC(2029, 5, 1 + offset)).toISOString()
  maybe("completedAt", 5, () =>
    some<Row>({ from: at(roll(8)) }, { to: at(roll(8)) }, { from: at(1), to: at(1 + roll(6)) }),
  )
  const second = (offset: number) => new Date(Date.UTC(2029, 0, 1, 0, 0, 0, offset * 500)).toISOString()
  maybe("createdAt", 6, () => some<Row>({ from: second(roll(20)) }, { to: second(roll(20)) }))
  maybe("text", 3, () => TEXTS[roll(TEXTS.length)])
  return filter
}

describe("findTasks (ours)", () => {
  it(`finds what a model finds, in ${FILTERS} random filters of random viewers, page by page`, {
    timeout: 180_000,
  }, async () => {
    const roll = dice(5)
    for (let round = 0; round < FILTERS; round++) {
      const viewer = people[roll(3)] as Person
      const filter = randomFilter(roll)
      const orderBy = `${ORDERS[roll(4)]}_${roll(2) ? "ASC" : "DESC"}`
      const expected = inOrder(
        tasks.filter((task) => isWanted(viewer, filter, task)),
        orderBy,
      ).map((task) => ({ id: task.id, matches: filter.text === undefined ? null : matchesOf(task, filter.text) }))
      const first = 1 + roll(100)
      const found: Row[] = []
      for (let after: string | undefined, pages = 0; pages < 3; pages++) {
        const { data, errors } = await viewer.graphql(QUERY, { filter, orderBy, first, after })
        expect(errors).toBeUndefined()
        found.push(...data.findTasks.nodes)
        if (!data.findTasks.pageInfo.hasNextPage) break
        after = data.findTasks.pageInfo.endCursor
      }
      expect({ filter, orderBy, found }).toEqual({
        filter,
        orderBy,
        found: expected.slice(0, Math.max(found.length, Math.min(expected.length, 3 * first))),
      })
    }
  })

  it("loses nothing and gives nothing twice while tasks are made and completed between pages", async () => {
    const eve = await makePerson(node, "Eve")
    const list = await makeList(eve)
    for (let at = 0; at < 9; at++) await makeTask(eve, list, { title: `t${at}`, due_date: `2031-01-0${1 + (at % 3)}` })
    const before = (await eve.get(`/tasks/find?limit=100`)).body.map(({ id }: any) => id)
    const seen: number[] = []
    let path = "/tasks/find?limit=2"
    for (let page = 0; page < 5; page++) {
      const { body, headers } = await eve.get(path)
      seen.push(...body.map(({ id }: any) => id))
      await makeTask(eve, list, { due_date: "2030-01-01" })
      await eve.patch(`/tasks/${body[0].id}`, { revision: body[0].revision, completed: true })
      path = /<http:\/\/[^/]+\/api\/v1(.*)>; rel="next"/.exec(headers.get("link") ?? "")?.[1] ?? ""
    }
    expect(seen).toEqual(before)
  })

  it("is one statement, which goes down connections of its own when it has words", async () => {
    const asked: string[] = []
    const counted = (runner: Runner, over = ""): Runner => ({
      run(one, values) {
        asked.push(over + one.name)
        return runner.run(one, values)
      },
    })
    const db = { ...counted(node.database), searching: counted(node.database.searching, "aside: ") }
    const context = { db, viewer: { userId: String(people[0]?.id) }, loaders: new Map() }
    const { run: find } = createOperations(buildSchema()).prepare(QUERY)
    expect((await find(context, { filter: { text: "milk", starred: true } })).errors).toBeUndefined()
    expect((await find(context, {})).errors).toBeUndefined()
    expect(asked).toEqual(["aside: find_tasks_by_starred_asc_words", "find_tasks_by_list_asc"])
  })

  it("forgets a list when its membership ends", async () => {
    const [dan, eve] = [await makePerson(node, "Dan"), await makePerson(node, "Eve")]
    const list = await makeList(dan)
    const task = await makeTask(dan, list, { title: "A very own word" })
    const membership = await addMember(node, list, eve)
    const find = async () => (await eve.get("/tasks/find?q=very+own")).body.map(({ id }: any) => id)
    expect(await find()).toEqual([task.id])
    const { revision } = (await eve.get(`/memberships/${membership}`)).body
    await eve.delete(`/memberships/${membership}?revision=${revision}`)
    expect(await find()).toEqual([])
    expect((await eve.get(`/tasks/find?list_ids=${list.id}`)).body).toEqual([])
  })
})

describe("GET /api/v1/tasks/find (ours)", () => {
  it("answers the same as findTasks, for every parameter", async () => {
    const [ann] = people as [Person, ...Person[]]
    const list = String(lists[0].id)
    const pairs: [string, Row, string][] = [
      ["", {}, "DUE_DATE_ASC"],
      [`list_ids=${list},99999999`, { listIds: [list] }, "DUE_DATE_ASC"],
      ["completed=true&sort=-completed_at", { completed: true }, "COMPLETED_AT_DESC"],
      ["starred=1&sort=title", { starred: true }, "TITLE_ASC"],
      ["assignee_id=me&sort=-created_at", { assigneeId: "me" }, "CREATED_AT_DESC"],
      [`assignee_id=${people[1]?.id}`, { assigneeId: String(people[1]?.id) }, "DUE_DATE_ASC"],
      [
        "due_from=2030-01-03&due_to=2030-01-08&sort=-due_date",
        { due: { from: "2030-01-03", to: "2030-01-08" } },
        "DUE_DATE_DESC",
      ],
      ["due=none", { due: { none: true } }, "DUE_DATE_ASC"],
      ["due=any&sort=due_date", { due: { none: false } }, "DUE_DATE_ASC"],
      [
        "completed_from=2029-06-03T00:00:00Z&completed_to=2029-06-05T00:00:00%2B00:00",
        { completedAt: { from: "2029-06-03T00:00:00.000Z", to: "2029-06-05T00:00:00.000Z" } },
        "DUE_DATE_ASC",
      ],
      [`q=${encodeURIComponent("牛奶")}`, { text: "牛奶" }, "DUE_DATE_ASC"],
    ]
    for (const [query, filter, orderBy] of pairs) {
      const { body, status } = await ann.get(`/tasks/find?limit=100&${query}`)
      const expected = inOrder(
        tasks.filter((task) => isWanted(ann, filter, task)),
        orderBy,
      )
      expect([query, status, body.map(({ id }: any) => String(id))]).toEqual([
        query,
        200,
        expected.slice(0, 100).map(({ id }) => id),
      ])
    }
    const [found] = (await ann.get("/tasks/find?q=MILK&limit=1")).body
    const { matches, ...task } = found
    expect(task).toEqual((await ann.get(`/tasks/${task.id}`)).body)
    expect(matches[0]).toEqual({ type: expect.any(String), id: expect.any(Number) })
    expect((await ann.get("/tasks/find?limit=1")).body[0].matches).toBeUndefined()
  })

  it("names the next page in Link, which other origins may read, and its state in ETag", async () => {
    const [ann] = people as [Person, ...Person[]]
    const { headers, body } = await ann.get("/tasks/find?q=a&limit=2&sort=-title")
    const link = /^<(.*)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1] as string
    expect(link).toMatch(/^http:\/\/.*\/api\/v1\/tasks\/find\?q=a&limit=2&sort=-title&after=[\w-]+$/)
    expect(headers.get("access-control-expose-headers")).toContain("Link")
    const next = await ann.get(new URL(link).pathname + new URL(link).search)
    expect(next.body.map(({ id }: any) => id)).not.toContain(body[0].id)
    expect(
      (await ann.get("/tasks/find?q=a&limit=2&sort=-title", { "If-None-Match": headers.get("etag") as string })).status,
    ).toBe(304)
    expect((await ann.get("/tasks/find?limit=100&q=zzz")).headers.get("link")).toBeNull()
  })

  it("stands beside /tasks/:id", async () => {
    const [ann] = people as [Person, ...Person[]]
    expect((await ann.get("/tasks/finds")).status).toBe(404)
    expect((await ann.patch("/tasks/find", { revision: 1 })).status).toBe(405)
    expect((await createClient(node.url).get("/tasks/find")).status).toBe(401)
  })

  const long = (length: number) => encodeURIComponent("😀".repeat(length))
  const bad: [string, number, string, RegExp][] = [
    ["colour=red", 400, "colour", /There is no parameter colour here/],
    ["created_from=2029-01-01T00:00:00Z", 400, "created_from", /no parameter created_from/],
    ["q=a&q=b", 400, "q", /more than once/],
    ["q=", 422, "q", /must not be blank/],
    ["q=%20%E3%80%80", 422, "q", /must not be blank/],
    ["q=a%00b", 422, "q", /NUL/],
    [`q=${long(256)}`, 422, "q", /1 to 255 characters/],
    [`q=${"a".repeat(1_000)}`, 422, "q", /1 to 255 characters/],
    ["list_ids=1,x", 400, "list_ids", /integers with commas/],
    ["list_ids=", 400, "list_ids", /integers with commas/],
    [`list_ids=${Array.from({ length: 1_001 }, (_, at) => at + 1)}`, 422, "list_ids", /at most 1000 lists/],
    ["completed=maybe", 400, "completed", /must be a boolean/],
    ["assignee_id=you", 400, "assignee_id", /must be an integer/],
    ["due_from=2030-02-30", 422, "due_from", /real calendar date/],
    ["due_to=tomorrow", 422, "due_to", /real calendar date/],
    ["due_from=2030-01-02&due_to=2030-01-01", 422, "due_from", /due_from must not be after due_to/],
    ["due=perhaps", 400, "due", /must be one of none, any/],
    ["due=none&due_from=2030-01-01", 422, "due", /must not be given together with a day/],
    ["completed_from=2029-01-01", 422, "completed_from", /with a time zone/],
    [
      "completed_from=2029-01-02T00:00:00Z&completed_to=2029-01-01T00:00:00Z",
      422,
      "completed_from",
      /completed_from must not be after completed_to/,
    ],
    ["sort=revision", 400, "sort", /must be one of due_date, -due_date/],
    ["sort=dueDate", 400, "sort", /must be one of/],
    ["limit=0", 422, "limit", /must be 1 to 100/],
    ["limit=101", 422, "limit", /must be 1 to 100/],
    ["limit=ten", 400, "limit", /must be an integer/],
    ["after=x", 422, "after", /cursor of an earlier page/],
    [`after=${"x".repeat(4_097)}`, 422, "after", /at most 4096/],
  ]
  it.each(bad.map(([query, ...rest]) => [query.slice(0, 40), query, ...rest] as const))(
    "refuses %s",
    async (_start, query, status, field, message) => {
      const { body, ...reply } = await (people[0] as Person).get(`/tasks/find?${query}`)
      expect([reply.status, Object.keys(body.error)]).toEqual([status, expect.arrayContaining([field])])
      expect(body.error.message).toMatch(message)
    },
  )

  it("takes every character of a text for itself, and a cursor of another order for none", async () => {
    const [ann] = people as [Person, ...Person[]]
    for (const q of ["😀".repeat(255), "'; drop table tasks; --", Array.from({ length: 30 }, () => "word").join(" ")])
      expect((await ann.get(`/tasks/find?q=${encodeURIComponent(q)}`)).body).toEqual([])
    const cursor = /after=([\w-]+)/.exec((await ann.get("/tasks/find?limit=1")).headers.get("link") ?? "")?.[1]
    expect((await ann.get(`/tasks/find?sort=title&after=${cursor}`)).status).toBe(422)
    const forged = Buffer.from(JSON.stringify(["DUE_DATE_ASC", "a\0b", "1"])).toString("base64url")
    expect((await ann.get(`/tasks/find?after=${forged}`)).status).toBe(422)
    const odd = Buffer.from(JSON.stringify(["DUE_DATE_ASC", "\ud800", "1"])).toString("base64url")
    expect((await ann.get(`/tasks/find?after=${odd}`)).status).toBe(200)
  })

  it("refuses the same over GraphQL", async () => {
    const [ann] = people as [Person, ...Person[]]
    const refused = async (variables: Row) => (await ann.graphql(QUERY, variables)).fields
    expect(await refused({ filter: { due: { from: "2030-01-02", to: "2030-01-01" } } })).toEqual({
      "due.from": ["must not be after due.to"],
    })
    expect(
      await refused({ filter: { createdAt: { from: "2030-01-02T00:00:00Z", to: "2030-01-01T00:00:00Z" } } }),
    ).toEqual({ "createdAt.from": ["must not be after createdAt.to"] })
    expect(await refused({ filter: { due: { from: "x" } } })).toEqual({
      "due.from": [expect.stringContaining("calendar date")],
    })
    expect(await refused({ filter: { text: "\ud800" } })).toEqual({ text: [expect.stringContaining("surrogates")] })
    expect(await refused({ first: 101 })).toEqual({ first: ["must be 1 to 100"] })
    expect(await refused({ filter: { text: " " } })).toEqual({ text: [expect.stringContaining("blank")] })
  })
})
