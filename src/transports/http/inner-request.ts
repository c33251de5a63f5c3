import { setMaxListeners } from "node:events"
import { request as httpRequest, type IncomingMessage, type Server } from "node:http"
import { type Duplex, duplexPair } from "node:stream"
import { BadRequest, Unavailable } from "../../errors.js"
import { answerTooLarge, MAX_ANSWER_BYTES } from "../../operations/held-memory.js"

/** A request that comes by another way than a connection of its own. */
export type InnerRequest = {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Whose request it is, as far as the network knows. */
  readonly remoteAddress: string | undefined
  /** Aborted when nobody waits for the answer any more: to the server its client has left then. */
  readonly signal?: AbortSignal | undefined
}

/** What the server answers, as a client would see it. */
export type InnerAnswer = { readonly status: number; readonly body: string }

/**
 * Sends a request to a server of this process through a pair of streams in place of a connection: it is answered by all that
 * answers the server's clients, the log and the drain too, and by nothing else.
 * @throws TypeError for a path or header that HTTP cannot carry, BadRequest where the answer is a stream of events, TooLarge for
 * more than an answer may have, Unavailable when the server cuts the answer off, and what the signal was aborted with
 */
export async function askServer(
  server: Server,
  { method, path, headers, body, remoteAddress, signal }: InnerRequest,
): Promise<InnerAnswer> {
  signal?.throwIfAborted()
  // One signal is of all that a socket asks at once.
  if (signal) setMaxListeners(0, signal)
  return new Promise((resolve, reject) => {
    const request = httpRequest({ method, path, headers, createConnection: () => connectTo(server, remoteAddress) })
    const leave = () => request.destroy(signal?.reason)
    signal?.addEventListener("abort", leave, { once: true })
    request
      .on("response", (response) => bodyOf(response).then(resolve, reject))
      .on("error", reject)
      .on("close", () => signal?.removeEventListener("abort", leave))
      .end(body)
  })
}

/** The near end of a pair of streams; when one end breaks off, so does the other, which node leaves open. */
function connectTo(server: Server, remoteAddress: string | undefined): Duplex {
  const [near, far] = duplexPair()
  near.once("close", () => far.destroy())
  far.once("close", () => {
    // One that has said its last word leaves it to be read.
    if (!far.writableFinished) near.destroy(new Unavailable("The server has cut the answer off."))
  })
  server.emit("connection", Object.assign(far, { remoteAddress }))
  return near
}

async function bodyOf(response: IncomingMessage): Promise<InnerAnswer> {
  // It would never end.
  if (/^text\/event-stream\b/.test(response.headers["content-type"] ?? ""))
    throw giveUp(response, new BadRequest("A request in a frame has one answer: the path must not be a stream."))
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) throw giveUp(response, answerTooLarge())
    chunks.push(chunk)
  }
  return { status: response.statusCode as number, body: Buffer.concat(chunks).toString() }
}

function giveUp(response: IncomingMessage, problem: Error): Error {
  response.destroy()
  return problem
}
