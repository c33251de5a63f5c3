import { once } from "node:events"
import net from "node:net"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import WebSocket from "ws"
import { folders } from "../../src/resources/folder/folder.type.js"
import { settings } from "../../src/resources/setting/setting.type.js"
import { webhooks } from "../../src/resources/webhook/webhook.type.js"
import { eventually, quiet } from "../live/listener.js"
import { makeMember } from "../support/account.js"
import { clientOf } from "../support/home-page.js"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"
import { startProxy } from "../support/proxy.js"

const MIB = 1_048_576
/** Notes of 2 MiB each: an answer of 10 MiB, and one that is larger than any may be. */
const [SOME, MANY] = [5, 17]

let node: TestNode
let eve: Person
let some: any
let many: any

/** Without triggers, which would write each note into an event. */
const insertNotes = (task: { id: number }, count: number) =>
  runSql(
    node.databaseUrl,
    `alter table notes disable trigger user;
     insert into notes (task_id, content, created_by_id)
     select ${task.id}, repeat('x', ${2 * MIB}), ${eve.id} from generate_series(1, ${count});
     alter table notes enable trigger user`,
  )

beforeAll(async () => {
  node = await startNode()
  eve = await makePerson(node, "Eve")
  const list = await makeList(eve)
  ;[some, many] = [await makeTask(eve, list), await makeTask(eve, list)]
  await insertNotes(some, SOME)
  await insertNotes(many, MANY)
})
afterAll(() => node.stop())

/** Rows without triggers, which would write them into events and refuse some. */
const fill = (table: string, columns: string, values: string, count: number) =>
  runSql(
    node.databaseUrl,
    `alter table ${table} disable trigger user;
     insert into ${table} (${columns}) select ${values} from generate_series(1, ${count}) n;
     alter table ${table} enable trigger user`,
  )

const notesOf = (task: { id: number }) => eve.get(`/notes?task_id=${task.id}`)
const NOTES = "query ($id: ID!) { notes(taskId: $id) { content } }"

/** A client that asks and reads nothing. */
async function askOnly(text: string): Promise<net.Socket> {
  const { hostname, port } = new URL(node.url)
  const socket = net.connect(Number(port), hostname)
  await once(socket, "connect")
  socket.on("error", () => {}).write(text)
  return socket
}

describe("One answer", () => {
  it("is whole up to 32 MiB and refused beyond, over REST and GraphQL alike", async () => {
    const whole = await notesOf(some)
    expect([whole.status, whole.body.length]).toEqual([200, SOME])
    expect(await notesOf(many)).toMatchObject({ status: 413, body: { error: { type: "too_large" } } })
    expect((await eve.graphql(NOTES, { id: some.id })).data.notes).toHaveLength(SOME)
    expect(await eve.graphql(NOTES, { id: many.id })).toMatchObject({ code: "TOO_LARGE", data: null })
  })

  it("counts what Prisma reads for it, even of what is not shown", async () => {
    await fill("settings", "user_id, key, value", `${eve.id}, 'large ' || n, repeat('x', ${2 * MIB})`, MANY)
    const where = { userId: BigInt(eve.id) }
    const ids = await node.database.prisma.setting.findMany({ where, select: { id: true } })
    const keys = (count: number) => `{ ${ids.slice(0, count).map(({ id }, n) => `a${n}: setting(id: ${id}) { key }`)} }`
    expect(Object.keys((await eve.graphql(keys(SOME))).data)).toHaveLength(SOME)
    expect(await eve.graphql(keys(MANY))).toMatchObject({ code: "TOO_LARGE", data: null })
    await runSql(node.databaseUrl, "truncate settings")
  })

  it("ends what is read for it at 32 MiB, however much of settings, webhooks or folders there is", async () => {
    const { id: list } = await makeList(eve)
    const text = `repeat('x', ${2 * MIB})`
    const columns = "list_id, membership_id, url, processor_type, configuration, secret, created_by_id"
    const ids = `(select ${list} || array_agg(10000000 + k)::bigint[] from generate_series(1, 250000) k)`
    await fill("settings", "user_id, key, value", `${eve.id}, 'large ' || n, ${text}`, MANY + 3)
    for (const place of [list, "null"])
      await fill(
        "webhooks",
        columns,
        `${place}, (select id from memberships where list_id = ${place}), 'https://example.com', 'generic', ${text}, 'x', ${eve.id}`,
        MANY + 3,
      )
    await fill("folders", "user_id, title, list_ids, created_by_id", `${eve.id}, 'x', ${ids}, ${eve.id}`, MANY + 3)
    const read = [settings, webhooks, folders].map((table) => vi.spyOn(table, "read"))
    for (const query of [
      "{ settings { key } }",
      "{ webhooks { id } }",
      `{ webhooks(listId: ${list}) { id } }`,
      "{ lists { webhooks { id } } }",
      "{ folders { id } }",
      "{ lists { folder { id } } }",
    ]) {
      expect([query, await eve.graphql(query)]).toMatchObject([query, { code: "TOO_LARGE" }])
      const rows = read.reduce((all, { mock }) => all + mock.calls.length, 0)
      expect([query, rows > 0, rows < MANY]).toEqual([query, true, true])
      for (const spy of read) spy.mockClear()
    }
    for (const spy of read) spy.mockRestore()
    await runSql(node.databaseUrl, "truncate settings, webhooks, folders")
  }, 90_000)

  it("counts a row as often as it is shown: 10 times is answered, 20 times is refused", async () => {
    const [{ id: note }] = (await notesOf(some)).body
    const named = (count: number) =>
      `query ($id: ID!) { note(id: $id) { ${Array.from({ length: count }, (_, n) => `a${n}: content`).join(" ")} } }`
    expect(Object.keys((await eve.graphql(named(10), { id: note })).data.note)).toHaveLength(10)
    for (const _ of ["interpreted", "compiled"])
      expect(await eve.graphql(named(20), { id: note })).toMatchObject({ code: "TOO_LARGE", data: null })
  })
})

describe("An operation over GraphQL", () => {
  it("is given 100,000 entries of lists; beyond them one error says so, the first time and when it is prepared alike", async () => {
    const list = await makeList(eve)
    const fill = (count: number) =>
      runSql(
        node.databaseUrl,
        `insert into tasks (list_id, title, created_by_id, updated_by_id)
         select ${list.id}, 'x', ${eve.id}, ${eve.id} from generate_series(1, ${count})`,
      )
    const query = "query ($id: ID!) { list(id: $id) { tasks { list { tasks { revision } } } } }"
    const ask = async () => {
      const { status, data, errors = [] } = await eve.graphql(query, { id: list.id })
      return [status, data === null, errors.map(({ extensions, message }) => `${extensions.code}: ${message}`)]
    }
    // Each task leads back to all of them.
    await fill(310)
    for (const _ of ["interpreted", "compiled"]) expect(await ask()).toEqual([200, false, []])
    await fill(10)
    const refused = [200, true, [expect.stringMatching(/^TOO_LARGE: .*at most 100000 entries of lists/)]]
    for (const _ of ["compiled", "again"]) expect(await ask()).toEqual(refused)
    const anew = query.replace("query", "query Anew")
    for (const _ of ["interpreted", "compiled"])
      expect(await eve.graphql(anew, { id: list.id })).toMatchObject({ status: 200, code: "TOO_LARGE", data: null })
  })
})

describe("Clients that do not read", () => {
  it("hold a bounded part of the memory, over HTTP: their user is told to read, others are served", async () => {
    const headers = Object.entries({ Host: "tandem", ...eve.headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    const request = `GET /api/v1/notes?task_id=${some.id} HTTP/1.1\r\n${headers.join("")}\r\n`
    const silent: net.Socket[] = []
    const until = async (isRefused: () => Promise<boolean>) => {
      for (let patience = 40; !(await isRefused()); patience--) {
        expect(patience).toBeGreaterThan(0)
        silent.push(await askOnly(request))
      }
    }
    let refused: any
    await until(async () => {
      refused = await notesOf(some)
      return refused.status === 429
    })
    expect(refused.body.error).toMatchObject({ type: "rate_limited", message: expect.stringContaining("Read those") })
    await until(async () => (await eve.graphql(NOTES, { id: some.id })).code === "RATE_LIMITED")
    // What is small is answered even then, and so is everybody else.
    expect((await eve.get("/user")).status).toBe(200)
    const bob = await makePerson(node, "Bob")
    expect((await bob.get("/user")).status).toBe(200)
    for (const socket of silent) socket.destroy()
    await eventually(async () => (await notesOf(some)).status === 200, 30_000)
  }, 90_000)

  it("hold no more over a WebSocket", async () => {
    const socket = new WebSocket(`${node.url.replace("http", "ws")}/graphql`, "graphql-transport-ws")
    await once(socket, "open")
    socket.send(JSON.stringify({ type: "connection_init", payload: eve.headers }))
    await once(socket, "message")
    socket.pause()
    const payload = { query: NOTES, variables: { id: some.id } }
    for (let id = 0; (await notesOf(some)).status !== 429; id++) {
      expect(id).toBeLessThan(40)
      socket.send(JSON.stringify({ id: `${id}`, type: "subscribe", payload }))
    }
    expect((await eve.get("/user")).status).toBe(200)
    socket.terminate()
    await eventually(async () => (await notesOf(some)).status === 200, 30_000)
  }, 90_000)
})

describe("The home page with a task opened", () => {
  it("shows the first of what is in it, goes on without what is too large, and counts what waits to be read", async () => {
    const kim = await makeMember(node, "Kim")
    const client = await clientOf(kim, node.url)
    const [inbox] = (await client.get("/lists")).body
    const { id: task } = (await client.post("/tasks", { list_id: inbox.id, title: "x" })).body
    const path = `/?list=${inbox.id}&task=${task}`
    const fill = (table: string, text: string, count: number) =>
      runSql(
        node.databaseUrl,
        `alter table ${table} disable trigger user;
         insert into ${table} (task_id, ${table === "notes" ? "content" : "text"}, created_by_id)
         select ${task}, ${text}, ${kim.id} from generate_series(1, ${count}) as n;
         alter table ${table} enable trigger user`,
      )
    await fill("task_comments", "'said ' || n", 120)
    await fill("notes", `repeat('"', 30000)`, 120)
    const { status, text } = await kim.browser.get(path)
    expect([status, text.match(/said \d+/g)?.length, text.match(/&quot;/g)?.length]).toEqual([200, 100, 2_000_000])

    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nCookie: tandem=${kim.browser.cookies.get("tandem")}\r\n\r\n`
    const silent: net.Socket[] = []
    for (let patience = 40; (await kim.browser.get(path)).status !== 429; patience--) {
      expect(patience).toBeGreaterThan(0)
      silent.push(await askOnly(request))
    }
    for (const socket of silent) socket.destroy()
    await eventually(async () => (await kim.browser.get(path)).status === 200, 30_000)

    await fill("notes", `repeat('x', ${2 * MIB})`, MANY)
    // One of those that have gone may have been about to be read.
    let shown = await kim.browser.get(path)
    for (let patience = 40; shown.status === 429 && patience > 0; patience--) {
      await quiet(250)
      shown = await kim.browser.get(path)
    }
    expect([shown.status, shown.text.includes("home-data"), shown.text.includes("said ")]).toEqual([200, true, false])
  }, 180_000)
})

describe("Streams of changes that are not read", () => {
  it("count what they hold until it has left, and send a slow reader everything piece by piece", async () => {
    const dan = await makePerson(node, "Dan")
    const task = await makeTask(dan, { id: dan.inboxId })
    const { cursor } = (await dan.get("/root")).body
    await runSql(
      node.databaseUrl,
      `insert into notes (task_id, content, created_by_id)
       select ${task.id}, repeat('x', ${MIB}), ${dan.id} from generate_series(1, 10)`,
    )
    const headers = Object.entries({ Host: "tandem", ...dan.headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    const request = `GET /api/v1/events?after=${cursor} HTTP/1.1\r\n${headers.join("")}\r\n`
    const silent: net.Socket[] = []
    const notes = () => dan.get(`/notes?task_id=${task.id}`)
    for (let patience = 40; (await notes()).status !== 429; patience--) {
      expect(patience).toBeGreaterThan(0)
      silent.push(await askOnly(request))
    }
    for (const socket of silent) socket.destroy()
    await eventually(async () => (await notes()).status === 200, 30_000)
    const slow = await askOnly(request)
    let received = 0
    for await (const chunk of slow) {
      received += chunk.length
      if (received > 10 * MIB) break
      await quiet(5)
    }
    expect(received).toBeGreaterThan(10 * MIB)
    slow.destroy()
  }, 90_000)
})

describe("Replays to a client that does not read", () => {
  const [SUBSCRIPTIONS, CHANGES, NOTE_BYTES] = [8, 30, 200_000]

  it("read a page of each subscription, bounded in bytes, and not all that is behind", async () => {
    const list = await makeList(eve)
    const { body: note } = await eve.post("/notes", { task_id: (await makeTask(eve, list)).id, content: "" })
    const { revision } = (await eve.get(`/lists/${list.id}`)).body
    // Each event has the note as it was and as it is.
    await runSql(
      node.databaseUrl,
      `do $$ begin for n in 1..${CHANGES} loop
         update notes set content = repeat(chr(64 + n), ${NOTE_BYTES}), updated_by_id = ${eve.id} where id = ${note.id};
       end loop; end $$`,
    )
    const way = await startProxy(node.databaseUrl)
    const other = await startNodeOn(way.url)
    const socket = new WebSocket(`${other.url.replace("http", "ws")}/graphql`, "graphql-transport-ws")
    await once(socket, "open")
    socket.send(JSON.stringify({ type: "connection_init", payload: eve.headers }))
    await once(socket, "message")
    socket.pause()
    const before = way.received()
    const query = `subscription { listUpdated(listId: ${list.id}, sinceRevision: ${revision}) { id before after } }`
    for (let id = 0; id < SUBSCRIPTIONS; id++)
      socket.send(JSON.stringify({ id: `${id}`, type: "subscribe", payload: { query } }))
    const read = () => way.received() - before
    await eventually(() => read() > 2 * NOTE_BYTES, 40_000)
    // What is not read waits in the kernel first, and then with the node; a node that does not wait reads it all meanwhile.
    const everything = SUBSCRIPTIONS * CHANGES * 2 * NOTE_BYTES
    for (let second = 0, was = 0; second < 20 && read() < everything / 4; second++) {
      if (second > 2 && read() - was < NOTE_BYTES / 2) break
      was = read()
      await quiet(1_000)
    }
    expect(read()).toBeLessThan(everything / 4)
    socket.terminate()
    await other.stop()
    await way.stop()
  })
})
