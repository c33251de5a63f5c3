import type { Held } from "../context.js"
import { PROMPT_READER_BYTES } from "./carrier-limits.js"

/** Where texts to one client go: a WebSocket as it is, a stream of server-sent events. */
export type Outlet = {
  /** How much of what was sent has not left. */
  readonly bufferedAmount: number
  /** `onLeft` is called when the text has left, or never will. */
  send(text: string, onLeft?: () => void): void
}

/**
 * Sends a text to a client. What waits for a slow reader is counted with all that is held for its user, until it has left.
 * @returns false when that is too much: nothing was sent
 */
export function sendBuffered(outlet: Outlet, text: string, hold: () => Held): boolean {
  if (outlet.bufferedAmount <= PROMPT_READER_BYTES) {
    outlet.send(text)
    return true
  }
  const held = hold()
  try {
    held.answered(PROMPT_READER_BYTES + text.length)
  } catch {
    return false
  }
  outlet.send(text, held.release)
  return true
}
