import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Client, memoryStore, type Options, type Store } from "../../src/client/client.js"
import { makeList, makePerson, type Person } from "../support/make.js"
import { sharedNode } from "../support/node.js"
import { clientOf, makeWay, settled } from "./way.js"

const SOON = { timeout: 20_000, interval: 20 }

let ann: Person
let list: { id: number }
const clients = new Set<Client>()
let count = 0

beforeAll(async () => {
  const node = await sharedNode()
  ann = await makePerson(node, "Ann")
  list = await makeList(ann)
})
afterAll(() => Promise.all([...clients].map((client) => client.stop())))

function clientWith(store: Store, options: Partial<Options> = {}): Client {
  const client = clientOf(ann, makeWay(), { store, ...options })
  clients.add(client)
  return client
}
/** A store that windows share, as a browser's without locks. */
function sharedStore(): Store {
  let lease: { owner: string; until: number } | undefined
  return {
    ...memoryStore(),
    sharedAs: `store-${count++}-${process.pid}`,
    async claim(owner, forMs) {
      if (lease !== undefined && lease.owner !== owner && lease.until >= Date.now()) return false
      lease = { owner, until: Date.now() + forMs }
      return true
    },
  }
}
/** What browsers give to pages that came safely. */
function makeLocks() {
  const held = new Map<string, Promise<unknown>>()
  return {
    request(name: string, { signal }: { signal: AbortSignal }, work: () => Promise<void>): Promise<void> {
      const turn = (held.get(name) ?? Promise.resolve()).then(() => (signal.aborted ? undefined : work()))
      held.set(name, turn)
      return turn
    },
  }
}
const onServer = async (title: string) =>
  (await ann.get(`/tasks?list_id=${list.id}`)).body.filter((task: any) => task.title === title).length

describe("a store that fails", () => {
  it("is given again what it has not taken, and everything is sent", async () => {
    const store = memoryStore()
    let failures = 0
    const client = clientWith({
      ...store,
      async save(entries) {
        if (failures > 0 && failures--) throw new Error("The disk is full.")
        return store.save(entries)
      },
    })
    await client.start()
    await settled(client)
    failures = 1
    const first = client.create("task", { list_id: list.id, title: "Not saved" })
    await expect(client.kept())
      .rejects.toThrow("full")
      .catch(() => {})
    const second = client.create("task", { list_id: list.id, title: "Saved" })
    await client.kept()
    client.tryNow()
    expect(await Promise.all([first.outcome, second.outcome])).toEqual(["confirmed", "confirmed"])
    await client.kept()
    expect((await store.load()).filter(([name]) => name.startsWith("command/"))).toEqual([])
    expect([await onServer("Not saved"), await onServer("Saved")]).toEqual([1, 1])
  })

  it("confirms nothing that it never had", async () => {
    const store = memoryStore()
    let isFull = false
    const client = clientWith({
      ...store,
      save: async (entries) => (isFull ? Promise.reject(new Error("The disk is full.")) : store.save(entries)),
    })
    await client.start()
    await settled(client)
    isFull = true
    const { outcome, id } = client.create("task", { list_id: list.id, title: "Kept in memory" })
    await client.stop()
    isFull = false
    await client.start()
    expect(client.view.get("task", id)?.title).toBe("Kept in memory")
    expect([await outcome, await onServer("Kept in memory")]).toEqual(["confirmed", 1])
  })

  it("has no other author of what was not sent, in whatever order it gives what it has", async () => {
    const store = memoryStore()
    const way = makeWay()
    const client = clientWith(store, { fetch: way.fetch })
    await client.start()
    await settled(client)
    const viewer = client.view.viewer()?.id
    way.isCut = true
    const task = client.create("task", { list_id: list.id, title: "Discussed" })
    client.create("task_comment", { task_id: task.id, text: "Not sent" })
    await client.kept()
    await client.stop()
    const load = async () => (await store.load()).toSorted(([one], [other]) => (one < other ? -1 : 1))
    const again = clientWith({ ...store, load }, { fetch: way.fetch })
    await again.start()
    expect(again.view.all("task_comment", task.id)[0]?.author.id).toBe(viewer)
  })

  it("keeps what was not sent where it has no room for the rest, and is complete again after a restart", async () => {
    const store = memoryStore()
    let isFull = false
    const save: Store["save"] = async (entries) => {
      const isMuch = entries.some(([name, value]) => name.startsWith("object/") && value !== undefined)
      if (isFull && isMuch) throw new DOMException("No room.", "QuotaExceededError")
      return store.save(entries)
    }
    const way = makeWay()
    const client = clientWith({ ...store, save }, { fetch: way.fetch })
    await client.start()
    await settled(client)
    isFull = true
    const sent = client.create("task", { list_id: list.id, title: "Without room" })
    expect([await sent.outcome, await onServer("Without room")]).toEqual(["confirmed", 1])
    way.isCut = true
    client.create("task", { list_id: list.id, title: "Still to be sent" })
    await client.kept()
    const names = (await store.load()).map(([name]) => name.split("/")[0])
    expect(names).toContain("command")
    expect(names.filter((name) => name === "object" || name === "cursor")).toEqual([])
    await client.stop()
    const again = clientWith(store)
    await again.start()
    await settled(again)
    expect([await onServer("Without room"), await onServer("Still to be sent")]).toEqual([1, 1])
    expect(again.view.tasks(list.id).length).toBe((await ann.get(`/tasks?list_id=${list.id}`)).body.length)
  })

  it("is read again by the next start", async () => {
    const store = memoryStore()
    let isOut = true
    const load = async () => (isOut ? Promise.reject(new Error("No database.")) : store.load())
    const client = clientWith({ ...store, load })
    await expect(client.start()).rejects.toThrow("No database.")
    isOut = false
    await client.start()
    await settled(client)
    expect(client.view.get("list", list.id)).toBeDefined()
  })
})

describe.each(["locks", "a lease in the store"])("windows that share a store, by %s", (how) => {
  // Node 20 has no navigator, and later ones no locks that a test could take away.
  const platform = Object.getOwnPropertyDescriptor(globalThis, "navigator")
  beforeAll(() => {
    const value = how === "locks" ? { locks: makeLocks() } : {}
    Object.defineProperty(globalThis, "navigator", { value, configurable: true })
  })
  afterAll(() => {
    if (platform === undefined) Reflect.deleteProperty(globalThis, "navigator")
    else Object.defineProperty(globalThis, "navigator", platform)
  })

  it("make each thing once, and the other goes on when one ends", async () => {
    const store = sharedStore()
    const [one, other] = [clientWith(store), clientWith(store)]
    await Promise.all([one.start(), other.start()])
    await Promise.all([settled(one), settled(other)])
    for (let turn = 0; turn < 6; turn++) {
      const given = [one, other].flatMap((client, index) =>
        ["a", "b"].map((name) =>
          client.create("task", { list_id: list.id, title: `${how}: window ${index} ${name} ${turn}` }),
        ),
      )
      await Promise.all(given.map(({ outcome }) => outcome))
    }
    const { body } = await ann.get(`/tasks?list_id=${list.id}`)
    const made = body.map(({ title }: any) => title).filter((title: string) => title.startsWith(`${how}: window`))
    expect([made.length, new Set(made).size]).toEqual([24, 24])
    await one.stop()
    const { outcome } = other.create("task", { list_id: list.id, title: `Taken over by ${how}` })
    expect([await outcome, await onServer(`Taken over by ${how}`)]).toEqual(["confirmed", 1])
  })

  it("takes over also where the store cannot be read at first", async () => {
    const store = sharedStore()
    let isOut = false
    let attempts = 0
    async function load() {
      attempts++
      if (isOut) throw new Error("No database.")
      return store.load()
    }
    const one = clientWith(store)
    await one.start()
    await settled(one)
    const other = clientWith({ ...store, load })
    await other.start()
    isOut = true
    await one.stop()
    await expect.poll(() => attempts, SOON).toBeGreaterThan(1)
    isOut = false
    const { outcome } = other.create("task", { list_id: list.id, title: "After all" })
    expect(await outcome).toBe("confirmed")
  })

  it("sign in from any of them", async () => {
    const store = sharedStore()
    let token = ann.headers["X-Access-Token"] as string
    const options = { headers: () => ({ ...ann.headers, "X-Access-Token": token }) }
    const [one, other] = [clientWith(store, options), clientWith(store, options)]
    await one.start()
    await settled(one)
    await other.start()
    token = "no"
    one.create("task", { list_id: list.id, title: "Signed out" })
    const connections = () => [one, other].map(({ view }) => view.status().connection)
    await expect.poll(connections, SOON).toEqual(["signed-out", "signed-out"])
    token = ann.headers["X-Access-Token"] as string
    await other.start()
    await expect.poll(connections, SOON).toEqual(["online", "online"])
  })

  it("show what another does to something whose id it did not know yet", async () => {
    const store = sharedStore()
    const way = makeWay()
    let isSlow = false
    const slow: Store = {
      ...store,
      async save(entries) {
        if (isSlow && entries.some(([name]) => name.startsWith("name/"))) await new Promise(() => {})
        return store.save(entries)
      },
    }
    const one = clientWith(slow, { fetch: way.fetch, carriers: [] })
    await one.start()
    await settled(one)
    const other = clientWith(store)
    await other.start()
    isSlow = true
    const { id } = one.create("task", { list_id: list.id, title: "Named" })
    await expect.poll(() => other.view.get("task", id)?.title, SOON).toBe("Named")
    await expect.poll(() => one.view.get("task", id)?.id, SOON).toBeGreaterThan(0)
    way.isCut = true
    expect(other.view.get("task", id)?.id).toBe(id)
    other.update("task", id, { starred: true })
    await expect.poll(() => one.view.get("task", id), SOON).toMatchObject({ title: "Named", starred: true })
    clients.delete(one)
    clients.delete(other)
  })
})
