import type { WebSocket } from "ws"
import type { Held } from "../context.js"

/** A reader for whom no more waits has not fallen behind, and is sent what comes without counting it. */
const PROMPT_READER_BYTES = 65_536

/**
 * Sends a text over a socket. What waits for a slow reader is counted with all that is held for its user, until it has left.
 * @returns false when that is too much: nothing was sent
 */
export function sendHeld(socket: WebSocket, text: string, hold: () => Held): boolean {
  if (socket.bufferedAmount <= PROMPT_READER_BYTES) {
    socket.send(text)
    return true
  }
  const held = hold()
  try {
    held.answered(PROMPT_READER_BYTES + text.length)
  } catch {
    return false
  }
  socket.send(text, held.release)
  return true
}
