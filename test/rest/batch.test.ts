import pg from "pg"
import { beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../live/listener.js"
import { createClient } from "../support/client.js"
import { deadlocksDuring } from "../support/deadlocks.js"
import { untilLocked } from "../support/locks.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, startNodeOn, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"

type Inner = { id: string; method: string; path: string; body?: unknown }

let node: TestNode
let ann: Person
let bob: Person
let list: any

beforeAll(async () => {
  node = await sharedNode()
  ann = await makePerson(node)
  bob = await makePerson(node, "Bob")
})

const V1 = "/api/v1"
const inner = (id: string, method: string, path: string, body?: unknown): Inner => ({
  id,
  method,
  path: V1 + path,
  ...(body !== undefined && { body }),
})
const send = (who: Person, requests: unknown, more: Record<string, unknown> = {}, headers?: Record<string, string>) =>
  who.post("/batch", { ...more, requests }, headers)
const create = (id: string, title: unknown = id) => inner(id, "POST", "/tasks", { list_id: list.id, title })
const titles = async (who = ann): Promise<string[]> =>
  (await who.get(`/tasks?list_id=${list.id}`)).body.map(({ title }: any) => title)
const makeTasks = async (count: number): Promise<any[]> => {
  const { body } = await send(
    ann,
    Array.from({ length: count }, (_, index) => create(`t${index}`)),
  )
  return body.responses.map((one: any) => one.body)
}
/** Revisions of a list's events since one, in the order in which they were written. */
const revisionsSince = async (listId: number, revision: number): Promise<number[]> =>
  (
    (await node.database.prisma.$queryRawUnsafe(
      `select list_revision from events where list_id = ${listId} and list_revision > ${revision} order by id`,
    )) as { list_revision: bigint }[]
  ).map((row) => Number(row.list_revision))

describe("POST /api/v1/batch, atomic (ours)", () => {
  it("answers each request as if it had come by itself, and refers to earlier answers", async () => {
    list = await makeList(ann)
    const { status, body } = await send(ann, [
      inner("l", "POST", "/lists", { title: "New" }),
      inner("a", "POST", "/tasks", { list_id: "$l.id", title: "$l.id" }),
      inner("s", "POST", "/subtasks", { task_id: "$a.id", title: "step" }),
      inner("b", "PATCH", "/tasks/$a.id", { revision: "$a.revision", starred: true }),
      inner("p", "PATCH", "/task_positions/$l.id", { revision: 1, values: ["$a.id", 7] }),
      inner("g", "GET", "/tasks?list_id=$l.id"),
      inner("f", "POST", "/folders", { title: "F", list_ids: ["$l.id"] }),
      inner("r", "POST", "/reminders", { task_id: "$a.id", date: "2031-01-01T00:00:00Z" }),
      inner("d", "DELETE", "/subtasks/$s.id?revision=$s.revision"),
    ])
    expect(status).toBe(200)
    const of = Object.fromEntries(body.responses.map((one: any) => [one.id, one]))
    expect(body.responses.map((one: any) => [one.id, one.status])).toEqual([
      ["l", 201],
      ["a", 201],
      ["s", 201],
      ["b", 200],
      ["p", 200],
      ["g", 200],
      ["f", 200],
      ["r", 201],
      ["d", 204],
    ])
    // A title is no reference.
    expect(of.a.body).toMatchObject({ list_id: of.l.body.id, title: "$l.id", revision: 1, type: "task" })
    expect(of.b.body).toMatchObject({ id: of.a.body.id, starred: true })
    expect(of.p.body.values).toEqual([of.a.body.id, 7])
    expect(of.g.body).toEqual([of.b.body])
    expect(of.f.body.list_ids).toEqual([of.l.body.id])
    expect(of.r.body).toEqual([expect.objectContaining({ task_id: of.a.body.id })])
    expect(of.d).toEqual({ id: "d", status: 204 })
    expect((await ann.get(`/tasks/${of.a.body.id}`)).body).toMatchObject({ title: "$l.id", starred: true })
  })

  it("moves 100 tasks in one transaction: both lists' revisions grow without a gap, and each event has its request and actor", async () => {
    list = await makeList(ann)
    const other = await makeList(ann, "Other")
    const tasks = await makeTasks(100)
    const [from, to] = [(await ann.get(`/lists/${list.id}`)).body.revision, other.revision]
    const requests = tasks.map(({ id, revision }) =>
      inner(`m${id}`, "PATCH", `/tasks/${id}`, { revision, list_id: other.id }),
    )
    const moved = await send(ann, requests, {}, { "X-Client-Request-Id": "mass move" })
    expect(moved.status).toBe(200)
    expect(moved.body.responses.map((one: any) => [one.status, one.body.list_id, one.body.id])).toEqual(
      tasks.map(({ id }) => [200, other.id, id]),
    )
    const events = (await node.database.prisma.$queryRawUnsafe(
      `select distinct xid::text, actor_id::text, request_id from events
       where list_id = ${other.id} and list_revision > ${to} or list_id = ${list.id} and list_revision > ${from}`,
    )) as unknown[]
    expect(events).toEqual([{ xid: expect.any(String), actor_id: String(ann.id), request_id: "mass move" }])
    const hundred = (first: number) => Array.from({ length: 100 }, (_, index) => first + 1 + index)
    expect(await revisionsSince(list.id, from)).toEqual(hundred(from))
    expect(await revisionsSince(other.id, to)).toEqual(hundred(to))
  })

  it("names number 57, which is stale, and changes nothing", async () => {
    list = await makeList(ann)
    const tasks = await makeTasks(100)
    await ann.patch(`/tasks/${tasks[56].id}`, { revision: 1, title: "meanwhile" })
    const { revision } = (await ann.get(`/lists/${list.id}`)).body
    const requests = tasks.map(({ id }, index) =>
      inner(`n${index + 1}`, "PATCH", `/tasks/${id}`, { revision: 1, title: "changed" }),
    )
    const refused = await send(ann, requests)
    expect([refused.status, refused.body.error.type, refused.body.error.request]).toEqual([409, "conflict", "n57"])
    expect((await titles()).filter((title) => title === "changed")).toEqual([])
    expect((await ann.get(`/lists/${list.id}`)).body.revision).toBe(revision)
    expect(await revisionsSince(list.id, revision)).toEqual([])
  })

  it.each([
    ["a limit of the schema", { title: "" }, 422, "validation_error"],
    ["a limit that the database holds", { recurrence_type: "day" }, 422, "validation_error"],
    ["a mistyped member", { starred: "yes" }, 400, "missing_parameter"],
    ["an assignee who is no member", { assignee_id: 1_000_000 }, 422, "validation_error"],
    ["a closed list to move to", { list_id: 99_999_999 }, 404, "not_found"],
  ])("names the one of many that is refused for %s", async (_what, members, status, type) => {
    list = await makeList(ann)
    const tasks = await makeTasks(4)
    const requests = tasks.map(({ id }, index) =>
      inner(`n${index}`, "PATCH", `/tasks/${id}`, { revision: 1, ...(index === 2 ? members : { title: "changed" }) }),
    )
    const refused = await send(ann, [create("new"), ...requests])
    expect([refused.status, refused.body.error.type, refused.body.error.request]).toEqual([status, type, "n2"])
    expect(await titles()).toEqual(["t0", "t1", "t2", "t3"])
  })

  it("changes a task that is named twice one after the other, and refuses the second with the same revision", async () => {
    list = await makeList(ann)
    const [task] = await makeTasks(1)
    const change = (id: string, revision: unknown, members: object) =>
      inner(id, "PATCH", `/tasks/${task.id}`, { revision, ...members })
    const refused = await send(ann, [change("a", 1, { title: "x" }), change("b", 1, { title: "y" })])
    expect([refused.status, refused.body.error.request]).toEqual([409, "b"])
    const done = await send(ann, [change("a", 1, { title: "x" }), change("b", "$a.revision", { title: "y" })])
    expect(done.body.responses.map((one: any) => [one.body.title, one.body.revision])).toEqual([
      ["x", 2],
      ["y", 3],
    ])
  })

  it("changes only what was sent", async () => {
    list = await makeList(ann)
    const task = await makeTask(ann, list, { starred: true, due_date: "2031-02-03", assignee_id: ann.id })
    const other = await makeTask(ann, list, { due_date: "2031-02-03" })
    const { body } = await send(ann, [
      inner("a", "PATCH", `/tasks/${task.id}`, { revision: 1, title: "b" }),
      inner("b", "PATCH", `/tasks/${other.id}`, { revision: 1, remove: ["due_date"], completed: true }),
    ])
    expect(body.responses[0].body).toEqual({ ...task, title: "b", revision: 2 })
    expect(body.responses[1].body).toMatchObject({ title: "Buy milk", completed: true, completed_by_id: ann.id })
    expect(body.responses[1].body.due_date).toBeUndefined()
  })

  it("takes settings and what Prisma reads into the transaction too", async () => {
    const made = (await ann.post("/settings", { key: "colour", value: "red" })).body
    const change = inner("a", "PATCH", `/settings/${made.id}`, { revision: 1, value: "blue" })
    const refused = await send(ann, [change, inner("g", "GET", "/settings"), inner("b", "GET", "/tasks/99999999")])
    expect([refused.status, refused.body.error.request]).toEqual([404, "b"])
    expect((await ann.get(`/settings/${made.id}`)).body.value).toBe("red")
    const done = await send(ann, [change, inner("g", "GET", `/settings/${made.id}`)])
    expect(done.body.responses[1].body.value).toBe("blue")
  })

  it("makes things once for twenty repetitions at once, and refuses the key for another batch", async () => {
    list = await makeList(ann)
    const key = { "Idempotency-Key": "batch-1" }
    const requests = [create("a"), create("b"), inner("s", "POST", "/subtasks", { task_id: "$a.id", title: "s" })]
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(ann, requests, {}, key)))
    for (const { status, text } of replies) expect([status, text]).toEqual([200, replies[0]?.text])
    expect(await titles()).toEqual(["a", "b"])
    expect((await send(ann, [create("a")], {}, key)).status).toBe(409)
    expect((await send(ann, requests, { atomic: false }, key)).status).toBe(409)
  })

  it("keeps no refusal, and answers nobody who has left the list", async () => {
    list = await makeList(ann)
    const membership = await addMember(node, list, bob)
    const key = { "Idempotency-Key": "batch-2" }
    expect((await send(bob, [create("a"), create("b", "")], {}, key)).status).toBe(422)
    expect((await send(bob, [create("a"), create("b")], {}, key)).status).toBe(200)
    expect((await send(bob, [create("a"), create("b")], {}, key)).status).toBe(200)
    const { revision } = (await bob.get(`/memberships/${membership}`)).body
    await bob.delete(`/memberships/${membership}?revision=${revision}`)
    expect((await send(bob, [create("a"), create("b")], {}, key)).status).toBe(404)
  })

  it("lets two batches that write in opposite orders go by many times without a refusal", async () => {
    const [left, right] = [await makeList(ann, "Left"), await makeList(ann, "Right")]
    await Promise.all([left, right].map((one) => addMember(node, one, bob)))
    const tasks = [await makeTask(ann, left), await makeTask(ann, right)]
    const round = (who: Person, order: number[]) =>
      send(
        who,
        order.flatMap((at) => [
          inner(`t${at}`, "POST", "/tasks", { list_id: [left, right][at].id, title: "x" }),
          inner(`n${at}`, "POST", "/notes", { task_id: tasks[at].id, content: "x" }),
          inner(`g${at}`, "GET", `/tasks/${tasks[at].id}`),
          inner(`p${at}`, "PATCH", `/tasks/${tasks[at].id}`, { revision: `$g${at}.revision`, title: who.name }),
        ]),
      )
    const found = await deadlocksDuring(async () => {
      const rounds = Array.from({ length: 20 }, () => [round(ann, [0, 1]), round(bob, [1, 0])]).flat()
      // Who writes one thing at a time comes between.
      const singles = Array.from({ length: 40 }, (_, index) =>
        bob.post("/notes", { task_id: tasks[index % 2].id, content: "single" }),
      )
      expect(new Set((await Promise.all(rounds)).map(({ status }) => status))).toEqual(new Set([200]))
      expect(new Set((await Promise.all(singles)).map(({ status }) => status))).toEqual(new Set([201]))
    })
    expect(found).toBe(0)
  })

  it("gives one of two batches that delete and write the same list 404, whole", async () => {
    for (let round = 0; round < 5; round++) {
      list = await makeList(ann)
      await addMember(node, list, bob)
      const [task] = await makeTasks(1)
      const writes = send(bob, [
        inner("a", "PATCH", `/tasks/${task.id}`, { revision: 1, title: "x" }),
        inner("b", "POST", "/tasks", { list_id: list.id, title: "y" }),
      ])
      const deletes = send(ann, [
        inner("g", "GET", `/lists/${list.id}`),
        inner("d", "DELETE", `/lists/${list.id}?revision=$g.revision`),
      ])
      const [written, deleted] = await Promise.all([writes, deletes])
      expect(deleted.status).toBe(200)
      expect([200, 404]).toContain(written.status)
      expect((await bob.get(`/tasks?list_id=${list.id}`)).status).toBe(404)
    }
  })

  it("makes nothing when the token is revoked in the middle", async () => {
    list = await makeList(ann)
    const task = await makeTask(ann, list)
    const { data } = await ann.graphql(
      'mutation { createAccessToken(input: { name: "Other" }) { token accessToken { id } } }',
    )
    const { token, accessToken } = data.createAccessToken
    const other = createClient(node.url, { clientId: "personal", token }) as Person
    const blocker = new pg.Client({ connectionString: node.databaseUrl })
    await blocker.connect()
    await blocker.query("begin")
    await blocker.query(`select from tasks where id = ${task.id} for update`)
    const batch = send(other, [create("made"), inner("b", "PATCH", `/tasks/${task.id}`, { revision: 1, title: "x" })])
    await untilLocked(node)
    const revoked = await ann.graphql("mutation ($id: ID!) { revokeAccessToken(id: $id) }", { id: accessToken.id })
    expect(revoked.errors).toBeUndefined()
    await blocker.query("rollback")
    await blocker.end()
    expect((await batch).status).toBe(401)
    expect(await titles()).toEqual(["Buy milk"])
  })
})

describe("POST /api/v1/batch with atomic: false (ours)", () => {
  const EACH = { atomic: false }

  it("tells what became of each, and runs nothing that builds on what was refused", async () => {
    list = await makeList(ann)
    const { status, body } = await send(
      ann,
      [
        create("a"),
        create("b", ""),
        inner("c", "POST", "/notes", { task_id: "$b.id", content: "" }),
        inner("d", "PATCH", "/notes/$c.id", { revision: 1, content: "" }),
        inner("e", "POST", "/notes", { task_id: "$a.id", content: "" }),
        inner("f", "GET", "/nowhere"),
        inner("g", "DELETE", "/tasks"),
        inner("h", "GET", "/tasks/99999999"),
        inner("i", "DELETE", "/tasks/$a.id?revision=$e.revision"),
        inner("j", "POST", "/tasks/$i.id"),
      ],
      EACH,
    )
    expect(status).toBe(200)
    expect(body.responses.map((one: any) => [one.id, one.status, one.body?.error?.type])).toEqual([
      ["a", 201, undefined],
      ["b", 422, "validation_error"],
      ["c", 424, "failed_dependency"],
      ["d", 424, "failed_dependency"],
      ["e", 201, undefined],
      ["f", 404, "not_found"],
      ["g", 405, "method_not_allowed"],
      ["h", 404, "not_found"],
      ["i", 204, undefined],
      ["j", 405, "method_not_allowed"],
    ])
    expect(body.responses[1].body.error.title).toEqual([expect.stringMatching(/blank/)])
    expect(await titles()).toEqual([])
  })

  it("has no id in the answer to a deletion or a list of things", async () => {
    list = await makeList(ann)
    const { body } = await send(
      ann,
      [
        create("a"),
        inner("d", "DELETE", "/tasks/$a.id?revision=1"),
        inner("x", "GET", "/tasks/$d.id"),
        inner("l", "GET", "/lists"),
        inner("y", "POST", "/tasks", { list_id: "$l.id", title: "x" }),
      ],
      EACH,
    )
    expect(body.responses[2]).toMatchObject({ status: 400, body: { error: { message: "The answer to d has no id." } } })
    expect(body.responses[4]).toMatchObject({ status: 400, body: { error: { message: "The answer to l has no id." } } })
  })

  it("is answered once under its key, refusals too", async () => {
    list = await makeList(ann)
    const key = { "Idempotency-Key": "each-1" }
    const requests = [create("a"), create("b", ""), create("c")]
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => send(ann, requests, EACH, key)))
    expect(first?.body.responses.map((one: any) => one.status)).toEqual([201, 422, 201])
    for (const { text } of others) expect(text).toBe(first?.text)
    expect(await titles()).toEqual(["a", "c"])
    // A node that ended before it could keep the whole answer.
    await runSql(node.databaseUrl, "delete from idempotency_keys where key like '%key:each-1'")
    expect((await send(ann, requests, EACH, key)).text).toBe(first?.text)
    expect(await titles()).toEqual(["a", "c"])
  })
})

describe("An answer of the moment, with atomic: false (ours)", () => {
  it("is given and not kept: what could not be made is made when the batch is sent again, and nothing twice", async () => {
    list = await makeList(ann)
    const { data } = await ann.graphql(
      'mutation { createAccessToken(input: { name: "Other" }) { token accessToken { id } } }',
    )
    const other = createClient(node.url, { clientId: "personal", token: data.createAccessToken.token }) as Person
    const task = await makeTask(ann, list)
    const way = new pg.Client({ connectionString: node.databaseUrl })
    await way.connect()
    await way.query("begin")
    await way.query(`select from tasks where id = ${task.id} for update`)
    const requests = [
      create("a"),
      inner("b", "PATCH", `/tasks/${task.id}`, { revision: 1, title: "Changed" }),
      create("c"),
    ]
    const key = { "Idempotency-Key": "moment" }
    const asked = send(other, requests, { atomic: false }, key)
    await eventually(async () => (await titles()).includes("a"))
    // The database ends what waits, as it does when it is taken away.
    await eventually(async () => {
      const { rowCount } = await way.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
           and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
      )
      return rowCount === 1
    })
    const first = await asked
    await way.query("rollback")
    await way.end()
    const statuses = ({ body }: any) => body.responses.map(({ status }: any) => status)
    expect([first.status, statuses(first)]).toEqual([200, [201, 503, 503]])
    const second = await send(other, requests, { atomic: false }, key)
    expect(statuses(second)).toEqual([201, 200, 201])
    expect(await titles()).toEqual(["Changed", "a", "c"])
    // What was decided is kept.
    expect((await send(other, requests, { atomic: false }, key)).text).toBe(second.text)
  })
})

describe("a batch that cannot be run as it stands (ours)", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => inner(`r${index}`, "GET", "/root"))
  const get = inner("a", "GET", "/root")

  it.each<[string, unknown, string | undefined, RegExp]>([
    ["no requests", undefined, undefined, /requests required/],
    ["requests that are no array", {}, undefined, /requests must be an array/],
    ["none", [], undefined, /holds 1 to 100 requests, and this one 0/],
    ["101", many(101), undefined, /holds 1 to 100 requests, and this one 101/],
    ["a request that is no object", [get, 7], undefined, /requests\[1\] must be an object/],
    ["a request without an id", [{ method: "GET", path: "/api/v1/root" }], undefined, /requests\[0\]\.id must be/],
    ["an id that is a number", [{ ...get, id: 1 }], undefined, /requests\[0\]\.id must be/],
    ["an id of other characters", [{ ...get, id: "a.b" }], undefined, /requests\[0\]\.id must be/],
    ["an id of 65 characters", [{ ...get, id: "x".repeat(65) }], undefined, /requests\[0\]\.id must be/],
    ["an id twice", [get, get], "a", /The id a is used twice/],
    ["no method", [{ id: "a", path: "/api/v1/root" }], "a", /method required/],
    ["a method in small letters", [{ ...get, method: "get" }], "a", /method must be one of GET, POST/],
    ["HEAD", [{ ...get, method: "HEAD" }], "a", /method must be one of/],
    ["no path", [{ id: "a", method: "GET" }], "a", /path required/],
    ["a path outside", [{ ...get, path: "/healthz" }], "a", /path must begin with \/api\/v1\//],
    ["a path of the second version", [{ ...get, path: "/api/v2/files" }], "a", /path must begin with/],
    ["an address", [{ ...get, path: "http://example.org/api/v1/root" }], "a", /path must begin with/],
    ["a path below", [{ ...get, path: "/root" }], "a", /path must begin with/],
    ["a batch", [inner("a", "POST", "/batch", { requests: [get] })], "a", /path must be neither a batch nor a stream/],
    ["an upload", [inner("a", "POST", "/uploads", {})], "a", /asks the storage or the network/],
    ["the end of an upload", [inner("a", "PATCH", "/uploads/1", { state: "finished" })], "a", /asks the storage/],
    ["a part", [inner("a", "GET", "/uploads/1/parts?part_number=1")], "a", /asks the storage/],
    ["a preview", [inner("a", "GET", "/previews?file_id=1")], "a", /asks the storage/],
    ["a reference to itself", [inner("a", "GET", "/tasks/$a.id")], "a", /path must not refer to the answer to itself/],
    ["one to a later request", [inner("a", "GET", "/tasks/$b.id"), inner("b", "GET", "/user")], "a", /comes later/],
    ["one to none", [inner("a", "POST", "/tasks", { list_id: "$x.id" })], "a", /body refers to x, which is no request/],
    [
      "a body that is too deep",
      [{ ...get, body: JSON.parse(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`) }],
      "a",
      /deeper/,
    ],
  ])("is refused with 400: %s", async (_what, requests, blamed, message) => {
    for (const atomic of [true, false]) {
      const { status, body } = await send(ann, requests, { atomic })
      expect([status, body.error.request]).toEqual([400, blamed])
      expect(body.error.message).toMatch(message)
    }
  })

  it("is refused with 400 for another value of atomic, and for a body that is no object", async () => {
    expect((await send(ann, [get], { atomic: "yes" })).body.error.atomic).toEqual(["must be a boolean"])
    expect((await ann.post("/batch", [get])).status).toBe(400)
    expect((await ann.post("/batch")).status).toBe(400)
    expect((await send(ann, [get], { atomic: null })).status).toBe(200)
    expect((await send(ann, many(100))).status).toBe(200)
    expect((await ann.get("/batch")).status).toBe(405)
  })

  it("is refused with 413 above 1 MiB", async () => {
    const body = (bytes: number) => JSON.stringify({ requests: [get], ignored: "y".repeat(bytes) })
    const frame = body(0).length
    expect((await ann.post("/batch", body(1_048_576 - frame))).status).toBe(200)
    expect((await ann.post("/batch", body(1_048_577 - frame))).status).toBe(413)
  })

  it("tells a stranger nothing", async () => {
    const secret = await makeList(bob)
    const task = await makeTask(bob, secret)
    for (const path of [`/tasks/${task.id}`, `/lists/${secret.id}`, `/task_positions/${secret.id}`]) {
      const known = await send(ann, [inner("a", "PATCH", path, { revision: 1, title: "x", values: [] })])
      const unknown = await send(ann, [
        inner("a", "PATCH", path.replace(/\d+/, "99999999"), { revision: 1, title: "x", values: [] }),
      ])
      expect([known.status, known.text]).toEqual([404, unknown.text])
    }
    expect((await createClient(node.url).post("/batch", { requests: [get] })).status).toBe(401)
  })
})

describe("the rate limit of a batch (ours)", () => {
  it("counts each request in it, and refuses the whole with 429", async () => {
    const limited = await startNodeOn(node.databaseUrl, { rateLimit: { limit: 12, windowMs: 60_000 } })
    const eve = await makePerson({ url: limited.url, database: node.database }, "Eve")
    const batch = (count: number) =>
      send(
        eve,
        Array.from({ length: count }, (_, index) => inner(`r${index}`, "GET", "/root")),
      )
    const first = await batch(8)
    expect([first.status, first.headers.get("ratelimit")]).toEqual([200, expect.stringMatching(/r=4;/)])
    const refused = await batch(8)
    expect([refused.status, refused.body.error.type]).toEqual([429, "rate_limited"])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await batch(2)).status).toBe(200)
    await limited.stop()
  })
})
