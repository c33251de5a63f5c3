import type { ExecutionResult } from "graphql"
import type { WebSocket } from "ws"
import type { Held } from "../../context.js"
import { resultInPieces } from "../../operations/json-pieces.js"

/** A result for graphql-ws to send, or what sends it by itself. */
export type Executed = ExecutionResult | AsyncGenerator<ExecutionResult>

/** How a message with a result begins, up to the result. */
export const openingOf = (id: string): string => `{"id":${JSON.stringify(id)},"type":"next","payload":`

/**
 * Makes the message of a large result piece by piece, and sends it past graphql-ws, which would make it in one. It goes out as
 * one frame: between the fragments of a message no other of the socket may be sent.
 * @param isWanted whether the client still waits for it
 * @param told what is yielded in its place when there is no room for it
 */
export async function* sendLarge(
  { id, socket, held }: { readonly id: string; readonly socket: WebSocket; readonly held: Held },
  result: ExecutionResult,
  isWanted: () => boolean,
  told: (error: unknown) => ExecutionResult,
): AsyncGenerator<ExecutionResult> {
  try {
    const payload = await resultInPieces(result, held)
    held.answered(payload.length)
    if (isWanted() && socket.readyState === socket.OPEN)
      await new Promise((resolve) => socket.send(`${openingOf(id)}${payload}}`, resolve))
  } catch (error) {
    yield told(error)
  }
}
