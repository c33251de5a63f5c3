import { readdirSync, readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readTraceparent, traceparentOf } from "../../src/telemetry/trace.js"
import { listen } from "../live/listener.js"
import { makeList, makePerson, type Person } from "../support/make.js"
import { startHookNode } from "../webhooks/hooks.js"
import { makeHook } from "../webhooks/make-hook.js"
import { type Receiver, startReceiver } from "../webhooks/receiver.js"
import { type Collector, type SentSpan, startCollector } from "./collector.js"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const PARENT = "00f067aa0ba902b7"
const OTHER_TRACE = "11111111111111111111111111111111"
const [SERVER, CLIENT] = [2, 3]

let collector: Collector
let receiver: Receiver
let ann: Person
let requestId: string | null
let taskId: number

const ofTrace = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId)
const childrenOf = ({ spanId }: SentSpan) => collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId)
const server = (name: string, status = 200) =>
  collector.spans.find(
    (span) => span.name === name && span.kind === SERVER && span.attributes["http.response.status_code"] === status,
  ) as SentSpan

/** Everything is asked first: spans are sent in batches, the last of them when the node stops. */
beforeAll(async () => {
  collector = await startCollector()
  receiver = await startReceiver()
  const tracing = {
    endpoint: collector.url,
    serviceName: "tandem-test",
    sampler: "parentbased_always_on" as const,
    ratio: 1,
  }
  const node = await startHookNode({}, { tracing })
  ann = await makePerson(node)
  const list = await makeList(ann)
  await makeHook(ann, list, receiver.url)
  await receiver.until(1) // of itself
  const traceparent = `00-${TRACE}-${PARENT}-01`
  await ann.get(`/tasks?list_id=${list.id}`, { traceparent })
  const made = await ann.post("/tasks", { list_id: list.id, title: "A secret title" })
  requestId = made.headers.get("x-request-id")
  taskId = made.body.id
  await receiver.until(2)
  const named = { "X-Client-Request-Id": "mine", traceparent: `00-${OTHER_TRACE}-${PARENT}-01` }
  await ann.patch(`/tasks/${taskId}`, { revision: 1, starred: true }, named)
  await receiver.until(3)
  const unsampled = { traceparent: `00-22222222222222222222222222222222-${PARENT}-00` }
  await ann.patch(`/tasks/${taskId}`, { revision: 2, starred: false }, unsampled)
  await receiver.until(4)
  for (const probe of ["/healthz", "/readyz", "/metrics"]) await fetch(`${node.url}${probe}`)
  await ann.get("/tasks/999999999")
  await ann.graphql("query Mine { lists { id title } }")
  await ann.graphql("query Wrong { list(id: 999999999) { id } }")
  const listener = listen(ann)
  await listener.run('mutation Rename($id: ID!) { updateTask(id: $id, input: { revision: 3, title: "B" }) { id } }', {
    id: String(taskId),
  })
  await receiver.until(5)
  await listener.close()
  await node.stop()
}, 60_000)
afterAll(async () => {
  await receiver.stop()
  await collector.stop()
})

describe("OTEL_EXPORTER_OTLP_ENDPOINT", () => {
  it("gets a server span for a request, in the client's trace, with its operation and statements below it", () => {
    const [request, ...others] = ofTrace(TRACE).filter(({ kind }) => kind === SERVER)
    expect(others).toEqual([])
    expect(request).toMatchObject({
      name: "GET /api/v1/tasks",
      parentSpanId: PARENT,
      attributes: {
        "http.request.method": "GET",
        "http.route": "/api/v1/tasks",
        "http.response.status_code": 200,
        "url.path": "/api/v1/tasks",
      },
      resource: { "service.name": "tandem-test" },
    })
    const operation = childrenOf(request as SentSpan).find(({ name }) => name === "query tasks") as SentSpan
    expect(operation.attributes).toMatchObject({ "graphql.operation.type": "query", "graphql.operation.name": "tasks" })
    const statements = childrenOf(operation)
    expect(statements.length).toBeGreaterThan(0)
    for (const { name, kind, attributes } of statements) {
      expect(kind).toBe(CLIENT)
      expect(attributes).toMatchObject({ "db.system.name": "postgresql", "db.operation.name": name })
    }
  })

  it("names a request without a trace by an id that holds its new one", () => {
    const request = server("POST /api/v1/tasks", 201)
    expect(requestId).toBe(`${request.traceId}-${request.spanId}`)
    expect(request.parentSpanId).toBeUndefined()
  })

  it("carries the trace of the request that made a change into its deliveries, with request ids of clients and of the service", () => {
    const [, made, changed, unsampled, renamed] = receiver.received.map(({ headers }) =>
      readTraceparent(headers.traceparent),
    )
    const request = server("POST /api/v1/tasks", 201)
    const delivery = collector.spans.find(({ spanId }) => spanId === made?.spanId) as SentSpan
    expect(delivery).toMatchObject({
      name: "deliver webhook",
      kind: CLIENT,
      traceId: request.traceId,
      parentSpanId: request.spanId,
      attributes: { "http.response.status_code": 204, "server.address": "127.0.0.1", "http.request.resend_count": 0 },
    })
    expect(changed).toMatchObject({ traceId: OTHER_TRACE, traceFlags: 1 })
    expect(unsampled).toMatchObject({ traceId: "22222222222222222222222222222222", traceFlags: 0 })
    expect(ofTrace("22222222222222222222222222222222")).toEqual([])
    const operation = collector.spans.find(({ name }) => name === "mutation Rename") as SentSpan
    expect(operation).toMatchObject({ kind: SERVER, parentSpanId: undefined })
    expect(renamed?.traceId).toBe(operation.traceId)
  })

  it("gets operations by the name their client gave them, and what failed with its code", () => {
    expect(collector.spans.find(({ name }) => name === "query Mine")?.status).toBe(0)
    const wrong = collector.spans.find(({ name }) => name === "query Wrong")
    expect(wrong).toMatchObject({ status: 2, attributes: { "error.type": "NOT_FOUND" } })
    // What a client did wrong is no fault of the server.
    expect(server("GET /api/v1/tasks/:id", 404).status).toBe(0)
  })

  it("gets nothing of probes and scrapes", () => {
    expect(
      collector.spans.filter(({ name }) => name === "GET" || name === "ping" || name.startsWith("metrics")),
    ).toEqual([])
  })

  it("gets no value of anybody: no title, token, query or id of a row in a name", () => {
    const text = JSON.stringify(collector.spans)
    expect(text).not.toContain("A secret title")
    expect(text).not.toContain(ann.credentials.token)
    expect(text).not.toContain("list_id=")
    expect(collector.spans.filter(({ name }) => name.includes(String(taskId)) && taskId > 99)).toEqual([])
  })

  it("is read by the only file that loads OpenTelemetry, and only when it is set", () => {
    const importers = readdirSync("src", { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.startsWith("generated"))
      .filter((name) =>
        /^(import|export) (?!type).*from "@opentelemetry|^} from "@opentelemetry/m.test(
          readFileSync(`src/${name}`, "utf8"),
        ),
      )
    expect(importers.sort()).toEqual(["telemetry/trace.ts", "telemetry/tracing.ts"])
    const transport = readFileSync("src/telemetry/open-tracing.ts", "utf8")
    expect(transport.match(/^import (?!type).*/gm)).toBeNull()
    expect(transport).toContain('await import("./tracing.js")')
  })
})

describe("traceparent", () => {
  it("is read and written as W3C Trace Context has it", () => {
    const header = `00-${TRACE}-${PARENT}-01`
    const context = readTraceparent(header)
    expect(context).toMatchObject({ traceId: TRACE, spanId: PARENT, traceFlags: 1, isRemote: true })
    expect(traceparentOf(context!)).toBe(header)
    expect(readTraceparent(`01-${TRACE}-${PARENT}-03-more`)?.traceFlags).toBe(1)
    for (const wrong of [
      undefined,
      "",
      `ff-${TRACE}-${PARENT}-01`,
      `00-${"0".repeat(32)}-${PARENT}-01`,
      `00-${TRACE}-${"0".repeat(16)}-01`,
      `00-${TRACE.toUpperCase()}-${PARENT}-01`,
      `00-${TRACE}-${PARENT}`,
      [header],
    ])
      expect(readTraceparent(wrong)).toBeUndefined()
  })
})
