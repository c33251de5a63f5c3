import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ExplorerServer, startExplorer } from "./explorer-server.js"

let server: ExplorerServer
let url: string
beforeAll(async () => {
  server = await startExplorer()
  url = server.url
})
afterAll(() => server.stop())

const HTML = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } }

describe("GET /graphql in a browser (ours)", () => {
  it("is a page whose parts all come from here and may be kept", async () => {
    const response = await fetch(url, HTML)
    const page = await response.text()
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8")
    const parts = [...page.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map(([, part]) => part ?? "")
      .filter((part) => part !== "data:,")
    expect(parts).toHaveLength(6)
    for (const part of parts) {
      expect(part).toMatch(/^graphql\/assets\/[\w.-]+\.(js|css)$/)
      const asset = await fetch(new URL(part, url))
      expect([part, asset.status]).toEqual([part, 200])
      expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
      const plain = await fetch(new URL(part, url), { headers: { "accept-encoding": "identity" } })
      expect(await asset.text()).toBe(await plain.text())
    }
  })

  it("is at one address, from which its parts are found below any path", async () => {
    const response = await fetch(`${url}/?query=%7Bhello%7D`, { ...HTML, redirect: "manual" })
    expect([response.status, response.headers.get("location")]).toEqual([302, "../graphql?query=%7Bhello%7D"])
  })

  it("lets scripts and connections be of this address only", async () => {
    const policy = (await fetch(url, HTML)).headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("connect-src 'self';")
  })

  it("is not in the way of other requests", async () => {
    expect((await fetch(url, { headers: { accept: "application/json" } })).status).toBe(404)
    expect((await fetch(url)).status).toBe(404)
    expect((await fetch(url, { ...HTML, method: "POST" })).status).toBe(200)
  })

  it("gives no file but its parts", async () => {
    for (const path of [
      "/assets/nope.js",
      "/assets/..%2fpackage.json",
      "/assets/%2e%2e/%2e%2e/package.json",
      "/assets/constructor",
    ])
      expect((await fetch(url + path, HTML)).status).toBe(404)
  })
})
