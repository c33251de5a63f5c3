import type { IncomingMessage, Server } from "node:http"
import type { GraphQLField, GraphQLSchema } from "graphql"
import { declaredNeeds } from "../access/needs.js"
import type { Viewer } from "../context.js"
import type { DatabaseClient } from "../database/client.js"
import { NotFound } from "../errors.js"
import type { Cursors } from "../events/cursor.js"
import type { Live } from "../events/live.js"
import { createSubscriptions } from "../events/subscriptions.js"
import type { Log } from "../log.js"
import type { HeldMemory } from "../operations/held-memory.js"
import type { Needed } from "../operations/needs.js"
import type { Operations } from "../operations/operations.js"
import type { RateLimit } from "../operations/rate-limit.js"
import { graphqlEventStream } from "./graphql/event-stream.js"
import { createGraphqlWebSocket } from "./graphql/websocket.js"
import { createEventStreams } from "./http/event-stream.js"
import { askServer } from "./http/inner-request.js"
import type { RequestContexts } from "./http/request-context.js"
import { takeUpgrades } from "./http/upgrades.js"
import { errorBody } from "./rest/error-body.js"
import { createSdkSocket } from "./sdk-socket/socket.js"

type Field = GraphQLField<unknown, unknown>

type Parts = {
  readonly schema: GraphQLSchema
  readonly operations: Operations
  readonly live: Live
  readonly cursors: Cursors
  readonly server: Server
  readonly database: DatabaseClient
  readonly contexts: RequestContexts
  readonly memory: HeldMemory
  viewerOf(clientId: unknown, token: unknown, authorization?: unknown): Viewer | undefined | Promise<Viewer | undefined>
  authenticate(request: IncomingMessage): Viewer | undefined | Promise<Viewer | undefined>
  readonly rateLimit: RateLimit | undefined
  readonly log: Log
}

/**
 * Everything that carries events to clients: sockets of GraphQL and of the SDK, which take over the server's upgrades, and
 * streams of server-sent events.
 */
export function openCarriers(parts: Parts) {
  const { schema, operations, live, cursors, server, contexts, memory, viewerOf, authenticate, rateLimit, log } = parts
  const subscriptions = createSubscriptions({ schema, live, contextOf: contexts.of, log })
  const streams = createEventStreams({ authenticate, live })
  const sockets = createGraphqlWebSocket({
    schema,
    operations,
    live,
    subscriptions,
    authenticate: viewerOf,
    contextOf: contexts.of,
    transaction: parts.database.transaction,
    rateLimit,
    log,
  })
  const sdkSocket = createSdkSocket({
    live,
    authenticate: viewerOf,
    needs: declaredNeeds(schema.getSubscriptionType()?.getFields().accountUpdated as Field) as Needed,
    ask: (request) => askServer(server, request),
    errorBody,
    memory,
    log,
  })
  takeUpgrades(server, { "/graphql": sockets.upgrade, "/api/v1/sync": sdkSocket.upgrade }, errorBody(new NotFound()))
  return {
    /** Answers a GraphQL request with a stream of server-sent events. */
    eventStream: graphqlEventStream({ operations, subscriptions, streams, cursors, log }),
    streams,
    /** For metrics. */
    status: () => ({
      ...sockets.status(),
      ...streams.status(),
      ...sdkSocket.status(),
      ...subscriptions.status(),
    }),
    /** Ends all of them, each when what it asked for has been answered. */
    stop: () => Promise.all([sockets.stop(), sdkSocket.stop(), streams.stop()]),
  }
}
