import { randomUUID } from "node:crypto"
import type { NextFunction, Request, Response } from "express"
import { loggedPath, PROBES } from "./request-log.js"
import { routeOf } from "./route-name.js"
import { failed, readTraceparent, requestIdOf, SpanKind, type Trace } from "./trace.js"

/** Express middleware. */
export type TraceRequest = (request: Request, response: Response, next: NextFunction) => void

/**
 * A server span for each request. It stands in the trace that the client names by `traceparent`, and is named by the pattern of
 * its route. A request without an id gets one that holds its trace, which is in the log and in the events it makes.
 */
export const requestSpans =
  (trace: Trace): TraceRequest =>
  (request, response, next) => {
    if (PROBES.has(request.path)) return next()
    const { method, headers } = request
    const attributes = {
      "http.request.method": method,
      "url.path": loggedPath(request.path),
      "url.scheme": request.protocol,
    }
    const span = trace.start(method, SpanKind.SERVER, attributes, readTraceparent(headers.traceparent))
    const named = headers["x-client-request-id"] ?? headers["x-request-id"]
    if (typeof named === "string") trace.remember(named.slice(0, 255), span)
    else if (span.isRecording()) headers["x-request-id"] = requestIdOf(span.spanContext())
    else if (method !== "GET") {
      // That it is not sampled holds for its deliveries too.
      headers["x-request-id"] = randomUUID()
      trace.remember(headers["x-request-id"], span)
    }
    response.once("close", () => {
      const route = routeOf(response)
      if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute("http.route", route)
      span.setAttribute("http.response.status_code", response.statusCode)
      if (!response.writableFinished) failed(span, new Error("aborted"))
      else if (response.statusCode >= 500) failed(span, String(response.statusCode))
      span.end()
    })
    trace.within(span, next)
  }
