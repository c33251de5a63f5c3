import { createServer, IncomingMessage, type Server, type ServerOptions, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Express } from "express"

/**
 * An HTTP server whose requests and responses are born with Express's prototypes. Express sets them on every request, which
 * makes V8 treat both as slow objects (60 µs a request); where nothing changes by it, it costs nothing. It must be this form:
 * `Reflect.construct` is slower than doing nothing.
 */
export function createExpressServer(app: Express): Server {
  function BornRequest(this: IncomingMessage, socket: Socket) {
    Reflect.apply(IncomingMessage, this, [socket])
  }
  BornRequest.prototype = app.request
  function BornResponse(this: ServerResponse, request: IncomingMessage, options: object) {
    Reflect.apply(ServerResponse, this, [request, options])
  }
  BornResponse.prototype = app.response
  const options = { IncomingMessage: BornRequest, ServerResponse: BornResponse } as unknown as ServerOptions
  return createServer(options, app)
}
