import type { IncomingMessage, ServerResponse } from "node:http"
import type { Context, Viewer } from "../../context.js"
import { requestIdOf } from "../../telemetry/request-log.js"

const LONGEST_CLIENT_REQUEST_ID = 255

/** What every context of a node has alike. */
export type NodeParts = Omit<Context, "viewer" | "requestId" | "clientRequestId" | "publicUrl" | "now" | "loaders"> & {
  /** Where clients reach the node; known when it listens. */
  publicUrl(): string
}

type Made<Who> = Omit<Context, "viewer"> & { readonly viewer: Who }

/** Makes the contexts of one node. */
export type RequestContexts = {
  /** For what does not come as a request over HTTP. */
  of<Who extends Viewer | undefined>(viewer: Who, requestId: string): Made<Who>
  /** For a request over HTTP, named as the client named it or else as the log does. */
  for<Who extends Viewer | undefined>(viewer: Who, request: IncomingMessage, response: ServerResponse): Made<Who>
}

/** Turns what the node has, and who asks, into what resolvers and commands are given. */
export function requestContexts({ publicUrl, ...parts }: NodeParts): RequestContexts {
  const now = () => new Date()
  const contextOf = <Who extends Viewer | undefined>(
    viewer: Who,
    requestId: string,
    clientRequestId?: string,
  ): Made<Who> => ({
    db: parts.db,
    viewer,
    requestId,
    clientRequestId,
    publicUrl: publicUrl(),
    storage: parts.storage,
    sign: parts.sign,
    mayReach: parts.mayReach,
    vapidPublicKey: parts.vapidPublicKey,
    defaultDialect: parts.defaultDialect,
    cursors: parts.cursors,
    tokensEnded: parts.tokensEnded,
    now,
    loaders: new Map(),
  })
  return {
    of: (viewer, requestId) => contextOf(viewer, requestId),
    for(viewer, request, response) {
      const sent = request.headers["x-client-request-id"]
      const clientRequestId =
        typeof sent === "string" && sent !== "" ? sent.slice(0, LONGEST_CLIENT_REQUEST_ID) : undefined
      return contextOf(viewer, clientRequestId ?? requestIdOf(response), clientRequestId)
    },
  }
}
