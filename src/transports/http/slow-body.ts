import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

/** So long the headers and the body of a request may take to arrive. */
export const REQUEST_TIMEOUT_MS = 30_000

const MIN_BYTES_PER_S = 1_024

const allowed = new WeakSet<Duplex>()

/** Whether the request that comes on a connection may take longer than others. */
export const mayBeSlow = (socket: Duplex): boolean => allowed.has(socket)

/**
 * Lets the body of this request take longer than {@link REQUEST_TIMEOUT_MS}, as long as at least 1 KiB/s of it comes in each
 * window of that length.
 * @param onSlow called once when less comes and it is the sender whom we wait for
 * @returns what ends it
 */
export function allowSlowBody(
  request: IncomingMessage,
  onSlow: () => void,
  windowMs: number = REQUEST_TIMEOUT_MS,
): () => void {
  const { socket } = request
  allowed.add(socket)
  let seen = socket.bytesRead
  const timer = setInterval(() => {
    const came = socket.bytesRead - seen
    seen += came
    if (request.complete || request.readableLength > 0 || came * 1_000 >= MIN_BYTES_PER_S * windowMs) return
    clearInterval(timer)
    onSlow()
  }, windowMs)
  return () => {
    clearInterval(timer)
    allowed.delete(socket)
  }
}
