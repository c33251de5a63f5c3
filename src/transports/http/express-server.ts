import { randomUUID } from "node:crypto"
import { createServer, IncomingMessage, type Server, type ServerOptions, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { Express } from "express"
import { mayBeSlow, REQUEST_TIMEOUT_MS } from "./slow-body.js"

/** How often connections are looked at for what has taken too long. */
const LOOK_EVERY_MS = 2_000
/** How long a client that was refused has to read it. */
const LINGER_MS = 1_000

/**
 * An HTTP server whose requests and responses are born with Express's prototypes. Express sets them on every request, which
 * makes V8 treat both as slow objects (60 µs a request); where nothing changes by it, it costs nothing. It must be this form:
 * `Reflect.construct` is slower than doing nothing.
 * @param timeoutMs how long headers and body together may take to arrive
 */
export function createExpressServer(app: Express, timeoutMs: number = REQUEST_TIMEOUT_MS): Server {
  function BornRequest(this: IncomingMessage, socket: Socket) {
    Reflect.apply(IncomingMessage, this, [socket])
  }
  BornRequest.prototype = app.request
  function BornResponse(this: ServerResponse, request: IncomingMessage, options: object) {
    Reflect.apply(ServerResponse, this, [request, options])
  }
  BornResponse.prototype = app.response
  const options = {
    IncomingMessage: BornRequest,
    ServerResponse: BornResponse,
    requestTimeout: timeoutMs,
    headersTimeout: timeoutMs,
    connectionsCheckingInterval: Math.min(LOOK_EVERY_MS, timeoutMs),
  } as unknown as ServerOptions
  const server = createServer(options, app).on("clientError", refuseUnreadable)
  // Node would refuse these itself, without a body; the application does it as it refuses others.
  return server.on("checkExpectation", (request, response) => void server.emit("request", request, response))
}

/** What cannot be read as HTTP never becomes a request: it is refused here, in the form of every other error. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && mayBeSlow(socket)) return
  // What is written into an answer that has begun would be taken for a part of it.
  const { _httpMessage: answer } = socket as Duplex & { _httpMessage?: ServerResponse | null }
  if (!socket.writable || error.code === "ECONNRESET" || answer?.headersSent) return void socket.destroy()
  const [status, text] = UNREADABLE[error.code ?? ""] ?? ["400 Bad Request", "The request is not valid HTTP/1.1."]
  const message = { type: "bad_request", translation_key: "api_error_bad_request", message: text }
  const body = JSON.stringify({ error: message })
  const head = [
    `HTTP/1.1 ${status}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    "Connection: close",
  ]
  // Then it is over, also for a client that goes on sending: destroyed at once, it might not have read why.
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => setTimeout(() => socket.destroy(), LINGER_MS).unref())
}

const UNREADABLE: Record<string, readonly [string, string]> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The headers are too large: at most 16 KiB."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request took too long to arrive."],
}
