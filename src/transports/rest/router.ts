import type { IncomingMessage, ServerResponse } from "node:http"
import type { Request, Response } from "express"
import type { GraphQLError, GraphQLSchema } from "graphql"
import type { Context, Dialect, Viewer } from "../../context.js"
import {
  BadRequest,
  MethodNotAllowed,
  NotFound,
  Problem,
  RefusedInWords,
  ServerError,
  Unauthorized,
} from "../../errors.js"
import type { Log } from "../../log.js"
import { type Repeat, runOnce } from "../../operations/answer-once.js"
import { repeatNameOf, type Transaction } from "../../operations/idempotency.js"
import type { Operation, Operations } from "../../operations/operations.js"
import type { RateLimit } from "../../operations/rate-limit.js"
import type { Route } from "../../operations/route.js"
import type { Id } from "../../statement.js"
import { nameRoute } from "../../telemetry/route-name.js"
import { hasTag } from "../http/if-none-match.js"
import { errorBody, errorHeaders } from "./error-body.js"
import type { Revised, Tags } from "./etag.js"
import { parametersOf, queryOf, type Sent } from "./parameters.js"
import { rowFinder } from "./row-finder.js"
import { showStored } from "./stored.js"
import { type Writer, writerOf } from "./writer.js"

/** What the REST door needs of the node it belongs to. */
export type RestParts = {
  readonly schema: GraphQLSchema
  readonly operations: Operations
  readonly routes: readonly Route[]
  readonly log: Log
  /** The viewer; undefined when the headers do not tell (§5). */
  authenticate(request: IncomingMessage): Viewer | undefined | Promise<Viewer | undefined>
  contextOf(viewer: Viewer, request: IncomingMessage, response: ServerResponse): Context
  readJson(request: IncomingMessage, userId: Id): Promise<unknown>
  /** What a client may see of an error; logs the rest. */
  visible(error: unknown, requestId: string): GraphQLError
  requestIdOf(response: ServerResponse): string
  readonly transaction: Transaction
  readonly tags: Tags
  /** Unset: no limit. */
  readonly rateLimit: Pick<RateLimit, "ofRequest"> | undefined
  /** Called when something may have been committed. */
  onWrite(): void
}

type Prepared = {
  readonly operation: Operation
  readonly write: Writer
  readonly parameters: (sent: Sent) => Record<string, unknown>
}

/** Where the rows are mounted. */
const BASE = "/api/v1"
const JSON_TYPE = "application/json; charset=utf-8"

/** Clients may cache responses, but must revalidate them each time. */
const KEPT_BY_ONE = { "Cache-Control": "private, no-cache", Vary: "X-Client-ID, X-Access-Token" }

/** Sends an answer as JSON; a 204 has no body. */
export function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent) return
  if (status === 204) response.writeHead(204, headers).end()
  else
    response
      .writeHead(status, { "Content-Type": JSON_TYPE, "Content-Length": Buffer.byteLength(body), ...headers })
      .end(body)
}

/** Sends an error in the contract's form (§7). */
export const sendProblem = (response: ServerResponse, problem: Problem): void =>
  send(response, problem.kind.status, errorBody(problem), errorHeaders(problem))

/** Makes the Express handler of `/api/v1` out of the rows: authenticates first, then finds the row. */
export function restRouter(parts: RestParts): (request: Request, response: Response) => Promise<void> {
  showStored(parts)
  const find = rowFinder(
    parts.routes.map((route) => ({ ...route, handler: { answer: handlerOf(parts, route), name: BASE + route.path } })),
  )

  async function serve(request: Request, response: Response): Promise<void> {
    const known = parts.authenticate(request)
    const viewer = known instanceof Promise ? await known : known
    const counted = parts.rateLimit?.ofRequest("rest", viewer, request, response)
    if (counted !== undefined) await counted
    if (viewer === undefined) throw new Unauthorized()
    const { url, method } = request
    const end = url.indexOf("?")
    const found = find(method, end === -1 ? url : url.slice(0, end))
    if (found === undefined) throw new NotFound()
    if (found.handler === undefined) throw new MethodNotAllowed(found.allowed)
    nameRoute(response, found.handler.name)
    await found.handler.answer(request, response, viewer, found.id && decodeURIComponent(found.id))
  }

  return (request, response) =>
    serve(request, response).catch((error: unknown) => sendProblem(response, problemOf(parts, error, response)))
}

/** A path that cannot be decoded is the client's fault. */
function problemOf({ visible, requestIdOf }: RestParts, error: unknown, response: Response): Problem {
  if (error instanceof Problem) return error
  if (error instanceof URIError) return new BadRequest("The path is not valid percent-encoded UTF-8.")
  const seen = visible(error, requestIdOf(response))
  const cause = seen instanceof Problem ? seen : seen.originalError
  return cause instanceof Problem ? cause : new ServerError()
}

function prepare({ schema, operations }: RestParts, route: Route, source: string): Prepared {
  const operation = operations.fixed(source)
  return {
    operation,
    write: writerOf(schema, operation.document),
    parameters: parametersOf(schema, route, operation.document),
  }
}

/** What answers one row. Its documents are prepared when it is first asked, so that they do not delay the start. */
function handlerOf(parts: RestParts, route: Route) {
  const { method, quirks } = route
  const prepared: Partial<Record<Dialect, Prepared>> = {}
  const sourceOf = (dialect: Dialect) =>
    dialect === "wunderlist" ? (quirks.wunderlistDocument ?? route.document) : route.document
  const statusOf = (dialect: Dialect) => (dialect === "wunderlist" ? route.wunderlistStatus : route.status)

  /** The value of the document's only field. */
  async function fieldOf(context: Context, variables: Record<string, unknown>, repeat?: Repeat): Promise<unknown> {
    const { operation } = prepared[context.viewer.dialect] as Prepared
    const { data, errors } = await runOnce(operation, repeat, context, variables)
    if (errors?.[0] !== undefined) throw errors[0]
    for (const name in data) return data[name]
    throw new ServerError()
  }

  function textOf(value: unknown, dialect: Dialect): string {
    if (statusOf(dialect) === 204) return ""
    const text = (prepared[dialect] as Prepared).write(value)
    return quirks.inArray && dialect === "spec" ? `[${text}]` : text
  }

  async function show(request: Request, response: Response, context: Context, variables: Record<string, unknown>) {
    const value = await fieldOf(context, variables)
    const { write } = prepared[context.viewer.dialect] as Prepared
    const known = quirks.knownByRevisions ? parts.tags.ofRevisions(value as Revised[]) : undefined
    const text = known !== undefined && hasTag(request, known) ? "" : write(value)
    context.held.answered(text.length)
    const tag = known ?? parts.tags.ofText(text)
    if (hasTag(request, tag)) response.writeHead(304, { ETag: tag, ...KEPT_BY_ONE }).end()
    else send(response, statusOf(context.viewer.dialect), text, { ETag: tag, ...KEPT_BY_ONE })
  }

  async function handle(request: Request, response: Response, viewer: Viewer, id: string | undefined): Promise<void> {
    const body = method === "GET" ? undefined : await parts.readJson(request, viewer.userId)
    prepared[viewer.dialect] ??= prepare(parts, route, sourceOf(viewer.dialect))
    const variables = (prepared[viewer.dialect] as Prepared).parameters({
      id,
      query: queryOf(request),
      body,
    })
    const context = parts.contextOf(viewer, request, response)
    if (method === "GET") return show(request, response, context, variables)
    const name = method === "POST" ? repeatNameOf(request) : undefined
    const value = await fieldOf(context, variables, name && { name, transaction: parts.transaction })
    const text = textOf(value, viewer.dialect)
    parts.onWrite()
    context.held.answered(text.length)
    send(response, statusOf(viewer.dialect), text)
  }
  if (!quirks.refusesInWords) return handle
  return (request: Request, response: Response, viewer: Viewer, id: string | undefined) =>
    handle(request, response, viewer, id).catch((error: unknown) => {
      const problem = problemOf(parts, error, response)
      throw [400, 409].includes(problem.kind.status) ? new RefusedInWords(["bad request"]) : problem
    })
}
