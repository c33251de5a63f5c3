import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { ExecutionArgs, GraphQLError, GraphQLSchema } from "graphql"
import { CloseCode, type Context as Connection, type SubscribePayload } from "graphql-ws"
import { type Extra, useServer as serveProtocol } from "graphql-ws/use/ws"
import { type WebSocket, WebSocketServer } from "ws"
import type { Context, Held, Viewer } from "../../context.js"
import { BadRequest, RateLimited, Unauthorized, Unavailable } from "../../errors.js"
import { CLOSE_TIMEOUT_MS, DRAIN_MS, MAX_OPERATIONS, SIGN_OF_LIFE_MS } from "../../events/carrier-limits.js"
import type { Live } from "../../events/live.js"
import type { Subscriber } from "../../events/subscriber.js"
import type { Subscriptions } from "../../events/subscriptions.js"
import type { Log } from "../../log.js"
import { type Repeat, runOnce } from "../../operations/answer-once.js"
import { answerOf, answerOfFailure, asGraphQLError, visibleError } from "../../operations/format-error.js"
import { repeatNameFrom, type Transaction } from "../../operations/idempotency.js"
import type { Operation } from "../../operations/operation.js"
import type { Operations } from "../../operations/operations.js"
import type { RateLimit } from "../../operations/rate-limit.js"
import { credentialsIn } from "./credentials.js"
import { type Executed, openingOf, sendLarge } from "./large-result.js"

/** As large as a body over HTTP. */
const MAX_MESSAGE_BYTES = 1_048_576
const INIT_TIMEOUT_MS = 3_000

const GOING_AWAY = 1001
const TRY_AGAIN_LATER = 1013

export type GraphqlWebSocketParts = {
  schema: GraphQLSchema
  operations: Operations
  live: Pick<Live, "watchToken" | "wakeUp">
  subscriptions: Subscriptions
  authenticate(...credentials: ReturnType<typeof credentialsIn>): Viewer | undefined | Promise<Viewer | undefined>
  contextOf(viewer: Viewer, requestId: string): Context
  /** What keeps the first answer to a mutation that is repeated. */
  transaction: Transaction
  /** Unset: no limit. */
  rateLimit?: Pick<RateLimit, "ofOperation"> | undefined
  log: Log
  /** How long a client may take to authenticate. */
  initTimeoutMs?: number
}

/** GraphQL over WebSocket, by the protocol graphql-transport-ws. */
export type GraphqlWebSocket = {
  /** Takes over a connection that asked for an upgrade. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** For metrics: how many sockets are open. */
  status(): { readonly sockets: number }
  /** Closes all sockets with 1001, each when what it asked for has been answered; resolves when they are closed. */
  stop(): Promise<void>
}

/** One socket whose client has authenticated. */
type Session = {
  readonly viewer: Viewer
  readonly credentials: ReturnType<typeof credentialsIn>
  readonly subscribers: Set<Subscriber>
  /** Queries and mutations in flight, by their ids in the protocol: what they hold until their answers have left. */
  readonly running: Map<string, Held>
  forgetToken(): void
}

/** What the protocol's `subscribe` message asks for, on its way through graphql-ws. */
type Asked = {
  id: string
  socket: WebSocket
  session: Session
  operation: Operation
  requestId: string
  /** Named when the client wants its mutation to be safe to repeat: `extensions.idempotencyKey` of the message. */
  repeat: Repeat
  context: Context
}

/** Makes the transport; mount it with `upgrade`. */
export function createGraphqlWebSocket(parts: GraphqlWebSocketParts): GraphqlWebSocket {
  const { schema, operations, live, subscriptions, authenticate, contextOf, transaction, rateLimit, log } = parts
  const sessions = new Map<WebSocket, Session>()
  let isStopping = false

  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    closeTimeout: CLOSE_TIMEOUT_MS,
  } as ConstructorParameters<typeof WebSocketServer>[0])

  /** Ends everything that the socket does, and the socket, because its token has ended. */
  function forbid(socket: WebSocket): void {
    for (const subscriber of sessions.get(socket)?.subscribers ?? []) subscriber.drop()
    socket.close(CloseCode.Forbidden, "Forbidden")
  }

  async function connect({ extra: { socket }, connectionParams }: Connection<never, Extra>): Promise<boolean> {
    const credentials = credentialsIn(connectionParams)
    try {
      const viewer = await authenticate(...credentials)
      if (viewer === undefined || socket.readyState !== socket.OPEN) return false
      const forgetToken = live.watchToken(viewer, () => forbid(socket))
      sessions.set(socket, { viewer, credentials, subscribers: new Set(), running: new Map(), forgetToken })
      return true
    } catch (error) {
      if (error instanceof BadRequest || error instanceof Unauthorized) {
        socket.close(CloseCode.Forbidden, error.message)
        return false
      }
      // Not 4500, after which clients do not try again.
      if (visibleError(asGraphQLError(error), log, "").extensions.code === "UNAVAILABLE")
        socket.close(TRY_AGAIN_LATER, "Try again later")
      else socket.close(CloseCode.InternalServerError, "Internal server error")
      return false
    }
  }

  async function prepare(
    { extra: { socket }, subscriptions: running }: Connection<never, Extra>,
    id: string,
    { query, operationName, variables, extensions }: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const session = sessions.get(socket)
    const requestId = randomUUID()
    try {
      if (isStopping || session === undefined) throw new Unavailable()
      if (Object.keys(running).length > MAX_OPERATIONS) throw new RateLimited(1)
      // The events of its end may be on their way; the cache that knows of them answers at once.
      const viewer = await authenticate(...session.credentials)
      if (viewer === undefined) {
        forbid(socket)
        throw new Unauthorized()
      }
      await rateLimit?.ofOperation(viewer, 1)
      const operation = operations.get(query, operationName) ?? operations.prepare(query, operationName)
      if (operation.rootFields > 1) await rateLimit?.ofOperation(viewer, operation.rootFields - 1)
      const key = extensions?.idempotencyKey
      const name = key == null ? undefined : repeatNameFrom(key, "extensions.idempotencyKey")
      const context = contextOf(viewer, requestId)
      const asked: Asked = { id, socket, session, operation, requestId, repeat: { name, transaction }, context }
      if (operation.node.operation === "subscription") {
        const refusal = await operation.refusal(context, variables)
        if (refusal) return refusal.map((error) => visibleError(error, log, requestId))
      } else if (sessions.has(socket)) session.running.set(id, context.held)
      else context.held.release()
      return { schema, document: operation.document, operationName, variableValues: variables, contextValue: asked }
    } catch (error) {
      return answerOfFailure(error, log, requestId).result.errors ?? []
    }
  }

  async function execute({ contextValue, variableValues }: ExecutionArgs): Promise<Executed> {
    const { id, socket, session, context, operation, requestId, repeat } = contextValue as Asked
    const { held } = context
    const startedAt = performance.now()
    try {
      const { result } = answerOf(await runOnce(operation, repeat, context, variableValues), log, requestId)
      if (!held.isLarge()) return result
      const isWanted = () => session.running.get(id) === held
      return sendLarge({ id, socket, held }, result, isWanted, (error) => answerOfFailure(error, log, requestId).result)
    } catch (error) {
      return answerOfFailure(error, log, requestId).result
    } finally {
      if (operation.node.operation === "mutation") live.wakeUp()
      log.debug({ requestId, ms: Math.round(performance.now() - startedAt) }, "answered over a socket")
    }
  }

  function subscribe({ contextValue, variableValues: variables }: ExecutionArgs): AsyncGenerator<never> {
    const { id, socket, session, operation, requestId } = contextValue as Asked
    const opening = openingOf(id)
    const carrier = {
      outlet: socket,
      isOpen: () => socket.readyState === socket.OPEN,
      frame: (payload: string) => `${opening}${payload}}`,
      tooSlow: () => socket.close(TRY_AGAIN_LATER, "Too slow"),
    }
    const asked = { viewer: session.viewer, operation, variables, requestId, protocol: "graphql" } as const
    const subscriber = subscriptions.open(asked, carrier, () => session.subscribers.delete(subscriber))
    session.subscribers.add(subscriber)
    return endOf(subscriber)
  }

  const protocol = serveProtocol<never, Record<never, never>>(
    {
      schema,
      connectionInitWaitTimeout: parts.initTimeoutMs ?? INIT_TIMEOUT_MS,
      isProd: true, // else the texts of internal errors would go out as close reasons
      onConnect: connect,
      onSubscribe: prepare,
      execute,
      subscribe,
      onComplete({ extra: { socket } }, id) {
        const running = sessions.get(socket)?.running
        running?.get(id)?.release()
        running?.delete(id)
        if (isStopping) setImmediate(closeWhenIdle, socket)
      },
      onClose({ extra: { socket } }, code) {
        for (const held of sessions.get(socket)?.running.values() ?? []) held.release()
        sessions.get(socket)?.forgetToken()
        sessions.delete(socket)
        log.debug({ code }, "a socket was closed")
      },
    },
    server,
    SIGN_OF_LIFE_MS,
  )
  // graphql-ws would print what clients do wrong to the console; ws closes such a socket with the code for it.
  server.on("connection", (socket) => {
    socket.removeAllListeners("error").on("error", (error) => log.debug({ err: error }, "a socket failed"))
  })

  function closeWhenIdle(socket: WebSocket): void {
    if ((sessions.get(socket)?.running.size ?? 0) === 0) socket.close(GOING_AWAY, "Going away")
  }

  return {
    upgrade(request, socket, head) {
      server.handleUpgrade(request, socket, head, (opened) => server.emit("connection", opened, request))
    },
    status: () => ({ sockets: server.clients.size }),
    async stop() {
      isStopping = true
      for (const socket of server.clients) closeWhenIdle(socket)
      const deadline = performance.now() + DRAIN_MS
      const isBusy = () => [...sessions.values()].some(({ running }) => running.size > 0)
      while (isBusy() && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
      await protocol.dispose()
    },
  }
}

const LOOK_AGAIN_MS = 10

/** What graphql-ws iterates: it yields nothing, because messages are sent past it, and ends when the subscription does. */
const endOf = ({ ended, cut }: Subscriber) =>
  ({
    next: () => ended.then(() => ({ done: true, value: undefined })),
    async return() {
      cut()
      return { done: true, value: undefined }
    },
    throw: (error) => Promise.reject(error),
    [Symbol.asyncIterator]() {
      return this
    },
  }) as AsyncGenerator<never>
