import { randomUUID } from "node:crypto"
import { once } from "node:events"
import net from "node:net"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { statement } from "../../src/statement.js"
import { eventually, listen, listenByEvents } from "../live/listener.js"
import { type Member, makeMember } from "../support/account.js"
import type { LoadedPage } from "../support/form-client.js"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"

const MIB = 1_048_576
const NOTES_MIB = 10
/** What the answers of one user may hold, as src/operations/held-memory.ts says. */
const USER_MIB = 96
const REQUESTS = 30

let node: TestNode
let ann: Person
let bob: Person
let task: any

beforeAll(async () => {
  node = await startNode()
  ;[ann, bob] = [await makePerson(node, "Ann"), await makePerson(node, "Bob")]
  task = await makeTask(ann, await makeList(ann))
  await runSql(
    node.databaseUrl,
    `alter table notes disable trigger user;
     insert into notes (task_id, content, created_by_id)
     select ${task.id}, repeat('x', ${2 * MIB}), ${ann.id} from generate_series(1, ${NOTES_MIB / 2});
     alter table notes enable trigger user`,
  )
})
afterAll(() => node.stop())

/** Asks for all notes; of the answer no more than its first bytes is read. */
async function askOnly(): Promise<{ socket: net.Socket; status: Promise<number> }> {
  const { hostname, port } = new URL(node.url)
  const socket = net.connect(Number(port), hostname)
  socket.on("error", () => {})
  await once(socket, "connect")
  const headers = Object.entries({ Host: "tandem", ...ann.headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET /api/v1/notes?task_id=${task.id} HTTP/1.1\r\n${headers.join("")}\r\n`)
  const status = once(socket, "data").then(([head]) => {
    socket.pause()
    return Number(String(head).slice(9, 12))
  })
  return { socket, status }
}

describe("GETs of one user that nobody reads", () => {
  it("are held up to what one user may hold, and the others refused, while another user is answered", async () => {
    const asked = await Promise.all(Array.from({ length: REQUESTS }, askOnly))
    const statuses = await Promise.all(asked.map(({ status }) => status))
    const held = statuses.filter((status) => status === 200).length
    const refused = statuses.filter((status) => status !== 200)
    expect(refused).toContain(429)
    // On a busy machine some find the database busy before they are counted.
    expect(refused.filter((status) => status !== 429 && status !== 503)).toEqual([])
    expect(held).toBeGreaterThan(0)
    expect(held).toBeLessThanOrEqual(USER_MIB / NOTES_MIB)
    expect((await bob.get("/user")).status).toBe(200)
    expect((await bob.get(`/tasks?list_id=${bob.inboxId}`)).status).toBe(200)
    for (const { socket } of asked) socket.destroy()
    await eventually(async () => (await ann.get(`/notes?task_id=${task.id}`)).status === 200, 30_000)
  })
})

describe("a list that is worked on in portions", () => {
  it("is the same over GraphQL the first time, when it is compiled, and over REST", async () => {
    const list = await makeList(bob)
    await runSql(
      node.databaseUrl,
      `insert into tasks (list_id, title, created_by_id, updated_by_id)
       select ${list.id}, repeat('"', n % 200 + 1), ${bob.id}, ${bob.id} from generate_series(1, 3500) n`,
    )
    const read = async () => (await bob.get(`/tasks?list_id=${list.id}`)).body as any[]
    const rows = (await read()).map(({ id, title }) => ({ id: String(id), title, list: { title: list.title } }))
    expect(rows).toHaveLength(3_500)
    const query = `query ($id: ID!) { tasks(listId: $id) { id title list { title } } again: tasks(listId: $id) { id } }`
    for (const _ of ["interpreted", "compiled"])
      expect((await bob.graphql(query, { id: list.id })).data).toEqual({
        tasks: rows,
        again: rows.map(({ id }) => ({ id })),
      })
  })
})

describe("a large answer that is no answer over plain HTTP", () => {
  const COUNT = 3_500
  const QUERY = "query ($id: ID!) { tasks(listId: $id) { id title subtasks { id } } }"

  it.each(["over a socket", "as server-sent events"])("is made in pieces and comes whole %s", async (how) => {
    const list = await makeList(bob)
    await runSql(
      node.databaseUrl,
      `insert into tasks (list_id, title, created_by_id, updated_by_id)
       select ${list.id}, repeat('"', n % 200 + 1), ${bob.id}, ${bob.id} from generate_series(1, ${COUNT}) n`,
    )
    const whole = (await bob.graphql(QUERY, { id: list.id })).data
    const stringify = vi.spyOn(JSON, "stringify")
    const listener = how === "over a socket" ? listen(bob) : listenByEvents(bob)
    try {
      expect((await listener.run(QUERY, { id: list.id })).data).toEqual(whole)
      const longest = Math.max(...stringify.mock.results.map(({ value }) => String(value).length))
      expect(whole.tasks).toHaveLength(COUNT)
      expect(longest).toBeLessThan(100_000)
    } finally {
      stringify.mockRestore()
      await listener.close()
    }
  })
})

describe("statements of one user that the database does not answer", () => {
  const connected = statement("test_connected", "select 1", () => 1)
  it("leave connections to everybody else", async () => {
    const cid = await makePerson(node, "Cid")
    const { id } = await makeTask(cid, { id: cid.inboxId })
    // All connections are open: where one is not, statements go down those that are.
    await Promise.all(Array.from({ length: 8 }, () => node.database.run(connected, [])))
    const pipeline = () => node.status().pools?.pipeline
    expect(pipeline()?.open).toBeGreaterThan(2)
    const locking = new pg.Client(node.databaseUrl)
    await locking.connect()
    try {
      await locking.query("begin; lock table task_comments in access exclusive mode")
      let answered = 0
      const asked = Array.from({ length: REQUESTS }, async () => {
        const { status } = await cid.get(`/task_comments?task_id=${id}`)
        answered++
        return status
      })
      await eventually(() => (pipeline()?.waiting ?? 0) >= 16)
      expect(pipeline()?.waiting).toBeLessThan(REQUESTS)
      for (let count = 0; count < 8; count++) expect((await bob.get("/user")).status).toBe(200)
      expect(answered).toBe(0)
      await locking.query("commit")
      expect(new Set(await Promise.all(asked))).toEqual(new Set([200]))
    } finally {
      await locking.end()
    }
  })
})

describe("requests of one user that wait for a row that is locked", () => {
  /** Holds a lock on rows while `work` runs. */
  async function whileLocked(rows: string, work: () => Promise<void>): Promise<void> {
    const locking = new pg.Client(node.databaseUrl)
    await locking.connect()
    try {
      await locking.query(`begin; select 1 from ${rows} for update`)
      await work()
    } finally {
      await locking.end()
    }
  }
  const pool = (name: string) => node.status().pools?.[name]
  const busy = (name: string) => (pool(name)?.busy ?? 0) + (pool(name)?.waiting ?? 0)
  const key = () => ({ "Idempotency-Key": randomUUID() })

  it("leave Prisma's connections to everybody else", async () => {
    const cid = await makePerson(node, "Cid")
    const make = async (who: Person) => (await who.post("/settings", { key: "colour", value: "red" })).body
    const [setting, other] = [await make(cid), await make(bob)]
    const change = (who: Person, { id, revision }: any) => who.patch(`/settings/${id}`, { revision, value: "blue" })
    let asked: Promise<number>[] = []
    await whileLocked(`settings where id = ${setting.id}`, async () => {
      asked = Array.from({ length: REQUESTS }, async () => (await change(cid, setting)).status)
      await eventually(() => busy("prisma") >= 2)
      expect((await change(bob, other)).status).toBe(200)
    })
    const statuses = await Promise.all(asked)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(REQUESTS - 1)
  })

  it.each([
    ["Prisma's connections", "prisma", "/account/name", { name: "Cid" }],
    ["the connections of transactions", "transactions", "/account/picture/remove", {}],
  ])("leave %s to everybody else on the pages too", async (_, name, path, fields) => {
    const [cid, dan] = [await makeMember(node, "Cid"), await makeMember(node, "Dan")]
    const pages = [await cid.browser.get("/account"), await dan.browser.get("/account")] as const
    const send = async ({ browser }: Member, { form }: LoadedPage) =>
      (await browser.send(path, { csrf: form("/account/name").csrf as string, ...fields })).status
    let asked: Promise<number>[] = []
    await whileLocked(`users where id = ${cid.id}`, async () => {
      asked = Array.from({ length: REQUESTS }, () => send(cid, pages[0]))
      await eventually(() => busy(name) >= 2)
      for (let count = 0; count < 8; count++) expect(await send(dan, pages[1])).toBe(303)
    })
    expect(new Set(await Promise.all(asked))).toEqual(new Set([303]))
  })

  const FINE = { status: expect.toSatisfy((status) => status === 200 || status === 201) }
  const makeWithKey = (who: Person) => who.post("/tasks", { list_id: who.inboxId, title: "x" }, key())
  const makeInBatch = (who: Person) =>
    who.post("/batch", {
      requests: [{ id: "a", method: "POST", path: "/api/v1/tasks", body: { list_id: who.inboxId, title: "x" } }],
    })

  it.each([
    ["with a key", [makeWithKey]],
    ["in batches", [makeInBatch]],
    ["some with a key, some in batches", [makeWithKey, makeInBatch]],
  ])("leave the connections of transactions to everybody else: %s", async (_, ways) => {
    const ask = (who: Person, n: number) => ways[n % ways.length]?.(who)
    const cid = await makePerson(node, "Cid")
    let asked: Promise<unknown>[] = []
    await whileLocked(`lists where id = ${cid.inboxId}`, async () => {
      // No more batches wait than a user may have.
      asked = Array.from({ length: 18 }, async (_, n) => ask(cid, n))
      await eventually(() => busy("transactions") >= 1)
      for (let n = 0; n < 2; n++) expect(await ask(bob, n)).toMatchObject(FINE)
    })
    for (const answer of await Promise.all(asked)) expect(answer).toMatchObject(FINE)
  })
})
