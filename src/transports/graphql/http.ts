import type { IncomingMessage, ServerResponse } from "node:http"
import { HeaderMap, type HTTPGraphQLRequest } from "@apollo/server"
import type { Request, RequestHandler, Response } from "express"
import type { ExecutionResult, GraphQLSchema } from "graphql"
import type { Viewer } from "../../context.js"
import { BadRequest, TooLarge, Unauthorized } from "../../errors.js"
import type { Log } from "../../log.js"
import { type Asking, answer, type RequestContext } from "../../operations/answer.js"
import { type Answer, answerOfFailure } from "../../operations/format-error.js"
import { repeatNameOf, type Transaction } from "../../operations/idempotency.js"
import { resultInPieces } from "../../operations/json-pieces.js"
import type { Operation, Operations } from "../../operations/operations.js"
import type { RateLimit } from "../../operations/rate-limit.js"
import type { Values } from "../../operations/variables.js"
import { requestIdOf } from "../../telemetry/request-log.js"
import { readJson } from "../http/json-body.js"
import { keepPlain, sendText } from "../http/packed.js"
import { problemHeaders } from "../http/problem-headers.js"
import { startApollo } from "./apollo.js"
import type { graphqlEventStream, Read } from "./event-stream.js"

type Parts = {
  schema: GraphQLSchema
  operations: Operations
  /** Turns the headers of a request into its context; `viewer` is undefined when they name nobody. */
  contextOf(request: Request): Promise<RequestContext>
  /** Whom they name by now. */
  viewerOf(request: Request): Viewer | undefined | Promise<Viewer | undefined>
  /** Called when something may have been committed. */
  onWrite(): void
  /** What keeps the first answer to a request that is repeated. */
  transaction: Transaction
  /** Unset: no limit. */
  rateLimit?: Pick<RateLimit, "ofRequest"> | undefined
  /** Answers who wants a stream of server-sent events. */
  eventStream: ReturnType<typeof graphqlEventStream>
  log: Log
}

/** Answers GraphQL over HTTP at the path where it is mounted. `stop` after the last request. */
export async function createGraphqlHttp({
  schema,
  operations,
  contextOf,
  viewerOf,
  onWrite,
  transaction,
  rateLimit,
  eventStream,
  log,
}: Parts): Promise<{
  handler: RequestHandler
  stop(): Promise<void>
}> {
  const apollo = await startApollo(schema, operations, log)

  const handler: RequestHandler = async (request, response) => {
    const requestId = requestIdOf(response)
    let type: MediaType = MEDIA_TYPES[0]
    try {
      const wanted = mediaTypeFor(request)
      if (wanted !== EVENT_STREAM) type = wanted
      // The credentials are in the headers, and decide how much of a body is read.
      const context = await contextOf(request)
      const count = (things: number) => rateLimit?.ofRequest("graphql", context.viewer, request, response, things)
      const counted = count(1)
      if (counted !== undefined) await counted
      const repeat = { name: repeatNameOf(request), transaction }
      const wrote = () => {
        keepPlain(response)
        onWrite()
      }
      const early: Asking = { context, requestId, repeat, count, onWrite: wrote }
      /** The token may have ended or lost a scope while the body came. */
      const readBody = async (): Promise<Read> => {
        const body = await bodyOf(request, context)
        const known = viewerOf(request)
        const viewer = known instanceof Promise ? await known : known
        return { body, asking: viewer === context.viewer ? early : { ...early, context: { ...context, viewer } } }
      }
      if (wanted === EVENT_STREAM) return await eventStream(request, response, { asking: early, readBody })
      const { body, asking } = request.method === "POST" ? await readBody() : { body: undefined, asking: early }
      const plain = plainOperation(body, operations)
      if (plain) {
        const given = await answer(asking, log, () => plain.operation, plain.variables)
        const { held } = context
        const text = held.isLarge() ? await resultInPieces(given.result, held) : JSON.stringify(shownOf(given.result))
        held.answered(text.length)
        return sendAnswer(response, type, given, text)
      }
      const head = { httpGraphQLRequest: httpRequest(request, type, body), context: async () => ({ asking, response }) }
      const { status = 200, headers, body: text } = await apollo.executeHTTPGraphQLRequest(head)
      if (text.kind !== "complete") throw new TypeError("An answer in parts was not asked for.")
      context.held.answered(text.string.length)
      sendResult(response, status, { ...Object.fromEntries(headers), "content-type": type }, text.string)
    } catch (error) {
      const given = answerOfFailure(error, log, requestId)
      sendAnswer(response, type, given, JSON.stringify(shownOf(given.result)))
    }
  }

  return { handler, stop: () => apollo.stop() }
}

const MEDIA_TYPES = ["application/json; charset=utf-8", "application/graphql-response+json; charset=utf-8"] as const
type MediaType = (typeof MEDIA_TYPES)[number]
const EVENT_STREAM = "text/event-stream"
const TYPE_NAMES = ["application/json", "application/graphql-response+json", EVENT_STREAM]

/** The media type of the response. @throws BadRequest (406) before anything is run */
function mediaTypeFor(request: Request): MediaType | typeof EVENT_STREAM {
  const { accept } = request.headers
  // What nearly all clients send.
  if (accept === undefined || accept === "*/*" || accept === "application/json") return MEDIA_TYPES[0]
  const accepted = request.accepts([...MEDIA_TYPES, EVENT_STREAM])
  if (accepted !== false) return accepted as MediaType | typeof EVENT_STREAM
  throw new BadRequest(`GraphQL responses are ${TYPE_NAMES.join(", ")}.`, {}, 406)
}

/** More than an operation on the schema alone needs is not read of nobody. @throws Unauthorized in place of TooLarge then */
const bodyOf = (request: Request, { viewer }: RequestContext): Promise<unknown> =>
  readJson(request, viewer?.userId).catch((error: unknown) => {
    throw viewer === undefined && error instanceof TooLarge ? new Unauthorized() : error
  })

type Plain = { operation: Operation; variables: Readonly<Values> | null | undefined }

/**
 * The operation of a request that needs nothing of Apollo: JSON in a POST (so browsers have asked first), no other member than
 * these three, and a text that is prepared already. Most requests are of this kind.
 */
function plainOperation(body: unknown, operations: Operations): Plain | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined
  for (const name in body) if (name !== "query" && name !== "variables" && name !== "operationName") return undefined
  const { query, variables, operationName } = body as Record<string, unknown>
  if (typeof query !== "string" || (operationName != null && typeof operationName !== "string")) return undefined
  const operation = operations.get(query, operationName)
  return operation && { operation, variables: variables as Plain["variables"] }
}

function httpRequest(
  { method, headers: sent, originalUrl }: Request,
  accept: string,
  body: unknown,
): HTTPGraphQLRequest {
  const headers = new HeaderMap()
  for (const [name, value] of Object.entries(sent)) if (value !== undefined) headers.set(name, String(value))
  headers.set("accept", accept)
  const query = originalUrl.indexOf("?")
  return { method, headers, search: query === -1 ? "" : originalUrl.slice(query), body }
}

const shownOf = ({ errors, data }: ExecutionResult): ExecutionResult => ({ errors, data })

function sendAnswer(response: Response, type: string, { status, problem }: Answer, text: string): void {
  sendResult(response, status, { "content-type": type, ...problemHeaders(problem, response) }, text)
}

function sendResult(
  response: ServerResponse<IncomingMessage>,
  status: number,
  headers: Record<string, string>,
  text: string,
): void {
  sendText(response, status, headers, text)
}
