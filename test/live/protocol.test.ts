import { once } from "node:events"
import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import type { App } from "../../src/app.js"
import { untilLocked } from "../support/locks.js"
import { makeList, makePerson, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { eventually, listen } from "./listener.js"

let node: TestNode
let ann: Person
beforeAll(async () => {
  node = await startNode()
  ann = await makePerson(node)
})
afterAll(() => node.stop())

/** A socket without a client's help: messages go out and come in as they are. */
async function rawSocket(protocols: string[] = ["graphql-transport-ws"]) {
  const socket = new WebSocket(`${node.url.replace(/^http/, "ws")}/graphql`, protocols)
  const messages: any[] = []
  socket.on("message", (data) => messages.push(JSON.parse(String(data))))
  const closed = once(socket, "close").then(([code, reason]) => ({ code, reason: String(reason) }))
  await once(socket, "open")
  return {
    socket,
    messages,
    closed,
    send: (message: unknown) => socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    async acknowledged() {
      socket.send(JSON.stringify({ type: "connection_init", payload: ann.headers }))
      await eventually(() => messages.some(({ type }) => type === "connection_ack"))
    },
  }
}
const subscribe = (id: string, query: string) => ({ id, type: "subscribe", payload: { query } })

describe("the protocol graphql-transport-ws at /graphql", () => {
  it.each([
    ["without a payload", undefined],
    ["without a token", () => ({ "X-Client-ID": ann.credentials.clientId })],
    ["with an unknown token", () => ({ ...ann.headers, "X-Access-Token": "nobody" })],
    ["with a token that is no string", () => ({ ...ann.headers, "X-Access-Token": { $ne: 1 } })],
    [
      "with another application's client ID",
      async () => ({ ...ann.headers, "X-Client-ID": (await makePerson(node)).credentials.clientId }),
    ],
  ])("closes with 4403 after connection_init %s", async (_case, payload) => {
    const { send, closed } = await rawSocket()
    send({ type: "connection_init", payload: await payload?.() })
    expect(await closed).toEqual({ code: 4403, reason: "Forbidden" })
  })

  it("takes the credentials in any letter case", async () => {
    const { send, messages, socket } = await rawSocket()
    send({
      type: "connection_init",
      payload: Object.fromEntries(Object.entries(ann.headers).map(([name, value]) => [name.toLowerCase(), value])),
    })
    await eventually(() => messages.length === 1)
    expect(messages).toEqual([{ type: "connection_ack" }])
    socket.close()
  })

  it("closes with 4401 when something is asked before connection_init, and answers nothing", async () => {
    const { send, closed, messages } = await rawSocket()
    send(subscribe("1", "{ lists { id } }"))
    expect(await closed).toEqual({ code: 4401, reason: "Unauthorized" })
    expect(messages).toEqual([])
  })

  it("closes with 4408 when connection_init does not come", async () => {
    const { closed } = await rawSocket()
    expect(await closed).toMatchObject({ code: 4408 })
  })

  it("closes with 4409 when an id is used twice at once", async () => {
    const { send, closed, acknowledged } = await rawSocket()
    await acknowledged()
    send(subscribe("same", "subscription { accountUpdated { id } }"))
    send(subscribe("same", "subscription { accountUpdated { id } }"))
    expect(await closed).toEqual({ code: 4409, reason: "Subscriber for same already exists" })
  })

  it("closes with 4429 after a second connection_init", async () => {
    const { send, closed, acknowledged } = await rawSocket()
    await acknowledged()
    send({ type: "connection_init", payload: ann.headers })
    expect(await closed).toMatchObject({ code: 4429 })
  })

  it.each([
    "{",
    "[]",
    '{"type":"nonsense"}',
    '{"type":"subscribe","id":"1"}',
    '{"type":"subscribe","id":"","payload":{"query":"{a}"}}',
  ])("closes with 4400 after the message %s", async (message) => {
    const { send, closed, acknowledged } = await rawSocket()
    await acknowledged()
    send(message)
    expect(await closed).toMatchObject({ code: 4400 })
  })

  it("closes with 4406 when the client names no protocol", async () => {
    const { closed } = await rawSocket([])
    expect(await closed).toMatchObject({ code: 4406 })
  })

  it("closes with 1009 after a message over 1 MiB", async () => {
    const { send, closed, acknowledged } = await rawSocket()
    await acknowledged()
    send(subscribe("1", `query { lists { id } } # ${"x".repeat(1_048_576)}`))
    expect(await closed).toMatchObject({ code: 1009 })
  })

  it("answers ping", async () => {
    const { send, messages, socket } = await rawSocket()
    send({ type: "ping", payload: { n: 1 } })
    await eventually(() => messages.length === 1)
    expect(messages).toEqual([{ type: "pong", payload: { n: 1 } }])
    socket.close()
  })

  it("refuses the operation past the 100th of a socket, and keeps the others", async () => {
    const { send, messages, acknowledged, socket } = await rawSocket()
    await acknowledged()
    for (let id = 1; id <= 101; id++) send(subscribe(String(id), "subscription { accountUpdated { id } }"))
    await eventually(() => messages.some(({ type }) => type === "error"))
    expect(messages.filter(({ type }) => type !== "connection_ack")).toEqual([
      {
        id: "101",
        type: "error",
        payload: [expect.objectContaining({ extensions: expect.objectContaining({ code: "RATE_LIMITED" }) })],
      },
    ])
    expect(socket.readyState).toBe(WebSocket.OPEN)
    socket.close()
  })

  it("answers 404 to an upgrade elsewhere", async () => {
    const socket = connect(Number(new URL(node.url).port), "127.0.0.1")
    socket.write("GET /elsewhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    const [answer] = await once(socket, "data")
    expect(String(answer)).toMatch(/^HTTP\/1\.1 404 /)
  })
})

describe("queries and mutations over WebSocket", () => {
  it("answers them as over HTTP", async () => {
    const list = await makeList(ann)
    const listener = listen(ann)
    const query = "query ($id: ID!) { list(id: $id) { id title members { id } } }"
    expect(await listener.run(query, { id: list.id })).toEqual({
      data: (await ann.graphql(query, { id: list.id })).data,
    })
    const made = await listener.run(
      "mutation ($input: CreateTaskInput!) { createTask(input: $input) { id title createdById } }",
      {
        input: { listId: list.id, title: "Over the wire" },
      },
    )
    expect(made).toEqual({
      data: { createTask: { id: expect.any(String), title: "Over the wire", createdById: String(ann.id) } },
    })
    expect((await ann.get(`/tasks/${made.data.createTask.id}`)).body.title).toBe("Over the wire")
    await listener.close()
  })

  const deep = `{ lists ${"{ tasks { list ".repeat(8)}{ id }${" } }".repeat(8)} }`
  const wide = `{ ${Array.from({ length: 51 }, (_, n) => `a${n}: lists { id }`).join(" ")} }`
  it.each([
    ["too deep", deep, undefined],
    ["with too many aliases", wide, undefined],
    ["with too many tokens", `{ lists { ${"id ".repeat(4_001)} } }`, undefined],
    ["that is no document", "{", undefined],
    ["with an unknown field", "{ nothing }", undefined],
    ["with a variable missing", "query ($id: ID!) { list(id: $id) { id } }", {}],
    ["of something that is not there", "query ($id: ID!) { list(id: $id) { id } }", { id: "999999999" }],
    [
      "with a blank title",
      "mutation ($input: CreateListInput!) { createList(input: $input) { id } }",
      { input: { title: " " } },
    ],
  ])("refuses a document %s with HTTP's errors", async (_case, query, variables) => {
    const listener = listen(ann)
    const { errors } = await listener.run(query, variables).catch((errors) => ({ errors }))
    expect(errors[0].extensions.code).toEqual(expect.any(String))
    expect(errors).toEqual((await ann.graphql(query, variables)).errors)
    await listener.close()
  })
})

describe("a node that stops", () => {
  it("closes its sockets with 1001 and answers what is in flight first", async () => {
    const other: App = await startNodeOn(node.databaseUrl)
    const listener = listen(ann, other.url)
    const listening = listener.accountUpdated()
    await listener.run("{ viewer { id } }")
    const list = await makeList(ann, "Slow")
    const hold = await holdRow(list.id)
    const answer = listener.run(
      'mutation ($id: ID!) { updateList(id: $id, input: { revision: 1, title: "Done" }) { title } }',
      {
        id: list.id,
      },
    )
    await untilLocked(node)
    const stopped = other.stop()
    await new Promise((resolve) => setTimeout(resolve, 100))
    await hold.release()
    expect(await answer).toEqual({ data: { updateList: { title: "Done" } } })
    expect(await listener.closed()).toBe(1001)
    await stopped
    expect(listening.state()).not.toBe("complete")
  })
})

/** Locks a list's row until it is released. */
async function holdRow(listId: number): Promise<{ release(): Promise<void> }> {
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let isHeld = false
  const done = node.database.transaction(async (runner) => {
    await runner.run(
      { name: "hold_list", text: "select id from lists where id = $1::bigint for update", read: () => 1 },
      [listId],
    )
    isHeld = true
    await released
  })
  await eventually(() => isHeld)
  return {
    release() {
      release()
      return done
    },
  }
}

describe("a null where an argument has a default, over a socket", () => {
  const NULLS = { c: null, n: null }

  it.each([
    ["query NAME($id: ID!, $c: Boolean) { list(id: $id) { tasks(completed: $c) { title } } }", "completed"],
    ["query NAME($id: ID!, $c: Boolean = true) { list(id: $id) { tasks(completed: $c) { title } } }", "completed"],
    ["query NAME($id: ID!, $n: Int) { list(id: $id) { taskConnection(first: $n) { nodes { title } } } }", "first"],
    ["query NAME($id: ID!, $n: Int = 5) { list(id: $id) { taskConnection(first: $n) { nodes { title } } } }", "first"],
    ["query NAME($id: ID!, $n: Int) { history(listId: $id, first: $n) { hasMore } }", "first"],
  ])("is refused by the argument's name each time, and left out it is the default: %s", async (text, argument) => {
    const listener = listen(ann)
    const run = (name: string, variables: object) =>
      listener.run(text.replace("NAME", name), { id: ann.inboxId, ...variables })
    // A text that nobody has sent before, then the same prepared, then compiled.
    for (const _ of ["interpreted", "prepared", "compiled"]) {
      const { data, errors } = await run("First", NULLS)
      expect([data, errors.map(({ extensions }: any) => [extensions.code, extensions.fields])]).toEqual([
        undefined,
        [["MISSING_PARAMETER", { [argument]: ["required"] }]],
      ])
      // The other transport refuses it alike.
      const overHttp = await ann.graphql(text.replace("NAME", "First"), { id: ann.inboxId, ...NULLS })
      expect([overHttp.data, overHttp.code]).toEqual([undefined, "MISSING_PARAMETER"])
      expect((await run("Left", {})).errors).toBeUndefined()
    }
    await listener.close()
  })
})
