import type { LookupAddress } from "node:dns"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { agentsBeyond } from "../../src/outbound/connect.js"
import { egressPolicy } from "../../src/outbound/egress-policy.js"
import { post } from "../../src/outbound/post.js"
import { eventually, PATIENCE_MS } from "../live/listener.js"
import { makeList, makePerson, type Person } from "../support/make.js"
import { deliveriesOf, type HookNode, startHookNode } from "./hooks.js"
import { insertHooks } from "./make-hook.js"
import { type Receiver, startReceiver } from "./receiver.js"

const address = (text: string): LookupAddress => ({ address: text, family: text.includes(":") ? 6 : 4 })

/** What names lead to; a name that is not here is looked up by nobody. */
const NAMES: Record<string, string[] | (() => string[])> = {
  "loopback.test": ["127.0.0.1"],
  "loopback-six.test": ["::1"],
  "mapped.test": ["::ffff:127.0.0.1"],
  "mapped-hex.test": ["::ffff:7f00:1"],
  "compatible.test": ["::127.0.0.1"],
  "nat64.test": ["64:ff9b::7f00:1"],
  "nat64-local.test": ["64:ff9b:1::7f00:1"],
  "six-to-four.test": ["2002:7f00:1::"],
  "teredo.test": ["2001:0:7f00:1::1"],
  "metadata.test": ["169.254.169.254"],
  "carrier.test": ["100.64.0.1"],
  "private.test": ["10.0.0.1"],
  "unique-local.test": ["fd00::1"],
  "link-local.test": ["fe80::1"],
  "unspecified.test": ["0.0.0.0"],
  "broadcast.test": ["255.255.255.255"],
  "multicast.test": ["224.0.0.1"],
  "mixed.test": ["198.41.0.4", "127.0.0.1"],
  "mixed-six.test": ["::1", "198.41.0.4"],
  "nothing.test": [],
}

const HOSTS = [
  ...[
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "017700000001",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "0x7f.0x0.0x0.0x1",
  ],
  ...["127.255.255.254", "127.0.0.1.", "0.0.0.0", "0", "0x0", "①②⑦.⓪.⓪.①", "127。0。0。1", "%31%32%37.0.0.1"],
  ...["localhost", "LOCALHOST", "localhost.", "a.localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"],
  ...[
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
  ],
  ...[
    "[2002:7f00:1::]",
    "[fe80::1]",
    "[fd00::1]",
    "[ff02::1]",
    "10.0.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.168.0.1",
  ],
  ...["172.16.0.1", "198.18.0.1", "192.0.2.1", "240.0.0.1"],
  ...Object.keys(NAMES),
]

let node: HookNode
let ann: Person
let lists: any[]
let canary: Receiver

beforeAll(async () => {
  canary = await startReceiver()
  node = await startHookNode(
    {
      schedule: [0],
      async resolve(name) {
        const found = NAMES[name]
        if (found === undefined) throw new Error(`${name} was looked up`)
        return (typeof found === "function" ? found() : found).map(address)
      },
    },
    { webhookAllowedNetworks: [] },
  )
  ann = await makePerson(node)
  lists = await Promise.all(Array.from({ length: 5 }, () => makeList(ann)))
})
afterAll(async () => {
  await node.stop()
  await canary.stop()
})

describe("No way inside (S12)", () => {
  it(`connects to nothing for ${HOSTS.length} hostile addresses`, async () => {
    expect(HOSTS.length).toBeGreaterThanOrEqual(60)
    const hooks = await Promise.all(
      // The transport refuses what it can see of an address, so hostile ones are written behind its back.
      HOSTS.map(async (host, index) => {
        const [hook] = await insertHooks(node, lists[index % lists.length], `http://${host}:${canary.port}/`)
        return hook as { id: number }
      }),
    )
    for (const [index, hook] of hooks.entries()) {
      await eventually(
        async () => (await deliveriesOf(node, hook))[0]?.status === "failed",
        PATIENCE_MS,
        () => `${HOSTS[index]}`,
      )
      expect([HOSTS[index], (await deliveriesOf(node, hook))[0]]).toEqual([
        HOSTS[index],
        expect.objectContaining({ responseCode: null, fault: expect.stringMatching(/may not reach|Invalid URL/) }),
      ])
    }
    expect(canary.connections()).toBe(0)
  })

  it("refuses the literals when the webhook is made", async () => {
    for (const host of HOSTS.filter((host) => !(host in NAMES))) {
      const input = {
        list_id: lists[0].id,
        url: `http://${host}:${canary.port}/`,
        processor_type: "generic",
        configuration: "",
      }
      const { status, body } = await ann.post("/webhooks", input)
      expect([host, status, body.error?.url]).toEqual([host, 422, [expect.any(String)]])
    }
  })
})

describe("A name that changes its address", () => {
  const message = (url: string) => ({ url, headers: {}, body: "{}", signal: AbortSignal.timeout(30_000) })
  let outside: Server
  let port: number
  beforeAll(async () => {
    // Plays the part of the world: the networks of this test count it as outside, 127.0.0.1 as inside.
    outside = createServer((_, response) => response.writeHead(200, { Connection: "close" }).end()).listen(
      0,
      "127.0.0.2",
    )
    await once(outside, "listening")
    port = (outside.address() as AddressInfo).port
  })
  afterAll(() => new Promise((resolve) => outside.close(resolve)))

  it("is judged anew at each connection, by the answer that is connected to", async () => {
    const answers = ["127.0.0.2", "127.0.0.1", "127.0.0.2"]
    let lookups = 0
    const agents = agentsBeyond(egressPolicy(["127.0.0.2/32"]), async () => [address(answers[lookups++] as string)])
    try {
      expect(await post(agents, message(`http://rebind.test:${port}/`))).toMatchObject({ status: 200 })
      await expect(post(agents, message(`http://rebind.test:${canary.port}/`))).rejects.toThrow("may not reach")
      expect(await post(agents, message(`http://rebind.test:${port}/`))).toMatchObject({ status: 200 })
      expect([lookups, canary.connections()]).toEqual([3, 0])
    } finally {
      agents.destroy()
    }
  })

  it("is not reached at all when one of its addresses lies inside, whatever their order", async () => {
    for (const answer of [
      ["127.0.0.2", "127.0.0.1"],
      ["127.0.0.1", "127.0.0.2"],
    ]) {
      const agents = agentsBeyond(egressPolicy(["127.0.0.2/32"]), async () => answer.map(address))
      await expect(post(agents, message(`http://mixed.test:${port}/`))).rejects.toThrow("may not reach")
      agents.destroy()
    }
    expect(canary.connections()).toBe(0)
  })

  it("over https is judged alike", async () => {
    const agents = agentsBeyond(egressPolicy([]), async () => [address("127.0.0.1")])
    await expect(post(agents, message(`https://tls.test:${canary.port}/`))).rejects.toThrow("may not reach")
    await expect(post(agents, message(`https://127.0.0.1:${canary.port}/`))).rejects.toThrow("may not reach")
    agents.destroy()
    expect(canary.connections()).toBe(0)
  })
})
