import type { MetricObjectWithValues, MetricValue, Registry } from "prom-client"
import { packageVersion } from "../config/package-root.js"
import type { PoolStatus } from "../database/client.js"
import type { Runner } from "../statement.js"
import type { Meters } from "./meters.js"
import { gauge, type Reading } from "./reading.js"
import { createSiblings } from "./relay.js"
import { readStored } from "./stored.js"

/** How much is live on a node at the moment. */
export type Status = {
  readonly sockets: number
  readonly eventStreams: number
  readonly sdkSockets: number
  readonly subscribers: number
  readonly subscribersBy: { readonly graphql: number; readonly sse: number }
  readonly executions: number
  readonly streams: number
  readonly waits: number
  readonly listeners: number
  readonly lagMs: number
  readonly pools: Readonly<Record<string, PoolStatus>>
}

/** What the metrics of a node are made of. */
export type ExpositionParts = { readonly db: Runner; readonly meters: Meters; status(): Status }

/** Writes metrics in the text format of Prometheus, for all processes of the node together. */
export type Exposition = { write(): Promise<{ readonly contentType: string; readonly text: string }>; stop(): void }

let ofProcess: Promise<Registry> | undefined

/**
 * What the process itself does: CPU, memory, the event loop, garbage. Watched from the first question on, so that a node which
 * nobody scrapes pays nothing; and once, however many nodes a process holds, because it is the process that is watched.
 */
function processRegistry(): Promise<Registry> {
  ofProcess ??= import("prom-client").then(({ collectDefaultMetrics, Registry }) => {
    const registry = new Registry()
    collectDefaultMetrics({ register: registry })
    return registry
  })
  return ofProcess
}

const one = (value: number): Reading["values"] => [{ labels: {}, value }]

function readStatus({ pools, ...status }: Status): Reading[] {
  const ofPools = (pick: (pool: PoolStatus) => number): Reading["values"] =>
    Object.entries(pools).map(([pool, each]) => ({ labels: { pool }, value: pick(each) }))
  return [
    gauge(
      "tandem_build_info",
      "The version that runs; always 1.",
      [{ labels: { version: packageVersion }, value: 1 }],
      "first",
    ),
    gauge("tandem_sockets", "Open WebSockets and streams of server-sent events, by their protocol.", [
      { labels: { protocol: "graphql" }, value: status.sockets },
      { labels: { protocol: "sse" }, value: status.eventStreams },
      { labels: { protocol: "sdk" }, value: status.sdkSockets },
    ]),
    gauge("tandem_subscriptions", "Subscriptions that are open, by the protocol that carries them.", [
      { labels: { protocol: "graphql" }, value: status.subscribersBy.graphql },
      { labels: { protocol: "sse" }, value: status.subscribersBy.sse },
    ]),
    gauge(
      "tandem_subscription_executions",
      "Executions that subscriptions share: those with the same answer share one.",
      one(status.executions),
    ),
    gauge("tandem_streams", "Streams of events to subscriptions and sockets of the SDK.", one(status.streams)),
    gauge("tandem_waits", "Requests that are held until something changes (`Prefer: wait`).", one(status.waits)),
    gauge("tandem_event_listeners", "Topics of events that something on this node listens to.", one(status.listeners)),
    gauge(
      "tandem_event_lag_seconds",
      "How long after it was written the oldest event of the last read was handed on.",
      one(status.lagMs / 1_000),
      "max",
    ),
    gauge(
      "tandem_database_connections",
      "Open connections to the database, by pool.",
      ofPools(({ open }) => open),
    ),
    gauge(
      "tandem_database_connections_busy",
      "Connections that have something to do.",
      ofPools(({ busy }) => busy),
    ),
    gauge(
      "tandem_database_waiting",
      "Of the pipeline and of searches, statements without an answer yet; of other pools, requests that wait for a connection.",
      ofPools(({ waiting }) => waiting),
    ),
  ]
}

/** Makes the metrics of a node; prom-client is loaded by the first question. */
export function createExposition({ db, meters, status }: ExpositionParts): Exposition {
  async function read(): Promise<Reading[]> {
    const [registry, stored] = await Promise.all([processRegistry(), readStored(db)])
    const ours = [...readStatus(status()), ...meters.read(), ...stored]
    return [...ours, ...((await registry.getMetricsAsJSON()) as unknown as Reading[])]
  }

  const siblings = createSiblings(read)
  return {
    async write() {
      const [{ AggregatorRegistry, Registry }, all] = await Promise.all([import("prom-client"), siblings.all()])
      const registry =
        all.length === 1
          ? registryOf(new Registry(), all[0] ?? [])
          : AggregatorRegistry.aggregate(all as unknown as MetricObjectWithValues<MetricValue<string>>[][])
      return { contentType: Registry.PROMETHEUS_CONTENT_TYPE, text: await registry.metrics() }
    },
    stop: siblings.stop,
  }
}

function registryOf(registry: Registry, readings: readonly Reading[]): Registry {
  for (const reading of readings) registry.registerMetric({ ...reading, get: async () => reading } as never)
  return registry
}
