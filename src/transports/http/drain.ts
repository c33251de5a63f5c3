import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Server as NetServer, type Socket } from "node:net"
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises"
import { acceptTurn } from "./accept-turn.js"
import { onWebSocket, refuseUpgrade } from "./upgrades.js"

const DRAIN_DEADLINE_MS = 10_000

/** How long connections are taken after the drain began, and how long one may stay that says nothing: clients do not know yet,
 *  a request may be on its way on it, and a busy client sends one. */
const GRACE_MS = 250

// A server is in one of four states; `stop` begins the way, and nothing leads back:
//
//   serving     connections stay open between requests
//     → draining    `stop`: answers say `Connection: close`, upgrades are refused, sockets are asked to close with 1001
//   draining    new connections are still taken, for `graceMs`
//     → closing     the grace is over and nothing waits to be accepted
//   closing     no connection is taken; idle ones are closed, silent ones after as long again, busy ones after their answer
//     → stopped     the last connection is closed
//     → stopped     `deadlineMs` after `stop`, whatever is left is cut
//   stopped     the promise of `stop` is resolved

const BUSY = '{"error":{"type":"unavailable","message":"This node is stopping. Connect again."}}'

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
  /** How long new connections are taken after the drain began, and how long a connection may stay idle. */
  graceMs?: number
  /** Asks every WebSocket to close, with 1001. Called once, when the drain starts. */
  closeSockets?: () => unknown
  /** Called with the number of connections that the deadline cut. */
  onCut?: (connections: number) => void
}

/** Makes a server able to stop without breaking an answer. Call it before the server listens. Once stopping, it takes
 *  connections for the grace, answers with `Connection: close` and refuses upgrades; then it stops to listen and closes what is
 *  idle. */
export function drainable(
  server: Server,
  { deadlineMs = DRAIN_DEADLINE_MS, graceMs = GRACE_MS, closeSockets, onCut }: DrainOptions = {},
): Drain {
  const connections = new Set<Socket>()
  const inFlight = new Set<ServerResponse>()
  let accepted = 0
  let stopped: Promise<void> | undefined
  let isGraceOver = false

  server.on("connection", (socket: Socket) => {
    // One that was given back by an upgrade is known.
    if (connections.has(socket)) return
    accepted++
    connections.add(socket)
    socket.once("close", () => connections.delete(socket))
  })
  server.prependListener("request", (_: IncomingMessage, response: ServerResponse) => {
    if (stopped) response.shouldKeepAlive = false
    inFlight.add(response)
    response.once("close", () => {
      inFlight.delete(response)
      // Its head may have left before the drain began, promising to keep the connection.
      if (isGraceOver) setImmediate(() => server.closeIdleConnections())
    })
  })

  /** Ends when nothing waits to be accepted: the kernel has answered those clients, and would reset them. A server that never
   *  rests ends this by the clock. */
  async function acceptWaiting(): Promise<void> {
    const until = performance.now() + deadlineMs / 2
    for (let before = -1; before !== accepted && performance.now() < until; ) {
      before = accepted
      await acceptTurn()
    }
  }

  /** Node counts a connection that never said anything as busy. */
  function closeSilent(among: ReadonlySet<Socket>): void {
    for (const socket of among) if (socket.bytesRead === 0) socket.destroy()
  }

  async function closeAfterGrace(closed: () => void): Promise<void> {
    const early = new Set(connections)
    await sleep(graceMs)
    await acceptWaiting()
    // Not http's own close, which cuts idle connections at once and with them the requests that are on their way.
    NetServer.prototype.close.call(server, closed)
    isGraceOver = true
    server.closeIdleConnections()
    closeSilent(early)
    // What was accepted within the grace has as long to say something.
    await sleep(graceMs, undefined, { ref: false })
    await nextTurn()
    closeSilent(connections)
  }

  async function drain(): Promise<void> {
    for (const response of inFlight) response.shouldKeepAlive = false
    onWebSocket(server, (request, socket) => refuseUpgrade(request, socket, 503, BUSY))
    const closed = new Promise<void>((resolve) => {
      if (server.listening) void closeAfterGrace(resolve)
      else resolve()
    })
    const deadline = setTimeout(() => {
      onCut?.(connections.size)
      for (const socket of connections) socket.destroy()
    }, deadlineMs)
    try {
      await Promise.race([closed, closeSockets?.()])
    } finally {
      await closed
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
