import type { Config } from "../config/config.js"
import type { Log } from "../log.js"
import type { Tracing } from "./tracing.js"

/** Undefined without OTEL_EXPORTER_OTLP_ENDPOINT; then nothing of OpenTelemetry is even read from disk. */
export async function openTracing(config: Pick<Config, "tracing">, log: Log): Promise<Tracing | undefined> {
  if (config.tracing === undefined) return undefined
  const { startTracing } = await import("./tracing.js")
  return startTracing(config.tracing, log)
}
