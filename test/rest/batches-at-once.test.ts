import pg from "pg"
import { beforeAll, describe, expect, it } from "vitest"
import { createClient } from "../support/client.js"
import { deadlocksDuring } from "../support/deadlocks.js"
import { untilLocked } from "../support/locks.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, startNodeOn, type TestNode } from "../support/node.js"
import { repetitions } from "../support/repetitions.js"

// Batches of many people on two nodes at once, and what happens to a batch while it runs.

/** Batches of each of ten people. */
const EACH = repetitions(20, 3)

let node: TestNode
let ann: Person
let bob: Person

beforeAll(async () => {
  node = await sharedNode()
  ann = await makePerson(node)
  bob = await makePerson(node, "Bob")
})

const inner = (id: string, method: string, path: string, body?: unknown) => ({
  id,
  method,
  path: `/api/v1${path}`,
  ...(body !== undefined && { body }),
})
const send = (who: Person, requests: unknown, more: object = {}) => who.post("/batch", { ...more, requests })

describe("POST /api/v1/batch by many at once (ours)", () => {
  it(`lets ${5 * EACH} batches in one order and ${5 * EACH} in the opposite one go by, on two nodes, without a deadlock or a gap`, async () => {
    const other = await startNodeOn(node.databaseUrl)
    const people = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        makePerson({ url: [node, other][at % 2]?.url as string, database: node.database }),
      ),
    )
    const owner = people[0] as Person
    const lists = [await makeList(owner, "Left"), await makeList(owner, "Right")]
    for (const person of people.slice(1)) for (const list of lists) await addMember(node, list, person)
    const tasks = [await makeTask(owner, lists[0]), await makeTask(owner, lists[1])]
    const revisions = () =>
      Promise.all(lists.map(async ({ id }) => (await owner.get(`/lists/${id}`)).body.revision as number))
    const before = await revisions()
    const batch = (who: Person, order: readonly number[], mark: string) =>
      send(
        who,
        order.flatMap((at) => [
          inner(`t${at}`, "POST", "/tasks", { list_id: lists[at].id, title: mark }),
          inner(`g${at}`, "GET", `/tasks/${tasks[at].id}`),
          inner(`p${at}`, "PATCH", `/tasks/${tasks[at].id}`, { revision: `$g${at}.revision`, title: mark }),
        ]),
      )
    const deadlocks = await deadlocksDuring(async () => {
      const replies = people.flatMap((who, at) =>
        Array.from({ length: EACH }, (_, round) => batch(who, at < 5 ? [0, 1] : [1, 0], `${at}-${round}`)),
      )
      expect(new Set((await Promise.all(replies)).map(({ status }) => status))).toEqual(new Set([200]))
    })
    expect(deadlocks).toBe(0)
    // A task and a change of each batch in each list.
    expect(await revisions()).toEqual(before.map((revision) => revision + 20 * EACH))
    for (const [at, { id }] of lists.entries()) {
      expect((await owner.get(`/tasks?list_id=${id}`)).body).toHaveLength(1 + 10 * EACH)
      const events = (await node.database.prisma.$queryRawUnsafe(
        `select list_revision::int as revision from events where list_id = ${id} and list_revision > ${before[at]} order by id`,
      )) as { revision: number }[]
      expect(events.map(({ revision }) => revision)).toEqual(
        Array.from({ length: 20 * EACH }, (_, index) => (before[at] as number) + 1 + index),
      )
    }
    await other.stop()
  })

  it("gives those that write a list while another deletes it 200 or 404, whole", async () => {
    for (let round = 0; round < 5; round++) {
      const [list, kept] = [await makeList(ann), await makeList(ann)]
      for (const one of [list, kept]) await addMember(node, one, bob)
      const task = await makeTask(ann, list)
      const deletion = [
        inner("g", "GET", `/lists/${list.id}`),
        inner("d", "DELETE", `/lists/${list.id}?revision=$g.revision`),
        inner("k", "POST", "/tasks", { list_id: kept.id, title: "by ann" }),
      ]
      const writing = Array.from({ length: 5 }, (_, at) => [
        inner("k", "POST", "/tasks", { list_id: kept.id, title: `by bob ${at}` }),
        inner("n", "POST", "/notes", { task_id: task.id, content: "x" }),
        inner("t", "POST", "/tasks", { list_id: list.id, title: "x" }),
      ])
      const [deleted, ...written] = await Promise.all([send(ann, deletion), ...writing.map((one) => send(bob, one))])
      expect(deleted?.status).toBe(200)
      const whole = written.flatMap(({ status, body }, at) => {
        expect([200, 404]).toContain(status)
        if (status === 404) expect(["n", "t"]).toContain(body.error.request)
        return status === 200 ? [`by bob ${at}`] : []
      })
      const left = (await ann.get(`/tasks?list_id=${kept.id}`)).body.map(({ title }: any) => title)
      expect(left.sort()).toEqual(["by ann", ...whole].sort())
    }
  })

  it("answers each of the rest with 401 when the token is revoked in the middle, with atomic: false", async () => {
    const list = await makeList(ann)
    const task = await makeTask(ann, list)
    const { data } = await ann.graphql(
      'mutation { createAccessToken(input: { name: "O" }) { token accessToken { id } } }',
    )
    const { token, accessToken } = data.createAccessToken
    const other = createClient(node.url, { clientId: "personal", token }) as Person
    const blocker = new pg.Client({ connectionString: node.databaseUrl })
    await blocker.connect()
    await blocker.query("begin")
    await blocker.query(`select from tasks where id = ${task.id} for update`)
    const create = (id: string) => inner(id, "POST", "/tasks", { list_id: list.id, title: id })
    const change = inner("b", "PATCH", `/tasks/${task.id}`, { revision: 1, title: "x" })
    const batch = send(other, [create("a"), change, create("c"), inner("d", "GET", "/root")], { atomic: false })
    await expect.poll(async () => (await ann.get(`/tasks?list_id=${list.id}`)).body.length).toBe(2)
    await untilLocked(node)
    await ann.graphql("mutation ($id: ID!) { revokeAccessToken(id: $id) }", { id: accessToken.id })
    await blocker.query("rollback")
    await blocker.end()
    const { status, body } = await batch
    expect(status).toBe(200)
    expect(body.responses.map((one: any) => `${one.id} ${one.status}`)).toEqual(["a 201", "b 200", "c 401", "d 401"])
    expect((await ann.get(`/tasks?list_id=${list.id}`)).body.map(({ title }: any) => title)).toEqual(["x", "a"])
  })

  it("names the request that failed, and not the one that refers to it", async () => {
    const list = await makeList(ann)
    const refused = await send(ann, [
      inner("a", "POST", "/tasks", { list_id: list.id, title: "a" }),
      inner("b", "POST", "/tasks", { list_id: list.id, title: "" }),
      inner("c", "POST", "/notes", { task_id: "$b.id", content: "c" }),
    ])
    expect([refused.status, refused.body.error.request]).toEqual([422, "b"])
    expect((await ann.get(`/tasks?list_id=${list.id}`)).body).toEqual([])
  })

  it("lets GETs in, beside and after what they read", async () => {
    const list = await makeList(ann)
    const { status, body } = await send(ann, [
      inner("a", "POST", "/tasks", { list_id: list.id, title: "Whole milk" }),
      inner("f", "GET", `/tasks/find?q=whole&list_ids=${list.id}`),
      inner("w", "GET", `/tasks?list_id=${list.id}&completed_from=2000-01-01T00:00:00Z`),
      inner("t", "GET", "/tasks/$a.id"),
    ])
    expect(status).toBe(200)
    const [made, found, window, read] = body.responses.map((one: any) => one.body)
    expect(found).toEqual([{ ...made, matches: [{ type: "task", id: made.id }] }])
    expect([window, read]).toEqual([[], made])
    const bad = await send(ann, [inner("f", "GET", "/tasks/find?colour=red")])
    expect([bad.status, bad.body.error.request]).toEqual([400, "f"])
  })
})
