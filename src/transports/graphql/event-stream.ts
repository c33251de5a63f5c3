import type { Request, Response } from "express"
import type { ExecutionResult } from "graphql"
import { BadRequest, MethodNotAllowed, Unauthorized } from "../../errors.js"
import type { Cursors } from "../../events/cursor.js"
import { cursorBehind } from "../../events/cursor-behind.js"
import type { Subscriptions } from "../../events/subscriptions.js"
import type { Log } from "../../log.js"
import { type Asking, answer, type RequestContext } from "../../operations/answer.js"
import { type Answer, answerOf, answerOfFailure, asGraphQLError } from "../../operations/format-error.js"
import { resultInPieces } from "../../operations/json-pieces.js"
import type { Operation, Operations } from "../../operations/operations.js"
import type { Values } from "../../operations/variables.js"
import { nameRoute } from "../../telemetry/route-name.js"
import { beginningOf, type EventStreams, eventText, STREAM_HEADERS } from "../http/event-stream.js"

/** What tells the client that nothing more will come. */
const COMPLETE = eventText("", { event: "complete" })

type Parts = {
  operations: Operations
  subscriptions: Subscriptions
  streams: EventStreams
  cursors: Cursors
  log: Log
}

/** The body of a request, and its caller when it had come. */
export type Read = { readonly body: unknown; readonly asking: Asking }

/** A request in this form, and its caller as it began. */
export type StreamAsked = { readonly asking: Asking; readBody(): Promise<Read> }

/**
 * GraphQL over server-sent events, in distinct connections mode: each request is answered by a stream of its own, with an event
 * `next` for each result and an event `complete`. What is wrong before an operation is known is refused as plain HTTP.
 * @see https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
export function graphqlEventStream({ operations, subscriptions, streams, cursors, log }: Parts) {
  /** Sends all that there is to say. */
  function sendWhole(response: Response, next: string): void {
    const text = next + COMPLETE
    response.writeHead(200, { ...STREAM_HEADERS, "Content-Length": Buffer.byteLength(text) }).end(text)
  }

  async function subscribe(
    request: Request,
    response: Response,
    operation: Operation,
    { context, requestId, variables }: { context: RequestContext; requestId: string; variables: Values | undefined },
  ): Promise<void> {
    const refusal = await operation.refusal(context, variables)
    if (refusal) return sendWhole(response, nextText(answerOf({ errors: refusal }, log, requestId).result))
    const args = argumentsOf(request, operation, variables)
    let drop = () => {}
    const { viewer, stream } = await streams.begin(request, response, {
      needs: operation.needs,
      onEnd: () => drop(),
    })
    const carrier = {
      outlet: stream,
      isOpen: stream.isOpen,
      frame: (payload: string, event: Parameters<typeof cursorBehind>[2]) =>
        eventText(payload, { event: "next", id: cursorBehind(cursors, viewer.userId, event) }),
      tooSlow: stream.cut,
    }
    const asked = { viewer, operation, variables, requestId, protocol: "sse", args } as const
    const subscriber = subscriptions.open(asked, carrier, () => {})
    drop = subscriber.drop
    subscriber.ended.then(
      () => {
        stream.send(COMPLETE)
        stream.end()
      },
      (error: unknown) => {
        stream.send(nextText(answerOf({ errors: [asGraphQLError(error)] }, log, requestId).result) + COMPLETE)
        stream.end()
      },
    )
  }

  return async (request: Request, response: Response, { asking: early, readBody }: StreamAsked): Promise<void> => {
    if (request.method !== "POST") throw new MethodNotAllowed(["POST"])
    if (early.context.viewer === undefined) throw new Unauthorized()
    const { body, asking } = await readBody()
    const { context, requestId } = asking
    if (context.viewer === undefined) throw new Unauthorized()
    const { query, operationName, variables } = operationIn(body)
    nameRoute(response, "/graphql (events)")
    let operation: Operation
    try {
      operation = operations.get(query, operationName) ?? operations.prepare(query, operationName)
    } catch (error) {
      return sendWhole(response, nextText(answerOfFailure(error, log, requestId).result))
    }
    if (operation.node.operation === "subscription")
      return subscribe(request, response, operation, { context, requestId, variables })
    const { result }: Answer = await answer(asking, log, () => operation, variables)
    const { held } = context
    if (!held.isLarge()) return sendWhole(response, nextText(result))
    const text = await resultInPieces(result, held)
    held.answered(text.length)
    sendWhole(response, eventText(text, { event: "next" }))
  }
}

const nextText = ({ errors, data }: ExecutionResult): string =>
  eventText(JSON.stringify({ errors, data }), { event: "next" })

/** @throws BadRequest for a body that holds no operation */
function operationIn(body: unknown): {
  query: string
  operationName: string | undefined
  variables: Values | undefined
} {
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body)
  const { query, operationName, variables } = (isObject ? body : {}) as Record<string, unknown>
  if (typeof query !== "string")
    throw new BadRequest("Send one operation as JSON: an object whose `query` is its text.", { query: ["required"] })
  if (operationName != null && typeof operationName !== "string")
    throw new BadRequest("`operationName` must be a string.", { operationName: ["must be a string"] })
  return { query, operationName: operationName ?? undefined, variables: variables as Values | undefined }
}

/** The arguments of a subscription's field, the place of a client that comes back among them. @throws BadRequest where it says two places */
function argumentsOf(request: Request, operation: Operation, variables: Values | undefined): Values {
  const args = operation.roots(variables)[0]?.args ?? {}
  return { ...args, after: beginningOf(request, args.after) }
}
