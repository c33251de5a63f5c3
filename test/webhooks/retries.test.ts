import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { pauseAfter, retryAfterMs, SCHEDULE_MS } from "../../src/jobs/webhook-delivery/backoff.js"
import { statement } from "../../src/statement.js"
import { eventually, quiet } from "../live/listener.js"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { deliveriesOf, type HookNode, startHookNode } from "./hooks.js"
import { makeHook } from "./make-hook.js"
import { type Answer, type Receiver, startReceiver, verified } from "./receiver.js"

const TIMEOUT_MS = 1_500
const PAUSE_MS = 60

let node: HookNode
let ann: Person
let list: any
let receiver: Receiver
let at = Date.now()

beforeAll(async () => {
  node = await startHookNode({
    schedule: SCHEDULE_MS.map((pause) => Math.min(pause, PAUSE_MS)),
    timeoutMs: TIMEOUT_MS,
    // A second later at each attempt, so that timestamps can be told apart.
    now() {
      at += 1_000
      return new Date(at)
    },
  })
  ann = await makePerson(node)
})
afterAll(() => node.stop())
beforeEach(async () => {
  at = Date.now()
  receiver = await startReceiver()
  list = await makeList(ann)
})
afterEach(() => receiver.stop())

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end()

/** Makes a webhook; its own creation is the delivery that is looked at. */
async function deliverTo(answer: Answer) {
  receiver.answer = answer
  const hook = await makeHook(ann, list, receiver.url)
  const settled = async () => {
    await eventually(async () => (await deliveriesOf(node, hook))[0]?.status !== "pending")
    return (await deliveriesOf(node, hook))[0]
  }
  const attempted = async () => {
    await eventually(async () => (await deliveriesOf(node, hook))[0]?.latencyMs != null)
    return (await deliveriesOf(node, hook))[0]
  }
  return { hook, settled, attempted }
}

describe("The schedule", () => {
  it("has eight attempts over 27.6 hours", () => {
    const [second, minute, hour] = [1_000, 60_000, 3_600_000]
    expect(SCHEDULE_MS).toEqual([0, 5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour])
  })

  it("spreads each pause by a fifth, and ends", () => {
    expect([0, 0.5, 1].map((random) => pauseAfter(1, SCHEDULE_MS, random))).toEqual([4_000, 5_000, 6_000])
    expect(pauseAfter(7, SCHEDULE_MS, 0.5)).toBe(36_000_000)
    expect(pauseAfter(8, SCHEDULE_MS, 0.5)).toBeUndefined()
  })

  it.each([
    ["120", 120_000],
    ["Tue, 01 Dec 2026 00:01:00 GMT", 60_000],
    ["Tue, 01 Dec 2020 00:00:00 GMT", 0],
    ["99999999999", 36_000_000],
    ["soon", undefined],
    ["-5", 0],
    [undefined, undefined],
  ])("reads Retry-After: %s", (header, expected) => {
    expect(retryAfterMs(header, new Date("2026-12-01T00:00:00Z"))).toBe(expected)
  })
})

describe("A delivery that fails", () => {
  it("is attempted eight times under one id, each signed anew, and then given up", async () => {
    const { hook, settled } = await deliverTo(status(500))
    expect(await settled()).toMatchObject({ status: "failed", attempts: 8, responseCode: 500, fault: "answered 500" })
    await quiet(3 * PAUSE_MS)
    expect(receiver.received).toHaveLength(8)
    const of = (name: string) => new Set(receiver.received.map(({ headers, text }) => headers[name] ?? text))
    expect([of("webhook-id").size, of("text").size]).toEqual([1, 1])
    expect(of("webhook-timestamp").size).toBe(8)
    expect(of("webhook-signature").size).toBe(8)
    for (const one of receiver.received) verified(one, hook.secret)
    expect(receiver.mostAtOnce()).toBe(1)
  })

  it("is done with the first success", async () => {
    let count = 0
    const { settled } = await deliverTo((response) => response.writeHead(++count < 3 ? 503 : 201).end())
    expect(await settled()).toMatchObject({ status: "delivered", attempts: 3, responseCode: 201, fault: null })
    await quiet(3 * PAUSE_MS)
    expect(receiver.received).toHaveLength(3)
  })

  it("waits as long as the receiver asks for", async () => {
    let count = 0
    const { settled } = await deliverTo((response) =>
      ++count === 1 ? response.writeHead(429, { "Retry-After": "1" }).end() : response.writeHead(200).end(),
    )
    await settled()
    const [first, second] = receiver.received
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(990)
  })

  it.each([301, 302, 303, 307, 308])("is not led elsewhere by %i", async (code) => {
    const elsewhere = await startReceiver()
    try {
      const { attempted } = await deliverTo(status(code, { Location: elsewhere.url }))
      expect(await attempted()).toMatchObject({
        responseCode: code,
        fault: expect.stringContaining("redirects are not followed"),
      })
      expect(elsewhere.connections()).toBe(0)
    } finally {
      await elsewhere.stop()
    }
  })

  it.each([100, 204, 304, 400, 401, 404])("%i succeeds only from 200 to 299", async (code) => {
    const { attempted } = await deliverTo((response) => {
      if (code === 100) response.writeContinue()
      response.writeHead(code === 100 ? 200 : code).end()
    })
    const isGood = code < 300
    await eventually(async () => (await attempted())?.latencyMs != null)
    expect(await attempted()).toMatchObject(isGood ? { status: "delivered", attempts: 1 } : { responseCode: code })
  })
})

describe("A receiver that behaves badly", () => {
  it.each<[string, Answer, object]>([
    ["hangs", () => {}, { responseCode: null, fault: "no answer within 1.5 s" }],
    [
      "answers 200 late",
      (response) => setTimeout(() => response.writeHead(200).end(), 2 * TIMEOUT_MS),
      { fault: "no answer within 1.5 s" },
    ],
    [
      "resets",
      (_response, _received, request) => request.socket.resetAndDestroy(),
      { responseCode: null, fault: expect.stringMatching(/ECONNRESET|hang up/) },
    ],
    [
      "trickles its head",
      (_response, _received, request) => trickle(request.socket),
      { responseCode: null, fault: "no answer within 1.5 s" },
    ],
    ["sends a head without end", (_response, _received, request) => flood(request.socket), { responseCode: null }],
    ["speaks no HTTP", (_response, _received, request) => request.socket.end("hello\r\n"), { responseCode: null }],
    [
      "switches protocols",
      (_response, _received, request) =>
        request.socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
      { responseCode: 101 },
    ],
  ])("%s: the attempt fails within its time", async (_what, answer, expected) => {
    const { attempted } = await deliverTo(answer)
    const attempt = await attempted()
    expect(attempt).toMatchObject(expected)
    expect(attempt?.status).not.toBe("delivered")
    expect(attempt?.latencyMs).toBeLessThan(20 * TIMEOUT_MS)
  })

  it("refuses at each address of its name: the attempt tells of all", async () => {
    const addresses = ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 }))
    const other = await startHookNode({ schedule: [0], resolve: async () => addresses })
    try {
      const bob = await makePerson(other)
      const { port } = new URL(receiver.url)
      await receiver.stop()
      const hook = await makeHook(bob, await makeList(bob), `http://two.test:${port}/`)
      await eventually(async () => (await deliveriesOf(other, hook))[0]?.status === "failed")
      const refused = addresses.map(({ address }) => `connect ECONNREFUSED ${address}:${port}`)
      expect((await deliveriesOf(other, hook))[0]).toMatchObject({ responseCode: null, fault: refused.join("; ") })
    } finally {
      await other.stop()
    }
  })

  it("streams without end: 64 KiB are read, and its 200 counts", async () => {
    let sent = 0
    let open = 0
    const { settled } = await deliverTo((response) => {
      open++
      let isClosed = false
      response.on("close", () => {
        isClosed = true
        open--
      })
      response.writeHead(200)
      const more = () => {
        do sent += 16_384
        while (!isClosed && response.write(Buffer.alloc(16_384)))
      }
      response.on("drain", more)
      more()
    })
    expect(await settled()).toMatchObject({ status: "delivered", responseCode: 200 })
    await eventually(() => open === 0)
    // What the kernels on both sides had taken by then.
    expect(sent).toBeLessThan(30_000_000)
  })

  it("trickles its body: the 200 counts when the time is over", async () => {
    const { settled } = await deliverTo((response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write("."), 20)
      response.on("close", () => clearInterval(timer))
    })
    expect(await settled()).toMatchObject({ status: "delivered", attempts: 1 })
  })

  it("closes a kept connection as the next request comes: sent again at once, on a new one", async () => {
    const { hook, settled } = await deliverTo(status(200))
    await settled()
    receiver.answer = (response, _received, request) => {
      if (receiver.received.length === 2) request.socket.resetAndDestroy()
      else response.writeHead(200).end()
    }
    await makeTask(ann, list)
    await eventually(async () => (await deliveriesOf(node, hook))[1]?.status === "delivered")
    expect((await deliveriesOf(node, hook))[1]).toMatchObject({ attempts: 1 })
  })
})

describe("An endpoint that is given up", () => {
  const disabledAt = statement(
    "test_disabled_at",
    "select disabled_at is not null from webhook_endpoints where webhook_id = $1::bigint",
    ([is]) => is === "t",
  )
  const failSince = statement(
    "test_fail_since",
    "update webhook_endpoints set failing_since = now() - $2::interval where webhook_id = $1::bigint",
    () => 1,
  )
  const isDisabled = async (hook: { id: number }) => (await node.database.run(disabledAt, [hook.id]))[0]

  it("answered 410: nothing is sent any more, and what waits is dropped", async () => {
    const { hook, settled } = await deliverTo(status(410))
    expect(await settled()).toMatchObject({ status: "failed", responseCode: 410 })
    expect(await isDisabled(hook)).toBe(true)
    await makeTask(ann, list)
    await quiet()
    expect(await deliveriesOf(node, hook)).toHaveLength(1)
    expect(receiver.received).toHaveLength(1)
  })

  it("failed for five days, and not for less", async () => {
    const { hook, attempted, settled } = await deliverTo(status(500))
    await attempted()
    await node.database.run(failSince, [hook.id, "4 days 23 hours"])
    await settled()
    expect(await isDisabled(hook)).toBe(false)
    await node.database.run(failSince, [hook.id, "5 days 1 minute"])
    await makeTask(ann, list)
    await eventually(async () => (await isDisabled(hook)) === true)
    await eventually(async () => (await deliveriesOf(node, hook)).every((one) => one.status === "failed"))
  })

  it("counts its five days from the last success", async () => {
    let succeed: (() => void) | undefined
    const { hook, settled } = await deliverTo((response) => {
      if (receiver.received.length === 2) succeed = () => response.writeHead(200).end()
      else response.writeHead(500).end()
    })
    await eventually(() => succeed !== undefined)
    await node.database.run(failSince, [hook.id, "6 days"])
    succeed?.()
    expect(await settled()).toMatchObject({ status: "delivered", attempts: 2 })
    await makeTask(ann, list)
    await eventually(async () => (await deliveriesOf(node, hook))[1]?.status === "failed")
    expect(await isDisabled(hook)).toBe(false)
  })
})

function trickle(socket: import("node:net").Socket): void {
  socket.write("HTTP/1.1 200 OK\r\n")
  const timer = setInterval(() => socket.write("X: y\r\n"), 20)
  socket.on("close", () => clearInterval(timer))
}

function flood(socket: import("node:net").Socket): void {
  socket.on("error", () => {})
  socket.write("HTTP/1.1 200 OK\r\n")
  const timer = setInterval(() => socket.write("X: y\r\n".repeat(2_000)), 5)
  socket.on("close", () => clearInterval(timer))
}
