import type { Express, NextFunction, Request, RequestHandler, Response } from "express"
import { BadRequest, NotFound, Problem, ServerError } from "../errors.js"
import type { Log } from "../log.js"
import { type Answered, requestIdOf, requestLog } from "../telemetry/request-log.js"
import { createExplorer } from "./graphql/explorer.js"
import { cors } from "./http/cors.js"
import { getOnly } from "./http/get-only.js"
import { healthProbes } from "./http/health.js"
import { send, sendProblem } from "./rest/router.js"

/** What answers at which path; all of it is made by the one who knows all parts. */
export type Transports = {
  readonly log: Log
  /** Rejects when a request could not be served now. */
  checkReady(): Promise<unknown>
  isDraining(): boolean
  readonly rest: RequestHandler
  readonly graphql: RequestHandler
  readonly avatars: RequestHandler
  readonly calendar: RequestHandler
  readonly files: RequestHandler
  readonly docs: RequestHandler
  readonly pages: RequestHandler
  /** For what nobody answered, when a person asks. */
  readonly notFoundPage: RequestHandler
  readonly oauth: RequestHandler
  readonly metrics: RequestHandler
  /** Undefined where nothing is traced. */
  readonly trace: RequestHandler | undefined
  /** Told of each answer, for metrics. */
  readonly answered: Answered
}

/** The official SDK asks a second version of the interface for files; all else has only the first (§4 Files). */
const onlyFiles = ({ path }: Request, _response: Response, next: NextFunction): void =>
  next(/^\/files(\/|$)/.test(path) ? undefined : new NotFound())

/** Nothing is expected here but that a body is waited for (RFC 9110, 10.1.1). */
function refuseExpectations({ headers }: Request, _response: Response, next: NextFunction): void {
  const { expect } = headers
  if (expect === undefined || /^100-continue$/i.test(expect)) next()
  else throw new BadRequest("The only expectation that can be met is 100-continue.", {}, 417)
}

/**
 * Puts the transports into an Express application. What carries the load comes first: each router before it would cost every
 * request some microseconds.
 */
export function mountTransports(
  app: Express,
  { log, checkReady, isDraining, answered, trace, ...transports }: Transports,
): void {
  if (trace !== undefined) app.use(trace)
  app.use(requestLog(log, answered))
  app.use(healthProbes({ checkReady, isDraining }))
  app.use(["/api", "/avatars", "/graphql"], cors)
  app.use(refuseExpectations)
  app.get("/api/health", (_request, response) => send(response, 200, '{"healthy":true}')).all("/api/health", getOnly)
  app.use(transports.avatars)
  app.use("/api/v1", transports.rest)
  app.use("/api/v2", onlyFiles, transports.rest)
  app.use("/graphql", createExplorer())
  app.use("/graphql", transports.graphql)
  app.all("/metrics", transports.metrics)
  app.use(transports.calendar)
  app.use(transports.docs)
  app.use(transports.pages)
  app.use(cors)
  app.use(transports.oauth)
  app.use(transports.files)
  app.use(transports.notFoundPage)
  app.use(() => {
    throw new NotFound()
  })
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    if (error instanceof Problem) return sendProblem(response, error)
    if (error instanceof URIError)
      return sendProblem(response, new BadRequest("The path is not valid percent-encoded UTF-8."))
    log.error({ err: error, requestId: requestIdOf(response) }, "a request failed")
    sendProblem(response, new ServerError())
  })
}
