import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createAccessToken } from "../../src/oauth/access-token.js"
import { createApplication } from "../../src/oauth/application.js"
import { statement } from "../../src/statement.js"
import { eventually, listen, PATIENCE_MS, quiet } from "../live/listener.js"
import { createClient } from "../support/client.js"
import { untilLocked } from "../support/locks.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { dayIn, NOON_ZONE } from "../support/noon.js"
import { runSql } from "../support/postgres.js"
import { deliveriesOf, type HookNode, startHookNode } from "./hooks.js"
import { type Receiver, startReceiver } from "./receiver.js"

let node: HookNode
const others: HookNode[] = []
const receivers: Receiver[] = []
beforeAll(async () => {
  node = await startHookNode()
  for (let n = 0; n < 2; n++) others.push(await startHookNode({}, { on: node }))
})
afterAll(async () => {
  for (const one of [...others, node]) await one.stop()
  await Promise.all(receivers.map((receiver) => receiver.stop()))
})

const CREATE =
  "mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { id secret revision listId events skipOwn } }"
const UPDATE =
  "mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { url events skipOwn revision } }"

async function receiver(): Promise<Receiver> {
  const started = await startReceiver()
  receivers.push(started)
  return started
}

type Hook = { readonly id: string; readonly receiver: Receiver; told(): any[]; kinds(): string[] }

async function hook(person: Person, input: Record<string, unknown> = {}): Promise<Hook> {
  const at = await receiver()
  const { data, errors } = await person.graphql(CREATE, { input: { url: at.url, ...input } })
  if (errors) throw new Error(JSON.stringify(errors))
  const told = () => at.received.map(({ body }) => body)
  return { ...data.createWebhook, receiver: at, told, kinds: () => told().map(({ event }) => event) }
}
/** In any order: what happens at about the same time may be sent by several nodes. */
const isNotified = (one: { kinds(): string[] }, ...kinds: string[]) =>
  eventually(
    () => JSON.stringify(one.kinds().sort()) === JSON.stringify([...kinds].sort()),
    PATIENCE_MS,
    () => JSON.stringify(one.kinds()),
  )

describe("a webhook of an account (§4 Webhooks)", () => {
  it("is told of every list of its maker, of those made and joined later, and of what only the maker sees", async () => {
    const [ann, bob] = [await makePerson(node), await makePerson(node, "Bob")]
    const old = await makeList(ann)
    const theirs = await makeList(bob, "Bob's")
    await makeTask(bob, theirs)
    const mine = await hook(ann, { events: ["task.created", "list.created", "setting.created", "membership.updated"] })
    const task = await makeTask(ann, old)
    await isNotified(mine, "task.created")
    expect(mine.told()[0]).toEqual({
      event: "task.created",
      operation: "create",
      subject: { type: "task", id: task.id, revision: 1, parents: [{ type: "list", id: old.id }] },
      before: {},
      after: task,
      client: { request_id: expect.any(String) },
      user_id: ann.id,
      list_id: old.id,
      list_revision: old.revision + 1,
      webhook_id: Number(mine.id),
      configuration: "",
      enqueued_at: expect.any(String),
      cursor: expect.any(String),
    })
    const list = await makeList(ann, "New")
    await isNotified(mine, "task.created", "list.created")
    await ann.post("/settings", { key: "k", value: "v" })
    await isNotified(mine, "task.created", "list.created", "setting.created")
    expect(mine.told()[2]).not.toHaveProperty("list_id")
    await addMember(node, theirs, ann, "pending")
    await makeTask(bob, theirs, { title: "Not yet" })
    const [{ id }] = (await ann.get("/memberships")).body.filter((one: any) => one.list_id === theirs.id)
    await ann.patch(`/memberships/${id}`, { revision: 1, state: "accepted" })
    await makeTask(bob, theirs, { title: "Now" })
    await isNotified(mine, "task.created", "list.created", "setting.created", "membership.updated", "task.created")
    expect(mine.told().flatMap(({ list_id, after }) => (list_id === theirs.id && after.title) || [])).toEqual(["Now"])
    expect(list.id).toBeGreaterThan(old.id)
  })

  it("gives the place behind each event as a cursor, from which its maker goes on without a gap", async () => {
    const ann = await makePerson(node)
    const mine = await hook(ann, { events: ["task.created"] })
    const first = await makeTask(ann, { id: ann.inboxId })
    await isNotified(mine, "task.created")
    const second = await makeTask(ann, { id: ann.inboxId })
    await isNotified(mine, "task.created", "task.created")
    const listener = listen(ann)
    const behind = listener.accountUpdated(mine.told()[0].cursor)
    await behind.until((events) => events.length === 1)
    expect(behind.events.map(({ subjectId }) => Number(subjectId))).toEqual([second.id])
    expect(mine.told().map(({ subject }) => subject.id)).toEqual([first.id, second.id])
    await listener.close()
  })

  it("is its maker's alone, over REST too, where a webhook of a list stays as §4 has it", async () => {
    const [ann, bob] = [await makePerson(node), await makePerson(node, "Bob")]
    const { url } = await receiver()
    const members = { url, processor_type: "generic", configuration: "" }
    const made = await ann.post("/webhooks", { ...members, events: ["task.due"], skip_own: true })
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        membership_type: "Membership",
        ...members,
        events: ["task.due"],
        skip_own: true,
        created_by_id: ann.id,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        type: "webhook",
        revision: 1,
      },
    ])
    const list = await makeList(ann)
    const ofList = (await ann.post("/webhooks", { ...members, list_id: list.id })).body
    expect(Object.keys(ofList)).not.toContain("events")
    expect(Object.keys(ofList)).not.toContain("skip_own")
    for (const member of ["processor_type", "configuration"] as const) {
      const { [member]: _, ...rest } = members
      const refused = await ann.post("/webhooks", { ...rest, list_id: list.id })
      expect([refused.status, refused.body.error[member]]).toEqual([400, ["required"]])
    }
    expect((await ann.get(`/webhooks/${made.body.id}`)).body).toEqual(made.body)
    expect((await ann.graphql("{ webhooks { id list { id } } }")).data.webhooks).toEqual([
      { id: String(made.body.id), list: null },
    ])
    expect((await bob.get(`/webhooks/${made.body.id}`)).status).toBe(404)
    expect((await bob.delete(`/webhooks/${made.body.id}?revision=1`)).status).toBe(404)
    expect((await bob.graphql("{ webhooks { id } }")).data.webhooks).toEqual([])
    expect((await createClient(node.url).post("/webhooks", members)).status).toBe(401)
    expect((await ann.delete(`/webhooks/${made.body.id}?revision=1`)).status).toBe(204)
  })

  it("is told the kinds that it names; completing is one of its own", async () => {
    const ann = await makePerson(node)
    const some = await hook(ann, { events: ["task.completed", "task.deleted"] })
    const all = await hook(ann)
    const task = await makeTask(ann, { id: ann.inboxId })
    await ann.patch(`/tasks/${task.id}`, { revision: 1, title: "Buy tea" })
    await ann.patch(`/tasks/${task.id}`, { revision: 2, completed: true })
    await ann.delete(`/tasks/${task.id}?revision=3`)
    await isNotified(some, "task.completed", "task.deleted")
    await isNotified(all, "webhook.created", "task.created", "task.updated", "task.completed", "task.deleted")
    for (const [events, fields] of [
      [["task.done"], /must name one of list.created/],
      [[], /must name at least one kind of event/],
    ] as const) {
      const refused = await ann.graphql(CREATE, { input: { url: some.receiver.url, events } })
      expect([refused.code, JSON.stringify(refused.fields)]).toEqual([
        "VALIDATION_ERROR",
        expect.stringMatching(fields),
      ])
    }
  })

  it("leaves out what its own application writes, and not what the user does elsewhere", async () => {
    const ann = await makePerson(node)
    const { clientId } = await createApplication(node.database, { name: "Other", redirectUris: [], dialect: "spec" })
    const token = await createAccessToken(node.database, String(ann.id), clientId)
    const elsewhere = Object.assign(
      createClient(node.url, { clientId, token }),
      ann,
      createClient(node.url, { clientId, token }),
    )
    const mine = await hook(ann, {
      skipOwn: true,
      events: ["task.created", "note.created", "setting.updated", "setting.deleted"],
    })
    const list = await makeList(ann)
    const { body: setting } = await ann.post("/settings", { key: "own", value: "1" })
    await ann.patch(`/settings/${setting.id}`, { revision: 1, value: "2" })
    await ann.delete(`/settings/${setting.id}?revision=2`)
    await makeTask(ann, list, { title: "Own" })
    await ann.post("/tasks", { list_id: list.id, title: "Own" }, { "Idempotency-Key": "own" })
    await ann.graphql(
      `mutation { a: createTask(input: { listId: ${list.id}, title: "Own" }) { id } b: createTask(input: { listId: ${list.id}, title: "Own" }) { id } }`,
    )
    const socket = listen(ann)
    const own = `createTask(input: { listId: ${list.id}, title: "Own" }) { id }`
    await ann.graphql(`mutation @atomic { a: ${own} b: ${own} }`)
    const inner = (id: string) => ({
      id,
      method: "POST",
      path: "/api/v1/tasks",
      body: { list_id: list.id, title: "Own" },
    })
    for (const atomic of [true, false]) {
      const { status } = await ann.post("/batch", { atomic, requests: [inner("a"), inner("b")] })
      expect(status).toBe(200)
    }
    // Of what is refused as a whole nothing stays, not even where its writer has to be named.
    const refused = await ann.post("/batch", { requests: [inner("a"), { ...inner("b"), body: { list_id: list.id } }] })
    expect(refused.status).toBe(400)
    expect((await ann.get(`/tasks?list_id=${list.id}`)).body).toHaveLength(10)
    await socket.run(`mutation { createTask(input: { listId: ${list.id}, title: "Own" }) { id } }`)
    const task = await makeTask(elsewhere, list, { title: "Elsewhere" })
    await elsewhere.post("/notes", { task_id: task.id, content: "x" })
    await isNotified(mine, "task.created", "note.created")
    expect(mine.told().find(({ event }) => event === "task.created").after.title).toBe("Elsewhere")
    await socket.close()
  })

  it("hears nothing of a list that its maker has left, not even what waited", async () => {
    const [ann, bob] = [await makePerson(node), await makePerson(node, "Bob")]
    const list = await makeList(bob)
    const membership = await addMember(node, list, ann)
    const mine = await hook(ann, { events: ["task.created", "membership.deleted"] })
    mine.receiver.answer = (response) => response.writeHead(500).end()
    await makeTask(bob, list)
    await mine.receiver.until(1)
    await eventually(async () => (await deliveriesOf(node, { id: Number(mine.id) }))[0]?.responseCode === 500)
    const waitingAt = (due: string) =>
      runSql(
        node.databaseUrl,
        `update webhook_deliveries set due_at = ${due} where webhook_id = ${mine.id} and due_at is not null and lease is null`,
      )
    await waitingAt("now() + interval '1 hour'")
    mine.receiver.answer = (response) => response.writeHead(204).end()
    await ann.delete(`/memberships/${membership}?revision=1`)
    await makeTask(bob, list)
    await waitingAt("now()")
    await makeTask(ann, { id: ann.inboxId })
    await isNotified(mine, "task.created", "membership.deleted", "task.created")
    const created = mine.told().filter(({ event }) => event === "task.created")
    expect(created.map(({ list_id }) => list_id)).toEqual([list.id, ann.inboxId])
    // Nor can it be told again.
    const log = await ann.graphql(
      "query ($id: ID!) { webhook(id: $id) { deliveries { nodes { subjectType subjectId } } } }",
      {
        id: mine.id,
      },
    )
    expect(log.data.webhook.deliveries.nodes.map(({ subjectType }: any) => subjectType)).toEqual(["task", "membership"])
  })

  it("hears nothing either of what is being written there while its maker leaves", async () => {
    const [ann, bob] = [await makePerson(node), await makePerson(node, "Bob")]
    const list = await makeList(bob)
    const membership = await addMember(node, list, ann)
    const mine = await hook(ann, { events: ["task.created", "membership.deleted"] })
    mine.receiver.answer = (response) => response.writeHead(500).end()
    let left: Promise<unknown> | undefined
    await node.database.transaction(async ({ prisma }) => {
      await prisma.$executeRawUnsafe(
        `insert into tasks (list_id, title, created_by_id, updated_by_id) values (${list.id}, 'late', ${bob.id}, ${bob.id})`,
      )
      left = ann.delete(`/memberships/${membership}?revision=1`)
      await untilLocked(node)
    })
    await left
    const waiting = await node.database.prisma.$queryRawUnsafe(
      `select e.subject_type from webhook_deliveries d join events e on e.id = d.event_id where d.webhook_id = ${mine.id}`,
    )
    expect(waiting).toEqual([{ subject_type: "membership" }])
  })

  it("is changed and deleted by its maker, and a stale revision is told what is stored", async () => {
    const [ann, bob] = [await makePerson(node), await makePerson(node, "Bob")]
    const { id, receiver, kinds } = await hook(ann)
    const update = (input: object, person = ann) => person.graphql(UPDATE, { id, input })
    const changed = await update({ revision: 1, events: ["note.created"], skipOwn: false })
    expect(changed.data.updateWebhook).toEqual({
      url: receiver.url,
      events: ["note.created"],
      skipOwn: false,
      revision: 2,
    })
    expect((await update({ revision: 2, events: null })).data.updateWebhook.events).toBeNull()
    const stale = await update({ revision: 1, url: receiver.url })
    expect(stale.errors).toMatchObject([{ extensions: { code: "CONFLICT", current: { id, revision: 3 } } }])
    expect((await update({ revision: 3, url: "http://10.0.0.1/" })).fields).toHaveProperty("url")
    expect((await update({ revision: 3 }, bob)).code).toBe("NOT_FOUND")
    await ann.graphql("mutation ($id: ID!) { deleteWebhook(id: $id, revision: 3) }", { id })
    await makeTask(ann, { id: ann.inboxId })
    await quiet()
    expect(kinds()).not.toContain("task.created")
  })

  it("is one of twenty at most", async () => {
    const ann = await makePerson(node)
    const input = { url: "https://example.org/hook", events: ["user.deleted"] }
    for (let n = 0; n < 20; n++) expect((await ann.graphql(CREATE, { input })).code).toBeUndefined()
    const refused = await ann.graphql(CREATE, { input })
    expect([refused.code, refused.fields]).toEqual([
      "VALIDATION_ERROR",
      { listId: [expect.stringContaining("20 webhooks")] },
    ])
    const list = await makeList(ann)
    expect((await ann.graphql(CREATE, { input: { ...input, listId: list.id } })).code).toBeUndefined()
  })
})

describe("what is due (§4 Webhooks)", () => {
  it("is told of a reminder once, within a second of its instant, with three nodes", async () => {
    const ann = await makePerson(node)
    const mine = await hook(ann, { events: ["reminder.due"] })
    const list = await makeList(ann)
    const ofList = await hook(ann, { listId: list.id, events: ["reminder.due"] })
    const plain = await hook(ann, { listId: list.id })
    const task = await makeTask(ann, list)
    const date = new Date(Date.now() + 1_500)
    const [reminder] = (await ann.post("/reminders", { task_id: task.id, date: date.toISOString() })).body
    await mine.receiver.until(1)
    expect(Date.now() - date.getTime()).toBeLessThan(30_000) // a second on a machine that does nothing else
    await ofList.receiver.until(1)
    await quiet(500)
    expect([mine.kinds(), ofList.kinds()]).toEqual([["reminder.due"], ["reminder.due"]])
    expect(mine.told()[0]).toMatchObject({
      operation: "update",
      subject: { type: "reminder", id: reminder.id, parents: [{ type: "task", id: task.id }] },
      after: { id: reminder.id, task_id: task.id, type: "reminder" },
    })
    // A plain webhook of a list is told of the list's changes and of nothing else, as ever.
    await isNotified(plain, "webhook.created", "task.created")
  })

  it("is told which tasks are due when their day begins in the maker's zone, once, with three nodes", async () => {
    const ann = await makePerson(node)
    const mine = await hook(ann, { events: ["task.due"] })
    const next = async () => (await node.database.run(nextDay, [mine.id]))[0] as string
    const timeIn = (zone: string, instant: string) =>
      new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeStyle: "medium" }).format(new Date(instant))
    expect(timeIn("UTC", await next())).toBe("00:00:00")
    const { id } = (await ann.post("/settings", { key: "time_zone", value: "Pacific/Kiritimati" })).body
    expect(timeIn("Pacific/Kiritimati", await next())).toBe("00:00:00")
    await ann.patch(`/settings/${id}`, { revision: 1, value: "No/Where" })
    expect(timeIn("UTC", await next())).toBe("00:00:00")
    await ann.patch(`/settings/${id}`, { revision: 2, value: NOON_ZONE })

    const due = await makeTask(ann, { id: ann.inboxId }, { due_date: dayIn(0) })
    await makeTask(ann, { id: ann.inboxId }, { due_date: "2031-01-01" })
    const done = await makeTask(ann, { id: ann.inboxId }, { due_date: dayIn(0) })
    await ann.patch(`/tasks/${done.id}`, { revision: 1, completed: true })
    for (let n = 0; n < 2; n++) {
      await runSql(node.databaseUrl, `update webhook_endpoints set next_day_at = now() where webhook_id = ${mine.id}`)
      await mine.receiver.until(1)
      await quiet(1_200)
      expect(mine.told().map(({ event, subject }) => [event, subject.type, subject.id])).toEqual([
        ["task.due", "task", due.id],
      ])
    }
    expect(new Date(await next()).getTime()).toBeGreaterThan(Date.now())
  })

  it("shows other members of its list nothing of what its maker is reminded of", async () => {
    const [ann, bob] = [await makePerson(node), await makePerson(node, "Bob")]
    const list = await makeList(ann)
    await addMember(node, list, bob)
    const mine = await hook(ann, { listId: list.id, events: ["reminder.due"] })
    const task = await makeTask(ann, list)
    await ann.post("/reminders", { task_id: task.id, date: new Date(Date.now() + 500).toISOString() })
    await isNotified(mine, "reminder.due")
    const log = async (who: Person) =>
      (
        await who.graphql("query ($id: ID!) { webhook(id: $id) { deliveries { nodes { id subjectType } } } }", {
          id: mine.id,
        })
      ).data.webhook.deliveries.nodes
    const [shown, ...others] = await log(ann)
    expect([shown.subjectType, others]).toEqual(["reminder", []])
    expect(await log(bob)).toEqual([])
    const again = await bob.graphql("mutation ($id: ID!) { redeliver(id: $id) { id } }", { id: shown.id })
    expect(again.code).toBe("NOT_FOUND")
  })
})

const nextDay = statement(
  "test_next_day",
  "select to_char(next_day_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') from webhook_endpoints where webhook_id = $1::bigint",
  ([text]) => text as string,
)
