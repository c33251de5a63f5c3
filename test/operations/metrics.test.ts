import { get } from "node:http"
import { connect } from "node:net"
import { buffer } from "node:stream/consumers"
import type { OperationDefinitionNode } from "graphql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createMeters } from "../../src/telemetry/meters.js"
import type { Runnable } from "../../src/telemetry/runnable.js"
import { listen } from "../live/listener.js"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNodeOn } from "../support/node.js"
import { type HookNode, startHookNode } from "../webhooks/hooks.js"
import { makeHook } from "../webhooks/make-hook.js"
import { startReceiver } from "../webhooks/receiver.js"
import { parseExposition, scrape, seriesOf } from "./exposition.js"

let node: HookNode
let ann: Person

beforeAll(async () => {
  node = await startHookNode()
  ann = await makePerson(node)
})
afterAll(() => node.stop())

const statusOf = (url: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) =>
    get(url, { headers }, (response) => resolve(response.resume().statusCode as number)).on("error", reject),
  )

describe("GET /metrics", () => {
  it("is Prometheus' text format: each metric says what it is, and its name has its unit", async () => {
    await ann.get("/lists")
    const response = await fetch(`${node.url}/metrics`)
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
    const metrics = parseExposition(await response.text())
    for (const [name, { help, type, samples }] of metrics) {
      expect(help, name).toMatch(/\S/)
      expect(["counter", "gauge", "histogram"], name).toContain(type)
      expect(name).toMatch(/^(tandem|process|nodejs)_[a-z0-9_]+$/)
      if (type === "counter") expect(name).toMatch(/_total$/)
      if (/(duration|lag|oldest|pause|_time)/.test(name)) expect(name).toMatch(/_seconds(_total)?$/)
      if (type !== "histogram") continue
      for (const { labels } of samples.filter(({ name: sample }) => sample.endsWith("_count"))) {
        const buckets = samples
          .filter((sample) => sample.name.endsWith("_bucket"))
          .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
        const counts = buckets.map(({ value }) => value)
        expect(counts).toEqual([...counts].sort((a, b) => a - b))
        expect(buckets.at(-1)?.labels.le).toBe("+Inf")
      }
    }
    for (const name of ["tandem_build_info", "process_cpu_seconds_total", "nodejs_eventloop_lag_seconds"])
      expect([...metrics.keys()]).toContain(name)
    expect(seriesOf(metrics, "tandem_database_up")).toBe(1)
    expect(seriesOf(metrics, "tandem_database_connections", { pool: "pipeline" })).toBeGreaterThan(0)
    expect(seriesOf(metrics, "tandem_jobs", { task: "remove_bytes", state: "due" }) ?? 0).toBeLessThan(2)
  })

  it("counts requests by the pattern of their route and their status, and names no path that a stranger makes up", async () => {
    const route = "/api/v1/tasks/:id"
    const before = await scrape(node.url)
    const list = await makeList(ann)
    const task = await makeTask(ann, list)
    await ann.get(`/tasks/${task.id}`)
    await ann.get(`/tasks/${task.id}`)
    await ann.get("/tasks/999999999")
    await ann.delete(`/tasks/${task.id}?revision=7`)
    await fetch(`${node.url}/made-up-${Math.random()}`)
    const after = await scrape(node.url)
    const count = (metrics: typeof after, labels: Record<string, string>) =>
      seriesOf(metrics, "tandem_http_request_duration_seconds_count", labels) ?? 0
    const grown = (labels: Record<string, string>) => count(after, labels) - count(before, labels)
    expect(grown({ method: "GET", route, status: "200" })).toBe(2)
    expect(grown({ method: "GET", route, status: "404" })).toBe(1)
    expect(grown({ method: "DELETE", route, status: "409" })).toBe(1)
    expect(grown({ method: "POST", route: "/api/v1/tasks", status: "201" })).toBe(1)
    expect(grown({ route: "(none)", status: "404" })).toBe(1)
    expect(JSON.stringify([...after])).not.toContain("made-up")
  })

  it("counts operations over HTTP and sockets by name, type and outcome, and none of a stranger", async () => {
    await ann.graphql("query Lists { lists { id } }")
    await ann.graphql("query Lists { lists { id } }")
    await ann.graphql("query Broken { list(id: 999999999) { id } }")
    await ann.graphql("{ lists { id } }")
    await fetch(`${node.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "query Stranger { lists { id } }" }),
    })
    const metrics = await scrape(node.url)
    const count = (operation: string, outcome: string) =>
      seriesOf(metrics, "tandem_graphql_operation_duration_seconds_count", { operation, type: "query", outcome })
    const labels = { method: "POST", route: "/graphql" }
    expect(seriesOf(metrics, "tandem_http_request_duration_seconds_count", { ...labels, status: "200" })).toBe(4)
    expect(count("Lists", "ok")).toBe(2)
    expect(count("Broken", "error")).toBe(1)
    expect(count("(anonymous)", "ok")).toBe(1)
    expect(count("Stranger", "error")).toBeUndefined()
  })

  it("shows sockets and subscriptions while they are open", async () => {
    const list = await makeList(ann)
    const listener = listen(ann)
    const heard = listener.listUpdated(list.id, list.revision)
    await makeTask(ann, list)
    await heard.until((events) => events.length === 1)
    const open = await scrape(node.url)
    expect(seriesOf(open, "tandem_sockets", { protocol: "graphql" })).toBe(1)
    expect(seriesOf(open, "tandem_subscriptions", { protocol: "graphql" })).toBe(1)
    expect(seriesOf(open, "tandem_streams")).toBe(1)
    await listener.close()
    await expect.poll(async () => seriesOf(await scrape(node.url), "tandem_sockets", { protocol: "graphql" })).toBe(0)
  })

  it("counts what became of deliveries, and shows what waits", async () => {
    const receiver = await startReceiver()
    const list = await makeList(ann)
    await makeHook(ann, list, receiver.url)
    await makeHook(ann, list, "http://127.0.0.1:9/nobody-listens")
    await makeTask(ann, list)
    const attempts = async (answer: string) =>
      seriesOf(await scrape(node.url), "tandem_webhook_attempt_duration_seconds_count", { answer }) ?? 0
    await expect.poll(() => attempts("2xx"), { timeout: 20_000 }).toBeGreaterThan(0)
    await expect.poll(() => attempts("none"), { timeout: 20_000 }).toBeGreaterThan(0)
    await expect
      .poll(async () => seriesOf(await scrape(node.url), "tandem_webhook_deliveries", { state: "later" }))
      .toBeGreaterThan(0)
    await receiver.stop()
  })
})

describe("access to /metrics", () => {
  it("is for this machine alone without METRICS_TOKEN: nothing is there for clients behind a proxy or with another host name", async () => {
    const { port } = new URL(node.url)
    expect(await statusOf(`${node.url}/metrics`, {})).toBe(200)
    expect(await statusOf(`${node.url}/metrics`, { host: `localhost:${port}` })).toBe(200)
    expect(await statusOf(`${node.url}/metrics`, { host: "tandem.example.org" })).toBe(404)
    expect(await statusOf(`${node.url}/metrics`, { "x-forwarded-for": "203.0.113.7" })).toBe(404)
    expect(await statusOf(`${node.url}/metrics`, { forwarded: "for=203.0.113.7" })).toBe(404)
    for (const name of ["via", "x-real-ip", "x-forwarded-host", "x-forwarded-proto", "cf-connecting-ip"])
      expect([name, await statusOf(`${node.url}/metrics`, { [name]: "203.0.113.7" })]).toEqual([name, 404])
    // As nginx asks when nothing but proxy_pass is set.
    const socket = connect(Number(port), "127.0.0.1").end(`GET /metrics HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
    expect(String(await buffer(socket))).toMatch(/^HTTP\/1\.1 404 /)
  })

  it("is for any client that sends the token, from anywhere, when there is one", async () => {
    const token = "a-token-of-some-length"
    const other = await startNodeOn(node.databaseUrl, { metricsToken: token })
    const authorization = `Bearer ${token}`
    const headers = { host: "tandem.example.org", "x-forwarded-for": "203.0.113.7" }
    expect(await statusOf(`${other.url}/metrics`, { ...headers, authorization })).toBe(200)
    expect(await statusOf(`${other.url}/metrics`, { ...headers, authorization: `${authorization}x` })).toBe(401)
    expect(await statusOf(`${other.url}/metrics`, {})).toBe(401)
    await other.stop()
  })
})

describe("createMeters", () => {
  it("keeps no more than two hundred names of operations, whatever clients call theirs", () => {
    const meters = createMeters()
    for (let index = 0; index < 1_000; index++) {
      const node = { operation: "query", name: { value: `Query${index}` } }
      meters.watched<Runnable>({ node: node as OperationDefinitionNode, run: () => ({ data: {} }) }).run({})
    }
    const [, operations] = meters.read()
    const names = new Set(operations?.values.map(({ labels }) => labels.operation))
    expect(names.size).toBe(201)
    const others = operations?.values.find(
      ({ labels, metricName }) =>
        labels.operation === "(others)" && labels.outcome === "ok" && metricName?.endsWith("_count"),
    )
    expect(others?.value).toBe(800)
  })
})
