import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

/**
 * The client ID and token of the address. The SDK encodes them twice, other clients once; neither contains a percent sign, so
 * that decoding once too often changes nothing.
 */
export function credentialsOf({ url }: IncomingMessage): { clientId: string | undefined; token: string | undefined } {
  const query = new URLSearchParams(url?.split("?")[1] ?? "")
  return { clientId: decodedAgain(query.get("client_id")), token: decodedAgain(query.get("access_token")) }
}

function decodedAgain(value: string | null): string | undefined {
  if (value === null) return undefined
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

const REASONS = { 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 503: "Service Unavailable" } as const

/** Refuses to become a WebSocket, in the contract's words (§7). */
export function refuseUpgrade(socket: Duplex, status: keyof typeof REASONS, body: string): void {
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status]}`,
    "Connection: close",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  if (status === 503) head.push("Retry-After: 1")
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`)
}
