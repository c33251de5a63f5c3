import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { statement } from "../../src/statement.js"
import { eventually } from "../live/listener.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { deliveriesOf, type HookNode, startHookNode } from "./hooks.js"
import { makeHook } from "./make-hook.js"
import { type Receiver, startReceiver, verified } from "./receiver.js"

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const FIELDS = `id webhookId eventId status attempts responseCode latencyMs error createdAt attemptedAt dueAt
  operation subjectType subjectId listRevision`
const LOG = `query ($id: ID!, $first: Int, $after: String) {
  webhook(id: $id) { failingSince disabledAt deliveries(first: $first, after: $after) { nodes { ${FIELDS} } pageInfo { hasNextPage endCursor } } } }`
const TEST = `mutation ($id: ID!) { sendTestWebhook(id: $id) { ${FIELDS} } }`
const AGAIN = `mutation ($id: ID!) { redeliver(id: $id) { ${FIELDS} } }`
const ROTATE = "mutation ($id: ID!) { rotateWebhookSecret(id: $id) { id secret revision } }"

let node: HookNode
let owner: Person
let member: Person
let invitee: Person
let stranger: Person
let list: any
let receiver: Receiver
let hook: { id: number; secret: string }

beforeAll(async () => {
  node = await startHookNode({ schedule: [0, 400] })
  ;[owner, member, invitee, stranger] = (await Promise.all(
    ["Ann", "Bob", "Dan", "Cid"].map((name) => makePerson(node, name)),
  )) as [Person, Person, Person, Person]
})
afterAll(() => node.stop())
beforeEach(async () => {
  receiver = await startReceiver()
  list = await makeList(owner)
  await addMember(node, list, member)
  await addMember(node, list, invitee, "pending")
  hook = await makeHook(member, list, receiver.url)
  await done(1)
})
afterEach(() => receiver.stop())

const done = (count: number) =>
  eventually(async () => {
    const all = await deliveriesOf(node, hook)
    return all.length >= count && all.every(({ status }) => status !== "pending")
  })
const logOf = async (who: Person, variables: object = {}) =>
  (await who.graphql(LOG, { id: hook.id, first: 50, ...variables })).data.webhook
const firstDelivery = async () => (await deliveriesOf(node, hook))[0]?.id as number

describe("Webhook.deliveries", () => {
  it("shows every member what was told, the newest first", async () => {
    receiver.answer = (response) => response.writeHead(418).end()
    const task = await makeTask(owner, list)
    await done(2)
    const { deliveries, failingSince, disabledAt } = await logOf(owner)
    expect([failingSince, disabledAt]).toEqual([INSTANT, null])
    expect(deliveries.nodes).toEqual([
      {
        id: expect.any(String),
        webhookId: `${hook.id}`,
        eventId: expect.any(String),
        status: "FAILED",
        attempts: 2,
        responseCode: 418,
        latencyMs: expect.any(Number),
        error: "answered 418",
        createdAt: INSTANT,
        attemptedAt: INSTANT,
        dueAt: null,
        operation: "CREATE",
        subjectType: "task",
        subjectId: `${task.id}`,
        listRevision: 5,
      },
      expect.objectContaining({
        status: "DELIVERED",
        subjectType: "webhook",
        responseCode: 204,
        error: null,
        attempts: 1,
      }),
    ])
    expect(await logOf(member)).toEqual(await logOf(owner))
  })

  it("comes in pages", async () => {
    for (let count = 0; count < 4; count++) await makeTask(owner, list)
    await done(5)
    const seen: string[] = []
    let after: string | undefined
    for (let page = 0; page < 3; page++) {
      const { nodes, pageInfo } = (await logOf(owner, { first: 2, after })).deliveries
      seen.push(...nodes.map(({ id }: any) => id))
      after = pageInfo.endCursor
      expect(pageInfo.hasNextPage).toBe(page < 2)
    }
    expect(seen).toEqual((await deliveriesOf(node, hook)).map(({ id }) => `${id}`).reverse())
  })

  it("is kept for 30 days", async () => {
    const age = statement(
      "test_age",
      "update webhook_deliveries set created_at = now() - $2::interval where webhook_id = $1::bigint",
      () => 1,
    )
    const { deleteOldDeliveries } = await import("../../src/jobs/webhook-delivery/delivery-retention.js")
    await node.database.run(age, [hook.id, "29 days 23 hours"])
    await deleteOldDeliveries(node.database)
    expect(await deliveriesOf(node, hook)).toHaveLength(1)
    await node.database.run(age, [hook.id, "30 days 1 minute"])
    await deleteOldDeliveries(node.database)
    expect(await deliveriesOf(node, hook)).toEqual([])
  })
})

describe("sendTestWebhook", () => {
  it("sends an update of the webhook that changes nothing, for every member", async () => {
    const { data } = await owner.graphql(TEST, { id: hook.id })
    expect(data.sendTestWebhook).toMatchObject({ status: "PENDING", attempts: 0, eventId: null, operation: null })
    await receiver.until(2)
    const shown = (await owner.get(`/webhooks/${hook.id}`)).body
    const before = (await owner.get(`/lists/${list.id}`)).body.revision
    expect(verified(receiver.received[1]!, hook.secret)).toEqual({
      event: "webhook.updated",
      operation: "update",
      subject: { type: "webhook", id: hook.id, revision: 1, parents: [{ type: "list", id: list.id }] },
      before: shown,
      after: shown,
      client: {},
      user_id: member.id,
      list_id: list.id,
      list_revision: before,
      webhook_id: hook.id,
      configuration: "",
      enqueued_at: INSTANT,
    })
    await done(2)
    expect((await owner.get(`/lists/${list.id}`)).body.revision).toBe(before)
  })

  it("gives the test that is under way instead of a second one", async () => {
    receiver.answer = () => {}
    const all = await Promise.all([0, 1].map(() => owner.graphql(TEST, { id: hook.id })))
    await receiver.until(2)
    const { data } = await member.graphql(TEST, { id: hook.id })
    expect(all.map(({ data }) => data.sendTestWebhook.id)).toContain(data.sendTestWebhook.id)
  })

  it("enables a disabled webhook when it is taken, and not when it is refused", async () => {
    receiver.answer = (response) => response.writeHead(410).end()
    await makeTask(owner, list)
    await eventually(async () => (await logOf(owner)).disabledAt !== null)
    await owner.graphql(TEST, { id: hook.id })
    await done(3)
    expect((await logOf(owner)).disabledAt).toEqual(INSTANT)
    receiver.answer = (response) => response.writeHead(200).end()
    await owner.graphql(TEST, { id: hook.id })
    await eventually(async () => (await logOf(owner)).disabledAt === null)
    await makeTask(owner, list)
    await eventually(async () => (await deliveriesOf(node, hook)).at(-1)?.status === "delivered")
  })
})

describe("redeliver", () => {
  it("sends the same body under the same id, now", async () => {
    const { data } = await owner.graphql(AGAIN, { id: await firstDelivery() })
    expect(data.redeliver).toMatchObject({ status: "PENDING", attempts: 0 })
    await receiver.until(2)
    const [first, second] = receiver.received
    expect(second?.text).toBe(first?.text)
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"])
    await done(1)
    expect(await deliveriesOf(node, hook)).toMatchObject([{ status: "delivered", attempts: 1 }])
  })

  it("leaves an attempt alone that is in flight", async () => {
    let answer: (() => void) | undefined
    receiver.answer = (response) => {
      answer = () => response.writeHead(200).end()
    }
    await makeTask(owner, list)
    await receiver.until(2)
    const id = (await deliveriesOf(node, hook))[1]?.id
    expect((await owner.graphql(AGAIN, { id })).data.redeliver).toMatchObject({ status: "PENDING", attempts: 1 })
    answer?.()
    await done(2)
    expect([receiver.received.length, receiver.mostAtOnce()]).toEqual([2, 1])
  })

  it("does not wait for the next attempt of one that failed", async () => {
    receiver.answer = (response) => response.writeHead(500).end()
    await makeTask(owner, list)
    await eventually(async () => (await deliveriesOf(node, hook))[1]?.status === "failed")
    receiver.answer = (response) => response.writeHead(200).end()
    await owner.graphql(AGAIN, { id: (await deliveriesOf(node, hook))[1]?.id })
    await done(2)
    expect((await deliveriesOf(node, hook))[1]).toMatchObject({ status: "delivered", attempts: 1, fault: null })
  })
})

describe("rotateWebhookSecret", () => {
  it("signs with both secrets for 24 hours, then with the new one alone", async () => {
    const { data } = await member.graphql(ROTATE, { id: hook.id })
    const { secret, revision } = data.rotateWebhookSecret
    expect([secret === hook.secret, revision]).toEqual([false, 2])
    await receiver.until(2)
    const changed = receiver.received[1]!
    expect(verified(changed, secret)).toMatchObject({ operation: "update", subject: { type: "webhook", revision: 2 } })
    verified(changed, hook.secret)
    expect(changed.text).not.toContain("whsec_")

    const pass = statement(
      "test_pass",
      "update webhook_endpoints set former_secret_until = former_secret_until - interval '24 hours' where webhook_id = $1::bigint and former_secret_until > now() + interval '23 hours 59 minutes' returning 1",
      () => 1,
    )
    expect(await node.database.run(pass, [hook.id])).toHaveLength(1)
    await makeTask(owner, list)
    await receiver.until(3)
    verified(receiver.received[2]!, secret)
    expect(() => verified(receiver.received[2]!, hook.secret)).toThrow()
  })

  it("shows the secret this once, to its maker alone", async () => {
    const { data } = await member.graphql(ROTATE, { id: hook.id })
    expect(data.rotateWebhookSecret.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const read = await member.graphql("query ($id: ID!) { webhook(id: $id) { secret } }", { id: hook.id })
    expect(read.data.webhook.secret).toBeNull()
    expect((await owner.graphql(ROTATE, { id: hook.id })).code).toBe("PERMISSION_ERROR")
  })
})

describe("a user who is no member", () => {
  it.each([
    ["stranger", () => stranger],
    ["invitee", () => invitee],
  ])("finds nothing to see, test, replay or rotate: a %s", async (_who, person) => {
    const id = await firstDelivery()
    const who = person()
    expect((await who.graphql(LOG, { id: hook.id, first: 1 })).code).toBe("NOT_FOUND")
    expect((await who.graphql(TEST, { id: hook.id })).code).toBe("NOT_FOUND")
    expect((await who.graphql(AGAIN, { id })).code).toBe("NOT_FOUND")
    expect((await who.graphql(ROTATE, { id: hook.id })).code).toBe("NOT_FOUND")
    expect([
      (await owner.graphql(AGAIN, { id: 999_999 })).code,
      (await owner.graphql(TEST, { id: 999_999 })).code,
    ]).toEqual(["NOT_FOUND", "NOT_FOUND"])
    expect(receiver.received).toHaveLength(1)
  })
})
