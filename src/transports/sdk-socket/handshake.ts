import type { IncomingMessage } from "node:http"

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
