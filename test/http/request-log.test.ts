import { once } from "node:events"
import http from "node:http"
import type { AddressInfo } from "node:net"
import { Writable } from "node:stream"
import express from "express"
import { afterEach, describe, expect, it, vi } from "vitest"
import { createLog } from "../../src/log.js"
import { requestIdOf, requestLog } from "../../src/telemetry/request-log.js"
import { type Health, healthProbes } from "../../src/transports/http/health.js"

let server: http.Server | undefined
afterEach(async () => {
  server?.closeAllConnections()
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)))
})

const READY: Health = { checkReady: async () => {}, isDraining: () => false }

async function serve({ level = "info", health = READY } = {}) {
  const lines: Record<string, unknown>[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const app = express()
  app.use(requestLog(createLog({ level, isProduction: true }, stream)))
  app.use(healthProbes(health, 50))
  app.post(
    "/tasks",
    express.json(),
    (_request, response) => void response.status(201).json({ id: requestIdOf(response) }),
  )
  app.get("/broken", (_request, response) => void response.status(500).end())
  app.get("/never", () => {})
  server = http.createServer(app).listen(0, "127.0.0.1")
  await once(server, "listening")
  return { lines, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe("requestLog", () => {
  it("logs id, method, path, status and milliseconds, and nothing that could be a secret", async () => {
    const { lines, url } = await serve()
    const reply = await fetch(`${url}/tasks?access_token=s3cret&list_id=1`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Access-Token": "s3cret", "X-Request-Id": "req-1.a:b_c" },
      body: JSON.stringify({ password: "s3cret" }),
    })
    expect(reply.headers.get("x-request-id")).toBe("req-1.a:b_c")
    expect(await reply.json()).toEqual({ id: "req-1.a:b_c" })
    await vi.waitFor(() => expect(lines).toHaveLength(1), 20_000)
    expect(lines[0]).toEqual({
      level: "info",
      time: expect.any(String),
      requestId: "req-1.a:b_c",
      method: "POST",
      path: "/tasks",
      status: 201,
      ms: expect.any(Number),
      msg: "answered",
    })
    expect(JSON.stringify(lines)).not.toContain("s3cret")
  })

  it.each([["two words"], ["a".repeat(129)], ['"}'], [""], [undefined]])(
    "gives a new id in place of %j",
    async (sent) => {
      const { url } = await serve()
      const reply = await fetch(`${url}/tasks`, {
        method: "POST",
        headers: sent === undefined ? {} : { "X-Request-Id": sent },
      })
      expect(reply.headers.get("x-request-id")).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
    },
  )

  it("keeps an id of 128 characters", async () => {
    const { url } = await serve()
    const reply = await fetch(`${url}/tasks`, { method: "POST", headers: { "X-Request-Id": "a".repeat(128) } })
    expect(reply.headers.get("x-request-id")).toBe("a".repeat(128))
  })

  it("keeps the secret of a calendar to itself, also from what asks as one asks a proxy", async () => {
    const { lines, url } = await serve()
    for (const path of ["/calendar/s3cret.ics", `${url}/calendar/s3cret.ics?show=events`]) {
      const request = http.get({ port: new URL(url).port, path })
      const [reply] = await once(request, "response")
      reply.resume()
    }
    await vi.waitFor(() => expect(lines).toMatchObject([{ path: "/calendar/…" }, { path: "/calendar/…" }]), 20_000)
    expect(JSON.stringify(lines)).not.toContain("s3cret")
  })

  it("calls a 500 an error, also when nothing else is logged", async () => {
    const { lines, url } = await serve({ level: "error" })
    await fetch(`${url}/tasks`, { method: "POST" })
    await fetch(`${url}/broken`)
    await vi.waitFor(() => expect(lines).toMatchObject([{ level: "error", status: 500, path: "/broken" }]), 20_000)
  })

  it("says when the client left before the answer", async () => {
    const { lines, url } = await serve()
    const gone = fetch(`${url}/never`, { signal: AbortSignal.timeout(100) })
    await expect(gone).rejects.toThrow()
    await vi.waitFor(() => expect(lines).toMatchObject([{ path: "/never", aborted: true }]), 20_000)
  })
})

describe("GET /healthz and /readyz", () => {
  it("are 200 on a node that can serve, and do not fill the log", async () => {
    const { lines, url } = await serve()
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    const ready = await fetch(`${url}/readyz?from=balancer`)
    expect([ready.status, await ready.json(), ready.headers.get("cache-control")]).toEqual([
      200,
      { status: "ok" },
      "no-store",
    ])
    expect(lines).toEqual([])
  })

  it("say that the node lives but is not ready while it drains", async () => {
    const { url } = await serve({ health: { checkReady: async () => {}, isDraining: () => true } })
    const ready = await fetch(`${url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([503, { status: "draining" }])
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })

  it.each([
    ["fails", () => Promise.reject(new Error("password authentication failed for user tandem"))],
    ["does not answer", () => new Promise<void>(() => {})],
  ])("say so when the check %s, without the reason", async (_, checkReady) => {
    const { url } = await serve({ health: { checkReady, isDraining: () => false } })
    const ready = await fetch(`${url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([503, { status: "unavailable" }])
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })
})
