import { once } from "node:events"
import type { Server } from "node:http"
import net, { type AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import express from "express"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Problem } from "../../src/errors.js"
import { createExpressServer } from "../../src/transports/http/express-server.js"
import { readJson } from "../../src/transports/http/json-body.js"
import { allowSlowBody } from "../../src/transports/http/slow-body.js"

/** Longer than a busy machine stands still. */
const TIMEOUT_MS = 1_500
const MIB = 1024 ** 2

const servers: Server[] = []
let port: number
/** Of a server that waits as long as a node does. */
let patient: number
const opened: net.Socket[] = []

beforeAll(async () => {
  const app = express()
  app.post("/json/:user", async (request, response) => {
    const { user } = request.params
    await readJson(request, user === "nobody" ? undefined : user).then(
      () => response.end("read"),
      (error: Problem) => response.status(error.kind.status).end(error.message),
    )
  })
  app.put("/slow", async (request, response) => {
    const end = allowSlowBody(request, () => response.status(408).end("too slow"), TIMEOUT_MS)
    let length = 0
    for await (const piece of request) length += piece.length
    end()
    response.end(String(length))
  })
  app.post("/refused", (_request, response) => void response.status(401).end("nobody"))
  app.get("/streamed", async (_request, response) => {
    response.writeHead(200, { "Content-Length": 10 }).write("hello")
    await sleep(200)
    response.end("world")
  })
  for (const server of [createExpressServer(app, TIMEOUT_MS), createExpressServer(app)]) {
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    servers.push(server)
  }
  ;[port, patient] = servers.map((one) => (one.address() as AddressInfo).port) as [number, number]
})
afterAll(() => {
  for (const socket of opened) socket.destroy()
  for (const server of servers) server.close()
})

/** A client that speaks HTTP by hand; `said` is what it has heard until the server closes. */
const speak = (...text: string[]) => speakTo(port, ...text)

function speakTo(to: number, ...text: (string | Buffer)[]) {
  const socket = net.connect(to, "127.0.0.1")
  opened.push(socket)
  let heard = ""
  socket.on("data", (piece) => {
    heard += piece
  })
  socket.on("error", () => {})
  for (const piece of text) socket.write(piece)
  return { socket, said: once(socket, "close").then(() => heard), heard: () => heard }
}
const head = (line: string, length: number) => `${line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n` // biome-ignore format: one line

/** Says something again and again, so that silence is not what ends it. */
function trickle(socket: net.Socket, text: string, everyMs = 50) {
  const timer = setInterval(() => (socket.writable ? socket.write(text) : clearInterval(timer)), everyMs)
  socket.once("close", () => clearInterval(timer))
}

describe("headers and body of a request", () => {
  it("have 30 seconds to arrive", () => {
    const { requestTimeout, headersTimeout } = createExpressServer(express())
    expect([requestTimeout, headersTimeout]).toEqual([30_000, 30_000])
  })

  it("are cut with 408 when they trickle, from any sender, and so are connections that say nothing", async () => {
    const [ofUser, ofNobody, headers, silent] = [
      speak(head("POST /json/7", 1_000)),
      speak(head("POST /json/nobody", 1_000)),
      speak("POST /json/7 HTTP/1.1\r\nHost: x\r\n"),
      speak(),
    ]
    for (const { socket } of [ofUser, ofNobody]) trickle(socket, " ")
    trickle(headers.socket, "X-More: y\r\n")
    for (const { said } of [ofUser, ofNobody, headers, silent]) expect(await said).toMatch(/^HTTP\/1\.1 408 /)
  })

  it("end the connection of a client that goes on sending, answered or not, and never ends it itself", async () => {
    const sockets = ["POST /refused", "POST /json/7"].map((line) => {
      const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true })
      opened.push(socket)
      socket.on("error", () => {}).resume()
      socket.write(head(line, 100_000))
      trickle(socket, " ")
      return socket
    })
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve))))
    expect(sockets.every(({ destroyed }) => destroyed)).toBe(true)
  })

  it("leave an answer that has begun whole, whatever comes behind the request", async () => {
    const { socket, said, heard } = speak("GET /streamed HTTP/1.1\r\nHost: x\r\n\r\n")
    await expect.poll(heard, { interval: 5 }).toMatch(/hello$/)
    socket.write("no HTTP at all\r\n\r\n")
    const [, body = ""] = (await said).split("\r\n\r\n")
    expect("helloworld".startsWith(body)).toBe(true)
  })
})

describe("a body that may be slow", () => {
  it("takes as long as it likes while 1 KiB/s comes, and is cut when less does", async () => {
    const [fast, slow, burst] = [
      speak(head("PUT /slow", 60 * 200)),
      speak(head("PUT /slow", 1_000)),
      speakTo(port, head("PUT /slow", 200_000), Buffer.alloc(150_000)),
    ]
    trickle(fast.socket, "x".repeat(200), 75) // 2.7 KB/s for 4.5 s
    trickle(slow.socket, "x")
    await expect.poll(fast.heard, { timeout: 30_000 }).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\n12000/)
    await expect.poll(slow.heard, { timeout: 30_000 }).toMatch(/^HTTP\/1\.1 408 /)
    // What came at once before does not count for the time after.
    await expect.poll(burst.heard, { timeout: 30_000 }).toMatch(/^HTTP\/1\.1 408 /)
  })
})

describe("bodies that are not complete", () => {
  const piece = Buffer.alloc(MIB - 1, 32)
  const answered = (clients: ReturnType<typeof speak>[], status: number) =>
    clients.filter(({ heard }) => heard().startsWith(`HTTP/1.1 ${status} `)).length

  it("hold at most 32 MiB of memory for one user, and then the next are refused", async () => {
    const all = Array.from({ length: 40 }, () => speakTo(patient, head("POST /json/7", MIB), piece))
    await expect.poll(() => answered(all, 429), { timeout: 30_000 }).toBeGreaterThanOrEqual(8)
    expect(answered(all, 429)).toBeLessThan(12)
    for (const { socket } of all) socket.destroy()
    // What was given back is there for the same user.
    await expect
      .poll(
        async () =>
          (
            await fetch(`http://127.0.0.1:${patient}/json/7`, {
              method: "POST",
              headers: { "Content-Type": "application/json" },
              body: "{}",
            })
          ).status,
        { timeout: 30_000 },
      )
      .toBe(200)
  })

  it("are not read of nobody beyond 64 KiB", async () => {
    const before = process.memoryUsage().arrayBuffers
    const all = Array.from({ length: 60 }, () => speakTo(patient, head("POST /json/nobody", MIB), piece))
    await expect.poll(() => answered(all, 413), { timeout: 30_000 }).toBe(60)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30 * MIB)
  })
})
