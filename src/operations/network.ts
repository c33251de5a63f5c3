import { isIPv4, isIPv6 } from "node:net"

/**
 * Whom an address may belong to alone: an IPv4 address itself, of IPv6 the first 64 bits, for one household or machine has
 * all addresses behind them.
 */
export function networkOf(address: string | undefined): string {
  const text = (address ?? "").replace(/%.*$/, "")
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1]
  if (mapped !== undefined) return mapped
  if (isIPv4(text) || !isIPv6(text)) return text
  const [head = "", tail] = text.split("::")
  const groups = head === "" ? [] : head.split(":")
  const behind = tail === undefined || tail === "" ? [] : tail.split(":")
  const zeros = tail === undefined ? [] : Array<string>(8 - groups.length - behind.length).fill("0")
  const network = [...groups, ...zeros, ...behind].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(":")}::/64`
}
