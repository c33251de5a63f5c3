import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Client, memoryStore, type Options } from "../../src/client/client.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { clientOf, makeWay, settled } from "./way.js"

const SOON = { timeout: 20_000, interval: 10 }

let node: TestNode
let ann: Person
let bob: Person
const clients = new Set<Client>()

beforeAll(async () => {
  node = await sharedNode()
  ;[ann, bob] = await Promise.all([makePerson(node, "Ann"), makePerson(node, "Bob")])
})
afterAll(() => Promise.all([...clients].map((client) => client.stop())))

/** A list of Ann and Bob. */
async function makeShared(): Promise<{ id: number }> {
  const list = await makeList(ann)
  await addMember(node, list, bob)
  return list
}
/** A client that has started, and its way to the service. */
async function start(options: Partial<Options> = {}) {
  const way = makeWay()
  const client = clientOf(ann, way, { store: memoryStore(), ...options })
  clients.add(client)
  await client.start()
  await settled(client)
  return { client, way }
}
/** Lets what waits be carried out, and its answer get lost; after that nothing goes through. */
async function loseAnswer({ client, way }: Awaited<ReturnType<typeof start>>): Promise<void> {
  Object.assign(way, { isCut: false, answersToLose: 1, answersLost: 0, isCutByLoss: true })
  client.tryNow()
  await expect.poll(() => way.answersLost, SOON).toBe(1)
}
async function reconnect({ client, way }: Awaited<ReturnType<typeof start>>): Promise<void> {
  way.isCut = false
  client.tryNow()
  await settled(client)
}
const tasksOf = async (list: { id: number }, completed = false): Promise<any[]> =>
  (await ann.get(`/tasks?list_id=${list.id}&completed=${completed}`)).body
const titlesOf = async (list: { id: number }, completed = false) =>
  (await tasksOf(list, completed)).map(({ title }) => title)
const isWrite = (init?: RequestInit) => init?.method !== "GET"

describe("an answer that was lost", () => {
  it.each(["the client itself", "somebody else"])(
    "leaves later commands with what they were given for, where one of several was deleted by %s",
    async (who) => {
      const list = await makeShared()
      const one = await start()
      one.way.isCut = true
      const [a, b, c] = ["A", "B", "C"].map((title) => one.client.create("task", { list_id: list.id, title }))
      if (who === "the client itself") one.client.delete("task", a!.id)
      await loseAnswer(one)
      if (who === "somebody else") {
        const [made] = await tasksOf(list)
        expect((await bob.delete(`/tasks/${made.id}?revision=${made.revision}`)).status).toBe(204)
      }
      one.client.update("task", b!.id, { completed: true })
      await reconnect(one)
      expect([await titlesOf(list, true), await titlesOf(list)]).toEqual([["B"], ["C"]])
      const shown = [a, b, c].map((given) => one.client.view.get("task", given!.id)?.title)
      expect([shown, one.client.view.aside()]).toEqual([[undefined, "B", "C"], []])
    },
  )

  it("asks nothing about what was changed only here, more than once", async () => {
    const list = await makeShared()
    const task = await makeTask(ann, list)
    const one = await start({ carriers: [] })
    one.way.isCut = true
    const given = ["One", "Two", "Three"].map((title) => one.client.update("task", task.id, { title }))
    await loseAnswer(one)
    await reconnect(one)
    expect(await Promise.all(given.map(({ outcome }) => outcome))).toEqual(["confirmed", "confirmed", "confirmed"])
    expect([one.client.view.aside(), await titlesOf(list)]).toEqual([[], ["Three"]])
  })

  it("asks nothing about what could not be made and is deleted, nor about what is in it", async () => {
    const list = await makeShared()
    const task = await makeTask(ann, list)
    const one = await start()
    one.way.isCut = true
    const step = one.client.create("subtask", { task_id: task.id, title: "Step" })
    one.client.update("subtask", step.id, { title: "Other" })
    one.client.delete("subtask", step.id)
    expect((await bob.delete(`/tasks/${task.id}?revision=1`)).status).toBe(204)
    await reconnect(one)
    expect([one.client.view.aside(), one.client.view.waiting()]).toEqual([[], []])
  })

  it("brings nothing back that was deleted meanwhile, when it is given again", async () => {
    const list = await makeShared()
    const one = await start({ carriers: [] })
    one.way.isCut = true
    one.client.create("task", { list_id: list.id, title: "Milk" })
    await loseAnswer(one)
    const [milk] = await tasksOf(list)
    await bob.delete(`/tasks/${milk.id}?revision=${milk.revision}`)
    await reconnect(one)
    expect([one.client.view.tasks(list.id), await titlesOf(list)]).toEqual([[], []])
  })

  it("makes nothing twice when a second attempt is turned away while the first is under way", async () => {
    const list = await makeShared()
    let attempts = 0
    let first: Promise<Response> | undefined
    let carryOut = () => {}
    const { client } = await start({
      carriers: [],
      async fetch(input, init) {
        if (!isWrite(init)) return fetch(input, init)
        attempts++
        if (attempts === 1) {
          const arrives = new Promise<void>((resolve) => {
            carryOut = resolve
          })
          first = arrives.then(() => fetch(input, { ...init, signal: null }))
          throw new TypeError("The connection was cut.")
        }
        if (attempts === 2) return new Response("{}", { status: 429 })
        carryOut()
        await first
        return fetch(input, init)
      },
    })
    for (const title of ["P", "Q"]) client.create("task", { list_id: list.id, title })
    await settled(client)
    expect([attempts > 2, await titlesOf(list)]).toEqual([true, ["P", "Q"]])
  })
})

describe("a second attempt that is refused", () => {
  it("makes nothing twice where the first was carried out", async () => {
    const list = await makeShared()
    const task = await makeTask(ann, list)
    let attempts = 0
    let first: (() => Promise<unknown>) | undefined
    const { client } = await start({
      carriers: [],
      async fetch(input, init) {
        if (!isWrite(init)) return fetch(input, init)
        attempts++
        if (attempts === 1) {
          first = () => fetch(input, { ...init, signal: null })
          throw new TypeError("The connection was cut.")
        }
        if (attempts === 2) {
          // It arrives late, and what it is about is gone before it is repeated.
          await first?.()
          await bob.delete(`/tasks/${task.id}?revision=${(await bob.get(`/tasks/${task.id}`)).body.revision}`)
        }
        return fetch(input, init)
      },
    })
    client.create("task", { list_id: list.id, title: "Once" })
    client.create("note", { task_id: task.id, content: "Gone" })
    await settled(client)
    expect([attempts > 1, await titlesOf(list), client.view.aside()]).toEqual([true, ["Once"], []])
  })
})

describe("a batch", () => {
  it("leaves nothing of what it changes first and then deletes", async () => {
    const list = await makeShared()
    const task = await makeTask(ann, list)
    const one = await start({ carriers: [] })
    one.way.isCut = true
    one.client.update("task", task.id, { title: "Changed" })
    const made = one.client.create("task", { list_id: list.id, title: "Made" })
    for (const id of [task.id, made.id]) one.client.delete("task", id)
    await reconnect(one)
    expect([one.client.view.tasks(list.id), await titlesOf(list)]).toEqual([[], []])
  })

  it("keeps what is in a task that it moves out of a list before it deletes that", async () => {
    const [from, to] = [await makeShared(), await makeShared()]
    const task = await makeTask(ann, from)
    await ann.post("/notes", { task_id: task.id, content: "Kept" })
    const one = await start({ carriers: [] })
    one.way.isCut = true
    one.client.update("task", task.id, { list_id: to.id })
    one.client.delete("list", from.id)
    await reconnect(one)
    expect(one.client.view.all("note", task.id)).toMatchObject([{ content: "Kept" }])
    expect(one.client.view.tasks(to.id)).toMatchObject([{ id: task.id }])
  })
})

describe("what answers in the place of the service", () => {
  it("confirms nothing by an answer without what was changed", async () => {
    const list = await makeShared()
    let isCaptive = true
    const { client } = await start({
      carriers: [],
      fetch: async (input, init) => (isCaptive && isWrite(init) ? new Response("") : fetch(input, init)),
    })
    const { outcome } = client.create("task", { list_id: list.id, title: "Through" })
    await expect.poll(() => client.view.status().connection, SOON).toBe("offline")
    isCaptive = false
    client.tryNow()
    expect([await outcome, await titlesOf(list)]).toEqual(["confirmed", ["Through"]])
  })

  it("is asked ever less often while writes fail, although it can be read", async () => {
    const list = await makeShared()
    const attempts: number[] = []
    const { client } = await start({
      carriers: [],
      async fetch(input, init) {
        if (!isWrite(init)) return fetch(input, init)
        attempts.push(Date.now())
        return new Response("{}", { status: 503 })
      },
    })
    client.create("task", { list_id: list.id, title: "Waits" })
    const nextInMs = () => (client.view.status().retryAt ?? 0) - (attempts.at(-1) ?? 0)
    await expect.poll(() => attempts.length >= 3 && nextInMs(), SOON).toBeGreaterThan(2_500)
    expect(client.view.status().connection).toBe("offline")
  })
})
