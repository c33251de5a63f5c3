import { isIPv4 } from "node:net"

const LONGEST = 2_000

/**
 * What is wrong with an address as one to which people return with a code; undefined when nothing is. It is compared byte by
 * byte and goes into a header as it is, so it has only characters that stand in an address as themselves.
 */
export function violationOfRedirectUri(uri: string): string | undefined {
  if (uri.length > LONGEST) return `must have at most ${LONGEST} characters`
  if (!/^[!-~]+$/.test(uri) || /["<>\\^`{|}]/.test(uri))
    return "must be an address in ASCII, with everything else percent-encoded"
  const url = URL.canParse(uri) ? new URL(uri) : undefined
  if (url === undefined || !/^[a-z][a-z0-9+.-]*:/i.test(uri)) return "must be an absolute address"
  if (uri.includes("#")) return "must have no fragment"
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password"
  return undefined
}

/** What is wrong beside with an address that anybody may register: a code must not travel in the clear, nor run as a script. */
export function violationOfPublicRedirectUri(uri: string): string | undefined {
  const violation = violationOfRedirectUri(uri)
  if (violation !== undefined) return violation
  const { protocol, hostname } = new URL(uri)
  if (protocol === "https:" && hostname !== "") return undefined
  if (protocol === "http:" && isLoopback(hostname)) return undefined
  if (/^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)) return undefined
  return "must begin with https://, with http:// for this machine only, or with a scheme of your own such as com.example.app:"
}

/** Whether a host, as an address has it, is this machine. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || (isIPv4(host) && host.startsWith("127."))
