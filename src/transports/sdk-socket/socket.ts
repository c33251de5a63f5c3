import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import type { Viewer } from "../../context.js"
import {
  BadRequest,
  MethodNotAllowed,
  NotFound,
  Problem,
  RateLimited,
  Unauthorized,
  Unavailable,
} from "../../errors.js"
import { DRAIN_MS, MAX_OPERATIONS, SIGN_OF_LIFE_MS } from "../../events/carrier-limits.js"
import type { Live } from "../../events/live.js"
import { sendBuffered } from "../../events/send-buffered.js"
import type { Log } from "../../log.js"
import type { HeldMemory } from "../../operations/held-memory.js"
import { lacking, type Needed } from "../../operations/needs.js"
import type { Id } from "../../statement.js"
import type { InnerAnswer, InnerRequest } from "../http/inner-request.js"
import { refuseUpgrade } from "../http/upgrades.js"
import { answerFrame, type Frame, mutationFrame, PASSED_ON, readFrame } from "./frames.js"
import { credentialsOf } from "./handshake.js"

/** A body of 1 MiB, which REST takes, as JSON inside of JSON. */
const MAX_FRAME_BYTES = 4_194_304
/** Nothing more is read from a client while this much waits for it; a client for whom this much waits has stopped reading. */
const READ_ON_BYTES = 1_048_576
const STUCK_BYTES = 33_554_432
/** How long the closing of a socket may take when the node stops. */
const CLOSE_TIMEOUT_MS = 2_000
const LOOK_AGAIN_MS = 10

const GOING_AWAY = 1001
const TRY_AGAIN_LATER = 1013
const BAD_FRAME = 4400
const FORBIDDEN = 4403

const VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"]

export type SdkSocketParts = {
  live: Pick<Live, "streams" | "watchToken">
  authenticate(
    clientId: unknown,
    token: unknown,
    authorization?: unknown,
  ): Viewer | undefined | Promise<Viewer | undefined>
  /** What its events need of a token. */
  readonly needs: Needed
  /** Answers a request as the HTTP server would. */
  ask(request: InnerRequest): Promise<InnerAnswer>
  errorBody(problem: Problem): string
  readonly memory: HeldMemory
  log: Log
}

/** The socket of the retired service's SDK: REST requests in frames, and every change that the viewer can see. (§9 SDK socket) */
export type SdkSocket = {
  /** Takes over a connection that asked for an upgrade. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** For metrics: how many are open. */
  status(): { readonly sdkSockets: number }
  /** Closes all with 1001, each when what it asked for has been answered; resolves when they are closed. */
  stop(): Promise<void>
}

type Session = {
  readonly headers: Readonly<Record<string, string>>
  readonly address: string | undefined
  readonly userId: Id
  running: number
  /** Aborted when nothing can be answered any more. */
  readonly leaving: AbortController
}

/** Makes the transport; mount it with `upgrade`. */
export function createSdkSocket({ live, authenticate, needs, ask, errorBody, memory, log }: SdkSocketParts): SdkSocket {
  const sessions = new Map<WebSocket, Session>()
  const silent = new WeakSet<WebSocket>()
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false })
  let isStopping = false

  const refused = (problem: Problem): InnerAnswer => ({ status: problem.kind.status, body: errorBody(problem) })

  async function answerOf({ type, headers, verb, uri, body }: Frame, session: Session): Promise<InnerAnswer> {
    if (type === "health") return { status: 200, body: '{"healthy":true}' }
    if (isStopping) return refused(new Unavailable())
    if (session.running > MAX_OPERATIONS) return refused(new RateLimited(1))
    if (!VERBS.includes(verb)) return refused(new MethodNotAllowed(VERBS))
    if (!uri.startsWith("/api/")) return refused(new NotFound())
    const passed = Object.entries(headers).filter(([name]) => PASSED_ON.test(name))
    const length: Record<string, string> =
      verb === "GET" || body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
    try {
      return await ask({
        method: verb,
        path: uri,
        headers: { "content-type": "application/json", ...Object.fromEntries(passed), ...length, ...session.headers },
        body: verb === "GET" ? undefined : body,
        remoteAddress: session.address,
        // What was to be written is written, as by HTTP when a client leaves; it ends by itself.
        signal: verb === "GET" ? session.leaving.signal : undefined,
      })
    } catch (error) {
      if (error instanceof Problem) return refused(error)
      if (session.leaving.signal.aborted) return refused(new Unavailable())
      if (error instanceof TypeError) return refused(new BadRequest("The uri or a header cannot be sent over HTTP."))
      log.error({ err: error }, "a request of a socket was not answered")
      return refused(new Unavailable())
    }
  }

  async function handle(socket: WebSocket, session: Session, text: string): Promise<void> {
    const frame = readFrame(text)
    if (frame === undefined) return socket.close(BAD_FRAME, "Not a frame")
    session.running++
    const { status, body } = await answerOf(frame, session)
    session.running--
    if (socket.readyState !== socket.OPEN) return
    const held = memory.of(session.userId)
    let reply = answerFrame(frame, status, body)
    try {
      held.answered(reply.length)
    } catch (error) {
      const refusal = refused(error as Problem)
      reply = answerFrame(frame, refusal.status, refusal.body)
    }
    socket.send(reply, () => {
      held.release()
      if (socket.bufferedAmount < READ_ON_BYTES) socket.resume()
    })
    if (socket.bufferedAmount >= READ_ON_BYTES) socket.pause()
    if (isStopping) closeWhenIdle(socket, session)
  }

  function open(socket: WebSocket, viewer: Viewer, session: Session): void {
    sessions.set(socket, session)
    // A client that has got an answer, even to a health check, misses nothing that happens after it.
    socket.pause()
    const stream = live.streams.accountUpdated?.(
      viewer,
      {},
      {
        send(event) {
          if (socket.readyState !== socket.OPEN) return
          const isSent =
            socket.bufferedAmount <= STUCK_BYTES &&
            sendBuffered(socket, mutationFrame(event), () => memory.of(viewer.userId))
          if (isSent) return
          session.leaving.abort()
          socket.close(TRY_AGAIN_LATER, "Too slow")
        },
        begun: () => socket.resume(),
        ready: () => undefined,
        complete: () => {},
        cut: () => socket.close(FORBIDDEN, "Forbidden"),
        fail() {
          socket.resume()
          socket.close(TRY_AGAIN_LATER, "Try again later")
        },
      },
    )
    const forgetToken = live.watchToken(viewer, () => {
      stream?.stop()
      socket.close(FORBIDDEN, "Forbidden")
    })
    socket
      .on("message", (data, isBinary) => {
        if (isBinary) socket.close(BAD_FRAME, "Not a frame")
        else void handle(socket, session, String(data))
      })
      .on("pong", () => silent.delete(socket))
      .on("error", (error) => log.debug({ err: error }, "an SDK socket failed"))
      .on("close", (code) => {
        session.leaving.abort()
        stream?.stop()
        forgetToken()
        sessions.delete(socket)
        log.debug({ code }, "an SDK socket was closed")
      })
  }

  // A client that is gone without a word answers no ping.
  const heartbeat = setInterval(() => {
    for (const socket of sessions.keys()) {
      if (silent.has(socket)) socket.terminate()
      else {
        silent.add(socket)
        socket.ping()
      }
    }
  }, SIGN_OF_LIFE_MS)
  heartbeat.unref()

  async function upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> {
    const { clientId, token } = credentialsOf(request)
    const { authorization } = request.headers
    let viewer: Viewer | undefined
    try {
      viewer = await authenticate(clientId, token, authorization)
    } catch (error) {
      if (!(error instanceof BadRequest || error instanceof Unauthorized)) throw error
      return refuseUpgrade(request, connection, error instanceof BadRequest ? 400 : 401, errorBody(error))
    }
    if (viewer === undefined) return refuseUpgrade(request, connection, 401, errorBody(new Unauthorized()))
    const refusal = lacking(needs, viewer)
    if (refusal) return refuseUpgrade(request, connection, 403, errorBody(refusal))
    if (isStopping) return refuseUpgrade(request, connection, 503, errorBody(new Unavailable()))
    const headers = {
      ...(clientId !== undefined && { "x-client-id": clientId }),
      ...(token !== undefined && { "x-access-token": token }),
      ...(authorization !== undefined && { authorization }),
    }
    const address = request.socket.remoteAddress
    const session = { headers, address, userId: viewer.userId, running: 0, leaving: new AbortController() }
    server.handleUpgrade(request, connection, head, (socket) => open(socket, viewer, session))
  }

  function closeWhenIdle(socket: WebSocket, { running }: Session): void {
    if (running === 0) socket.close(GOING_AWAY, "Going away")
  }

  async function emptied(withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs
    while (sessions.size > 0 && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }

  return {
    upgrade(request, connection, head) {
      connection.on("error", () => connection.destroy())
      upgrade(request, connection, head).catch((error) => {
        log.debug({ err: error }, "an SDK socket could not be opened")
        refuseUpgrade(request, connection, 503, errorBody(new Unavailable()))
      })
    },
    status: () => ({ sdkSockets: sessions.size }),
    async stop() {
      isStopping = true
      clearInterval(heartbeat)
      for (const [socket, session] of sessions) closeWhenIdle(socket, session)
      await emptied(DRAIN_MS)
      for (const socket of sessions.keys()) socket.close(GOING_AWAY, "Going away")
      await emptied(CLOSE_TIMEOUT_MS)
      for (const socket of sessions.keys()) socket.terminate()
    },
  }
}
