import type { IncomingMessage, Server } from "node:http"
import type { Duplex } from "node:stream"
import { requestIdFor } from "../../telemetry/request-log.js"

/** Takes over a connection that asks to become a WebSocket. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** Hands a server's WebSockets over by path; elsewhere there is nothing to speak to, and `nothingHere` is the body of the 404. */
export function takeUpgrades(server: Server, transports: Readonly<Record<string, Upgrade>>, nothingHere: string): void {
  const byPath = new Map(Object.entries(transports))
  onWebSocket(server, (request, socket, head) => {
    const transport = byPath.get(request.url?.split("?", 1)[0] ?? "")
    if (transport) transport(request, socket, head)
    else refuseUpgrade(request, socket, 404, nothingHere)
  })
}

/**
 * Hands every connection over that asks to become a WebSocket, and to nobody else any more. A request that asks for another
 * protocol, as clients that prefer HTTP/2 do, is answered as if it did not (RFC 9110, 7.8): node would answer none of them.
 */
export function onWebSocket(server: Server, take: Upgrade): void {
  server.removeAllListeners("upgrade").on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() === "websocket") take(request, socket, head)
    else giveBack(server, request, socket, head)
  })
}

const OF_UPGRADES = ["upgrade", "http2-settings"]

/** Lets the server read a request again, without its wish. */
function giveBack(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = rawHeaders.slice(at, at + 2) as [string, string]
    if (OF_UPGRADES.includes(name.toLowerCase())) continue
    const kept = name.toLowerCase() === "connection" ? withoutUpgrade(value) : value
    if (kept !== undefined) lines.push(`${name}: ${kept}`)
  }
  if (head.length > 0) socket.unshift(head)
  socket.unshift(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"))
  // The server listens anew, and has left this one.
  socket.removeAllListeners("timeout")
  server.emit("connection", socket)
}

function withoutUpgrade(connection: string): string | undefined {
  const others = connection.split(",").filter((option) => !OF_UPGRADES.includes(option.trim().toLowerCase()))
  return others.length === 0 ? undefined : others.join(",").trim()
}

const REASONS = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  503: "Service Unavailable",
} as const

/** Refuses to become a WebSocket, in the contract's words (§7). */
export function refuseUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  status: keyof typeof REASONS,
  body: string,
): void {
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status]}`,
    "Connection: close",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestIdFor(request)}`,
  ]
  if (status === 503) head.push("Retry-After: 1")
  socket.on("error", () => socket.destroy())
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`)
}
