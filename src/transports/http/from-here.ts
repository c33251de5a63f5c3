import { isIPv4 } from "node:net"
import type { Request } from "express"

/** What proxies add to the requests that they carry. */
const OF_PROXIES = /^(via|forwarded|x-forwarded-.+|x-real-ip|cf-.+)$/

/** Whether a request is of this machine: not through a proxy on it, nor by another host's name. */
export function isFromHere({ socket, headers, httpVersion }: Request): boolean {
  // nginx as it comes adds none of these, but speaks HTTP/1.0, which no browser and no scraper does.
  if (httpVersion === "1.0" || Object.keys(headers).some((name) => OF_PROXIES.test(name))) return false
  const host = URL.canParse(`http://${headers.host}`) ? new URL(`http://${headers.host}`).hostname : ""
  return isLoopback(socket.remoteAddress ?? "") && (host === "localhost" || isLoopback(host.replace(/^\[|\]$/g, "")))
}

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/, "")
  return plain === "::1" || (isIPv4(plain) && plain.startsWith("127."))
}
