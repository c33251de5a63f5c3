import { once } from "node:events"
import http from "node:http"
import net, { type AddressInfo } from "node:net"
import { afterEach, describe, expect, it, vi } from "vitest"
import { WebSocket, WebSocketServer } from "ws"
import { type DrainOptions, drainable } from "../../src/transports/http/drain.js"

const cleanUp: (() => void)[] = []
afterEach(() => {
  for (const undo of cleanUp.splice(0)) undo()
})

/** A server whose `/slow` answers when `release` is called, and whose sockets say back what they hear. */
async function serve(options: DrainOptions = {}) {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const server = http.createServer(async (request, response) => {
    if (request.url === "/begun") response.writeHead(200).write("begun ")
    if (request.url !== "/") await released
    response.end("whole")
  })
  server.keepAliveTimeout = 600_000 // what is closed before is closed by the drain
  const sockets = new WebSocketServer({ noServer: true })
  server.on("upgrade", (request, socket, head) => sockets.handleUpgrade(request, socket, head, () => {}))
  const closeSockets = vi.fn(() => {
    for (const socket of sockets.clients) socket.close(1001)
  })
  const connections: net.Socket[] = []
  server.on("connection", (socket) => connections.push(socket))
  const drain = drainable(server, { closeSockets, ...options })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  cleanUp.push(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  /** Resolves when something of the first client has arrived. */
  const heard = () => vi.waitFor(() => expect(connections[0]?.bytesRead).toBeGreaterThan(0), 20_000)
  return { drain, release, heard, closeSockets, port, url: `http://127.0.0.1:${port}` }
}

/** A connection of a client that speaks HTTP by hand. */
async function connect(port: number) {
  const socket = net.connect(port, "127.0.0.1")
  cleanUp.push(() => socket.destroy())
  let text = ""
  socket.setEncoding("utf8").on("data", (chunk) => {
    text += chunk
  })
  socket.on("error", () => {})
  const closed = once(socket, "close")
  await once(socket, "connect")
  return {
    write: (lines: string[]) => socket.write(lines.join("\r\n")),
    heard: (part: string) => vi.waitFor(() => expect(text).toContain(part), 20_000),
    text: () => text,
    closed,
  }
}

const get = (path: string) => [`GET ${path} HTTP/1.1`, "Host: tandem", "", ""]
const UPGRADE = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]
const openSocket = [...UPGRADE, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""]

describe("drainable", () => {
  it("finishes an answer in flight, tells its client to close, and takes no connection after the grace", async () => {
    const { heard, drain, release, port } = await serve({ graceMs: 100 })
    const client = await connect(port)
    client.write(get("/slow"))
    await heard()
    const stopped = drain.stop()
    expect(drain.isDraining()).toBe(true)
    await vi.waitFor(() => expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow(), 20_000)
    release()
    await client.closed
    await stopped
    expect(client.text()).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*Connection: close\r\n[\s\S]*whole$/)
  })

  it("answers connections that come within the grace, and closes them", async () => {
    const { drain, port } = await serve({ graceMs: 500 })
    const stopped = drain.stop()
    const [asking, upgrading, silent] = [await connect(port), await connect(port), await connect(port)]
    asking.write(get("/"))
    upgrading.write(["GET / HTTP/1.1", "Host: tandem", ...openSocket])
    await Promise.all([asking.closed, upgrading.closed])
    expect(asking.text()).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*Connection: close\r\n[\s\S]*whole$/)
    expect(upgrading.text()).toMatch(/^HTTP\/1.1 503 /)
    await Promise.all([stopped, silent.closed])
  })

  it("finishes an answer that had promised to keep the connection, then closes it at once", async () => {
    const onCut = vi.fn()
    const { drain, release, port } = await serve({ onCut })
    const client = await connect(port)
    client.write(get("/begun"))
    await client.heard("begun ")
    const stopped = drain.stop()
    release()
    await client.closed
    await stopped
    expect(client.text()).toContain("whole")
    expect(onCut).not.toHaveBeenCalled()
  })

  it("closes idle connections: those kept alive and those that never said anything", async () => {
    const { drain, port } = await serve()
    const [kept, silent] = [await connect(port), await connect(port)]
    kept.write(get("/"))
    await kept.heard("whole")
    expect(kept.text()).toContain("Connection: keep-alive")
    await drain.stop()
    await Promise.all([kept.closed, silent.closed])
  })

  it("serves a request that was half sent when the drain began", async () => {
    const { heard, drain, port } = await serve()
    const client = await connect(port)
    client.write(["GET / HTTP/1.1", "Host: "])
    await heard()
    const stopped = drain.stop()
    client.write(["tandem", "", ""])
    await client.closed
    await stopped
    expect(client.text()).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*Connection: close\r\n[\s\S]*whole$/)
  })

  it("has WebSockets closed with 1001", async () => {
    const { drain, port, closeSockets } = await serve()
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`)
    await once(socket, "open")
    const closed = once(socket, "close")
    await drain.stop()
    expect((await closed)[0]).toBe(1001)
    expect(closeSockets).toHaveBeenCalledTimes(1)
  })

  it("answers 503 to an upgrade that comes while draining", async () => {
    const { heard, drain, port } = await serve()
    const client = await connect(port)
    client.write(["GET / HTTP/1.1", "Host: "])
    await heard()
    const stopped = drain.stop()
    client.write(["tandem", ...openSocket])
    await client.closed
    await stopped
    expect(client.text()).toMatch(/^HTTP\/1.1 503 /)
    expect(client.text()).toContain("Connection: close")
  })

  it("answers a request that would rather be one of HTTP/2, and comes while draining", async () => {
    const { heard, drain, port } = await serve()
    const client = await connect(port)
    client.write(["GET / HTTP/1.1", "Host: "])
    await heard()
    const stopped = drain.stop()
    client.write(["tandem", "Connection: Upgrade", "Upgrade: h2c", "", ""])
    await client.closed
    await stopped
    expect(client.text()).toMatch(/^HTTP\/1.1 200 [\s\S]*whole/)
  })

  it("cuts what has not ended at the deadline, and says how much", async () => {
    const onCut = vi.fn()
    const { drain, port } = await serve({ deadlineMs: 200, onCut, closeSockets: () => new Promise(() => {}) })
    const [client, socket] = [await connect(port), await connect(port)]
    client.write(get("/slow"))
    socket.write(["GET / HTTP/1.1", "Host: tandem", ...openSocket])
    await socket.heard("101 Switching Protocols")
    const startedAt = Date.now()
    await drain.stop()
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(190)
    expect(Date.now() - startedAt).toBeLessThan(10_000)
    await Promise.all([client.closed, socket.closed])
    expect(onCut).toHaveBeenCalledExactlyOnceWith(2)
  })

  it("stops once, however often it is told to", async () => {
    const { heard, drain, release, port, closeSockets } = await serve()
    const client = await connect(port)
    client.write(get("/slow"))
    await heard()
    const [first, second] = [drain.stop(), drain.stop()]
    release()
    await Promise.all([first, second, drain.stop(), client.closed])
    expect(client.text()).toContain("whole")
    expect(closeSockets).toHaveBeenCalledTimes(1)
  })

  it("stops a server that does not listen yet", async () => {
    await drainable(http.createServer()).stop()
  })

  it("loses no answer of a busy server", async () => {
    const { drain, url, release } = await serve({ graceMs: 2_000 })
    release()
    const agent = new http.Agent({ keepAlive: true, maxSockets: 20 })
    cleanUp.push(() => agent.destroy())
    const ask = () =>
      new Promise<string>((resolve) => {
        const request = http.get(url, { agent }, (response) => {
          let text = ""
          response.on("data", (chunk) => {
            text += chunk
          })
          const { connection } = response.headers
          response.on("close", () => resolve(response.complete && text === "whole" ? `${connection}` : "broken"))
        })
        request.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "broken"))
      })
    const clients = Array.from({ length: 20 }, (): string[] => [])
    const finished = clients.map(async (answers) => {
      do answers.push(await ask())
      while (answers.at(-1) === "keep-alive")
    })
    await vi.waitFor(() => expect(clients.every((answers) => answers.length >= 5)).toBe(true), { timeout: 30_000 })
    const stopped = drain.stop()
    await Promise.all(finished)
    for (const answers of clients) expect(answers.at(-1)).toBe("close")
    await stopped
  })
})
