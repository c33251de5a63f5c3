import type { OutgoingHttpHeaders, ServerResponse } from "node:http"
import { constants, gzip } from "node:zlib"
import type { Request } from "express"

/** Less is not worth it. */
const MIN_BYTES = 1_024
// A page of a thousand tasks shrinks to a tenth; the best level makes it a fifth smaller than that and takes five times as long.
const LEVEL = { level: constants.Z_BEST_SPEED }

const LARGE_CHARACTERS = 65_536

const plain = new WeakSet<ServerResponse>()

/**
 * Sends an answer as it is, although its client takes it packed: how long a packed text is tells what is in it, and it holds a
 * secret beside what others can choose.
 */
export const keepPlain = (response: ServerResponse): void => void plain.add(response)

/**
 * Sends a whole text, packed where the client asks for it. Only for what is asked for with headers that no other site can make a
 * browser send, so that nobody measures the answers that somebody else gets.
 */
export function sendText(response: ServerResponse, status: number, headers: OutgoingHttpHeaders, text: string): void {
  // A large one is encoded once; a small one leaves in one piece with its headers.
  const whole = text.length < LARGE_CHARACTERS ? text : Buffer.from(text)
  const bytes = Buffer.byteLength(whole)
  if (bytes < MIN_BYTES || plain.has(response)) {
    response.writeHead(status, { ...headers, "Content-Length": bytes }).end(whole)
    return
  }
  const vary = [headers.Vary, "Accept-Encoding"].filter(Boolean).join(", ")
  const { method, headers: sent } = response.req
  if (
    method === "HEAD" ||
    sent["accept-encoding"] === undefined ||
    !(response.req as Request).acceptsEncodings("gzip")
  ) {
    response.writeHead(status, { ...headers, Vary: vary, "Content-Length": bytes }).end(whole)
    return
  }
  gzip(whole, LEVEL, (error, packed) => {
    if (response.headersSent || response.destroyed) return
    if (error !== null) response.destroy(error)
    else
      response
        .writeHead(status, { ...headers, Vary: vary, "Content-Encoding": "gzip", "Content-Length": packed.length })
        .end(packed)
  })
}
