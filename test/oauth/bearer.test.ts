import { beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { makePerson, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

// RFC 6750: `Authorization: Bearer` in place of the two headers, wherever these are sent.

let node: TestNode
let ann: Person
let bob: Person

beforeAll(async () => {
  node = await sharedNode()
  ann = await makePerson(node)
  bob = await makePerson(node, "Bob")
})

type Headers = Record<string, string>
const bearerOf = ({ credentials }: Person): Headers => ({ Authorization: `Bearer ${credentials.token}` })

const REST = (headers: Headers) => fetch(`${node.url}/api/v1/user`, { headers })
const GRAPHQL = (headers: Headers) =>
  fetch(`${node.url}/graphql`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: '{"query":"{ viewer { id } }"}',
  })
const EVENTS = (headers: Headers) => GRAPHQL({ ...headers, Accept: "text/event-stream" })
const GET = (headers: Headers) => fetch(`${node.url}/graphql?query={viewer{id}}`, { headers })
const FOLLOWED = async (headers: Headers) => {
  const leaving = new AbortController()
  const reply = await fetch(`${node.url}/api/v1/events`, { headers, signal: leaving.signal })
  leaving.abort()
  return reply
}

describe.each([
  ["REST", REST],
  ["GraphQL", GRAPHQL],
  ["GraphQL by GET", GET],
  ["GraphQL over server-sent events", EVENTS],
  ["changes over server-sent events", FOLLOWED],
])("a bearer token over %s", (_, ask) => {
  it("needs no client ID, and agrees with what is sent beside it", async () => {
    expect((await ask(bearerOf(ann))).status).toBe(200)
    expect((await ask({ Authorization: `bearer  ${ann.credentials.token}` })).status).toBe(200)
    expect((await ask({ ...ann.headers, ...bearerOf(ann) } as Headers)).status).toBe(200)
    expect((await ask({ ...bearerOf(ann), "X-Client-ID": String(ann.credentials.clientId) })).status).toBe(200)
  })

  it("is refused when it contradicts what is sent beside it, and says so", async () => {
    const two = await ask({ ...ann.headers, ...bearerOf(bob) } as Headers)
    expect(two.status).toBe(400)
    const client = await ask({ ...bearerOf(ann), "X-Client-ID": String(bob.credentials.clientId) })
    expect(client.status).toBe(401)
    if (ask !== FOLLOWED) {
      expect(await two.text()).toContain("two different tokens")
      expect(await client.text()).toContain("another client")
    }
  })

  it("is refused when it is none, with a challenge", async () => {
    for (const Authorization of [
      "Bearer",
      "Bearer ",
      "Bearer x",
      `Bearer ${ann.credentials.token}x`,
      `Bearer ${ann.credentials.token} x`,
    ]) {
      const reply = await ask({ Authorization })
      expect([Authorization, reply.status]).toEqual([Authorization, 401])
      expect(reply.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_token", resource_metadata="http/)
    }
    expect((await ask({ Authorization: `Basic ${ann.credentials.token}` })).headers.get("www-authenticate")).toMatch(
      /^Bearer resource_metadata=/,
    )
  })
})

/** What a WebSocket says first, or with which code or status it ends. */
const first = (path: string, protocol: string[], headers: Headers, init?: object): Promise<unknown> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`${node.url.replace("http", "ws")}${path}`, protocol, { headers })
    const done = (what: unknown) => {
      resolve(what)
      socket.terminate()
    }
    socket
      .on("open", () => (init ? socket.send(JSON.stringify({ type: "connection_init", payload: init })) : done("open")))
      .on("message", (data) => done(JSON.parse(String(data)).type))
      .on("close", (code, reason) => done([code, String(reason)]))
      .on("unexpected-response", (_request, { statusCode }) => done(statusCode))
      .on("error", () => undefined)
  })

describe("a bearer token over sockets", () => {
  it("stands in connection_init", async () => {
    const connect = (init: object) => first("/graphql", ["graphql-transport-ws"], {}, init)
    expect(await connect(bearerOf(ann))).toBe("connection_ack")
    expect(await connect({ authorization: bearerOf(ann).Authorization })).toBe("connection_ack")
    expect(await connect({ Authorization: "Bearer x" })).toEqual([4403, "Forbidden"])
    const two = { ...bearerOf(ann), "X-Access-Token": bob.credentials.token }
    expect(await connect(two)).toEqual([4403, expect.stringContaining("two different tokens")])
  })

  it("stands in the handshake of the SDK's socket", async () => {
    expect(await first("/api/v1/sync", [], bearerOf(ann))).toBe("open")
    expect(await first("/api/v1/sync", [], { Authorization: "Bearer x" })).toBe(401)
    expect(await first(`/api/v1/sync?access_token=${bob.credentials.token}`, [], bearerOf(ann))).toBe(400)
  })
})
