import type { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { actorOf } from "../../access/writer.js"
import type { Context, Database, Held, Viewer } from "../../context.js"
import { countedIn } from "../../operations/counted.js"
import type { HeldMemory } from "../../operations/held-memory.js"
import { oneOfFew } from "../../operations/one-after-another.js"
import { createShares, type UserShare } from "../../operations/shares.js"
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
  const shares = createShares(memory.holdsFor)
  const contextOf = <Who extends Viewer | undefined>(
    viewer: Who,
    requestId: string,
    held: Held,
    clientRequestId?: string,
    sign = parts.sign,
  ): Made<Who> => ({
    db: new RequestDatabase(
      parts.db,
      held,
      shares.of(viewer?.userId),
      viewer && { viewer, requestId, skippedWriters: parts.skippedWriters },
    ),
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

const meteredRunner = ({ run }: Runner, held: Held, share: UserShare): Runner => ({
  run: (statement, values) => share.run(held, () => run(statement, values, held)),
})

type Writing = Parameters<typeof actorOf>[0]

/**
 * The database for one request. Of one user's statements a few are under way, and of their searches one, so that they leave the
 * connections to others too.
 * A class, for `prisma` is made for few requests: a getter of an object's own would give each object a shape of its own.
 */
class RequestDatabase implements Database {
  readonly run: Runner["run"]
  readonly searching: Runner
  readonly prismaAs: Database["prismaAs"]
  readonly #db: Database
  readonly #held: Held
  readonly #share: UserShare
  readonly #writing: Writing | undefined

  constructor(db: Database, held: Held, share: UserShare, writing: Writing | undefined) {
    this.#db = db
    this.#held = held
    this.#share = share
    held.share = share
    this.#writing = writing
    this.run = (statement, values) => share.run(held, () => db.run(statement, values, held))
    this.searching = {
      run: (statement, values) =>
        oneOfFew(db.searching, { key: writing?.viewer.userId ?? "nobody", most: MAX_SEARCHES }, () =>
          db.searching.run(statement, values, held),
        ),
    }
    this.prismaAs = db.prismaAs
  }

  get prisma() {
    if (this.#writing === undefined) return this.#db.prisma
    const counted = countedIn(this.#held)
    return this.#db.prismaAs(actorOf(this.#writing), (query) => this.#share.runPrisma(this.#held, () => counted(query)))
  }

  pinned(): Runner {
    return meteredRunner(this.#db.pinned(this.#share), this.#held, this.#share)
  }
}
