import { AsyncLocalStorage } from "node:async_hooks"
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api"
import { LRUCache } from "lru-cache"

const MAX_CACHED_REQUESTS = 10_000
/** An id that was made for a traced request: trace and span. */
const MADE_ID = /^([0-9a-f]{32})-([0-9a-f]{16})$/
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** What spans are made with: which one is under way where, and which request is of which trace. */
export type Trace = {
  /** The span under whose request, operation or delivery the code at hand runs; undefined elsewhere, and where it was not sampled. */
  current(): Span | undefined
  /** A span below another, or below what a client or an event named; with neither it is the first of its trace. */
  start(name: string, kind: SpanKind, attributes: Attributes, parent?: Span | SpanContext): Span
  /** Runs `work` so that `current` gives `span` in it, and in whatever it waits for. */
  within<Result>(span: Span, work: () => Result): Result
  /** Remembers which trace a request is of, by the id that the events it makes will have. */
  remember(requestId: string, span: Span): void
  /** The span of the request that made an event; undefined when it is not known here. */
  madeBy(requestId: string | null): SpanContext | undefined
}

/** An id for a request that came without one, from which every node can read its trace. */
export const requestIdOf = ({ traceId, spanId }: SpanContext): string => `${traceId}-${spanId}`

/** Reads the header of W3C Trace Context; undefined for what is not one. */
export function readTraceparent(header: unknown): SpanContext | undefined {
  const [, traceId, spanId, flags] = (typeof header === "string" && TRACEPARENT.exec(header)) || []
  if (traceId === undefined || spanId === undefined) return undefined
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags as string, 16) & 1, isRemote: true }
  return isSpanContextValid(context) ? context : undefined
}

/** Writes the header. */
export const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-0${traceFlags & 1}`

/** Names the error's class and not its message, which may hold what users wrote. */
export function failed(span: Span, error: unknown): void {
  span.setAttribute("error.type", error instanceof Error ? error.name : typeof error)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** Makes the spans of one node. */
export function createTrace(tracer: Tracer): Trace {
  const underWay = new AsyncLocalStorage<Span>()
  const requests = new LRUCache<string, SpanContext>({ max: MAX_CACHED_REQUESTS })

  const contextOf = (parent: Span | SpanContext | undefined): Context => {
    if (parent === undefined) return ROOT_CONTEXT
    return "spanContext" in parent ? trace.setSpan(ROOT_CONTEXT, parent) : trace.setSpanContext(ROOT_CONTEXT, parent)
  }

  return {
    current() {
      const span = underWay.getStore()
      return span?.isRecording() ? span : undefined
    },
    start: (name, kind, attributes, parent) => tracer.startSpan(name, { kind, attributes }, contextOf(parent)),
    within: (span, work) => underWay.run(span, work),
    remember: (requestId, span) => requests.set(requestId, span.spanContext()),
    madeBy(requestId) {
      if (requestId === null) return undefined
      const [, traceId, spanId] = MADE_ID.exec(requestId) ?? []
      if (traceId === undefined || spanId === undefined) return requests.get(requestId)
      return { traceId, spanId, traceFlags: 1, isRemote: true }
    },
  }
}

export { SpanKind }
