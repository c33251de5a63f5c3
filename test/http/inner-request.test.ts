import { createServer, type RequestListener, type Server } from "node:http"
import { afterEach, describe, expect, it } from "vitest"
import { TooLarge, Unavailable } from "../../src/errors.js"
import { askServer } from "../../src/transports/http/inner-request.js"
import { eventually } from "../live/listener.js"

const REQUEST = { method: "GET", path: "/", headers: {}, body: undefined, remoteAddress: undefined }

let open = 0
let server: Server
afterEach(() => expect(open).toBe(0))

/** A server that listens nowhere; `open` counts its connections. */
function answering(listener: RequestListener): Server {
  server = createServer(listener)
  server.on("connection", (socket) => {
    open++
    socket.once("close", () => open--)
  })
  return server
}

describe("askServer", () => {
  it("gives the answer whole, and closes the connection", async () => {
    const text = "x".repeat(200_000)
    expect(
      await askServer(
        answering((_request, response) => response.end(text)),
        REQUEST,
      ),
    ).toEqual({
      status: 200,
      body: text,
    })
    await eventually(() => open === 0)
  })

  it.each([
    ["nothing is answered", () => {}],
    ["it has begun to be answered", (_request, response) => response.write("x")],
  ] as [string, RequestListener][])("leaves when the signal says so while %s", async (_case, listener) => {
    const leaving = new AbortController()
    const answer = askServer(answering(listener), { ...REQUEST, signal: leaving.signal })
    setTimeout(() => leaving.abort(), 50)
    await expect(answer).rejects.toThrow()
    await eventually(() => open === 0)
    await expect(askServer(server, { ...REQUEST, signal: leaving.signal })).rejects.toThrow()
  })

  it.each([
    ["before", (_request, response) => response.destroy()],
    ["within", (_request, response) => void response.write("x", () => response.destroy())],
  ] as [string, RequestListener][])("fails when the server cuts it off %s its answer", async (when, listener) => {
    const answer = askServer(answering(listener), REQUEST)
    await (when === "before" ? expect(answer).rejects.toThrow(Unavailable) : expect(answer).rejects.toThrow())
    await eventually(() => open === 0)
  })

  it("refuses an answer that does not end: a stream of events, or more bytes than an answer may have", async () => {
    const stream: RequestListener = (_request, response) =>
      response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" }).write(":\n\n")
    await expect(askServer(answering(stream), REQUEST)).rejects.toThrow("must not be a stream")
    await eventually(() => open === 0)
    const flood: RequestListener = (_request, response) => {
      const more = () => void (response.destroyed || response.write("x".repeat(1_048_576), more))
      more()
    }
    await expect(askServer(answering(flood), REQUEST)).rejects.toThrow(TooLarge)
    await eventually(() => open === 0)
  })
})
