import type { IncomingMessage, ServerResponse } from "node:http"
import type { Request, Response } from "express"
import type { Context, Viewer } from "../../context.js"
import type { Waits } from "../../events/waits.js"
import type { Log } from "../../log.js"
import type { Transaction } from "../../operations/idempotency.js"
import type { RateLimit } from "../../operations/rate-limit.js"
import type { Route } from "../../operations/route.js"
import type { Id } from "../../statement.js"
import type { EventStreams } from "../http/event-stream.js"
import type { Tags } from "./etag.js"
import type { Row, RowParts } from "./row.js"

/** Where the rows are mounted. */
export const BASE = "/api/v1"

/** What the REST transport needs of the node it belongs to. */
export type RestParts = RowParts & {
  readonly routes: readonly Route[]
  readonly log: Log
  /** The viewer; undefined when the headers do not tell (§5). */
  authenticate(request: IncomingMessage): Viewer | undefined | Promise<Viewer | undefined>
  contextOf(viewer: Viewer, request: IncomingMessage, response: ServerResponse): Context
  /** For what is read again and again for one answer. The caller calls `held.release` each time. */
  contextOfStream(viewer: Viewer, requestId: string): Context
  readonly streams: EventStreams
  readJson(request: IncomingMessage, userId: Id): Promise<unknown>
  requestIdOf(response: ServerResponse): string
  readonly transaction: Transaction
  readonly tags: Tags
  /** Unset: no limit. */
  readonly rateLimit: Pick<RateLimit, "ofRequest"> | undefined
  /** Holds a request until something happens that its viewer may see. */
  readonly waits: Pick<Waits, "open">
  /** Called when something may have been committed. */
  onWrite(): void
}

/** What answers a path: a row, a batch of them, or a stream of changes. */
export type Place = {
  readonly row: Row | undefined
  answer(request: Request, response: Response, viewer: Viewer, id: string | undefined): Promise<void>
  /** For metrics. */
  readonly name: string
}
