import { failed, SpanKind, type Trace, traceparentOf } from "./trace.js"

/** Begins the span of one attempt; gives the headers that carry its trace on, and takes what came of it. */
export type TraceAttempt = (delivery: {
  readonly webhookId: string
  readonly attempts: number
  readonly url: string
  readonly event: { readonly requestId: string | null } | undefined
}) => { readonly headers: Record<string, string>; end(status: number | undefined): void }

/**
 * A span for each attempt to deliver, in the trace of the request that made the change: known on every node where the client gave
 * its request no id, else on the node that took the request. Elsewhere it begins a trace.
 */
export const deliverySpans =
  (trace: Trace): TraceAttempt =>
  ({ webhookId, attempts, url, event }) => {
    const attributes = {
      "http.request.method": "POST",
      "server.address": URL.canParse(url) ? new URL(url).hostname : "",
      "http.request.resend_count": attempts - 1,
      "tandem.webhook.id": webhookId,
    }
    const span = trace.start("deliver webhook", SpanKind.CLIENT, attributes, trace.madeBy(event?.requestId ?? null))
    return {
      headers: { traceparent: traceparentOf(span.spanContext()) },
      end(status) {
        if (status !== undefined) span.setAttribute("http.response.status_code", status)
        if (status === undefined || status >= 300) failed(span, status === undefined ? "no answer" : String(status))
        span.end()
      },
    }
  }
