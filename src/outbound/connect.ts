import { promises as dns, type LookupAddress, lookup as systemLookup } from "node:dns"
import http from "node:http"
import https from "node:https"
import type { LookupFunction } from "node:net"
import { promisify } from "node:util"
import type { EgressPolicy } from "./egress-policy.js"

/** All addresses of a name, each of which is judged before one is connected to. */
export type Resolve = (name: string) => Promise<LookupAddress[]>

/** The address lies inside, so nothing was connected. */
export class InsideAddress extends Error {
  constructor(host: string) {
    super(`${host} leads to an address that webhooks may not reach`)
  }
}

/** How long a connection waits for the next request. */
const IDLE_MS = 10_000

const lookupAll = promisify(systemLookup)
const QUERY = { timeout: 3_000, tries: 2 }

/** What name servers say of a name that is not there, or has no such address. */
const UNKNOWN = ["ENOTFOUND", "ENODATA"]

/** Only tests set them. */
type LookupSettings = { readonly servers?: readonly string[]; lookup?(name: string): Promise<LookupAddress[]> }

/**
 * Asks the name servers without occupying a thread: libuv has few of them, and names whose servers are silent or fail would hold
 * up every other name. Only a name that they do not know is looked up as the system does, which reads the hosts file; and one
 * without a dot, which many name servers refuse, and which is in nobody's zone.
 * @throws Error with the code that name servers failed with
 */
export async function resolveName(
  name: string,
  { servers, lookup = (unknown) => lookupAll(unknown, { all: true }) }: LookupSettings = {},
): Promise<LookupAddress[]> {
  const resolver = new dns.Resolver(QUERY)
  if (servers !== undefined) resolver.setServers(servers)
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = [
    ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
  ]
  if (found.length > 0) return found
  const codes = [four, six].flatMap((one) => (one.status === "rejected" ? [String(one.reason.code)] : []))
  const code = codes.find((one) => one === "ETIMEOUT") ?? codes.find((one) => !UNKNOWN.includes(one))
  if (code === "ETIMEOUT") throw Object.assign(new Error(`the name servers do not answer for ${name}`), { code })
  if (code !== undefined && /\../.test(name))
    throw Object.assign(new Error(`the name servers fail for ${name}: ${code}`), { code })
  return lookup(name)
}

type Pair = { readonly http: http.Agent; readonly https: https.Agent }

/** Open connections: `kept` ones serve the next request to the same receiver too, `fresh` ones only theirs. */
export type Agents = { readonly kept: Pair; readonly fresh: Pair; destroy(): void }

/**
 * Agents that connect to nothing inside. A name is resolved for each new connection, and the connection goes to an address of
 * that very answer: a name that is changed in between wins nothing. A name of which one address lies inside is refused as a whole.
 */
export function agentsBeyond(egress: EgressPolicy, resolve: Resolve): Agents {
  const lookup: LookupFunction = (name, options, callback) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses
        if (first === undefined || !addresses.every(({ address }) => egress.address(address)))
          callback(new InsideAddress(name), "")
        else if (options.all) callback(null, addresses)
        else callback(null, first.address, first.family)
      },
      (error) => callback(error, ""),
    )
  }

  /** Nothing is looked up for a literal, so it is judged before it is connected to. */
  function guarded<Agent extends http.Agent>(agent: Agent): Agent {
    const connect = agent.createConnection.bind(agent)
    agent.createConnection = (options, callback) => {
      const host = options.host ?? ""
      if (egress.host(host)) return connect(options, callback)
      callback?.(new InsideAddress(host), undefined as never)
      return undefined
    }
    return agent
  }

  const pair = (settings: http.AgentOptions): Pair => ({
    http: guarded(new http.Agent({ lookup, ...settings })),
    https: guarded(new https.Agent({ lookup, ...settings })),
  })
  const kept = pair({ keepAlive: true, maxFreeSockets: 2, timeout: IDLE_MS })
  const fresh = pair({ keepAlive: false })
  return {
    kept,
    fresh,
    destroy() {
      for (const agent of [kept.http, kept.https, fresh.http, fresh.https]) agent.destroy()
    },
  }
}
