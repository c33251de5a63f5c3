import { randomUUID } from "node:crypto"
import { createRequire } from "node:module"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makePerson, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

// The official SDK of the retired service, as it is on npm, by its two ways: HTTP, and the socket that carries the same
// requests and tells of changes.
const Sdk = createRequire(import.meta.url)("wunderlist")

const ANSWER_TIMEOUT_MS = 10_000

type Deferred = {
  done(then: (data: any, status: number) => void): Deferred
  fail(then: (data: any, status: number) => void): Deferred
}

let node: TestNode
let ann: Person
let bob: Person
let anns: any
let bobs: any
const sdks: any[] = []

/** What a call of the SDK comes to: it settles with data and status, or never when nobody listens. */
function settled(call: Deferred): Promise<{ data: any; status: number; failed: boolean }> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the SDK got no answer")), ANSWER_TIMEOUT_MS)
    const settle = (failed: boolean) => (data: any, status: number) => {
      clearTimeout(timer)
      resolve({ data, status, failed })
    }
    call.done(settle(false)).fail(settle(true))
  })
}

async function ok(call: Deferred): Promise<any> {
  const { data, status, failed } = await settled(call)
  expect([failed, status < 300, data]).toEqual([false, true, data])
  return data
}

function sdkFor({ credentials }: Person): Promise<any> {
  const { clientId, token } = credentials
  const sdk = new Sdk({
    accessToken: token,
    clientID: clientId,
    checkHealth: false,
    api: { host: `${node.url}/api` },
    realtime: { host: `${node.url.replace("http", "ws")}/api/v1/sync` },
  })
  sdks.push(sdk)
  return new Promise((resolve) => sdk.initialized.done(() => resolve(sdk)))
}

/** Resolves when the socket is open and has answered that it is healthy. */
const connected = ({ restSocket }: any): Promise<void> =>
  restSocket.connected ? Promise.resolve() : new Promise((resolve) => restSocket.once("connected", () => resolve()))

beforeAll(async () => {
  node = await sharedNode()
})
afterAll(async () => {
  // Not sdk.destroy(), after which its own timers stumble over what it has deleted.
  for (const sdk of sdks) sdk.restSocket.close()
})

describe.each(["http", "socket"] as const)("the official SDK, unmodified, over %s", (way) => {
  beforeAll(async () => {
    ann = await makePerson(node, "Ann", "wunderlist")
    bob = await makePerson(node, "Bob", "wunderlist")
    const both = await Promise.all([sdkFor(ann), sdkFor(bob)])
    if (way === "socket") await Promise.all(both.map(connected))
    ;[anns, bobs] = both.map((sdk) => sdk[way])
  })

  it("reads the user, the root and the inbox", async () => {
    expect(await ok(anns.user.all())).toMatchObject({ id: ann.id, type: "user" })
    expect(await ok(anns.root.all())).toMatchObject({ user_id: ann.id, type: "root" })
    expect(await ok(anns.lists.all())).toMatchObject([{ id: ann.inboxId, list_type: "inbox" }])
  })

  it("makes, renames, reads and deletes a list", async () => {
    const list = await ok(anns.lists.create({ title: "Groceries" }))
    expect(list).toMatchObject({ title: "Groceries", revision: 1 })
    const renamed = await ok(anns.lists.update(list.id, list.revision, { title: "Food" }))
    expect(await ok(anns.lists.getID(list.id))).toEqual(renamed)
    await ok(anns.lists.deleteID(list.id, renamed.revision))
    expect((await settled(anns.lists.getID(list.id))).status).toBe(404)
  })

  it("works on a task, and clears what it sets to null or undefined", async () => {
    const task = await ok(
      anns.tasks.create({ list_id: ann.inboxId, title: "Buy milk", due_date: "2031-01-31", starred: true }),
    )
    const cleared = await ok(anns.tasks.update(task.id, task.revision, { due_date: null, starred: undefined }))
    expect(cleared).not.toHaveProperty("due_date")
    expect(cleared.starred).toBe(false)
    await ok(anns.tasks.update(task.id, cleared.revision, { completed: true }))
    expect(await ok(anns.tasks.forList(ann.inboxId, true))).toMatchObject([
      { id: task.id, completed: true, completed_by_id: ann.id },
    ])
    expect(await ok(anns.tasks.forList(ann.inboxId))).toEqual([])
    expect(await ok(anns.tasks_counts.forList(ann.inboxId))).toMatchObject({ completed_count: 1, type: "tasks_count" })
  })

  it("fails with the contract's conflict when its revision is stale", async () => {
    const task = await ok(anns.tasks.create({ list_id: ann.inboxId, title: "x" }))
    await ok(anns.tasks.update(task.id, 1, { title: "y" }))
    const { failed, status, data } = await settled(anns.tasks.update(task.id, 1, { title: "z" }))
    expect([failed, status, data.error.revision_conflict]).toEqual([true, 409, true])
  })

  it("works on what is in a task", async () => {
    const task = await ok(anns.tasks.create({ list_id: ann.inboxId, title: "Trip" }))
    const subtask = await ok(anns.subtasks.create({ task_id: task.id, title: "Tickets" }))
    await ok(anns.subtasks.update(subtask.id, subtask.revision, { completed: true }))
    expect(await ok(anns.subtasks.forTask(task.id))).toMatchObject([{ title: "Tickets", completed: true }])
    const note = await ok(anns.notes.create({ task_id: task.id, content: "Window seat" }))
    expect(await ok(anns.notes.update(note.id, note.revision, { content: "Aisle" }))).toMatchObject({
      content: "Aisle",
      revision: 2,
    })
    expect(await ok(anns.notes.forList(ann.inboxId))).toHaveLength(1)
    const reminder = await ok(anns.reminders.create({ task_id: task.id, date: "2031-01-01T09:00:00.000Z" }))
    expect(reminder).toMatchObject({ task_id: task.id, type: "reminder" })
    const moved = await ok(anns.reminders.update(reminder.id, reminder.revision, { date: "2031-01-02T09:00:00.000Z" }))
    expect(await ok(anns.reminders.all())).toEqual([moved])
    const comment = await ok(anns.task_comments.create({ task_id: task.id, text: "Ask Bob" }))
    expect(comment).toMatchObject({ text: "Ask Bob", read: true, type: "task_comment" })
    expect(await ok(anns.task_comments.forTask(task.id))).toHaveLength(1)
    await ok(anns.subtasks.deleteID(subtask.id, 2))
    await ok(anns.reminders.deleteID(reminder.id, moved.revision))
    await ok(anns.notes.deleteID(note.id, 2))
  })

  it("shares a list: invites, accepts, leaves", async () => {
    const list = await ok(anns.lists.create({ title: "Ours" }))
    const invited = await ok(anns.memberships.create({ list_id: list.id, user_id: bob.id }))
    expect(invited).toMatchObject({ state: "pending", user_id: bob.id })
    expect(await ok(bobs.lists.getID(list.id))).toMatchObject({ title: "Ours" })
    expect((await settled(bobs.tasks.forList(list.id))).status).toBe(404)
    const accepted = await ok(bobs.memberships.update(invited.id, invited.revision, { state: "accepted" }))
    expect(accepted.state).toBe("accepted")
    await ok(bobs.tasks.create({ list_id: list.id, title: "From Bob" }))
    expect(await ok(anns.tasks.forList(list.id))).toMatchObject([{ title: "From Bob", created_by_id: bob.id }])
    expect((await ok(anns.users.all())).map(({ id }: { id: number }) => id)).toContain(bob.id)
    await ok(bobs.memberships.deleteID(accepted.id, accepted.revision))
    expect(await ok(anns.memberships.forList(list.id))).toHaveLength(1)
  })

  it("keeps folders, orders and settings", async () => {
    const list = await ok(anns.lists.create({ title: "A" }))
    const folder = await ok(anns.folders.create({ title: "Work", list_ids: [list.id] }))
    expect(folder).toMatchObject({ list_ids: [list.id], type: "folder" })
    expect(await ok(anns.folders.update(folder.id, folder.revision, { title: "Job" }))).toMatchObject({
      title: "Job",
      list_ids: [list.id],
    })
    const [position] = await ok(anns.list_positions.all())
    const ordered = await ok(
      anns.list_positions.update(position.id, position.revision, { values: [list.id, ann.inboxId] }),
    )
    expect(ordered.values).toEqual([list.id, ann.inboxId])
    const [tasks] = await ok(anns.task_positions.forList(list.id))
    await ok(anns.task_positions.update(tasks.id, tasks.revision, { values: [3, 1] }))
    const setting = await ok(anns.settings.create({ key: "start_of_week", value: "mon" }))
    expect(await ok(anns.settings.update(setting.id, setting.revision, { value: "sun" }))).toMatchObject({
      value: "sun",
    })
    await ok(anns.folders.deleteID(folder.id, 2))
  })

  it("repeats a request under its own name and gets the first answer", async () => {
    const requestId = randomUUID()
    const create = () => anns.tasks.create({ list_id: ann.inboxId, title: "Once" }, requestId)
    const first = await ok(create())
    expect(await ok(create())).toEqual(first)
    expect(first.created_by_request_id).toBe(requestId)
  })
})
