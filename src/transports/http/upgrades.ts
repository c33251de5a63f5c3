import type { IncomingMessage, Server } from "node:http"
import type { Duplex } from "node:stream"

/** Takes over a connection that asks to become a WebSocket. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

const NOTHING_HERE = "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

/** Hands a server's upgrades over by path; elsewhere there is nothing to speak to. */
export function takeUpgrades(server: Server, transports: Readonly<Record<string, Upgrade>>): void {
  const byPath = new Map(Object.entries(transports))
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const transport = byPath.get(request.url?.split("?", 1)[0] ?? "")
    if (transport) return transport(request, socket, head)
    socket.on("error", () => socket.destroy())
    socket.end(NOTHING_HERE)
  })
}
