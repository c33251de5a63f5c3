import { randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { eventually, quiet } from "../live/listener.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { deliveriesOf, type HookNode, startHookNode } from "./hooks.js"
import { makeHook } from "./make-hook.js"
import { type Receiver, startReceiver, verified } from "./receiver.js"

let node: HookNode
let ann: Person
let bob: Person
let list: any
let receiver: Receiver

beforeAll(async () => {
  node = await startHookNode()
  ann = await makePerson(node, "Ann")
  bob = await makePerson(node, "Bob")
})
afterAll(() => node.stop())
beforeEach(async () => {
  receiver = await startReceiver()
  list = await makeList(ann)
})
afterEach(() => receiver.stop())

const bodies = () => receiver.received.map(({ body }) => body)
const kinds = () => bodies().map(({ operation, subject }) => `${operation} ${subject.type}`)
const byRevision = () => bodies().toSorted((one, other) => one.list_revision - other.list_revision)

describe("A delivery (§9 Webhooks)", () => {
  it("shows an invitee by the number that the invitation gave, whether or not anybody has the address, until the acceptance", async () => {
    await makeHook(ann, list, receiver.url)
    await receiver.until(1)
    const known = await makePerson(node, "Known")
    const invite = async (email: string) => (await ann.post("/memberships", { list_id: list.id, email })).body
    const [ofKnown, ofUnknown] = [await invite(known.email), await invite(`${randomUUID()}@example.org`)]
    await receiver.until(3)
    const [, first, second] = byRevision()
    for (const [told, made] of [
      [first, ofKnown],
      [second, ofUnknown],
    ]) {
      expect(made.user_id).not.toBe(known.id)
      expect(told).toMatchObject({ operation: "create", user_id: ann.id, after: made })
    }
    // Nor does it tell who does something with an invitation that is not accepted.
    const muted = await known.patch(`/memberships/${ofKnown.id}`, { revision: 1, muted: true })
    expect([muted.status, muted.body.user_id]).toEqual([200, known.id])
    await receiver.until(4)
    const shown = {
      user_id: ofKnown.user_id,
      before: { user_id: ofKnown.user_id },
      after: { user_id: ofKnown.user_id },
    }
    expect(byRevision()[3]).toMatchObject({ operation: "update", ...shown })
    await known.delete(`/memberships/${ofKnown.id}?revision=2`)
    await receiver.until(5)
    expect(byRevision()[4]).toMatchObject({ operation: "delete", ...shown })
    const again = await invite(known.email)
    await known.patch(`/memberships/${again.id}`, { revision: 1, state: "accepted" })
    await receiver.until(7)
    expect(byRevision()[6]).toMatchObject({
      user_id: known.id,
      before: { user_id: ofKnown.user_id },
      after: { user_id: known.id },
    })
  })

  it("tells what was and what is, signed with the webhook's secret", async () => {
    const hook = await makeHook(ann, list, receiver.url, '{"room":7}')
    await receiver.until(1)
    const request = { "X-Client-Request-Id": "r1" }
    const { body: task } = await ann.post("/tasks", { list_id: list.id, title: "Milk" }, request)
    await receiver.until(2)
    const { body: changed } = await ann.patch(`/tasks/${task.id}`, { revision: 1, title: "Bread" })
    await receiver.until(3)
    await ann.delete(`/tasks/${task.id}?revision=${changed.revision}`)
    await receiver.until(4)

    const [, created, updated, deleted] = receiver.received.map((one) => verified(one, hook.secret))
    const common = {
      user_id: ann.id,
      list_id: list.id,
      webhook_id: hook.id,
      configuration: '{"room":7}',
      enqueued_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      cursor: expect.any(String),
    }
    const subject = { type: "task", id: task.id, parents: [{ type: "list", id: list.id }] }
    expect(created).toEqual({
      event: "task.created",
      operation: "create",
      subject: { ...subject, revision: 1 },
      before: {},
      after: task,
      client: { request_id: "r1" },
      list_revision: 3,
      ...common,
    })
    expect(updated).toMatchObject({
      operation: "update",
      before: task,
      after: { title: "Bread", revision: 2 },
      list_revision: 4,
    })
    expect(deleted).toMatchObject({ operation: "delete", before: changed, after: changed, list_revision: 5, ...common })
    expect(deleted.subject).toEqual({ ...subject, revision: 2 })
    expect(receiver.received[1]?.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": expect.stringMatching(/^msg_\d+$/),
    })
    expect(() => verified(receiver.received[1]!, `whsec_${Buffer.alloc(32).toString("base64")}`)).toThrow()
  })

  it("comes for every kind of change, and last for the list's own end", async () => {
    const hook = await makeHook(ann, list, receiver.url)
    const task = await makeTask(ann, list)
    for (const [path, members] of [
      ["/subtasks", { title: "a" }],
      ["/notes", { content: "n".repeat(200_000) }],
      ["/task_comments", { text: "c" }],
    ] as const)
      expect((await ann.post(path, { task_id: task.id, ...members })).status).toBe(201)
    await ann.patch(`/task_positions/${list.id}`, { revision: 1, values: [task.id] })
    await ann.patch(`/subtask_positions/${task.id}`, { revision: 1, values: [5] })
    const { body: membership } = await ann.post("/memberships", { list_id: list.id, user_id: bob.id })
    await bob.patch(`/memberships/${membership.id}`, { revision: membership.revision, state: "accepted" })
    await ann.patch(`/lists/${list.id}`, {
      revision: (await ann.get(`/lists/${list.id}`)).body.revision,
      title: "Shop",
    })
    const { revision } = (await ann.get(`/lists/${list.id}`)).body
    expect((await ann.delete(`/lists/${list.id}?revision=${revision}`)).status).toBe(204)

    await receiver.until((all) => all.some(({ body }) => body.subject.type === "list" && body.operation === "delete"))
    await eventually(async () => (await deliveriesOf(node, hook)).every(({ status }) => status === "delivered"))
    const told = byRevision()
    expect(told.map(({ operation, subject }) => `${operation} ${subject.type}`)).toEqual([
      "create webhook",
      "create task",
      "create subtask",
      "create note",
      "create task_comment",
      "update task_position",
      "update subtask_position",
      "create membership",
      "update membership",
      "update list",
      "delete list",
    ])
    expect(told.map((body) => body.list_revision)).toEqual(told.map((_, index) => index + 2))
    expect(told[3].after.content).toHaveLength(200_000)
    expect(told[2].subject.parents).toEqual([
      { type: "task", id: task.id },
      { type: "list", id: list.id },
    ])
    expect(told.at(-1)).toMatchObject({ subject: { parents: [] }, before: { title: "Shop" }, after: { title: "Shop" } })
    for (const one of receiver.received) verified(one, hook.secret)
  })

  it("never shows a secret or what is private to the service", async () => {
    await makeHook(ann, list, receiver.url)
    await receiver.until(1)
    expect(Object.keys(bodies()[0].after).sort()).toEqual(
      Object.keys((await ann.get(`/webhooks?list_id=${list.id}`)).body[0]).sort(),
    )
  })

  it("tells a moved task as a deletion here and a creation there, neither with the other list", async () => {
    const other = await makeList(ann, "Other")
    const there = await startReceiver()
    try {
      const task = await makeTask(ann, list)
      await makeHook(ann, list, receiver.url)
      await makeHook(ann, other, there.url)
      await Promise.all([receiver.until(1), there.until(1)])
      await ann.patch(`/tasks/${task.id}`, { revision: 1, list_id: other.id })
      await Promise.all([receiver.until(2), there.until(2)])
      expect(kinds()).toEqual(["create webhook", "delete task"])
      expect(there.received.map(({ body }) => body.operation)).toEqual(["create", "create"])
      expect(receiver.received[1]?.text).not.toContain(`"list_id":${other.id}`)
      expect(there.received[1]?.text).not.toContain(`"list_id":${list.id}`)
    } finally {
      await there.stop()
    }
  })

  it("is not written when the change is rolled back", async () => {
    const hook = await makeHook(ann, list, receiver.url)
    await receiver.until(1)
    const gaveUp = node.database.transaction(async ({ run }) => {
      await run(
        {
          name: "",
          text: "update lists set title = 'x', updated_by_id = $2::bigint where id = $1::bigint",
          read: () => 1,
        },
        [list.id, ann.id],
      )
      throw new Error("no")
    })
    await expect(gaveUp).rejects.toThrow("no")
    await quiet(200)
    expect(await deliveriesOf(node, hook)).toHaveLength(1)
  })
})

describe("The end of a webhook", () => {
  it("stops what waits and what is under way with its deletion", async () => {
    receiver.answer = () => {} // never
    const hook = await makeHook(ann, list, receiver.url)
    await makeTask(ann, list)
    await makeTask(ann, list)
    await receiver.until(2)
    let closed = 0
    const { status } = await ann.delete(`/webhooks/${hook.id}?revision=1`)
    expect(status).toBe(204)
    receiver.answer = () => closed++
    await eventually(async () => receiver.mostAtOnce() === 2 && (await deliveriesOf(node, hook)).length === 0)
    await makeTask(ann, list)
    await quiet(500)
    expect([receiver.received.length, closed]).toEqual([2, 0])
  })

  it("comes with its maker's leaving, and the others go on", async () => {
    const membership = await addMember(node, list, bob)
    const bobs = await startReceiver()
    try {
      await makeHook(ann, list, receiver.url)
      await makeHook(bob, list, bobs.url)
      await bobs.until(1)
      const { body } = await ann.get(`/memberships/${membership}`)
      expect((await bob.delete(`/memberships/${membership}?revision=${body.revision}`)).status).toBe(204)
      await makeTask(ann, list)
      await receiver.until((all) => all.some(({ body }) => body.subject.type === "task"))
      await receiver.until(() => ["delete membership", "delete webhook"].every((kind) => kinds().includes(kind)))
      await quiet(300)
      expect(bobs.received.filter(({ body }) => body.operation === "delete" || body.subject.type === "task")).toEqual(
        [],
      )
    } finally {
      await bobs.stop()
    }
  })
})
