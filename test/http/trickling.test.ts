import { once } from "node:events"
import net from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makePerson, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"

const CONNECTIONS = 1_500
const EVERY_MS = 2_000

let node: TestNode
let ann: Person
beforeAll(async () => {
  node = await startNode()
  ann = await makePerson(node)
})
afterAll(() => node.stop())

/** Sends a body character by character for as long as it may; resolves with what it has heard when the server has closed. */
async function trickle(): Promise<string> {
  const { hostname, port } = new URL(node.url)
  const socket = net.connect(Number(port), hostname)
  let heard = ""
  socket
    .on("error", () => {})
    .on("data", (piece) => {
      heard += piece
    })
  const headers = Object.entries({ Host: "tandem", ...ann.headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(
    `POST /api/v1/tasks HTTP/1.1\r\n${headers.join("")}Content-Type: application/json\r\nContent-Length: 10000\r\n\r\n{`,
  )
  const timer = setInterval(() => socket.writable && socket.write(" "), EVERY_MS)
  await once(socket, "close")
  clearInterval(timer)
  return heard
}

describe("1,500 bodies of one user that trickle", () => {
  it("are all refused with 408 and their connections closed, while others are answered", async () => {
    let closed = 0
    const all = Array.from({ length: CONNECTIONS }, () => trickle().finally(() => closed++))
    const bob = await makePerson(node, "Bob")
    expect((await bob.get("/user")).status).toBe(200)
    expect(closed).toBeLessThan(CONNECTIONS)
    const heard = await Promise.all(all)
    expect(heard.filter((text) => text.startsWith("HTTP/1.1 408 "))).toHaveLength(CONNECTIONS)
    expect((await ann.get("/user")).status).toBe(200)
  }, 150_000)
})
