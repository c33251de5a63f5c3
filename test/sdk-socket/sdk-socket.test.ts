import { randomUUID } from "node:crypto"
import { createRequire } from "node:module"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { eventually, quiet } from "../live/listener.js"
import { addMember, makeList, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"

const Sdk = createRequire(import.meta.url)("wunderlist")

let node: TestNode
let ann: Person
beforeAll(async () => {
  node = await startNode()
  ann = await makePerson(node, "Ann", "wunderlist")
})
afterAll(() => node.stop())

type Line = {
  readonly socket: WebSocket
  /** What has come: answers and mutations. */
  readonly frames: any[]
  mutations(): any[]
  send(frame: object | string): void
  /** Sends a request and resolves with its answer, its body parsed. */
  request(verb: string, uri: string, body?: unknown, headers?: Record<string, string>): Promise<any>
  closed(withinMs?: number): Promise<number>
}

const addressOf = (url: string, { clientId, token }: Person["credentials"]) => {
  const twice = (value = "") => encodeURIComponent(encodeURIComponent(value))
  return `${url.replace("http", "ws")}/api/v1/sync?client_id=${twice(clientId)}&access_token=${twice(token)}`
}

let requests = 0
/** Opens a socket as the SDK does; resolves when it has answered that it is healthy, from when on nothing is missed. */
async function dial(person: Person, url = node.url): Promise<Line> {
  const socket = new WebSocket(addressOf(url, person.credentials))
  const frames: any[] = []
  let code: number | undefined
  socket.on("message", (data) => frames.push(JSON.parse(String(data)))).on("close", (closed) => (code = closed))
  await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject))
  const send = (frame: object | string) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame))
  send({ type: "health" })
  await eventually(() => frames.length > 0)
  frames.length = 0
  return {
    socket,
    frames,
    mutations: () => frames.filter(({ type }) => type === "mutation"),
    send,
    async request(verb, uri, body, headers = {}) {
      const id = headers["x-client-request-id"] ?? `request-${++requests}`
      const before = frames.length
      const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body)
      send({ type: "request", headers: { "x-client-request-id": id, ...headers }, verb, uri, body: text })
      const isAnswer = (frame: any) => frame.type === "request" && frame.headers["x-client-request-id"] === id
      await eventually(() => frames.slice(before).some(isAnswer))
      const { status, body: json } = frames.slice(before).find(isAnswer)
      return { status, body: json === "" ? undefined : JSON.parse(json) }
    },
    async closed(withinMs) {
      await eventually(() => code !== undefined, withinMs)
      return code as number
    },
  }
}

/** What the HTTP answer to a handshake is when it does not become a socket. */
const refusal = (url: string): Promise<{ status: number; body: any }> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    socket.on("open", () => reject(new Error("it became a socket"))).on("error", () => {})
    socket.on("unexpected-response", (_request, response) => {
      let text = ""
      response
        .on("data", (chunk: Buffer) => (text += chunk))
        .on("end", () => {
          resolve({ status: response.statusCode as number, body: JSON.parse(text) })
        })
    })
  })

describe("the handshake of /api/v1/sync", () => {
  it("takes credentials encoded once or twice", async () => {
    const { clientId = "", token = "" } = ann.credentials
    for (const encoded of [
      addressOf(node.url, ann.credentials),
      `${node.url.replace("http", "ws")}/api/v1/sync?client_id=${clientId}&access_token=${token}`,
    ]) {
      const socket = new WebSocket(encoded)
      await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject))
      socket.close()
    }
  })

  it("answers 401 in the contract's words without credentials, or with another client's token", async () => {
    const bob = await makePerson(node, "Bob")
    const mixed = { clientId: bob.credentials.clientId, token: ann.credentials.token } as Person["credentials"]
    for (const credentials of [{}, { ...ann.credentials, token: "%E0%A4%A" }, mixed])
      expect(await refusal(addressOf(node.url, credentials))).toMatchObject({
        status: 401,
        body: { unauthorized: true, error: { type: "unauthorized" } },
      })
  })
})

describe("frames of /api/v1/sync (§9 SDK socket)", () => {
  it("answers health", async () => {
    const line = await dial(ann)
    line.send({ type: "health", headers: { "X-Client-Request-Id": "h1" } })
    await eventually(() => line.frames.length > 0)
    expect(line.frames).toEqual([
      { type: "health", headers: { "x-client-request-id": "h1" }, status: 200, body: '{"healthy":true}' },
    ])
    line.socket.close()
  })

  it("answers a request as HTTP does, refusals too", async () => {
    const line = await dial(ann)
    const list = await makeList(ann)
    for (const [verb, uri, body] of [
      ["GET", `/api/v1/lists/${list.id}`],
      ["GET", "/api/v1/lists/999999999"],
      ["GET", "/api/v1/tasks"],
      ["GET", `/api/v1/tasks?list_id=${list.id}&list_id=1`],
      ["GET", "/api/v1/tasks/%E0%A4%A"],
      ["POST", "/api/v1/tasks", { list_id: list.id, title: " " }],
      ["POST", "/api/v1/tasks", "{"],
      ["POST", "/api/v1/tasks", { list_id: list.id, title: "x".repeat(1_048_576) }],
      ["PATCH", `/api/v1/lists/${list.id}`, { revision: 99, title: "x" }],
      ["PATCH", "/api/v1/tasks", {}],
      ["DELETE", `/api/v1/lists/${list.id}`],
      ["GET", "/api/health"],
      ["GET", "/api/v1/nothing"],
    ] as const) {
      const { status, body: expected } = await ann.request(verb, uri, body)
      expect([verb, uri, await line.request(verb, uri, body)]).toEqual([verb, uri, { status, body: expected }])
    }
    line.socket.close()
  })

  it.each([
    ["what is not below /api/", "GET", "/healthz", 404],
    ["another server", "GET", "http://example.org/api/v1/root", 404],
    ["a path that HTTP cannot carry", "GET", "/api/v1/root\r\nX-Client-ID: x", 400],
    ["another method", "TRACE", "/api/v1/root", 405],
  ])("refuses %s", async (_case, verb, uri, status) => {
    const line = await dial(ann)
    expect((await line.request(verb, uri)).status).toBe(status)
    line.socket.close()
  })

  it("asks as the handshake's user, whatever a frame's headers say", async () => {
    const bob = await makePerson(node, "Bob")
    const line = await dial(ann)
    const headers = {
      "x-client-id": bob.credentials.clientId ?? "",
      "X-Access-Token": bob.credentials.token ?? "",
      "transfer-encoding": "chunked",
      connection: "close",
    }
    expect((await line.request("GET", "/api/v1/user", undefined, headers)).body.id).toBe(ann.id)
    line.socket.close()
  })

  it("makes once what is asked twice under one request id, also when the other time is over HTTP", async () => {
    const line = await dial(ann)
    const id = randomUUID()
    const headers = { "x-client-request-id": id }
    const body = { list_id: ann.inboxId, title: "Once" }
    const first = await line.request("POST", "/api/v1/tasks", body, headers)
    expect(first).toMatchObject({ status: 201, body: { title: "Once", created_by_request_id: id } })
    expect((await line.request("POST", "/api/v1/tasks", body, headers)).body).toEqual(first.body)
    expect((await ann.post("/tasks", body, headers)).body).toEqual(first.body)
    line.socket.close()
  })

  it("answers a hundred at once, and refuses those beyond with 429", async () => {
    const line = await dial(ann)
    for (let n = 0; n < 130; n++)
      line.send({ type: "request", headers: { "x-client-request-id": `many-${n}` }, verb: "GET", uri: "/api/v1/lists" })
    await eventually(() => line.frames.length === 130)
    const statuses = line.frames.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(100)
    expect([...new Set(statuses)].filter((status) => status !== 200 && status !== 429)).toEqual([])
    line.socket.close()
  })

  it.each(["{", "[]", '"x"', '{"type":"nonsense"}', '{"type":"request","headers":[]}', '{"type":"request","verb":1}'])(
    "closes with 4400 after %s",
    async (text) => {
      const line = await dial(ann)
      line.send(text)
      expect(await line.closed()).toBe(4400)
    },
  )

  it("closes with 1009 after a frame over 4 MiB", async () => {
    const line = await dial(ann)
    line.socket.on("error", () => {})
    line.send(JSON.stringify({ type: "health", body: "x".repeat(4_194_304) }))
    expect(await line.closed()).toBe(1009)
  })
})

describe("mutations of /api/v1/sync (§9 SDK socket)", () => {
  it("reach the unmodified SDK when another user makes them", async () => {
    const { owner, member, list } = await makePeople(node)
    const { clientId: clientID, token: accessToken } = member.credentials
    const sdk = new Sdk({
      accessToken,
      clientID,
      checkHealth: false,
      api: { host: `${node.url}/api` },
      realtime: { host: `${node.url.replace("http", "ws")}/api/v1/sync` },
    })
    const events: any[] = []
    await new Promise<void>((resolve) => sdk.initialized.done(() => resolve()))
    sdk.on("event", (event: any) => events.push(event))
    await eventually(() => sdk.restSocket.connected)
    const task = await makeTask(owner, list, { title: "For Bob" })
    await eventually(() => events.length === 1)
    expect(events).toEqual([
      {
        type: "mutation",
        version: 1,
        operation: "create",
        subject: { type: "task", id: task.id, revision: 1, parents: [{ type: "list", id: list.id }] },
        data: task,
      },
    ])
    sdk.restSocket.close()
  })

  it("tell of every kind of change with its parents, nearest first", async () => {
    const line = await dial(ann)
    const list = await makeList(ann)
    const task = await makeTask(ann, list)
    const note = (await ann.post("/notes", { task_id: task.id, content: "x" })).body
    await ann.patch(`/notes/${note.id}`, { revision: 1, content: "y" })
    await ann.delete(`/notes/${note.id}?revision=2`)
    const reminder = (await ann.post("/reminders", { task_id: task.id, date: "2031-01-01T00:00:00Z" })).body
    await ann.patch(`/subtask_positions/${task.id}`, { revision: 1, values: [1] })
    await ann.post("/settings", { key: "k", value: "v" })
    await ann.delete(`/lists/${list.id}?revision=1`)
    await eventually(() => line.mutations().length === 9)
    const inList = [{ type: "list", id: list.id }]
    const inTask = [{ type: "task", id: task.id }, ...inList]
    expect(
      line.mutations().map(({ operation, subject, data }) => [operation, subject.type, subject.parents, data.type]),
    ).toEqual([
      ["create", "list", [], "list"],
      ["create", "task", inList, "task"],
      ["create", "note", inTask, "note"],
      ["update", "note", inTask, "note"],
      ["delete", "note", inTask, "note"],
      ["create", "reminder", [{ type: "task", id: task.id }], "reminder"],
      ["update", "subtask_position", inTask, "subtask_position"],
      ["create", "setting", [], "setting"],
      ["delete", "list", [], "list"],
    ])
    expect(line.mutations()[4].data).toMatchObject({ id: note.id, content: "y" })
    expect(line.mutations()[5].data).toEqual(reminder)
    line.socket.close()
  })

  it("tell strangers nothing, invitees of list and memberships, and the removed nothing more", async () => {
    const { owner, member, invitee, stranger, list } = await makePeople(node)
    const lines = await Promise.all([member, invitee, stranger].map((person) => dial(person)))
    const seen = () =>
      lines.map((line) => line.mutations().map(({ operation, subject }) => `${operation} ${subject.type}`))
    await makeTask(owner, list)
    await owner.patch(`/lists/${list.id}`, { revision: list.revision, title: "Food" })
    await eventually(() => seen()[0]?.length === 2)
    const { body: memberships } = await owner.get(`/memberships?list_id=${list.id}`)
    const { id, revision } = memberships.find(({ user_id }: any) => user_id === member.id)
    await owner.delete(`/memberships/${id}?revision=${revision}`)
    await makeTask(owner, list)
    await eventually(() => seen()[1]?.length === 2)
    await quiet()
    expect(seen()).toEqual([
      ["create task", "update list", "delete membership"],
      ["update list", "delete membership"],
      [],
    ])
    for (const { socket } of lines) socket.close()
  })

  it("show an invitee by the number that the invitation gave, whether or not anybody has the address, until the acceptance", async () => {
    const known = await makePerson(node, "Known", "wunderlist")
    const list = await makeList(ann)
    const line = await dial(ann)
    const invite = async (email: string) =>
      (await line.request("POST", "/api/v1/memberships", { list_id: list.id, email })).body
    const [ofKnown, ofUnknown] = [await invite(known.email), await invite(`${randomUUID()}@example.org`)]
    const told = () => line.mutations().map(({ operation, data }) => [operation, data.id, data.user_id])
    await known.patch(`/memberships/${ofKnown.id}`, { revision: 1, muted: true })
    await known.patch(`/memberships/${ofKnown.id}`, { revision: 2, state: "accepted" })
    await eventually(() => told().length === 4)
    expect(ofKnown.user_id).not.toBe(known.id)
    expect(told()).toEqual([
      ["create", ofKnown.id, ofKnown.user_id],
      ["create", ofUnknown.id, ofUnknown.user_id],
      ["update", ofKnown.id, ofKnown.user_id],
      ["update", ofKnown.id, known.id],
    ])
    line.socket.close()
  })

  it("come from other nodes, and to everybody who is let in", async () => {
    const other = await startNodeOn(node.databaseUrl)
    const bob = await makePerson(node, "Bob")
    const line = await dial(bob, other.url)
    const list = await makeList(ann)
    await addMember(node, list, bob)
    await makeTask(ann, list)
    const types = () => line.mutations().map(({ subject }) => subject.type)
    await eventually(() => types().includes("task"))
    expect(types().slice(-2)).toEqual(["membership", "task"])
    const stopped = other.stop()
    expect(await line.closed()).toBe(1001)
    await stopped
  })
})

describe("a token that ends", () => {
  it("closes its SDK sockets with 4403 within 1.5 s, and nothing comes any more", async () => {
    const bob = await makePerson(node, "Bob")
    const line = await dial(bob)
    await runSql(node.databaseUrl, `update access_tokens set revoked_at = now() where user_id = ${bob.id}`)
    expect(await line.closed(1_500)).toBe(4403)
    expect(await refusal(addressOf(node.url, bob.credentials))).toMatchObject({ status: 401 })
    await runSql(node.databaseUrl, `insert into settings (user_id, key, value) values (${bob.id}, 'k', 'v')`)
    await quiet()
    expect(line.frames).toEqual([])
  })
})

describe("a socket that is cut", () => {
  it("leaves nothing behind", async () => {
    await eventually(() => node.status().sdkSockets === 0)
    const { streams } = node.status()
    const lines = await Promise.all(Array.from({ length: 50 }, () => dial(ann)))
    expect(node.status().sdkSockets).toBe(50)
    for (const { socket } of lines) socket.terminate()
    await eventually(() => node.status().sdkSockets === 0)
    expect(node.status().streams).toBe(streams)
  })
})

describe("a request of a socket that could outlive it", () => {
  it("is refused with 400 where its answer is a stream, of which nothing is left then", async () => {
    const line = await dial(ann)
    for (const uri of ["/api/v1/events", "/api/v1/events/", `/api/v1/events?list_id=${ann.inboxId}`])
      expect([uri, await line.request("GET", uri)]).toMatchObject([
        uri,
        { status: 400, body: { error: { type: "bad_request" } } },
      ])
    await eventually(() => node.status().eventStreams === 0)
    line.socket.close()
  })

  it("ends with it where it reads, and writes what it was to write", async () => {
    const line = await dial(ann)
    const list = await makeList(ann)
    const lock = new pg.Client({ connectionString: node.databaseUrl })
    await lock.connect()
    await lock.query("begin; lock table lists in access exclusive mode")
    const body = JSON.stringify({ list_id: list.id, title: "Sent by a client that left" })
    line.send({ type: "request", headers: {}, verb: "POST", uri: "/api/v1/tasks", body })
    line.send({ type: "request", headers: {}, verb: "GET", uri: "/api/v1/lists" })
    const isWaiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await eventually(async () => (await lock.query(isWaiting)).rows.length > 0)
    line.send({ type: "health" })
    await eventually(() => line.frames.length > 0)
    const before = node.status().sdkSockets
    line.socket.terminate()
    await eventually(() => node.status().sdkSockets < before)
    await lock.query("commit")
    await lock.end()
    await eventually(async () => (await ann.get(`/tasks?list_id=${list.id}`)).body.length === 1)
    const left = 'method="GET",route="/api/v1/lists",status="499"'
    await eventually(async () => (await (await fetch(`${node.url}/metrics`)).text()).includes(left))
  })
})

describe("a node that stops", () => {
  it("answers what a socket has in flight, then closes it with 1001", async () => {
    const other = await startNodeOn(node.databaseUrl)
    const line = await dial(ann, other.url)
    const answer = line.request("POST", "/api/v1/lists", { title: "Last" })
    await quiet(0)
    const stopped = other.stop()
    expect((await answer).status).toBe(201)
    expect(await line.closed()).toBe(1001)
    await stopped
  })
})
