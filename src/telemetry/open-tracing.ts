import type { Config } from "../config/config.js"
import type { DatabaseClient } from "../database/client.js"
import type { Log } from "../log.js"
import type { Operation } from "../operations/operations.js"
import type { TraceRequest } from "./request-span.js"
import type { TraceAttempt } from "./span-of-delivery.js"

/** What a node tells a collector of OpenTelemetry, when there is one. */
export type Tracing = {
  /** Middleware before all others: a span for the request, below which lies what is done for it. */
  readonly request: TraceRequest
  /** The same database; a statement that a traced request runs has a span, by its name and without its values. */
  database(db: DatabaseClient): DatabaseClient
  /** The same operation; a run of it has a span. */
  watched(operation: Operation, isOurs: boolean): Operation
  /** A span for each attempt to deliver to a webhook, in the trace of the request that made the change. */
  readonly attempt: TraceAttempt
  /** Sends what has not been sent. */
  stop(): Promise<void>
}

/** Undefined without OTEL_EXPORTER_OTLP_ENDPOINT; then nothing of OpenTelemetry is even read from disk. */
export async function openTracing(config: Pick<Config, "tracing">, log: Log): Promise<Tracing | undefined> {
  if (config.tracing === undefined) return undefined
  const { startTracing } = await import("./tracing.js")
  return startTracing(config.tracing, log)
}
