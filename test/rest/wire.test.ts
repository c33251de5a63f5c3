import { connect } from "node:net"
import { beforeAll, describe, expect, it } from "vitest"
import { createClient } from "../support/client.js"
import { makePerson, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

let node: TestNode
let ann: Person

beforeAll(async () => {
  node = await sharedNode()
  ann = await makePerson(node)
})

/** Sends bytes as they are, for what no HTTP client would send. */
function sendRaw(head: string[], body: Buffer | string = ""): Promise<string> {
  const { hostname, port } = new URL(node.url)
  return new Promise((resolve, reject) => {
    let text = ""
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${[...head, "Connection: close"].join("\r\n")}\r\n\r\n`)
      socket.write(body)
    })
    socket.on("data", (chunk) => {
      text += chunk
    })
    socket.on("end", () => resolve(text))
    socket.on("error", reject)
  })
}

const headersOf = ({ headers }: Person) => Object.entries(headers).map(([name, value]) => `${name}: ${value}`)

describe("headers (§5)", () => {
  it("names the viewer by both headers in any letter case, and by nothing less", async () => {
    const { clientId, token } = ann.credentials as { clientId: string; token: string }
    const other = (await makePerson(node, "Bob")).credentials
    const status = async (headers: Record<string, string>) =>
      (await createClient(node.url).get("/lists", headers)).status
    expect(await status({ "x-client-id": clientId, "X-ACCESS-TOKEN": token })).toBe(200)
    const others: Record<string, string>[] = [
      {},
      { "X-Client-ID": clientId },
      { "X-Access-Token": token },
      { "X-Client-ID": other.clientId as string, "X-Access-Token": token },
      { "X-Client-ID": clientId, "X-Access-Token": `${token}x` },
      { "X-Client-ID": "", "X-Access-Token": "" },
    ]
    for (const headers of others) expect(await status(headers)).toBe(401)
  })

  it("says in the contract's words that a caller is not signed in, for every route", async () => {
    const nobody = createClient(node.url)
    for (const [method, path] of [
      ["GET", "/lists"],
      ["POST", "/tasks"],
      ["GET", "/unknown"],
      ["DELETE", "/tasks/1"],
    ] as const) {
      const { status, body } = await nobody.request(method, path)
      expect(status).toBe(401)
      expect(body).toEqual({
        error: { type: "unauthorized", translation_key: "api_error_unauthorized", message: expect.any(String) },
        unauthorized: true,
      })
    }
  })

  it("gives every answer the request id of the client, if that is sane, and another one if not", async () => {
    expect((await ann.get("/lists", { "X-Request-Id": "abc-1" })).headers.get("x-request-id")).toBe("abc-1")
    expect((await ann.get("/nothing", { "X-Request-Id": "a b<c>" })).headers.get("x-request-id")).toMatch(/^[\w-]{36}$/)
  })

  it("answers a preflight without a token, and lets pages of any origin read every answer", async () => {
    const preflight = {
      Origin: "https://a.example",
      "Access-Control-Request-Method": "PATCH",
      "Access-Control-Request-Headers": "x-access-token,x-client-id,content-type",
    }
    for (const path of ["/tasks", "/tasks/1", "/lists/tasks_count", "/api/health", "/graphql"]) {
      const reply = await createClient(node.url).request("OPTIONS", path, undefined, preflight)
      expect(reply.status).toBe(204)
      expect(reply.headers.get("access-control-allow-origin")).toBe("*")
      expect(reply.headers.get("access-control-allow-methods")).toContain("PATCH")
      for (const name of [
        "x-access-token",
        "x-client-id",
        "content-type",
        "x-client-request-id",
        "x-client-product-git-hash",
      ])
        expect(reply.headers.get("access-control-allow-headers")?.toLowerCase()).toContain(name)
      expect(reply.headers.get("access-control-allow-credentials")).toBeNull()
    }
    const refused = [
      createClient(node.url).get("/lists"),
      ann.get("/tasks/1"),
      ann.post("/tasks", "{"),
      ann.post("/root"),
    ]
    for (const reply of await Promise.all(refused)) expect(reply.headers.get("access-control-allow-origin")).toBe("*")
  })
})

describe("bodies (§1)", () => {
  it.each([
    "application/json",
    "APPLICATION/JSON",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
  ])("reads %s", async (type) => {
    expect((await ann.post("/lists", '{"title":"x"}', { "Content-Type": type })).status).toBe(201)
  })

  it.each([
    "text/plain",
    "application/vnd.api+json",
    "application/json; charset=iso-8859-1",
    "application/x-www-form-urlencoded",
  ])("refuses %s with 400", async (type) => {
    const { status, body } = await ann.post("/lists", '{"title":"x"}', { "Content-Type": type })
    expect([status, body.error.type]).toEqual([400, "bad_request"])
  })

  it("refuses a body without a content type, and says what is missing when there is no body", async () => {
    const answer = await sendRaw(
      ["POST /api/v1/lists HTTP/1.1", "Host: x", ...headersOf(ann), "Content-Length: 13"],
      '{"title":"x"}',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect((await ann.post("/lists")).body.error.title).toEqual(["required"])
    expect((await ann.post("/lists", "", { "Content-Type": "application/json" })).status).toBe(400)
  })

  it.each(['{"a":', '"x"', "[]", "7", "null", "{'a':1}", "\ufeff{}"])("refuses %s with 400 and JSON", async (text) => {
    const { status, body, headers } = await ann.post("/lists", text)
    expect(status).toBe(400)
    expect(body.error.translation_key).toMatch(/^api_error_/)
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8")
  })

  it("refuses what is not UTF-8, and never stores it altered", async () => {
    for (const bytes of [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), Buffer.from('{"title":"x"}', "utf16le")]) {
      const head = [
        "POST /api/v1/lists HTTP/1.1",
        "Host: x",
        ...headersOf(ann),
        "Content-Type: application/json",
        `Content-Length: ${bytes.length}`,
      ]
      expect(await sendRaw(head, bytes)).toMatch(/^HTTP\/1\.1 400 [\s\S]*"bad_request"/)
    }
  })

  it("reads chunked bodies and ignores Content-Encoding: UTF-8; any other encoding is 415", async () => {
    const head = [
      "POST /api/v1/lists HTTP/1.1",
      "Host: x",
      ...headersOf(ann),
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
      "Content-Encoding: UTF-8",
    ]
    expect(await sendRaw(head, '6\r\n{"titl\r\n7\r\ne":"x"}\r\n0\r\n\r\n')).toMatch(/^HTTP\/1\.1 201 /)
    expect((await ann.post("/lists", '{"title":"x"}', { "Content-Encoding": "zstd" })).status).toBe(415)
  })

  it("takes 1 MiB and no more", async () => {
    const body = (bytes: number) => JSON.stringify({ title: "x", ignored: "y".repeat(bytes - 26) })
    expect(Buffer.byteLength(body(1_048_576))).toBe(1_048_576)
    expect((await ann.post("/lists", body(1_048_576))).status).toBe(201)
    expect((await ann.post("/lists", body(1_048_577))).body.error.type).toBe("too_large")
    expect((await ann.post("/lists", body(11_000_000))).status).toBe(413)
  })
})

describe("errors (§7)", () => {
  it("answers 404 for an unknown path, 405 with Allow for a method it does not have, 400 for a broken one", async () => {
    expect((await ann.get("/nothing")).body.error).toMatchObject({
      type: "not_found",
      translation_key: "api_error_not_found",
    })
    const reply = await ann.post("/root", {})
    expect([reply.status, reply.body.error.type, reply.headers.get("allow")]).toEqual([
      405,
      "method_not_allowed",
      "GET, HEAD, OPTIONS",
    ])
    expect((await ann.delete("/lists")).headers.get("allow")).toBe("GET, HEAD, POST, OPTIONS")
    const broken = await ann.get("/tasks/%E0%A4%A")
    expect([broken.status, broken.body.error.type]).toEqual([400, "bad_request"])
  })

  it("is JSON with a request id everywhere below /api, and says nothing of its inside", async () => {
    for (const path of ["/api/nothing", "/api/v1/nothing", "/api/v1/tasks/%E0%A4%A", "/api/v2/nothing", "/api"]) {
      const { headers, text, status } = await ann.request("GET", path)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8")
      expect(headers.get("x-request-id")).toMatch(/./)
      expect(text).not.toMatch(/node_modules|\.[jt]s:|select |<html/i)
    }
  })

  it("take an identifier in a query with zeros before it, which is the same in decimal digits (§2)", async () => {
    const [plain, padded] = [String(ann.inboxId), `000${ann.inboxId}`]
    for (const path of ["/tasks?list_id=", "/reminders?list_id="])
      expect(await ann.get(path + padded)).toMatchObject({ status: 200, body: (await ann.get(path + plain)).body })
    expect((await ann.get("/tasks?list_id=000")).status).toBe(404)
    const avatar = await fetch(`${node.url}/api/v1/avatar?user_id=000${ann.id}&fallback=false`)
    expect(avatar.status).toBe(204)
  })

  it("gives the rest the contract's names", async () => {
    expect((await ann.get("/tasks/1")).body).toEqual({
      error: { type: "not_found", translation_key: "api_error_not_found", message: expect.any(String) },
    })
    expect((await ann.patch(`/lists/${ann.inboxId}`, {})).body.error).toMatchObject({
      type: "missing_parameter",
      translation_key: "api_error_missing_params",
      revision: ["required"],
    })
  })
})

describe("what is no HTTP", () => {
  it.each([
    ["400", ["GET /api/v1/lists HTTP/1.1", "Host: x", "X-Client-ID: a\u0000b"]],
    ["400", ["G\u00e4T /api/v1/lists HTTP/1.1", "Host: x"]],
    ["431", ["GET /api/v1/lists HTTP/1.1", "Host: x", `X-Client-ID: ${"a".repeat(20_000)}`]],
  ])("is refused with %s and JSON", async (status, head) => {
    const answer = await sendRaw(head)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ error: { type: "bad_request" } })
  })
})

describe("GET /api/health", () => {
  it("needs no token and no version", async () => {
    const nobody = createClient(node.url)
    expect((await nobody.get("/api/health")).body).toEqual({ healthy: true })
    for (const path of ["/healthz", "/readyz"]) expect((await fetch(`${node.url}${path}`)).status).toBe(200)
  })
})
