import type { IncomingMessage, ServerResponse } from "node:http"
import { createCounter } from "./counter.js"
import { createHistogram, type Timer } from "./histogram.js"
import type { Reading } from "./reading.js"
import { routeOf } from "./route-name.js"
import type { Runnable } from "./runnable.js"

const METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS"]
/** Clients choose the names of operations, so that there are as many as they like; what comes later shares one. */
const MAX_OPERATIONS = 200
const MAX_NAME_LENGTH = 100
const OTHERS = "(others)"
/** So many places that no row names are told apart: pages, downloads and the like. */
const MAX_PLACES = 60
const NOWHERE = "(none)"
/** What a client that left before the answer has for a status. */
const CLIENT_LEFT = 499

/** Where requests are counted by RATE_LIMIT. */
const TRANSPORTS = ["rest", "graphql", "socket", "page", "calendar"] as const

/** What the parts of a node tell of what they do. It costs next to nothing, whether or not anybody reads it. */
export type Meters = {
  /** An answer is out, or its client has left. */
  answered(request: IncomingMessage, response: ServerResponse, ms: number): void
  /** The same operation, counted and timed whenever a client's request runs it. */
  watched<Operation extends Runnable>(operation: Operation): Operation
  /** An attempt to deliver to a webhook: the status of the answer, undefined when there was none. */
  attempted(status: number | undefined, ms: number): void
  /** So many reminders fell due and were told. */
  reminded(count: number): void
  /** What became of a push to a device. */
  pushed(outcome: PushOutcome): void
  /** A request was refused because its budget was used up. */
  limited(transport: (typeof TRANSPORTS)[number]): void
  read(): Reading[]
}

export type PushOutcome = "sent" | "later" | "gone" | "given_up"

type OperationTimers = { readonly ok: Timer; readonly error: Timer }

/** Makes the meters of one node. */
export function createMeters(): Meters {
  const requests = createHistogram(
    "tandem_http_request_duration_seconds",
    "Time from a request's head to the end of its answer, by the pattern of its route; status 499: the client left.",
  )
  const operations = createHistogram(
    "tandem_graphql_operation_duration_seconds",
    "Time to run a client's query or mutation, over HTTP and sockets, by the name that the client gave it.",
  )
  const attempts = createHistogram(
    "tandem_webhook_attempt_duration_seconds",
    "Time of an attempt to deliver to a webhook, by the kind of its answer; none: there was no answer.",
  )
  const reminders = createCounter(
    "tandem_reminders_total",
    "Reminders that fell due and were sent, by this node.",
    "outcome",
    ["told"],
  )
  const pushes = createCounter(
    "tandem_pushes_total",
    "Attempts to push a reminder to a device, by what came of them.",
    "outcome",
    ["sent", "later", "gone", "given_up"],
  )
  const limited = createCounter(
    "tandem_rate_limited_total",
    "Requests that were refused because the budget of their user or address was used up.",
    "transport",
    TRANSPORTS,
  )
  const ofRoutes = new Map<string, Map<number, Timer>>()
  const ofOperations = new Map<string, OperationTimers>()
  const ofAttempts = new Map<string, Timer>()
  const places = new Set<string>()

  /** Strangers ask for paths without end, and none of them becomes a label: a place has its own once it has answered well. */
  function placeOf(request: IncomingMessage & { originalUrl?: string }, { statusCode }: ServerResponse): string {
    // Express leaves in `url` only what lies below the router that answered.
    const place = /^\/[\w.-]*/.exec(request.originalUrl ?? request.url ?? "")?.[0] ?? NOWHERE
    if (places.has(place)) return place
    if (statusCode >= 400 || places.size >= MAX_PLACES) return NOWHERE
    places.add(place)
    return place
  }

  function requestTimer(request: IncomingMessage, response: ServerResponse): Timer {
    const route = routeOf(response) ?? placeOf(request, response)
    const status = response.writableFinished ? response.statusCode : CLIENT_LEFT
    let ofRoute = ofRoutes.get(route)
    if (ofRoute === undefined) {
      ofRoute = new Map()
      ofRoutes.set(route, ofRoute)
    }
    const known = ofRoute.get(status * 8 + METHODS.indexOf(request.method as string))
    if (known !== undefined) return known
    const method = METHODS.find((name) => name === request.method) ?? OTHERS
    const timer = requests.series({ method, route, status })
    ofRoute.set(status * 8 + METHODS.indexOf(request.method as string), timer)
    return timer
  }

  function operationTimers(type: string, name: string): OperationTimers {
    const known = ofOperations.get(`${type} ${name}`)
    if (known !== undefined) return known
    if (ofOperations.size >= MAX_OPERATIONS && name !== OTHERS) return operationTimers(type, OTHERS)
    const timers = {
      ok: operations.series({ operation: name, type, outcome: "ok" }),
      error: operations.series({ operation: name, type, outcome: "error" }),
    }
    ofOperations.set(`${type} ${name}`, timers)
    return timers
  }

  function attemptTimer(answer: string): Timer {
    const timer = ofAttempts.get(answer) ?? attempts.series({ answer })
    ofAttempts.set(answer, timer)
    return timer
  }

  return {
    answered: (request, response, ms) => requestTimer(request, response).observe(ms / 1_000),
    watched(operation) {
      if (operation.node.operation === "subscription") return operation
      const { operation: type, name } = operation.node
      let timers: OperationTimers | undefined
      return {
        ...operation,
        run(context, variables, root) {
          const startedAt = performance.now()
          const settle = <Result extends { errors?: unknown }>(result: Result): Result => {
            // Not before it is run: strangers, for whom nothing is run, give no names.
            timers ??= operationTimers(type, name?.value.slice(0, MAX_NAME_LENGTH) ?? "(anonymous)")
            const timer = result.errors === undefined ? timers.ok : timers.error
            timer.observe((performance.now() - startedAt) / 1_000)
            return result
          }
          const result = operation.run(context, variables, root)
          return result instanceof Promise ? result.then(settle) : settle(result)
        },
      }
    },
    attempted: (status, ms) =>
      attemptTimer(status === undefined ? "none" : `${Math.floor(status / 100)}xx`).observe(ms / 1_000),
    reminded: (count) => reminders.add("told", count),
    pushed: (outcome) => pushes.add(outcome),
    limited: (transport) => limited.add(transport),
    read: () => [requests, operations, attempts, reminders, pushes, limited].map((metric) => metric.read()),
  }
}
