import { beforeAll, describe, expect, it } from "vitest"
import { createOperations } from "../../src/operations/operations.js"
import { SCOPES } from "../../src/scalars/scope.js"
import type { Runner } from "../../src/statement.js"
import { buildSchema } from "../../src/transports/graphql/schema.js"
import { createClient } from "../support/client.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { repetitions } from "../support/repetitions.js"
import { dice, makeWorld, type Row, randomOrder, type World } from "./find-world.js"

// Random viewers and filters against a model in memory, and each limit by itself.

const FILTERS = repetitions(10_000, 200)
const QUERY = `query ($filter: TaskFilter, $orderBy: TaskOrder! = DUE_DATE_ASC, $first: Int! = 100, $after: String) {
  findTasks(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    nodes { id matches { type id } } pageInfo { hasNextPage endCursor } } }`

let node: TestNode
let world: World
let people: readonly Person[]

beforeAll(async () => {
  node = await sharedNode()
  world = await makeWorld(node)
  people = world.people
})

describe("findTasks (ours)", () => {
  it(`finds what a model finds, in ${FILTERS} random filters of random viewers, page by page`, {
    timeout: 600_000,
  }, async () => {
    const roll = dice(5)
    for (let round = 0; round < FILTERS; round++) {
      const viewer = people[roll(people.length)] as Person
      const filter = world.randomFilter(roll)
      const orderBy = randomOrder(roll)
      const expected = world.expected(viewer, filter, orderBy)
      const first = 1 + roll(100)
      const found: Row[] = []
      for (let after: string | undefined, pages = 0; pages < 3; pages++) {
        const { data, errors } = await viewer.graphql(QUERY, { filter, orderBy, first, after })
        expect(errors).toBeUndefined()
        found.push(...data.findTasks.nodes)
        if (!data.findTasks.pageInfo.hasNextPage) break
        after = data.findTasks.pageInfo.endCursor
      }
      const wanted = expected.slice(0, Math.max(found.length, Math.min(expected.length, 3 * first)))
      // To compare texts first takes a tenth of the time.
      if (JSON.stringify(found) !== JSON.stringify(wanted))
        expect({ viewer: viewer.name, filter, orderBy, found }).toEqual({
          viewer: viewer.name,
          filter,
          orderBy,
          found: wanted,
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

  it("is one statement, and goes down connections of its own", async () => {
    const asked: string[] = []
    const counted = (runner: Runner, over = ""): Runner => ({
      run(one, values) {
        asked.push(over + one.name)
        return runner.run(one, values)
      },
    })
    const db = { ...counted(node.database), searching: counted(node.database.searching, "aside: ") }
    const context = { db, viewer: { userId: String(people[0]?.id), scopes: new Set(SCOPES) }, loaders: new Map() }
    const { run: find } = createOperations(buildSchema()).prepare(QUERY)
    expect((await find(context, { filter: { text: "milk", starred: true } })).errors).toBeUndefined()
    expect((await find(context, {})).errors).toBeUndefined()
    expect(asked).toEqual(["aside: find_tasks_by_list_asc_words", "aside: find_tasks_by_list_asc"])
  })

  it.each<[Row, string]>([
    [{ completed: false, due: { from: "2030-01-01", to: "2030-01-01" } }, "due"],
    [{ completed: false, due: { to: "2030-01-01" } }, "completed"],
    [{ completed: false, starred: true }, "completed"],
    [{ completed: false, assigneeId: "me" }, "assignee_completed"],
    [{ assigneeId: "me", due: { from: "2030-01-01" } }, "due"],
    [{ assigneeId: "me", completedAt: { from: "2030-01-01T00:00:00Z" } }, "completed_at"],
    [{ assigneeId: "me", due: { to: "2030-01-01" } }, "assignee"],
    [{ due: { to: "2030-01-01" } }, "due"],
    [{ completed: true, starred: true }, "completed"],
    [{ starred: true, due: { none: true } }, "list"],
  ])("looks at the fewest tasks: %j", async (filter, way) => {
    const asked: string[] = []
    const db = { searching: { run: async ({ name }: { name: string }) => asked.push(name) && [] } }
    const { run: find } = createOperations(buildSchema()).prepare(QUERY)
    await find({ db, viewer: { userId: "1", scopes: new Set(SCOPES) }, loaders: new Map() }, { filter })
    expect(asked).toEqual([`find_tasks_by_${way}_asc`])
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
    const list = String(world.lists[0].id)
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
      const expected = world.expected(ann, filter, orderBy)
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
    ["q=%FF", 400, "q", /UTF-8/],
    ["q=a%ED%A0%80b", 400, "q", /UTF-8/],
    ["q=%F0%9F%98", 400, "q", /UTF-8/],
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
    ["completed_to=2029-02-29T00:00:00Z", 422, "completed_to", /./],
    ["completed_from=2029-01-01T24:30:00Z", 422, "completed_from", /./],
    ["due_to=2031-13-01", 422, "due_to", /real calendar date/],
    ["due_to=0000-01-01", 422, "due_to", /real calendar date/],
    ["due_from=", 422, "due_from", /real calendar date/],
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

  it("finds a text of one character, one that is a whole percent-encoded letter, and `%` itself", async () => {
    const eve = await makePerson(node, "Eve")
    const inbox = { id: eve.inboxId }
    const titles = ["100 % sure", "x_y", "back\\slash", "\ufffd", "Landingpages", "买牛奶和面包", "a.*b"]
    for (const title of titles) await makeTask(eve, inbox, { title })
    const found = async (q: string) =>
      (await eve.get(`/tasks/find?sort=created_at&q=${q}`)).body.map(({ title }: any) => title)
    const of = async (text: string) => found(encodeURIComponent(text))
    expect(await of("%")).toEqual(["100 % sure"])
    expect(await found("%")).toEqual(["100 % sure"])
    expect(await found("%EF%BF%BD")).toEqual(["\ufffd"])
    expect(await of("_")).toEqual(["x_y"])
    expect(await of("\\")).toEqual(["back\\slash"])
    expect(await of(".*")).toEqual(["a.*b"])
    expect(await of("x.y")).toEqual([])
    expect(await of("[xy]")).toEqual([])
    expect(await of("landing")).toEqual(["Landingpages"])
    expect(await of("牛奶")).toEqual(["买牛奶和面包"])
    expect(await of("page")).toEqual(["Landingpages"])
    expect(await of("s")).toEqual(["100 % sure", "back\\slash", "Landingpages"])
  })

  it("gives nothing of others' lists and no hint of them, alone or among one's own", async () => {
    const [eve, fay] = [await makePerson(node, "Eve"), await makePerson(node, "Fay")]
    const [own, secret, pending] = [await makeList(eve), await makeList(fay), await makeList(fay)]
    await addMember(node, pending, eve, "pending")
    await makeTask(eve, own, { title: "Mine" })
    for (const list of [secret, pending]) await makeTask(fay, list, { title: "Theirs", assignee_id: fay.id })
    const alone = await eve.get(`/tasks/find?list_ids=${own.id}`)
    expect(alone.body).toHaveLength(1)
    for (const other of [secret.id, pending.id, 99_999_999, 0, "9223372036854775808"]) {
      expect((await eve.get(`/tasks/find?list_ids=${own.id},${other}`)).text).toBe(alone.text)
      const none = await eve.get(`/tasks/find?list_ids=${other}`)
      expect([none.status, none.text, none.headers.get("link")]).toEqual([200, "[]", null])
    }
    for (const query of ["q=theirs", `assignee_id=${fay.id}`, "assignee_id=99999999", "assignee_id=0"])
      expect((await eve.get(`/tasks/find?${query}`)).text).toBe("[]")
    const cursor = Buffer.from(JSON.stringify(["DUE_DATE_ASC", "", "1"])).toString("base64url")
    expect((await eve.get(`/tasks/find?after=${cursor}`)).body.map(({ title }: any) => title)).toEqual(["Mine"])
  })

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

  it("goes on behind a title that grows when it is folded, and behind one that JSON writes long", async () => {
    for (const letter of ["\ufdfa", "\u0001", "😀"]) {
      const eve = await makePerson(node, "Eve")
      const list = await makeList(eve)
      const made: number[] = []
      for (const end of ["", "", "b", "a"])
        made.push((await makeTask(eve, list, { title: letter.repeat(255 - end.length) + end })).id)
      const seen: number[] = []
      for (let path: string | undefined = "/tasks/find?sort=title&limit=1"; path !== undefined; ) {
        const { status, body, headers } = await eve.get(path)
        expect(status).toBe(200)
        seen.push(...body.map(({ id }: any) => id))
        const link = /^<(.*)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1]
        path = link?.replace(/^.*\/api\/v1/, "")
      }
      expect(new Set(seen)).toEqual(new Set(made))
      expect(seen).toHaveLength(4)
    }
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
