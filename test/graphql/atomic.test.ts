import { createClient as createSocketClient } from "graphql-ws"
import { beforeAll, describe, expect, it } from "vitest"
import WebSocket from "ws"
import { FIRST_TABS } from "../../src/transports/graphql/first-tabs.js"
import { deadlocksDuring } from "../support/deadlocks.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, startNodeOn, type TestNode } from "../support/node.js"

let node: TestNode
let ann: Person
let list: any
let tasks: any[]

beforeAll(async () => {
  node = await sharedNode()
  ann = await makePerson(node)
  list = await makeList(ann)
  tasks = await Promise.all(Array.from({ length: 100 }, () => makeTask(ann, list)))
})

const titles = async (): Promise<string[]> =>
  (await ann.get(`/tasks?list_id=${list.id}`)).body.map(({ title }: any) => title)

/** One mutation that changes so many tasks, each to the title that is its place. */
function changeOf(count: number, directive = "@atomic") {
  const places = Array.from({ length: count }, (_, index) => index)
  const declared = places.map((at) => `$i${at}: UpdateTaskInput!`)
  const fields = places.map((at) => `t${at}: updateTask(id: ${tasks[at].id}, input: $i${at}) { revision }`)
  return {
    query: `mutation (${declared}) ${directive} { ${fields.join(" ")} }`,
    variables: (title: string, stale?: number) =>
      Object.fromEntries(places.map((at) => [`i${at}`, { revision: at === stale ? 999 : tasks[at].revision, title }])),
  }
}

describe("@atomic (ours)", () => {
  it("makes nothing when one of 100 is refused, and says where", async () => {
    const { query, variables } = changeOf(100)
    const refused = await ann.graphql(query, variables("changed", 56))
    expect([refused.data, refused.code, refused.errors?.[0]?.path]).toEqual([null, "CONFLICT", ["t56"]])
    expect(new Set(await titles())).toEqual(new Set(["Buy milk"]))
  })

  it("makes all of 100 in one transaction", async () => {
    const { query, variables } = changeOf(100)
    const done = await ann.graphql(query, variables("changed"))
    expect(done.errors).toBeUndefined()
    expect(Object.values(done.data)).toEqual(tasks.map(() => ({ revision: 2 })))
    const events = (await node.database.prisma.$queryRawUnsafe(
      `select count(distinct xid)::int as transactions, count(*)::int as events from events where list_id = ${list.id} and operation = 'UPDATE'`,
    )) as unknown[]
    expect(events).toEqual([{ transactions: 1, events: 100 }])
    tasks = (await ann.get(`/tasks?list_id=${list.id}`)).body
  })

  it("is refused before anything runs with 101 root fields, and without it with 31", async () => {
    tasks.push(await makeTask(ann, list))
    const hundredAndOne = changeOf(101)
    const { errors = [] } = await ann.graphql(hundredAndOne.query, hundredAndOne.variables("x"))
    expect(errors.map(({ message }) => message)).toContain(
      "The operation has 101 root fields; at most 100 are allowed.",
    )
    const thirtyOne = changeOf(31, "")
    expect((await ann.graphql(thirtyOne.query, thirtyOne.variables("x"))).errors?.[0]?.message).toMatch(
      /has 31 root fields; at most 30 are allowed/,
    )
    expect(await titles()).not.toContain("x")
  })

  it.each([
    ["a query", "query @atomic { root { id } }", /may not be used on QUERY/],
    ["a field", "mutation { deleteTask(id: 1, revision: 1) @atomic }", /may not be used on FIELD/],
    ["an upload", 'mutation @atomic { finishUpload(id: "1") { id } }', /finishUpload asks the storage or the network/],
    ["a test of a webhook", 'mutation @atomic { sendTestWebhook(id: "1") { id } }', /sendTestWebhook asks the storage/],
  ])("is refused on %s", async (_what, query, message) => {
    const { status, errors } = await ann.graphql(query)
    expect(status).toBe(400)
    expect(errors?.[0]?.message).toMatch(message)
  })

  it("leaves mutations without it as they were: what came before the refusal stays", async () => {
    const { query, variables } = changeOf(2, "")
    const half = await ann.graphql(query, variables("half", 1))
    expect(half.code).toBe("CONFLICT")
    expect((await titles()).filter((title) => title === "half")).toHaveLength(1)
    tasks = (await ann.get(`/tasks?list_id=${list.id}`)).body
  })

  it("is made once under a key, changes and deletions too, over HTTP and sockets alike", async () => {
    const { query, variables } = changeOf(3)
    const sent = variables("once")
    const over = () => ann.graphql(query, sent, { "Idempotency-Key": "atomic-1" })
    const replies = await Promise.all(Array.from({ length: 5 }, over))
    for (const { data, errors } of replies) expect([data, errors]).toEqual([replies[0]?.data, undefined])
    expect((await ann.graphql(query, variables("other"), { "Idempotency-Key": "atomic-1" })).code).toBe("CONFLICT")
    const client = createSocketClient({
      url: `${node.url.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: ann.headers,
    })
    const run = (payload: any) =>
      new Promise<any>((resolve, reject) => client.subscribe(payload, { next: resolve, error: reject, complete() {} }))
    const again = await run({ query, variables: sent, extensions: { idempotencyKey: "atomic-1" } })
    expect(again.data).toEqual(replies[0]?.data)
    const refused = await run({ query, variables: variables("late", 2) })
    expect([refused.data, refused.errors[0].extensions.code]).toEqual([null, "CONFLICT"])
    await client.dispose()
    expect(await titles()).not.toContain("late")
  })

  it("lets opposite orders by two people go by without a deadlock", async () => {
    const bob = await makePerson(node, "Bob")
    const other = await makeList(ann, "Other")
    await Promise.all([list, other].map((one) => addMember(node, one, bob)))
    const note = (at: any) => `createNote(input: { taskId: "${at.id}", content: "x" }) { id }`
    const two = [await makeTask(ann, list), await makeTask(ann, other)]
    const round = (who: Person, [first, second]: any[]) =>
      who.graphql(`mutation @atomic { a: ${note(first)} b: ${note(second)} c: ${note(first)} }`)
    const found = await deadlocksDuring(async () => {
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => [round(ann, two), round(bob, two.toReversed())]).flat(),
      )
      expect(replies.filter(({ errors }) => errors !== undefined)).toEqual([])
    })
    expect(found).toBe(0)
  })

  it("counts each root field in the rate limit", async () => {
    const limited = await startNodeOn(node.databaseUrl, { rateLimit: { limit: 5, windowMs: 60_000 } })
    const eve = await makePerson({ url: limited.url, database: node.database }, "Eve")
    const make = (count: number) =>
      eve.graphql(
        `mutation @atomic { ${Array.from({ length: count }, (_, at) => `a${at}: createList(input: { title: "x" }) { id }`).join(" ")} }`,
      )
    expect((await make(4)).errors).toBeUndefined()
    expect((await make(2)).code).toBe("RATE_LIMITED")
    await limited.stop()
  })
})

describe("the explorer's first tabs that change many tasks (ours)", () => {
  const tab = (name: string) => FIRST_TABS.find(({ query }) => query.includes(`mutation ${name}(`))?.query as string
  /** Runs a tab for two new tasks, of which somebody has changed the second if it `isStale`. */
  async function run(name: string, isStale: boolean, more: object = {}) {
    const source = await makeList(ann)
    const [one, other] = [await makeTask(ann, source), await makeTask(ann, source)]
    if (isStale) await ann.patch(`/tasks/${other.id}`, { revision: 1, starred: true })
    const variables = { ...more, task1: one.id, revision1: 1, task2: other.id, revision2: 1 }
    const reply = await ann.graphql(tab(name), variables)
    const left = (await ann.get(`/tasks?list_id=${source.id}`)).body
    return { reply, left: left.map(({ id }: any) => id), ids: [one.id, other.id] }
  }

  it.each(["MoveTasks", "CompleteTasks", "DeleteTasks"])("%s does all or nothing", async (name) => {
    const target = await makeList(ann, "Target")
    const more = name === "MoveTasks" ? { listId: target.id } : {}
    const done = await run(name, false, more)
    expect([done.reply.errors, done.left]).toEqual([undefined, []])
    const refused = await run(name, true, more)
    expect([refused.reply.code, refused.reply.data]).toEqual(["CONFLICT", null])
    expect(refused.left).toEqual(refused.ids)
    const moved = (await ann.get(`/tasks?list_id=${target.id}`)).body.map(({ id }: any) => id)
    expect(moved).toEqual(name === "MoveTasks" ? done.ids : [])
  })
})

it("a repetition of several root fields is answered as before, although what they changed has another revision now", async () => {
  const task = await makeTask(ann, list)
  const query = `mutation { createTask(input: { listId: "${list.id}", title: "made" }) { id } updateTask(id: "${task.id}", input: { revision: 1, title: "b" }) { id } }`
  const over = () => ann.graphql(query, {}, { "Idempotency-Key": "several-1" })
  const first = await over()
  expect(first.errors).toBeUndefined()
  expect(await over()).toMatchObject({ data: first.data, errors: undefined })
})
