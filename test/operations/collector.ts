import { once } from "node:events"
import http from "node:http"
import type { AddressInfo } from "node:net"

/** One span as it arrived: OTLP's JSON, its attributes as an object. */
export type SentSpan = {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  /** As OTLP numbers them: 1 internal, 2 server, 3 client. */
  kind: number
  attributes: Record<string, unknown>
  /** 2: an error. */
  status: number
  resource: Record<string, unknown>
}

/** A collector of OpenTelemetry that keeps what it is sent. */
export type Collector = { readonly url: string; readonly spans: SentSpan[]; stop(): Promise<void> }

type Attribute = { key: string; value: Record<string, unknown> }

const asObject = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, "intValue" in value ? Number(value.intValue) : Object.values(value)[0]]),
  )

export async function startCollector(): Promise<Collector> {
  const spans: SentSpan[] = []
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.method !== "POST" || request.url !== "/v1/traces") return response.writeHead(404).end()
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString())
    for (const { resource, scopeSpans } of resourceSpans)
      for (const scope of scopeSpans)
        for (const { attributes, status, parentSpanId, ...span } of scope.spans)
          spans.push({
            ...span,
            parentSpanId: parentSpanId || undefined,
            attributes: asObject(attributes),
            status: status?.code ?? 0,
            resource: asObject(resource.attributes),
          })
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
