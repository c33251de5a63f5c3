import { request as httpRequest } from "node:http"
import { connect } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { codes, GOOD, JSON_TYPE, startSmallServer } from "./small-server.js"

const MIB = 1_048_576

let server: Awaited<ReturnType<typeof startSmallServer>>
beforeAll(async () => {
  server = await startSmallServer()
})
afterAll(() => server.stop())

describe("the body of POST /graphql", () => {
  const query = "{ list { id } }"
  const good = JSON.stringify({ query })
  const raw = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
    server.send({ method: "POST", headers: { ...GOOD, ...headers }, body })

  it.each([
    "application/json",
    "APPLICATION/JSON",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
  ])("may be %s", async (type) => {
    expect((await raw(good, { "content-type": type })).body).toEqual({ data: { list: { id: "7" } } })
  })

  it.each([
    "text/plain",
    "application/vnd.api+json",
    "application/json; charset=iso-8859-1",
    "application/json; charset=utf-16",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/graphql",
    "",
  ])("may not be %s", async (type) => {
    const { status, body } = await raw(good, { "content-type": type })
    expect([status, codes(body)]).toEqual([400, ["BAD_REQUEST"]])
  })

  it.each(["UTF-8", "utf8", "identity"])("may be called encoded by a client that means %s", async (encoding) => {
    expect((await raw(good, { ...JSON_TYPE, "content-encoding": encoding })).status).toBe(200)
  })

  it.each(["gzip", "zstd", "br", "gzip, identity"])("may not be encoded as %s", async (encoding) => {
    const { status, body } = await raw(good, { ...JSON_TYPE, "content-encoding": encoding })
    expect([status, codes(body)]).toEqual([415, ["BAD_REQUEST"]])
  })

  it.each([
    '{"a":',
    '"x"',
    "5",
    "null",
    "[]",
    "{}",
    "",
    "{'query':1}",
    '{"query":5}',
    "\ufeff{}",
    '{"query":"{ list { id } }","variables":[]}',
  ])("is refused as %j", async (text) => {
    const { status, body } = await raw(text, JSON_TYPE)
    expect([status, codes(body)]).toEqual([400, ["BAD_REQUEST"]])
  })

  it("is refused as a batch", async () => {
    const batch = Array.from({ length: 10 }, () => ({ query }))
    expect((await server.post(batch)).status).toBe(400)
  })

  it("is refused when it is not UTF-8", async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"query":"{ list { id } } #'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}'),
    ])
    const { status, body } = await raw(new Uint8Array(bytes), JSON_TYPE)
    expect([status, codes(body)]).toEqual([400, ["BAD_REQUEST"]])
    expect((await raw(new Uint8Array(Buffer.from(`\ufeff${good}`, "utf16le")), JSON_TYPE)).status).toBe(400)
  })

  it("may have 1 MiB, and not a byte more", async () => {
    const padded = (length: number) => good + " ".repeat(length - good.length)
    expect((await raw(padded(MIB), JSON_TYPE)).status).toBe(200)
    const { status, body } = await raw(padded(MIB + 1), JSON_TYPE)
    expect([status, codes(body)]).toEqual([413, ["TOO_LARGE"]])
  })

  it("may come in pieces of unknown length, with the same limit", async () => {
    const chunked = (pieces: string[]) =>
      new Promise<number>((resolve, reject) => {
        const request = httpRequest(server.url, { method: "POST", headers: { ...JSON_TYPE, ...GOOD } }, (response) => {
          response.resume().on("end", () => resolve(response.statusCode ?? 0))
        }).on("error", reject)
        for (const piece of pieces) request.write(piece)
        request.end()
      })
    expect(await chunked([good.slice(0, 5), good.slice(5)])).toBe(200)
    expect(await chunked([good, " ".repeat(MIB), " ".repeat(MIB)])).toBe(413)
  })

  it("leaves a connection of use when it was too large", async () => {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1")
    let answers = ""
    socket.setEncoding("utf8").on("data", (text) => {
      answers += text
    })
    const head = (length: number) =>
      `POST /graphql HTTP/1.1\r\nHost: x\r\nX-Access-Token: good\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
    socket.write(head(3 * MIB))
    for (let sent = 0; sent < 3 * MIB; sent += MIB) socket.write(" ".repeat(MIB))
    socket.write(head(good.length) + good)
    for (let waited = 0; waited < 5_000 && !answers.includes('{"data"'); waited += 20) await delay(20)
    socket.destroy()
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"])
  })

  it("cannot bring anything into other requests by its members' names", async () => {
    const body = `{"query":"query ($a: Int) { echo(count: $a) }","variables":{"a":1,"__proto__":{"isAdmin":true}},"__proto__":{"x":1}}`
    const { status } = await server.post(body)
    expect(status).toBeLessThan(500)
    expect({}).not.toHaveProperty("isAdmin")
    expect({}).not.toHaveProperty("x")
  })
})
