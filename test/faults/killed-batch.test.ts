import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type DatabaseClient, openDatabase } from "../../src/database/client.js"
import { buildServer, startBuiltServer } from "../support/built-server.js"
import { createClient, type Reply } from "../support/client.js"
import { makePerson, type Person } from "../support/make.js"
import { createTestDatabase, runSql, type TestDatabase } from "../support/postgres.js"

const KILLS = 50
const SIZE = 20

type Mode = "atomic" | "each"
/** A batch under its key: sent again it means the same. */
type Batch = { readonly key: string; readonly atomic: boolean; readonly requests: readonly object[] }

let database: TestDatabase
let store: DatabaseClient
let direct: pg.Client
let node: ChildProcess | undefined
let url: string

beforeAll(async () => {
  buildServer()
  database = await createTestDatabase()
  store = openDatabase(database.url)
  direct = new pg.Client({ connectionString: database.url })
  await direct.connect()
}, 180_000)
afterAll(async () => {
  node?.kill("SIGKILL")
  await direct.end()
  await store.stop()
  await database.drop()
})

async function start(): Promise<void> {
  const started = await startBuiltServer(database.url)
  node = started.node
  url = started.url
}
async function kill(): Promise<void> {
  const exited = once(node as ChildProcess, "exit")
  node?.kill("SIGKILL")
  await exited
}

const inner = (id: string, path: string, body: object) => ({ id, method: "POST", path: `/api/v1${path}`, body })
/** Undefined where the node has ended before it answered. */
const send = ({ credentials }: Person, { key, atomic, requests }: Batch): Promise<Reply | undefined> =>
  createClient(url, credentials)
    .post("/batch", { atomic, requests }, { "Idempotency-Key": key })
    .catch(() => undefined)
const creates = ({ inboxId }: Person, key: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) =>
    inner(`r${from + at}`, "/tasks", { list_id: inboxId, title: `${key} ${from + at}` }),
  )
/** The titles that a batch has made, in their order. */
async function madeBy(key: string): Promise<string[]> {
  const { rows } = await direct.query("select title from tasks where title like $1 order by id", [`${key} %`])
  return rows.map(({ title }) => title)
}
const whole = (key: string, count = SIZE) => Array.from({ length: count }, (_, at) => `${key} ${at}`)
/** What a dead node has claimed is taken over after a minute, for which no test waits. */
const endClaims = () =>
  runSql(
    database.url,
    "update idempotency_keys set created_at = created_at - interval '2 minutes' where status is null",
  )
const ids = (reply: Reply | undefined): unknown[] => reply?.body.responses.map((one: any) => one.body.id)

describe("a node that is killed in the middle of a batch", () => {
  it.each<[Mode, number]>([
    ["atomic", 0],
    ["each", 10],
  ])(
    "leaves what %s requests mean, and the same batch then makes the rest",
    async (mode, left) => {
      await start()
      const ann = await makePerson({ url, database: store })
      // Its eleventh request waits for somebody who is about to write the same setting, so that it dies there.
      const key = `middle-${mode}`
      const stop = inner("stop", "/settings", { key: "colour", value: "red" })
      const requests = [...creates(ann, key, 0, 10), stop, ...creates(ann, key, 10, SIZE)]
      const batch = { key, atomic: mode === "atomic", requests }
      await direct.query("begin")
      await direct.query("insert into settings (user_id, key, value) values ($1, 'colour', 'blue')", [ann.id])
      const answer = send(ann, batch)
      const waits =
        "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'settings'"
      const other = new pg.Client({ connectionString: database.url })
      await other.connect()
      while ((await other.query(waits)).rows[0].count === 0) await sleep(20)
      await kill()
      expect(await answer).toBeUndefined()
      await direct.query("rollback")
      await other.end()
      expect(await madeBy(key)).toEqual(whole(key, left))

      await start()
      await endClaims()
      const first = await send(ann, batch)
      expect(first?.body.responses.map((one: any) => one.status)).toEqual(Array(SIZE + 1).fill(201))
      expect(await madeBy(key)).toEqual(whole(key))
      expect((await send(ann, batch))?.text).toBe(first?.text)
      // One revision and one event for each: nothing was applied twice and hidden.
      const client = createClient(url, ann.credentials)
      expect((await client.get(`/lists/${ann.inboxId}`)).body.revision).toBe(1 + SIZE)
      expect((await client.get("/settings")).body).toMatchObject([{ key: "colour", value: "red", revision: 1 }])
      await kill()
    },
    180_000,
  )

  it(`leaves no half of an atomic one in ${KILLS} kills, and makes each POST of the others once`, async () => {
    await start()
    const people = await Promise.all(
      ["Ann", "Bob", "Cid", "Dan"].map((name) => makePerson({ url, database: store }, name)),
    )
    const unanswered = new Map<Person, Batch>()
    const answered: { readonly batch: Batch; readonly reply: Reply }[] = []
    let cutOff = 0
    for (let round = 0; round < KILLS; round++) {
      if (round > 0) await start()
      await endClaims()
      const before = answered.length
      let isAlive = true
      const writers = people.map(async (person, place) => {
        for (let count = 0; isAlive; count++) {
          const key = `${round}-${place}-${count}`
          const made = { key, atomic: place % 2 === 0, requests: creates(person, key, 0, SIZE) }
          const batch = unanswered.get(person) ?? made
          unanswered.set(person, batch)
          const reply = await send(person, batch)
          if (reply === undefined) return
          answered.push({ batch, reply })
          unanswered.delete(person)
        }
      })
      // Wherever each of them is just then.
      while (answered.length < before + people.length) await sleep(1)
      await sleep((round * 7) % 60)
      await kill()
      isAlive = false
      await Promise.all(writers)
      for (const { key, atomic } of unanswered.values()) {
        const made = await madeBy(key)
        if (made.length > 0 && made.length < SIZE) cutOff++
        if (atomic) expect([key, [0, SIZE]]).toEqual([key, expect.arrayContaining([made.length])])
      }
    }

    await start()
    await endClaims()
    for (const [person, batch] of unanswered) answered.push({ batch, reply: (await send(person, batch)) as Reply })
    for (const { batch, reply } of answered) {
      expect([batch.key, reply.status, new Set(reply.body.responses.map((one: any) => one.status))]).toEqual([
        batch.key,
        200,
        new Set([201]),
      ])
      expect([batch.key, await madeBy(batch.key)]).toEqual([batch.key, whole(batch.key)])
      const { rows } = await direct.query("select id::int from tasks where title like $1 order by id", [
        `${batch.key} %`,
      ])
      expect(ids(reply)).toEqual(rows.map(({ id }) => id))
    }
    // Some were killed half-way, or all this would prove little.
    expect(cutOff).toBeGreaterThan(0)
    for (const person of people) {
      const { inboxId, credentials } = person
      const client = createClient(url, credentials)
      const tasks = (await client.get(`/tasks?list_id=${inboxId}`)).body.length
      expect((await client.get(`/lists/${inboxId}`)).body.revision).toBe(1 + tasks)
    }
  }, 1_200_000)
})
