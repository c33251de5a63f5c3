import type { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { actorOf } from "../../access/writer.js"
import type { Context, Database, Held, Viewer } from "../../context.js"
import type { HeldMemory } from "../../operations/held-memory.js"
import { oneOfFew } from "../../operations/one-after-another.js"
import type { Runner } from "../../statement.js"
import { requestIdOf } from "../../telemetry/request-log.js"
import { keepPlain } from "./packed.js"

const MAX_CLIENT_REQUEST_ID_LENGTH = 255

/** What every context of a node has alike. */
export type NodeParts = Omit<
  Context,
  "viewer" | "requestId" | "clientRequestId" | "publicUrl" | "now" | "loaders" | "held"
> & {
  /** Where clients reach the node; known when it listens. */
  publicUrl(): string
  readonly memory: HeldMemory
}

type Made<Who> = Omit<Context, "viewer"> & { readonly viewer: Who }

/** Makes the contexts of one node. */
export type RequestContexts = {
  /** For operations that are no HTTP request. The caller calls `held.release` when the answer has left. */
  of<Who extends Viewer | undefined>(viewer: Who, requestId: string): Made<Who>
  /** For a request over HTTP, named as the client named it or else as the log does. */
  for<Who extends Viewer | undefined>(viewer: Who, request: IncomingMessage, response: ServerResponse): Made<Who>
}

/** Makes the context of resolvers and commands from the node's parts and the viewer. */
export function requestContexts({ publicUrl, memory, ...parts }: NodeParts): RequestContexts {
  const now = () => new Date()
  const contextOf = <Who extends Viewer | undefined>(
    viewer: Who,
    requestId: string,
    held: Held,
    clientRequestId?: string,
    sign = parts.sign,
  ): Made<Who> => ({
    db: measured(parts.db, held, viewer && { viewer, requestId, skippedWriters: parts.skippedWriters }),
    held,
    viewer,
    requestId,
    clientRequestId,
    publicUrl: publicUrl(),
    storage: parts.storage,
    sign,
    mayConnect: parts.mayConnect,
    vapidPublicKey: parts.vapidPublicKey,
    defaultDialect: parts.defaultDialect,
    cursors: parts.cursors,
    distrust: parts.distrust,
    tokensEnded: parts.tokensEnded,
    skippedWriters: parts.skippedWriters,
    now,
    loaders: new Map(),
  })
  return {
    of: (viewer, requestId) => contextOf(viewer, requestId, memory.of(viewer?.userId)),
    for(viewer, request, response) {
      const sent = request.headers["x-client-request-id"]
      const clientRequestId =
        typeof sent === "string" && sent !== "" ? sent.slice(0, MAX_CLIENT_REQUEST_ID_LENGTH) : undefined
      const held = memory.of(viewer?.userId, () => {
        response.once("close", held.release)
        cutWhenStuck(response)
      })
      const sign: Context["sign"] = (path) => {
        keepPlain(response)
        return parts.sign(path)
      }
      return contextOf(viewer, clientRequestId ?? requestIdOf(response), held, clientRequestId, sign)
    },
  }
}

/** How long a client may take nothing of an answer that is held for it. */
const STUCK_MS = 30_000

function cutWhenStuck(response: ServerResponse): void {
  // What comes through a pair of streams has no clock, and no network either.
  if (response.socket instanceof Socket) response.setTimeout(STUCK_MS, () => response.destroy())
}

/** Of how many searches of a user one runs and the others wait. */
const MAX_SEARCHES = 100

/** The database for one request. Of one user's searches it runs one at a time, so that they leave the connections to others too. */
function measured(db: Database, held: Held, who: Parameters<typeof actorOf>[0] | undefined): Database {
  const meteredRunner = ({ run }: Runner): Runner => ({ run: (statement, values) => run(statement, values, held) })
  return {
    ...meteredRunner(db),
    pinned: () => meteredRunner(db.pinned()),
    searching: {
      run: (statement, values) =>
        oneOfFew(db.searching, { key: who?.viewer.userId ?? "nobody", most: MAX_SEARCHES }, () =>
          db.searching.run(statement, values, held),
        ),
    },
    get prisma() {
      return who === undefined ? db.prisma : db.prismaAs(actorOf(who))
    },
    prismaAs: db.prismaAs,
  }
}
