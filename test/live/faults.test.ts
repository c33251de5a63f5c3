import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { App } from "../../src/app.js"
import { statement } from "../../src/statement.js"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"
import { eventually, type Listener, listen } from "./listener.js"

let node: TestNode
let other: App
let ann: Person
let listeners: Listener[]
beforeAll(async () => {
  node = await startNode()
  other = await startNodeOn(node.databaseUrl)
  ann = await makePerson(node)
  listeners = [listen(ann), listen(ann, other.url)]
})
afterAll(async () => {
  await Promise.all(listeners.map((one) => one.close()))
  await other.stop()
  await node.stop()
})

const insertTask = statement(
  "test_insert_task",
  "insert into tasks (list_id, title, created_by_id, updated_by_id) values ($1::bigint, $2, $3::bigint, $3::bigint) returning id",
  ([id]) => Number(id),
)
const nothing = statement("test_nothing", "select where false", () => 1)
const titlesOf = (events: any[]) => events.map(({ after }) => after.title)

/** Ends the connections of all nodes whose application name is like this, from outside. */
const killConnections = (name: string) =>
  runSql(
    node.databaseUrl,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name like '${name}'`,
  )

describe("a transaction that stays open while 1,000 others commit", () => {
  it("loses no event and holds up nobody else's", async () => {
    const [late, ...busy] = await Promise.all(Array.from({ length: 5 }, (_, n) => makeList(ann, `List ${n}`)))
    const ofLate = listeners.map((one) => one.listUpdated(late.id, 1, "after"))
    const ofBusy = listeners.map((one) => one.listUpdated(busy[0].id, 1, "after"))
    const { cursor } = (await ann.get("/changes?after=now")).body
    const accounts = listeners.map((one) => one.accountUpdated(cursor, "after"))
    await eventually(() => node.status().streams === 3 && other.status().streams === 3)

    let isOpen = false
    let isDone = false
    const slow = node.database.transaction(async (runner) => {
      await runner.run(insertTask, [late.id, "Late", ann.id])
      isOpen = true
      // The database ends a transaction in which nothing is asked for 10 s.
      await eventually(async () => (await runner.run(nothing, [])).length === 0 && isDone, 110_000)
    })
    await eventually(() => isOpen)
    for (let n = 0; n < 1_000; n += 4)
      await Promise.all(busy.map((list, of) => node.database.run(insertTask, [list.id, `Busy ${n + of}`, ann.id])))
    await Promise.all(ofBusy.map((one) => one.until((events) => events.length === 250)))
    await Promise.all(accounts.map((one) => one.until((events) => events.length === 1_000)))
    expect(ofLate.map(({ events }) => events.length)).toEqual([0, 0])
    isDone = true
    await slow
    await Promise.all(ofLate.map((one) => one.until((events) => events.length === 1)))
    await Promise.all(accounts.map((one) => one.until((events) => events.length === 1_001)))
    for (const { events } of ofLate) expect(titlesOf(events)).toEqual(["Late"])
    for (const { events } of accounts) expect(new Set(titlesOf(events)).size).toBe(1_001)
    for (const one of [...ofLate, ...ofBusy, ...accounts]) one.stop()
  }, 120_000)
})

describe("connections to the database that are lost", () => {
  it.each(["tandem tail", "tandem wake-up", "tandem%"])(
    "keeps subscriptions open and catches up after %s was cut",
    async (name) => {
      const list = await makeList(ann)
      const { cursor } = (await ann.get("/changes?after=now")).body
      const listenings = listeners.flatMap((one) => [one.listUpdated(list.id, 1), one.accountUpdated(cursor)])
      await makeTask(ann, list, { title: "Before" })
      for (const one of listenings) await one.until((events) => events.length === 1)
      for (let n = 0; n < 10; n++) {
        await killConnections(name)
        await runSql(
          node.databaseUrl,
          `insert into tasks (list_id, title, created_by_id, updated_by_id) values (${list.id}, 'Task ${n}', ${ann.id}, ${ann.id})`,
        )
      }
      const expected = ["Before", ...Array.from({ length: 10 }, (_, n) => `Task ${n}`)]
      for (const one of listenings) {
        await one.until((events) => events.length >= expected.length)
        expect(titlesOf(one.events)).toEqual(expected)
        expect(one.state()).toBe("open")
        one.stop()
      }
      expect((await ann.get(`/lists/${list.id}`)).status).toBe(200)
    },
  )

  it("wakes the other node at once again when the wake-up notification is back", async () => {
    const list = await makeList(ann)
    const listening = (listeners[1] as Listener).listUpdated(list.id, 1)
    // Each is written when the one before has been told, so by the poll alone ten take ten polls: nine seconds and more.
    const toldAt: number[] = []
    do {
      await makeTask(ann, list)
      await listening.until((events) => events.length > toldAt.length)
      toldAt.push(performance.now())
    } while (!(Number(toldAt.at(-1)) - Number(toldAt.at(-10)) < 6_000))
    listening.stop()
  }, 120_000)
})

describe("two nodes on one database", () => {
  it("tell their subscribers of what was written at the other", async () => {
    const list = await makeList(ann)
    const there = { ...ann, url: other.url }
    const listenings = listeners.map((one) => one.listUpdated(list.id, 1, "after listRevision"))
    const mutation = "mutation ($input: CreateTaskInput!) { createTask(input: $input) { id } }"
    for (let n = 0; n < 20; n++) {
      await makeTask(ann, list, { title: `Here ${n}` })
      await (listeners[1] as Listener).run(mutation, { input: { listId: list.id, title: `There ${n}` } })
    }
    expect(there.url).not.toBe(ann.url)
    for (const one of listenings) {
      await one.until((events) => events.length === 40)
      expect(one.events.map(({ listRevision }) => listRevision)).toEqual(Array.from({ length: 40 }, (_, n) => n + 2))
      one.stop()
    }
  })
})
