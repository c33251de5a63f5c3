import type { IncomingMessage } from "node:http"

/** Whether the client has this state of the answer, by its If-None-Match: `*`, or tags with commas between, weak or not. */
export function hasTag({ headers }: IncomingMessage, tag: string): boolean {
  const sent = headers["if-none-match"]
  if (sent === undefined) return false
  if (sent.trim() === "*") return true
  const opaque = tag.replace(/^W\//, "")
  const tags: readonly string[] = sent.match(/"[^"]*"/g) ?? []
  return tags.includes(opaque)
}
