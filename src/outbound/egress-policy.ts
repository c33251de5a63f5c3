import { BlockList, isIP } from "node:net"

// What IANA's registries of special-purpose addresses name as not reachable from everywhere, and multicast.
const INSIDE_IPV4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`
// Everything but 2000::/3, thus IPv4 in its mapped and translated forms too; and of that what leads elsewhere: Teredo, 6to4 …
const INSIDE_IPV6 = "::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20"

type Family = "ipv4" | "ipv6"

const familyOf = (address: string): Family => (isIP(address) === 6 ? "ipv6" : "ipv4")

/** One list per family: a rule of IPv6 would be asked about IPv4 addresses too, as ::ffff:0:0/96. */
function networks(cidrs: readonly string[]): Record<Family, BlockList> {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const cidr of cidrs) {
    const [network = "", bits] = cidr.split("/")
    lists[familyOf(network)].addSubnet(network, Number(bits), familyOf(network))
  }
  return lists
}

const inside = networks(`${INSIDE_IPV4} ${INSIDE_IPV6}`.split(/\s+/))

/** Which addresses this node may connect to on behalf of a client. */
export type EgressPolicy = {
  /** Whether it may connect to an IP address; to ask again at each connection, for names change their addresses. */
  address(address: string): boolean
  /** Whether it may connect to a host as a URL names it: false for an address inside and for names of this machine. */
  host(host: string): boolean
}

/**
 * Keeps clients from reaching, through this node, what only this node can reach: loopback, private and link-local networks,
 * clouds' metadata. `allowedNetworks` are CIDRs that may be reached all the same.
 */
export function egressPolicy(allowedNetworks: readonly string[]): EgressPolicy {
  const allowed = networks(allowedNetworks)
  const isIn = (lists: Record<Family, BlockList>, address: string) =>
    lists[familyOf(address)].check(address, familyOf(address))
  const address = (text: string) => isIP(text) !== 0 && (isIn(allowed, text) || !isIn(inside, text))
  return {
    address,
    host(host) {
      const name = host
        .toLowerCase()
        .replace(/^\[|\]$/g, "")
        .replace(/\.$/, "")
      if (name === "") return false
      if (/(^|\.)localhost$|^localhost\.localdomain$|^(ip6-)?(localhost|loopback)$/.test(name))
        return address("127.0.0.1")
      return isIP(name) === 0 || address(name)
    },
  }
}
