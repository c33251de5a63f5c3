import type { IncomingMessage } from "node:http"

/** However long a client would wait, it is answered after so many seconds: proxies end connections that are silent for a minute. */
const MAX_WAIT_S = 55

/** How many seconds a request would rather wait than be told nothing new; undefined where it does not say, or cannot be understood. (RFC 7240) */
export function preferredWait({ headers }: IncomingMessage): number | undefined {
  const sent = headers.prefer
  if (sent === undefined) return undefined
  const [, seconds] = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:[,;]|$)/i.exec(String(sent)) ?? []
  return seconds === undefined ? undefined : Math.min(Number(seconds), MAX_WAIT_S)
}
