import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Log } from "../log.js"

const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/
const MAX_LOGGED_PATH_LENGTH = 1_000

/** Called often by machines, so a line for each would only hide the others. */
export const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/api/health", "/metrics"])

/** The `X-Request-Id` of the answer: the client's own when it is 1 to 128 letters, digits or `_.:-`, else a new one. */
export function requestIdFor({ headers }: IncomingMessage): string {
  const sent = headers["x-request-id"]
  return typeof sent === "string" && SANE_REQUEST_ID.test(sent) ? sent : randomUUID()
}

/** The id that `requestLog` gave to this answer. */
export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader("X-Request-Id") ?? "")
}

/** Told of each answer when it is out, or when its client has left before. */
export type Answered = (request: IncomingMessage, response: ServerResponse, ms: number) => void

/** Middleware, the first of all: gives the request its id and, when the answer is out, logs one line about it. The line
 *  holds neither query, headers nor bodies, which is where tokens and passwords are. */
export function requestLog(log: Log, answered: Answered = () => {}) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const requestId = requestIdFor(request)
    response.setHeader("X-Request-Id", requestId)
    const path = loggedPath(request.url ?? "")
    const startedAt = performance.now()
    response.once("close", () => {
      const exactMs = performance.now() - startedAt
      answered(request, response, exactMs)
      const ms = Math.round(exactMs * 10) / 10
      const line = { requestId, method: request.method, path, status: response.statusCode, ms }
      if (!response.writableFinished) log.info({ ...line, aborted: true }, "client left before the answer")
      else if (response.statusCode >= 500) log.error(line, "failed")
      else if (PROBES.has(path)) log.debug(line, "probed")
      else log.info(line, "answered")
    })
    next()
  }
}

/** The path as it is logged: one that is a secret itself, as a calendar's, is not. */
export function loggedPath(url: string): string {
  const end = url.indexOf("?")
  const path = url.slice(0, Math.min(end === -1 ? url.length : end, MAX_LOGGED_PATH_LENGTH))
  // What asks a proxy writes the whole address.
  return /^(?:https?:\/\/[^/]*)?\/calendar\//i.test(path) ? "/calendar/…" : path
}
