import { beforeAll, describe, expect, it } from "vitest"
import { homeFiles } from "../../src/transports/pages/home/assets.js"
import { stylesheetPath } from "../../src/transports/pages/stylesheet.js"
import { sharedNode, type TestNode } from "../support/node.js"

let node: TestNode
beforeAll(async () => {
  node = await sharedNode()
})

const PATHS = [
  ...["/api/health", "/api/v1/avatar?user_id=1", "/avatars/1.png", "/healthz", "/readyz", "/metrics"],
  ...["/downloads/1", "/previews/1/64", "/docs", "/docs/graphql", "/docs/errors", "/docs/errors/not_found"],
  ...["/docs/openapi.json", "/schema.graphql", "/.well-known/oauth-authorization-server"],
  ...["/favicon.svg", "/pictures/1", "/manifest.webmanifest", "/service-worker.js", stylesheetPath, homeFiles.script],
]

describe("a path that only reads (§3)", () => {
  it.each(PATHS)("answers 405 with Allow to every method that does not: %s", async (path) => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const reply = await fetch(node.url + path, { method })
      expect([method, reply.status, reply.headers.get("allow")?.split(", ").slice(0, 2)]).toEqual([
        method,
        405,
        ["GET", "HEAD"],
      ])
      expect(await reply.json()).toMatchObject({ error: { type: "method_not_allowed" } })
    }
    for (const method of ["GET", "HEAD"]) expect((await fetch(node.url + path, { method })).status).not.toBe(405)
    if (path !== "/metrics") expect((await fetch(node.url + path, { method: "OPTIONS" })).ok).toBe(true)
  })

  it("does not tell strangers that there are metrics", async () => {
    const headers = { "X-Forwarded-For": "192.0.2.1" }
    expect((await fetch(`${node.url}/metrics`, { method: "POST", headers })).status).toBe(404)
  })
})
