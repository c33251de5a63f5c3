import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Server as NetServer, type Socket } from "node:net"
import type { Duplex } from "node:stream"

const DRAIN_DEADLINE_MS = 10_000

/** How long a connection may stay that says nothing: a request may be on its way on it, and a busy client sends one. */
const IDLE_GRACE_MS = 250

const BUSY = '{"error":{"type":"unavailable","message":"This node is stopping. Connect again."}}'
const REFUSED_UPGRADE = [
  "HTTP/1.1 503 Service Unavailable",
  "Connection: close",
  "Retry-After: 1",
  "Content-Type: application/json; charset=utf-8",
  `Content-Length: ${BUSY.length}`,
  "",
  BUSY,
].join("\r\n")

/** How a server is told to stop, and whether it was. */
export type Drain = {
  isDraining(): boolean
  /** Resolves when the last connection is closed, at the latest soon after the deadline. Calling it again changes
   *  nothing and gives the same promise. */
  stop(): Promise<void>
}

export type DrainOptions = {
  /** How long answers in flight and WebSockets may take to end before they are cut. */
  deadlineMs?: number
  /** How long a connection may stay idle after the drain began. */
  idleGraceMs?: number
  /** Asks every WebSocket to close, with 1001. Called once, when the drain starts. */
  closeSockets?: () => unknown
  /** Called with the number of connections that the deadline cut. */
  onCut?: (connections: number) => void
}

/** Makes a server able to stop without breaking an answer in flight. Call it before the server listens. Once stopping, it
 *  takes no connection, closes those that are idle and answers the rest with `Connection: close`. */
export function drainable(
  server: Server,
  { deadlineMs = DRAIN_DEADLINE_MS, idleGraceMs = IDLE_GRACE_MS, closeSockets, onCut }: DrainOptions = {},
): Drain {
  const connections = new Set<Socket>()
  const inFlight = new Set<ServerResponse>()
  let stopped: Promise<void> | undefined
  let isGraceOver = false

  server.on("connection", (socket: Socket) => {
    connections.add(socket)
    socket.once("close", () => connections.delete(socket))
  })
  server.prependListener("request", (_: IncomingMessage, response: ServerResponse) => {
    if (stopped) response.shouldKeepAlive = false
    inFlight.add(response)
    response.once("close", () => {
      inFlight.delete(response)
      // Its head may have left before the drain began, promising to keep the connection.
      if (isGraceOver) setImmediate(closeIdle)
    })
  })

  function closeIdle(): void {
    isGraceOver = true
    server.closeIdleConnections()
    // Node counts a connection that never said anything as busy.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  }

  async function drain(): Promise<void> {
    // Not http's own close, which cuts idle connections at once and with them the requests that are on their way.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
    for (const response of inFlight) response.shouldKeepAlive = false
    server.removeAllListeners("upgrade").on("upgrade", refuse)
    // Immediate: after what has arrived by then was read.
    const grace = setTimeout(() => setImmediate(closeIdle), idleGraceMs)
    const deadline = setTimeout(() => {
      onCut?.(connections.size)
      for (const socket of connections) socket.destroy()
    }, deadlineMs)
    try {
      await Promise.race([closed, closeSockets?.()])
    } finally {
      await closed
      clearTimeout(grace)
      clearTimeout(deadline)
    }
  }

  return {
    isDraining: () => stopped !== undefined,
    stop: () => {
      stopped ??= drain()
      return stopped
    },
  }
}

function refuse(_: IncomingMessage, socket: Duplex): void {
  socket.on("error", () => socket.destroy())
  socket.end(REFUSED_UPGRADE)
}
