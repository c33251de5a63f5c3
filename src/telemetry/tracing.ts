import { DiagLogLevel, diag } from "@opentelemetry/api"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources"
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-base"
import type { TracingConfig } from "../config/config.js"
import { packageVersion } from "../config/package-root.js"
import type { DatabaseClient } from "../database/client.js"
import type { Log } from "../log.js"
import { operationSpans } from "./operation-span.js"
import { requestSpans, type TraceRequest } from "./request-span.js"
import type { Runnable } from "./runnable.js"
import { deliverySpans, type TraceAttempt } from "./span-of-delivery.js"
import { statementSpans } from "./statement-span.js"
import { createTrace } from "./trace.js"

/** What a node tells a collector of OpenTelemetry, when there is one. */
export type Tracing = {
  /** Middleware before all others: a span for the request, below which lies what is done for it. */
  readonly request: TraceRequest
  /** The same database; a statement that a traced request runs has a span, by its name and without its values. */
  database(db: DatabaseClient): DatabaseClient
  /** The same operation; a run of it has a span. */
  watched<Operation extends Runnable>(operation: Operation, isOurs: boolean): Operation
  /** A span for each attempt to deliver to a webhook, in the trace of the request that made the change. */
  readonly attempt: TraceAttempt
  /** Sends what has not been sent. */
  stop(): Promise<void>
}

/** A collector that does not answer does not keep a node from stopping. */
const STOP_DEADLINE_MS = 3_000

function samplerOf({ sampler, ratio }: TracingConfig): Sampler {
  const root = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }[sampler.replace("parentbased_", "") as "always_on"]()
  return sampler.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root
}

/**
 * Sends spans to the collector, in batches and behind the requests' back. The libraries read by themselves what else OpenTelemetry
 * names for them: OTEL_EXPORTER_OTLP_HEADERS, OTEL_RESOURCE_ATTRIBUTES, OTEL_BSP_…
 */
export function startTracing(config: TracingConfig, log: Log): Tracing {
  diag.setLogger(
    {
      error: (message) => log.warn({ why: message.slice(0, 500) }, "traces could not be sent"),
      warn: (message) => log.debug({ why: message.slice(0, 500) }, "tracing"),
      info: () => {},
      debug: () => {},
      verbose: () => {},
    },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const named = resourceFromAttributes({ "service.name": config.serviceName, "service.version": packageVersion })
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(named),
    sampler: samplerOf(config),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${config.endpoint}/v1/traces` }))],
  })
  const trace = createTrace(provider.getTracer("tandem", packageVersion))
  return {
    request: requestSpans(trace),
    database: statementSpans(trace),
    watched: operationSpans(trace),
    attempt: deliverySpans(trace),
    async stop() {
      let timer: NodeJS.Timeout | undefined
      const deadline = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, STOP_DEADLINE_MS)
      })
      await Promise.race([provider.shutdown().catch(() => {}), deadline])
      clearTimeout(timer)
    },
  }
}
