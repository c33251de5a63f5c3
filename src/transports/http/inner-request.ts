import { request as httpRequest, type Server } from "node:http"
import { type Duplex, duplexPair } from "node:stream"

/** A request that comes by another way than a connection of its own. */
export type InnerRequest = {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Whose request it is, as far as the network knows. */
  readonly remoteAddress: string | undefined
}

/** What the server answers, as a client would see it. */
export type InnerAnswer = { readonly status: number; readonly body: string }

/**
 * Sends a request to a server of this process through a pair of streams in place of a connection: it is answered by all that
 * answers the server's clients, the log and the drain too, and by nothing else.
 * @throws TypeError for a path or header that HTTP cannot carry
 */
export function askServer(
  server: Server,
  { method, path, headers, body, remoteAddress }: InnerRequest,
): Promise<InnerAnswer> {
  function connect(): Duplex {
    const [near, far] = duplexPair()
    server.emit("connection", Object.assign(far, { remoteAddress }))
    return near
  }
  return new Promise((resolve, reject) => {
    const request = httpRequest({ method, path, headers, createConnection: connect as never })
    request.on("error", reject).on("response", (response) => {
      const chunks: Buffer[] = []
      response
        .on("data", (chunk: Buffer) => chunks.push(chunk))
        .on("end", () => resolve({ status: response.statusCode as number, body: Buffer.concat(chunks).toString() }))
        .on("error", reject)
    })
    request.end(body)
  })
}
