import { once } from "node:events"
import net from "node:net"
import { beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../live/listener.js"
import { makePerson, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

let node: TestNode
let ann: Person
beforeAll(async () => {
  node = await sharedNode()
  ann = await makePerson(node, "Ann")
})

/** As curl asks with `--http2`. */
const H2C = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA"]

async function connect() {
  const { hostname, port } = new URL(node.url)
  const socket = net.connect(Number(port), hostname)
  let heard = ""
  socket.setEncoding("utf8").on("data", (text) => (heard += text))
  await once(socket, "connect")
  const { clientId, token } = ann.credentials
  return {
    socket,
    heard: () => heard,
    send: (line: string, headers: string[], body = "") =>
      socket.write(
        [
          ...[`${line} HTTP/1.1`, "Host: tandem", `X-Client-ID: ${clientId}`, `X-Access-Token: ${token}`],
          ...[...headers, "", body],
        ].join("\r\n"),
      ),
  }
}

describe("a request that asks for another protocol than WebSocket", () => {
  it.each([
    ["GET /api/v1/user", 200],
    ["GET /api/health", 200],
    ["GET /healthz", 200],
    ["GET /api/v1/nothing", 404],
    ["GET /graphql?query=%7Bviewer%7Bid%7D%7D", 200],
    ["OPTIONS /api/v1/user", 204],
  ])("%s is answered as without: %i", async (line, status) => {
    const { send, heard, socket } = await connect()
    send(line, [...H2C, "X-Request-Id: mine", "Accept: application/json", "Apollo-Require-Preflight: 1"])
    await eventually(() => /\r\n\r\n/.test(heard()))
    expect(heard()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(heard()).toContain("X-Request-Id: mine")
    socket.destroy()
  })

  it("has its body read, that which came with its head and that which came after", async () => {
    const { send, heard, socket } = await connect()
    const body = JSON.stringify({ title: "Groceries, žluťoučký", more: "x".repeat(200_000) })
    const headers = ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]
    send("POST /api/v1/lists", [...H2C, ...headers], body.slice(0, 10))
    await new Promise((resolve) => setTimeout(resolve, 50))
    socket.write(body.slice(10))
    await eventually(() => heard().includes("žluťoučký"))
    expect(heard()).toMatch(/^HTTP\/1.1 201 /)
    socket.destroy()
  })

  it("keeps its connection for as many more as its client likes, or ends it where it says so", async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on("warning", note)
    const { send, heard, socket } = await connect()
    for (let count = 1; count <= 15; count++) {
      send("GET /healthz", count % 3 === 0 ? [] : H2C)
      await eventually(() => heard().split("HTTP/1.1 200 ").length === count + 1)
    }
    send("GET /healthz", ["Connection: Upgrade, close", "Upgrade: h2c"])
    await once(socket, "close")
    expect(heard().split("HTTP/1.1 200 ")).toHaveLength(17)
    process.off("warning", note)
    expect(warnings).toEqual([])
  })
})

describe("what is refused before it is a request", () => {
  it.each([
    ["a WebSocket elsewhere", ["Connection: Upgrade", "Upgrade: websocket"], 404, "not_found"],
    ["an expectation that nobody knows", ["Expect: foo"], 417, "bad_request"],
  ])("is refused as all is, with a body and an id: %s", async (_case, headers, status, type) => {
    const { send, heard, socket } = await connect()
    send("GET /api/v1/user", [...headers, "X-Request-Id: mine"])
    await eventually(() => heard().includes("\r\n\r\n{"))
    expect(heard()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(heard()).toContain("X-Request-Id: mine")
    const [, body] = heard().split("\r\n\r\n")
    expect(JSON.parse(body as string)).toMatchObject({ error: { type } })
    socket.destroy()
  })
})
