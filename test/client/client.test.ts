import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Client, createClient, type Filter, memoryStore, type Store, smartLists } from "../../src/client/client.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { clientOf, makeWay, settled } from "./way.js"

const SOON = { timeout: 20_000, interval: 20 }

let node: TestNode
let ann: Person
let bob: Person
let list: { id: number }
const clients = new Set<Client>()

beforeAll(async () => {
  node = await sharedNode()
  ;[ann, bob] = await Promise.all([makePerson(node, "Ann"), makePerson(node, "Bob")])
  list = await makeList(ann)
  await addMember(node, list, bob)
})
afterAll(() => Promise.all([...clients].map((client) => client.stop())))

/** A client that has started, and its way to the service. */
async function start(person: Person, store: Store = memoryStore()) {
  const way = makeWay()
  const client = clientOf(person, way, { store })
  clients.add(client)
  await client.start()
  await settled(client)
  return { client, way, store }
}
const titles = (client: Client, of = list.id) => client.view.tasks(of).map(({ title }) => title)
const without = ({ revision: _, ...object }: any) => object

describe("the view", () => {
  it("shows what GET shows, of all that somebody has", async () => {
    const task = await makeTask(ann, list, { title: "Whole", due_date: "2031-02-03", starred: true })
    await ann.post("/subtasks", { task_id: task.id, title: "Step" })
    await ann.post("/notes", { task_id: task.id, content: "Text" })
    await ann.post("/task_comments", { task_id: task.id, text: "Said" })
    await ann.post("/reminders", { task_id: task.id, date: "2031-02-03T10:00:00Z" })
    await ann.post("/folders", { title: "Home", list_ids: [list.id] })
    const done = await makeTask(ann, list, { title: "Done", completed: true })
    const { client } = await start(ann)
    for (const [kind, path] of [
      ["subtask", "subtasks"],
      ["note", "notes"],
      ["task_comment", "task_comments"],
      ["reminder", "reminders"],
    ] as const)
      expect(client.view.all(kind, task.id)).toEqual((await ann.get(`/${path}?task_id=${task.id}`)).body)
    expect(client.view.lists().map(without)).toEqual((await ann.get("/lists")).body.map(without))
    expect(client.view.all("folder")).toEqual((await ann.get("/folders")).body)
    expect(client.view.all("membership", list.id)).toEqual((await ann.get(`/memberships?list_id=${list.id}`)).body)
    expect(client.view.get("task", task.id)).toEqual((await ann.get(`/tasks/${task.id}`)).body)
    expect(client.view.tasks(list.id, true).map(({ id }) => id)).toContain(done.id)
    expect(client.view.viewer()).toMatchObject({ id: ann.id, name: "Ann" })
  })

  it("is told of what others do, and calls back only those who read it", async () => {
    const { client } = await start(ann)
    const other = await makeList(ann, "Other")
    await expect.poll(() => client.view.get("list", other.id)?.title, SOON).toBe("Other")
    const seen: string[][] = []
    let asked = 0
    const stop = client.subscribe(
      (view) => {
        asked++
        return view.tasks(other.id)
      },
      (tasks) => seen.push(tasks.map(({ title }) => title)),
    )
    await makeTask(bob, list, { title: "Elsewhere" })
    await expect.poll(() => titles(client), SOON).toContain("Elsewhere")
    expect([asked, seen]).toEqual([1, []])
    const { body: task } = await ann.post("/tasks", { list_id: other.id, title: "Here" })
    await expect.poll(() => seen, SOON).toEqual([["Here"]])
    const before = client.view.tasks(other.id)
    client.update("task", task.id, { starred: true })
    expect(client.view.tasks(other.id)).not.toBe(before)
    await expect.poll(() => seen.length, SOON).toBeGreaterThan(1)
    stop()
    client.update("task", task.id, { title: "Unseen" })
    await settled(client)
    expect(seen.flat()).not.toContain("Unseen")
  })

  it("forgets a list that somebody has left, with all that is in it", async () => {
    const shared = await makeList(bob, "Shared")
    const membership = await addMember(node, shared, ann)
    await makeTask(bob, shared)
    const { client } = await start(ann)
    expect(titles(client, shared.id)).toEqual(["Buy milk"])
    const { body } = await ann.get(`/memberships/${membership}`)
    await ann.delete(`/memberships/${membership}?revision=${body.revision}`)
    await expect.poll(() => client.view.get("list", shared.id), SOON).toBeUndefined()
    expect(client.view.all("task").filter(({ list_id }) => list_id === shared.id)).toEqual([])
    expect(client.view.find({ list_ids: [shared.id] })).toEqual([])
  })

  it("forgets who was known only by a list that somebody has left", async () => {
    const cid = await makePerson(node, "Cid")
    const shared = await makeList(cid, "Cid's")
    const membership = await addMember(node, shared, ann)
    const { client } = await start(ann)
    expect([client.view.get("user", cid.id)?.name, client.view.get("user", bob.id)?.name]).toEqual(["Cid", "Bob"])
    const { body } = await ann.get(`/memberships/${membership}`)
    await ann.delete(`/memberships/${membership}?revision=${body.revision}`)
    await expect.poll(() => client.view.get("list", shared.id), SOON).toBeUndefined()
    expect(client.view.get("user", cid.id)).toBeUndefined()
    expect([client.view.get("user", bob.id)?.name, client.view.viewer()?.name]).toEqual(["Bob", "Ann"])
  })

  it("calls back everybody, also when one of them throws", async () => {
    const { client } = await start(ann)
    const { id } = client.create("task", { list_id: list.id, title: "Watched" })
    const listeners = process.rawListeners("uncaughtException") as (() => void)[]
    const faults: string[] = []
    process.removeAllListeners("uncaughtException")
    process.on("uncaughtException", ({ message }) => faults.push(message))
    const seen: unknown[] = []
    client.subscribe(
      (view) => view.get("task", id)?.title,
      () => {
        throw new Error("of the application")
      },
    )
    client.subscribe(
      (view) => view.get("task", id)?.title,
      (title) => seen.push(title),
    )
    client.update("task", id, { title: "Changed" })
    await expect.poll(() => faults, SOON).toEqual(["of the application"])
    process.removeAllListeners("uncaughtException")
    for (const listener of listeners) process.on("uncaughtException", listener)
    expect(seen).toEqual(["Changed"])
    await settled(client)
  })

  it("finds tasks by the text in them, days and whom they are for", async () => {
    const own = await makeList(ann, "Found")
    const due = await makeTask(ann, own, { title: "Later", due_date: "2031-05-02", assignee_id: ann.id })
    const soon = await makeTask(ann, own, { title: "Sooner", due_date: "2031-05-01", starred: true })
    const plain = await makeTask(ann, own, { title: "Landingpages" })
    await ann.post("/notes", { task_id: due.id, content: "about the LANDING" })
    const { client } = await start(ann)
    const ids = (filter: Parameters<Client["view"]["find"]>[0]) =>
      client.view.find({ list_ids: [own.id], ...filter }).map(({ id }) => id)
    expect(ids({})).toEqual([soon.id, due.id, plain.id])
    expect(ids({ sort: "-due_date" })).toEqual([due.id, soon.id, plain.id])
    expect(ids({ q: "landing" })).toEqual([due.id, plain.id])
    expect(ids({ due_to: "2031-05-01" })).toEqual([soon.id])
    expect(ids({ assignee_id: "me" })).toEqual([due.id])
    expect(ids({ due: "none" })).toEqual([plain.id])
  })
})

describe("find and the smart lists", () => {
  it("are those of the guide, and find what the service finds, in its order", async () => {
    const guide = readFileSync("docs/guide/finding-and-changing-many.md", "utf8")
    const rows = [...guide.matchAll(/^\| ([A-Z].+) \| `(.+)` \|$/gm)].map(([, name, query]) => [name, query])
    const { today, week, overdue, starred, assigned, undated, completed } = smartLists("2026-12-24")
    const queryOf = (filter: object) =>
      Object.entries(filter)
        .map(([name, value]) => `${name}=${value}`)
        .join("&")
    const named = { Today: today, "This week": week, Overdue: overdue, Starred: starred, "Assigned to me": assigned }
    const all = { ...named, "Without a date": undated, "Completed since": completed }
    const inOrder = (query: string) => query.split("&").sort()
    expect(rows.slice(0, 7).map(([name, query]) => [name, inOrder(query as string)])).toEqual(
      Object.entries(all).map(([name, filter]) => [name, inOrder(queryOf(filter))]),
    )

    const own = await makeList(ann, "Sorted")
    for (const title of ["b", "A", "Straße", "strasse 2", "ΣΑΣ", "Ａ wide", "z"]) await makeTask(ann, own, { title })
    const { completed_at } = await makeTask(ann, own, { title: "Completed", completed: true })
    await makeTask(ann, own, { title: "Due", due_date: "2026-12-23" })
    await makeTask(ann, own, { title: "Now", due_date: "2026-12-24", starred: true })
    const { client } = await start(ann)
    for (const filter of [
      ...Object.values(all),
      { sort: "title" },
      { sort: "-title" },
      { q: "STRASSE" },
      { q: "straße" },
      { q: "σα" },
      { q: "a w" },
      { completed_from: completed_at.replace(".", ".000"), completed_to: completed_at.replace("Z", "-01:00") },
    ] as Filter[]) {
      const whole = { list_ids: [own.id], ...filter }
      const { body } = await ann.get(`/tasks/find?${queryOf(whole)}`)
      expect([filter, client.view.find(whole).map(({ title }) => title)]).toEqual([
        filter,
        body.map(({ title }: any) => title),
      ])
    }
  })
})

describe("work offline", () => {
  it("shows new things as they will be", async () => {
    const { client, way } = await start(ann)
    way.isCut = true
    const task = client.create("task", { list_id: list.id, title: "Drafted" })
    const { id } = client.create("task_comment", { task_id: task.id, text: "Hello" })
    const made = client.create("list", { title: "Drafted, too" })
    const invitation = client.create("membership", { list_id: made.id, email: "dan@example.org" })
    expect(client.view.get("list", made.id)).toMatchObject({ owner_id: ann.id, created_by_id: ann.id })
    expect(client.view.get("membership", invitation.id)?.user_id).toBeUndefined()
    const { author } = client.view.get("task_comment", id)!
    way.isCut = false
    client.tryNow()
    await settled(client)
    expect(client.view.get("task_comment", id)?.author).toEqual(author)
  })

  it("takes the first of two edits back, or lets it be refused, without a question about the second", async () => {
    const task = await makeTask(ann, list, { title: "One" })
    const { client, way } = await start(ann)
    way.isCut = true
    const first = client.update("task", task.id, { title: "Two" })
    client.update("task", task.id, { title: "Three" })
    client.drop(first.command)
    const long = client.update("task", task.id, { title: "x".repeat(256) })
    const last = client.update("task", task.id, { title: "Four" })
    way.isCut = false
    client.tryNow()
    expect([await long.outcome, await last.outcome]).toEqual(["refused", "confirmed"])
    expect(client.view.aside().map(({ id }) => id)).toEqual([long.command])
    expect((await ann.get(`/tasks/${task.id}`)).body.title).toBe("Four")
    client.drop(long.command)
  })

  it("changes the viewer, and nobody else", async () => {
    const { client } = await start(ann)
    expect(() => client.update("user", bob.id, { name: "Bobby" })).toThrow("not the viewer")
    client.update("user", ann.id, { name: "Ann" })
    await settled(client)
  })

  it("shows at once, goes in order with the ids of the service, and is in the store", async () => {
    const { client, way, store } = await start(ann)
    way.isCut = true
    const made = client.create("list", { title: "Trip" })
    const [first, second] = ["Pack", "Book"].map((title) => client.create("task", { list_id: made.id, title }))
    client.create("subtask", { task_id: first!.id, title: "Socks" })
    client.update("task", second!.id, { starred: true, due_date: "2031-01-01" })
    client.move("task", second!.id, null)
    expect(titles(client, made.id)).toEqual(["Book", "Pack"])
    await client.stop()

    const again = clientOf(ann, makeWay(), { store })
    clients.add(again)
    await again.start()
    expect(titles(again, made.id)).toEqual(["Book", "Pack"])
    await settled(again)
    expect(again.view.aside()).toEqual([])
    const { id } = again.view.get("list", made.id)!
    expect(id).toBeGreaterThan(0)
    const { body } = await ann.get(`/tasks?list_id=${id}`)
    expect(body).toMatchObject([{ title: "Pack" }, { title: "Book", starred: true, due_date: "2031-01-01" }])
    const { body: position } = await ann.get(`/task_positions/${id}`)
    expect(position.values).toEqual([body[1].id, body[0].id])
    expect((await ann.get(`/subtasks?task_id=${body[0].id}`)).body).toMatchObject([{ title: "Socks" }])
    expect(titles(again, made.id)).toEqual(["Book", "Pack"])
  })

  it("loses nothing that is done while the store is being read", async () => {
    const { client, store } = await start(ann)
    await client.stop()
    let isRead = () => {}
    const reading = new Promise<void>((resolve) => {
      isRead = resolve
    })
    const load = async () => {
      const entries = await store.load()
      await reading
      return entries
    }
    const early = clientOf(ann, makeWay(), { store: { ...store, load } })
    clients.add(early)
    const started = early.start()
    const { outcome } = early.create("task", { list_id: list.id, title: "Early" })
    isRead()
    await started
    expect(titles(early)).toContain("Early")
    expect(await outcome).toBe("confirmed")
    await settled(early)
    expect((await ann.get(`/tasks?list_id=${list.id}`)).body.map(({ title }: any) => title)).toContain("Early")
  })

  it("holds a deletion as long as it can be taken back, and what does not depend on it goes on", async () => {
    const { client } = await start(ann)
    const { id } = await makeTask(ann, list, { title: "Held" })
    await expect.poll(() => client.view.get("task", id), SOON).toBeDefined()
    const held = client.delete("task", id, { holdMs: 60_000 })
    expect(client.view.get("task", id)).toBeUndefined()
    await client.create("task", { list_id: list.id, title: "Not held" }).outcome
    client.drop(held.command)
    expect([await held.outcome, client.view.get("task", id)?.title]).toEqual(["dropped", "Held"])
    const { outcome } = client.delete("task", id, { holdMs: 50 })
    expect(await outcome).toBe("confirmed")
    expect((await ann.get(`/tasks/${id}`)).status).toBe(404)
  })
})

describe("what others did meanwhile", () => {
  it("is merged member by member without a question", async () => {
    const task = await makeTask(ann, list, { title: "Both" })
    const { client, way } = await start(ann)
    way.isCut = true
    client.update("task", task.id, { starred: true })
    await bob.patch(`/tasks/${task.id}`, { revision: task.revision, title: "Both of us" })
    way.isCut = false
    client.tryNow()
    await settled(client)
    expect(client.view.aside()).toEqual([])
    const { body } = await ann.get(`/tasks/${task.id}`)
    expect(body).toMatchObject({ title: "Both of us", starred: true })
    expect(without(client.view.get("task", task.id))).toEqual(without(body))
  })

  it("is a conflict where the same was changed, the rest goes on, and either side can be kept", async () => {
    const task = await makeTask(ann, list, { title: "Base" })
    const { client, way, store } = await start(ann)
    way.isCut = true
    const { command, outcome } = client.update("task", task.id, { title: "Mine", starred: true })
    await bob.patch(`/tasks/${task.id}`, { revision: task.revision, title: "Theirs" })
    way.isCut = false
    client.tryNow()
    expect(await outcome).toBe("conflict")
    await settled(client)
    expect(client.view.aside()).toMatchObject([
      {
        id: command,
        aside: { reason: "conflict", base: { title: "Base" }, mine: { title: "Mine" }, theirs: { title: "Theirs" } },
      },
    ])
    expect((await ann.get(`/tasks/${task.id}`)).body).toMatchObject({ title: "Theirs", starred: true })
    expect(client.view.get("task", task.id)?.title).toBe("Theirs")
    await client.stop()
    const { client: later } = await start(ann, store)
    expect(later.view.aside()).toHaveLength(1)
    later.retry(command)
    await settled(later)
    expect((await ann.get(`/tasks/${task.id}`)).body.title).toBe("Mine")
    expect(later.view.aside()).toEqual([])
  })

  it("is noticed also when the change arrives before the command is sent", async () => {
    const task = await makeTask(ann, list, { title: "Base" })
    const store = memoryStore()
    const { client } = await start(ann, store)
    await client.stop()
    const offline = clientOf(ann, Object.assign(makeWay(), { isCut: true }), { store })
    clients.add(offline)
    await offline.start()
    offline.update("task", task.id, { title: "Mine" })
    await offline.stop()
    await bob.patch(`/tasks/${task.id}`, { revision: task.revision, title: "Theirs" })
    const { client: online } = await start(ann, store)
    expect(online.view.aside()).toMatchObject([{ aside: { reason: "conflict", theirs: { title: "Theirs" } } }])
    expect((await ann.get(`/tasks/${task.id}`)).body.title).toBe("Theirs")
  })

  it("is compared with what somebody saw who began to write before it came", async () => {
    const task = await makeTask(ann, list, { title: "Before" })
    const gone = await makeTask(ann, list, { title: "To go" })
    const { client } = await start(ann)
    await bob.patch(`/tasks/${task.id}`, { revision: task.revision, title: "Theirs" })
    await bob.delete(`/tasks/${gone.id}?revision=${gone.revision}`)
    await expect.poll(() => client.view.get("task", task.id)?.title, SOON).toBe("Theirs")
    await expect.poll(() => client.view.get("task", gone.id), SOON).toBeUndefined()
    const commands = [task, gone].map(({ id, title }) =>
      client.update("task", id, { title: `${title}, mine` }, { seen: { title } }),
    )
    expect(await Promise.all(commands.map(({ outcome }) => outcome))).toEqual(["conflict", "conflict"])
    expect(client.view.aside().map(({ aside }) => aside)).toMatchObject([
      { base: { title: "Before" }, mine: { title: "Before, mine" }, theirs: { title: "Theirs" } },
      { mine: { title: "To go, mine" }, theirs: undefined },
    ])
    expect((await ann.get(`/tasks/${task.id}`)).body.title).toBe("Theirs")
  })

  it("keeps the text where the task, or what it is in, was deleted", async () => {
    const task = await makeTask(ann, list, { title: "Gone" })
    const { client, way } = await start(ann)
    way.isCut = true
    client.update("task", task.id, { title: "Long text" })
    client.create("note", { task_id: task.id, content: "Longer text" })
    await bob.delete(`/tasks/${task.id}?revision=${task.revision}`)
    way.isCut = false
    client.tryNow()
    await settled(client)
    expect(client.view.aside().map(({ aside }) => aside)).toEqual([
      { reason: "conflict", base: { title: "Gone" }, mine: { title: "Long text" }, theirs: undefined },
      { reason: "conflict", base: {}, mine: { task_id: task.id, content: "Longer text" }, theirs: undefined },
    ])
    for (const { id } of client.view.aside()) client.drop(id)
    expect(client.view.aside()).toEqual([])
  })

  it("lets a deletion of what was deleted be, and asks before one of what was changed", async () => {
    const [gone, changed] = [await makeTask(ann, list, { title: "A" }), await makeTask(ann, list, { title: "B" })]
    const { client, way } = await start(ann)
    way.isCut = true
    const outcomes = [client.delete("task", gone.id).outcome, client.delete("task", changed.id).outcome]
    await bob.delete(`/tasks/${gone.id}?revision=${gone.revision}`)
    await bob.patch(`/tasks/${changed.id}`, { revision: changed.revision, title: "B, with care" })
    way.isCut = false
    client.tryNow()
    expect(await Promise.all(outcomes)).toEqual(["confirmed", "conflict"])
    expect(client.view.get("task", changed.id)?.title).toBe("B, with care")
    client.retry(client.view.aside()[0]!.id)
    await settled(client)
    expect((await ann.get(`/tasks/${changed.id}`)).status).toBe(404)
  })

  it("does not stop an order: what was meant is done in theirs", async () => {
    const own = await makeList(ann, "Order")
    await addMember(node, own, bob)
    const [a, b, c] = [await makeTask(ann, own), await makeTask(ann, own), await makeTask(ann, own)]
    const { client, way } = await start(ann)
    way.isCut = true
    client.move("task", a.id, c.id)
    await bob.patch(`/task_positions/${own.id}`, { revision: 1, values: [c.id, b.id, a.id] })
    way.isCut = false
    client.tryNow()
    await settled(client)
    expect((await ann.get(`/task_positions/${own.id}`)).body.values).toEqual([c.id, a.id, b.id])
    expect(client.view.tasks(own.id).map(({ id }) => id)).toEqual([c.id, a.id, b.id])
  })
})

describe("an answer that says no", () => {
  it("sets the command aside, with what is wrong, until it is tried again with something else", async () => {
    const { client } = await start(ann)
    const { command, outcome, id } = client.create("task", { list_id: list.id, title: "x".repeat(256) })
    const inside = client.create("subtask", { task_id: id, title: "Waits" })
    const after = client.create("task", { list_id: list.id, title: "Goes on" })
    expect([await outcome, await after.outcome]).toEqual(["refused", "confirmed"])
    expect(client.view.aside()).toMatchObject([
      { id: command, aside: { status: 422, fields: { title: [expect.any(String)] } } },
    ])
    expect(client.view.waiting()).toMatchObject([{ id: inside.command }])
    client.retry(command, { title: "Short" })
    await settled(client)
    expect(await inside.outcome).toBe("confirmed")
    expect(client.view.get("task", id)?.title).toBe("Short")
  })

  it("takes what depends on a command with it when that is dropped", async () => {
    const { client } = await start(ann)
    const { command, outcome, id } = client.create("task", { list_id: list.id, title: " " })
    const inside = client.create("subtask", { task_id: id, title: "Waits" })
    expect(await outcome).toBe("refused")
    client.drop(command)
    expect([await inside.outcome, client.view.aside(), client.view.waiting()]).toEqual(["dropped", [], []])
  })

  it("stops and asks when the credentials are not taken, and goes on with others", async () => {
    const way = makeWay()
    let token = ann.headers["X-Access-Token"] as string
    const asked: boolean[] = []
    const headers = (isRefused: boolean) => {
      asked.push(isRefused)
      return { ...ann.headers, "X-Access-Token": token }
    }
    const client = createClient({ url: node.url, headers, fetch: way.fetch, carriers: [] })
    clients.add(client)
    await client.start()
    await settled(client)
    token = "no"
    const { id, outcome } = client.create("task", { list_id: list.id, title: "Signed out" })
    await expect.poll(() => client.view.status().connection, SOON).toBe("signed-out")
    expect(asked.at(-1)).toBe(true)
    const { requests } = way
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect([way.requests, client.view.get("task", id)?.title]).toEqual([requests, "Signed out"])
    token = ann.headers["X-Access-Token"] as string
    await client.start()
    expect(await outcome).toBe("confirmed")
  })

  it("starts again where nothing follows on the cursor, and loses nothing of the queue", async () => {
    const store = memoryStore()
    const { client } = await start(ann, store)
    await client.stop()
    const offline = clientOf(ann, Object.assign(makeWay(), { isCut: true }), { store })
    await offline.start()
    const made = offline.create("task", { list_id: list.id, title: "Kept" })
    await offline.stop()
    await store.save([
      ["cursor", "nonsense"],
      ["object/task/999999999", { id: 999_999_999, type: "task", list_id: list.id, title: "Never was", revision: 1 }],
    ])
    const { client: again } = await start(ann, store)
    expect(again.view.get("task", made.id)?.id).toBeGreaterThan(0)
    expect(again.view.get("task", 999_999_999)).toBeUndefined()
    expect((await store.load()).map(([name]) => name)).not.toContain("object/task/999999999")
  })
})

describe("an answer that never comes", () => {
  it("makes nothing twice and loses nothing, whatever was sent", async () => {
    const { client, way } = await start(ann)
    const task = await makeTask(ann, list, { title: "Old" })
    const gone = await makeTask(ann, list, { title: "Gone" })
    await expect.poll(() => client.view.get("task", gone.id), SOON).toBeDefined()
    way.isCut = true
    const { id } = client.create("task", { list_id: list.id, title: "Once" })
    client.create("subtask", { task_id: id, title: "Once, too" })
    client.update("task", task.id, { title: "New" })
    client.delete("task", gone.id)
    way.isCut = false
    way.answersToLose = 1
    client.tryNow()
    await settled(client)
    expect(way.answersToLose).toBe(0)
    for (const change of [{ starred: true }, { due_date: "2031-01-01" }]) {
      way.answersToLose = 1
      client.update("task", id, change)
      await settled(client)
    }
    expect(client.view.aside()).toEqual([])
    const { body } = await ann.get(`/tasks?list_id=${list.id}`)
    const made = body.filter(({ title }: any) => title === "Once")
    expect(made).toHaveLength(1)
    expect(body.map(({ title }: any) => title)).toContain("New")
    expect((await ann.get(`/subtasks?task_id=${made[0].id}`)).body).toMatchObject([{ title: "Once, too" }])
    expect((await ann.get(`/tasks/${gone.id}`)).status).toBe(404)
    expect(titles(client)).toEqual(body.map(({ title }: any) => title))
  })

  it("is known by what it made, when the key is not known any more", async () => {
    const { client, way, store } = await start(ann)
    way.answersToLose = 1
    client.create("task", { list_id: list.id, title: "By its request" })
    await expect.poll(() => way.answersToLose, SOON).toBe(0)
    await client.stop()
    await node.database.prisma.idempotencyKey.deleteMany({ where: { userId: BigInt(ann.id) } })
    const { client: again } = await start(ann, store)
    expect(titles(again).filter((title) => title === "By its request")).toHaveLength(1)
    const { body } = await ann.get(`/tasks?list_id=${list.id}`)
    expect(body.filter(({ title }: any) => title === "By its request")).toHaveLength(1)
  })
})
