import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type DatabaseClient, openDatabase } from "../../src/database/client.js"
import { SCHEDULE_MS } from "../../src/jobs/webhook-delivery/backoff.js"
import { statement } from "../../src/statement.js"
import { eventually, quiet } from "../live/listener.js"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { createTestDatabase, type TestDatabase } from "../support/postgres.js"
import { deliveriesOf, type HookNode, startHookNode } from "./hooks.js"
import { insertHooks, makeHook } from "./make-hook.js"
import { type Receiver, startReceiver } from "./receiver.js"

/** What hangs does so for longer than any test waits, so that nothing that waits for it is made. */
const PATIENT = { timeoutMs: 600_000, leaseMs: 700_000, drainMs: 200 }

let node: HookNode
let ann: Person
const receivers: Receiver[] = []
const nodes: HookNode[] = []

beforeAll(async () => {
  node = await startHookNode(PATIENT)
  ann = await makePerson(node)
})
afterAll(() => node.stop())
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()))
  await Promise.all(nodes.splice(0).map((each) => each.stop()))
})

async function receive(...how: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...how)
  receivers.push(receiver)
  return receiver
}

const ids = ({ received }: Receiver) => received.map(({ headers }) => headers["webhook-id"])

describe("Endpoints beside each other (S13)", () => {
  it("that fail and hang do not delay the one that works, which hears each change once", async () => {
    const list = await makeList(ann)
    const task = await makeTask(ann, list)
    const [bad, dead, good] = await Promise.all([
      receive((response) => response.writeHead(500).end()),
      receive(() => {}),
      receive(),
    ])
    for (const { url } of [bad, dead]) await makeHook(ann, list, url)
    const hook = await makeHook(ann, list, good.url)
    // Each webhook hears of those that are made after it too.
    await good.until(1)

    for (let revision = 1; revision <= 100; revision++) {
      const { status, body } = await ann.patch(`/tasks/${task.id}`, { revision, title: `${revision}` })
      expect([status, body.revision]).toEqual([200, revision + 1])
    }
    const updates = () => good.received.filter(({ body }) => body.subject.type === "task")
    await good.until(() => updates().length >= 100)
    await eventually(async () => (await deliveriesOf(node, hook)).every(({ status }) => status === "delivered"))
    expect(new Set(ids(good)).size).toBe(good.received.length)
    expect(updates()).toHaveLength(100)
    expect(good.mostAtOnce()).toBeLessThanOrEqual(2)
    expect(dead.mostAtOnce()).toBe(2)
    await bad.until(2)
  })
})

describe("A maker", () => {
  const mark = statement(
    "test_mark_prompt",
    "update webhook_endpoints set is_prompt = true where list_id = any($1::bigint[]) returning webhook_id",
    ([id]) => id,
  )
  const remove = statement(
    "test_remove_webhooks",
    "delete from webhooks where list_id = any($1::bigint[]) returning id",
    () => 1,
  )
  const prompt = statement(
    "test_is_prompt",
    "select is_prompt from webhook_endpoints where webhook_id = $1::bigint",
    ([is]) => is === "t",
  )

  it.each([
    ["all new", false],
    ["all prompt so far", true],
  ])("of 100 endpoints that hang, %s, delays nobody else", async (_, werePrompt) => {
    const eve = await makePerson(node, "Eve")
    const lists = await Promise.all(Array.from({ length: 5 }, () => makeList(eve)))
    const ids = lists.map(({ id }) => id)
    const [hanging, good] = [await receive(() => {}), await receive()]
    const bob = await makePerson(node, "Bob")
    const own = await makeList(bob)
    await makeHook(bob, own, good.url)
    await good.until(1)
    for (const list of lists) await insertHooks(node, list, hanging.url, 20)
    if (werePrompt) await node.database.run(mark, [ids])
    await Promise.all(lists.map((list) => makeTask(eve, list)))
    await hanging.until(8)

    for (let count = 0; count < 20; count++) await makeTask(bob, own, { title: `${count}` })
    const fresh = await receive()
    await makeHook(bob, own, fresh.url)
    await Promise.all([good.until(21), fresh.until(1)])
    await node.database.run(remove, [ids])
    // A share of a list is an eighth of the places for endpoints that are prompt, or are not.
    expect(hanging.mostAtOnce()).toBeLessThanOrEqual(werePrompt ? 48 : 16)
  })

  it("has a share of the places for prompt endpoints only while its endpoint answers soon", async () => {
    const list = await makeList(ann)
    let pauseMs = 0
    const receiver = await receive((response) => setTimeout(() => response.writeHead(204).end(), pauseMs))
    const hook = await makeHook(ann, list, receiver.url)
    const isPrompt = async () => (await node.database.run(prompt, [hook.id]))[0]
    await eventually(async () => (await isPrompt()) === true)
    pauseMs = 1_050
    await makeTask(ann, list)
    await eventually(async () => !(await isPrompt()))
    expect((await deliveriesOf(node, hook)).map(({ status }) => status)).toEqual(["delivered", "delivered"])
  })
})

describe("Several nodes", () => {
  it("share the deliveries, each made once, and never more than two at a time for an endpoint", async () => {
    for (let count = 0; count < 2; count++) nodes.push(await startHookNode({}, { on: node }))
    const list = await makeList(ann)
    const slow = await receive((response) => setTimeout(() => response.writeHead(200).end(), 15))
    const hook = await makeHook(ann, list, slow.url)
    await Promise.all(Array.from({ length: 60 }, () => makeTask(ann, list)))
    await slow.until(61)
    await eventually(async () => (await deliveriesOf(node, hook)).every(({ status }) => status === "delivered"))
    expect(new Set(ids(slow)).size).toBe(61)
    expect(slow.received).toHaveLength(61)
    expect(slow.mostAtOnce()).toBe(2)
  })
})

describe("An attempt whose node died", () => {
  // What a node leaves behind that is killed between its claim and the end of the attempt.
  const lease = statement(
    "test_lease",
    `update webhook_deliveries set lease = gen_random_uuid(), status = 'pending', attempts = 1, due_at = now() + $2::int * interval '1 ms'
     where id = $1::bigint returning lease`,
    ([id]) => id,
  )

  const endLease = statement(
    "test_end_lease",
    `update webhook_deliveries set due_at = now(), attempted_at = now() - interval '1 hour', created_at = now() - $2::interval
     where webhook_id = $1::bigint returning 1`,
    () => 1,
  )

  it("is made again when its lease ends, under the same id, not before, and as the same attempt", async () => {
    const list = await makeList(ann)
    const receiver = await receive()
    const hook = await makeHook(ann, list, receiver.url)
    await eventually(async () => (await deliveriesOf(node, hook))[0]?.status === "delivered")
    const [{ id } = { id: 0 }] = await deliveriesOf(node, hook)
    const leasedAt = performance.now()
    await node.database.run(lease, [id, 1_000])
    await receiver.until(2)
    expect(performance.now() - leasedAt).toBeGreaterThan(990)
    expect(new Set(ids(receiver)).size).toBe(1)
    await eventually(async () => (await deliveriesOf(node, hook))[0]?.status === "delivered")
    expect((await deliveriesOf(node, hook))[0]).toMatchObject({ attempts: 1, lease: null })
  })

  /** Nothing of an attempt is over before its lease is ended by hand, however busy the machine is. */
  const patient = { ...PATIENT, schedule: SCHEDULE_MS.map(() => 0) }
  const endpointOf = statement(
    "test_endpoint",
    "select failing_since is null, disabled_at is null from webhook_endpoints where webhook_id = $1::bigint",
    ([isWell, isOn]) => ({ isWell: isWell === "t", isOn: isOn === "t" }),
  )

  async function startPatient() {
    const node = await startHookNode(patient)
    nodes.push(node)
    const ann = await makePerson(node)
    const [list, other] = [await makeList(ann), await makeList(ann)]
    const hookTo = (receiver: Receiver) => makeHook(ann, list, receiver.url)
    const died = async (hook: { id: number }, age: string) => {
      await node.database.run(endLease, [hook.id, age])
      await makeTask(ann, other) // which wakes the node
    }
    return { node, hookTo, died }
  }

  it("leaves the last attempt to a delivery whose endpoint has failed all before", async () => {
    const { node, hookTo, died } = await startPatient()
    const receiver = await receive((response, _) => {
      const count = receiver.received.length
      if (count !== SCHEDULE_MS.length) response.writeHead(count < SCHEDULE_MS.length ? 500 : 204).end()
    })
    const hook = await hookTo(receiver)
    await receiver.until(SCHEDULE_MS.length)
    await died(hook, "2 hours")
    await eventually(async () => (await deliveriesOf(node, hook))[0]?.status !== "pending")
    expect(await deliveriesOf(node, hook)).toMatchObject([{ status: "delivered", attempts: SCHEDULE_MS.length }])
    expect(receiver.received).toHaveLength(SCHEDULE_MS.length + 1)
  })

  it("counts once the delivery is an hour old, which fails when as many have died as there are attempts", async () => {
    const { node, hookTo, died } = await startPatient()
    const receiver = await receive(() => {})
    const hook = await hookTo(receiver)
    await receiver.until(1)
    await died(hook, "1 minute")
    await receiver.until(2)
    expect(await deliveriesOf(node, hook)).toMatchObject([{ attempts: 1 }])
    for (let count = 2; count <= SCHEDULE_MS.length; count++) {
      await died(hook, "2 hours")
      await receiver.until(count + 1)
    }
    await died(hook, "2 hours")
    await eventually(async () => (await deliveriesOf(node, hook))[0]?.status === "failed")
    expect(await deliveriesOf(node, hook)).toMatchObject([
      { attempts: 1, lease: null, fault: expect.stringContaining("no node") },
    ])
    expect(await node.database.run(endpointOf, [hook.id])).toEqual([{ isWell: true, isOn: true }])
    expect(receiver.received).toHaveLength(SCHEDULE_MS.length + 1)
  })

  it("has its outcome ignored when another has taken over", async () => {
    const list = await makeList(ann)
    let answer: (() => void) | undefined
    const receiver = await receive((response) => {
      answer ??= () => response.writeHead(500).end()
      if (receiver.received.length > 1) response.writeHead(200).end()
    })
    const hook = await makeHook(ann, list, receiver.url)
    await receiver.until(1)
    const [{ id } = { id: 0 }] = await deliveriesOf(node, hook)
    await node.database.run(lease, [id, 0])
    await receiver.until(2)
    await eventually(async () => (await deliveriesOf(node, hook))[0]?.status === "delivered")
    answer?.()
    await quiet(200)
    expect((await deliveriesOf(node, hook))[0]).toMatchObject({ status: "delivered", responseCode: 200 })
  })
})

describe("A node that stops", () => {
  let database: TestDatabase
  let left: DatabaseClient
  beforeAll(async () => {
    database = await createTestDatabase()
    left = openDatabase(database.url)
  })
  afterAll(async () => {
    await left.stop()
    await database.drop()
  })

  it("lets what is in flight end", async () => {
    const leaving = await startHookNode({}, { on: { databaseUrl: database.url } })
    const bob = await makePerson(leaving)
    const receiver = await receive((response) => setTimeout(() => response.writeHead(200).end(), 400))
    const hook = await makeHook(bob, await makeList(bob), receiver.url)
    await receiver.until(1)
    await leaving.stop()
    expect(await deliveriesOf({ database: left }, hook)).toMatchObject([{ status: "delivered", attempts: 1 }])
    expect(receiver.received).toHaveLength(1)
  })

  it("gives back what does not end in time, and another goes on with it at once", async () => {
    const leaving = await startHookNode({ drainMs: 200 }, { on: { databaseUrl: database.url } })
    const bob = await makePerson(leaving)
    const receiver = await receive((response) => {
      if (receiver.received.length > 1) response.writeHead(200).end()
    })
    const hook = await makeHook(bob, await makeList(bob), receiver.url)
    await receiver.until(1)
    await leaving.stop()
    expect(await deliveriesOf({ database: left }, hook)).toMatchObject([
      { status: "pending", attempts: 0, lease: null },
    ])
    nodes.push(await startHookNode({}, { on: { databaseUrl: database.url } }))
    await receiver.until(2)
    await eventually(async () => (await deliveriesOf({ database: left }, hook))[0]?.status === "delivered")
    expect(new Set(ids(receiver)).size).toBe(1)
  })
})
