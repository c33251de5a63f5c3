import pg from "pg"
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest"
import { openDatabase } from "../../src/database/client.js"
import { openHistory } from "../../src/database/history.js"
import { rawClient } from "../../src/database/pipeline.js"
import { ChangeEvent } from "../../src/events/event.js"
import { poll, startTail, type Tail } from "../../src/events/tail.js"
import { deleteOldEvents } from "../../src/jobs/event-retention.js"
import { silentLog } from "../support/log.js"
import { createTestDatabase, runSql, type TestDatabase } from "../support/postgres.js"
import { eventually, quiet } from "./listener.js"

let database: TestDatabase
let tail: Tail | undefined
let events: ChangeEvent[]
let otherHistories: number
beforeEach(async () => {
  database = await createTestDatabase()
  events = []
  otherHistories = 0
})
afterEach(async () => {
  await tail?.stop()
  tail = undefined
  await database.drop()
})

async function start(): Promise<void> {
  tail = await startTail({
    url: database.url,
    log: silentLog,
    read: (fields, offset, interval) => new ChangeEvent(fields, offset, interval),
    publish: (event) => events.push(event),
    onOtherHistory: () => otherHistories++,
  })
}
/** Has it look twice more: what it would hand on again would come now. */
async function lookAgain(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    tail?.wake()
    await quiet(100)
  }
}
const addUser = (name: string) =>
  runSql(database.url, `insert into users (name, email) values ('${name}', '${name}@example.org')`)
const inboxes = () => events.filter(({ subjectType }) => subjectType === "list").map(({ is }) => is?.owner_id)
const nameOf = (url: string) => new URL(url).pathname.slice(1)

describe("the tail", () => {
  it("hands on what is committed after it began, once, and names the moments between which it came", async () => {
    await addUser("early")
    await start()
    await addUser("one")
    await addUser("two")
    await eventually(() => events.length === 2)
    await lookAgain()
    expect(inboxes()).toEqual([2, 3])
    expect(events[0]?.interval).toEqual({
      history: tail?.history(),
      before: expect.stringMatching(/^\d+:\d+:/),
      after: expect.stringMatching(/^\d+:\d+:/),
    })
    expect(tail?.lagMs()).toBeLessThan(30_000)
  })

  it("looks at once when it is woken", async () => {
    await start()
    // Without that each would wait for a second, as it is written when a poll has just ended.
    let wakened = 0
    for (let n = 1; wakened < 3; n++) {
      const sentAt = performance.now()
      await addUser(`user${n}`)
      tail?.wake()
      await eventually(() => events.length === n)
      if (performance.now() - sentAt < 800) wakened++
    }
  })

  it("tells nothing of a transaction that is rolled back", async () => {
    await start()
    const client = rawClient(database.url)
    await client.connect()
    await client.query("begin")
    await client.query("insert into users (name, email) values ('never', 'never@example.org')")
    await lookAgain()
    await client.query("rollback")
    await client.end()
    await addUser("ever")
    tail?.wake()
    await eventually(() => events.length > 0)
    expect(events.map(({ is }) => is?.title)).toEqual(["inbox"])
    expect(inboxes()).toEqual([2])
  })

  it("leaves alone what came with a copy of another server, whose transactions are yet to begin here", async () => {
    await addUser("restored")
    // The very next transactions of this server.
    await runSql(database.url, "update events set xid = (pg_current_xact_id()::text::bigint + 1)::text::xid8")
    await start()
    for (const name of ["new", "newer", "newest"]) await addUser(name)
    await eventually(() => events.length >= 3)
    await lookAgain()
    expect(inboxes()).toEqual([2, 3, 4])
  })

  it("says so when another database stands where its own was, and reads that one from then on", async () => {
    await start()
    const other = await createTestDatabase()
    const server = inject("postgresUrl")
    const move = (from: string, to: string) =>
      runSql(
        server,
        `alter database ${from} allow_connections false; select pg_terminate_backend(pid) from pg_stat_activity where datname = '${from}'`,
      ).then(() => runSql(server, `alter database ${from} rename to ${to}`))
    const name = nameOf(database.url)
    await move(name, `${name}_old`)
    await eventually(() => tail?.isCurrent() === false)
    await runSql(server, `alter database ${nameOf(other.url)} rename to ${name}`)
    await eventually(() => tail?.isCurrent() === true)
    expect(otherHistories).toBe(1)
    await addUser("there")
    await eventually(() => events.length > 0)
    expect(inboxes()).toEqual([1])
    await runSql(server, `drop database ${name}_old`)
  })
})

/** Breaks the tail's connection, as a server does that goes away. */
const cut = () =>
  runSql(
    database.url,
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tandem tail' and datname = current_database()",
  )

describe("the tail's poll", () => {
  it("reads from one bound to the other of the index, for which any number of stored events costs the same", async () => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query(
      "set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_bitmapscan = off",
    )
    await client.query(`prepare poll as ${poll.text}`)
    const { rows } = await client.query("explain (costs off) execute poll ('1:1:')")
    await client.end()
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n")
    expect(plan).toMatch(/events_xid_idx on events e\s+Index Cond: \(\(xid >= .*\) AND \(xid < /)
  })
})

describe("the tail on another connection", () => {
  it("goes on where it was, on another server too, when nothing is missing of what was read", async () => {
    await start()
    await addUser("one")
    await eventually(() => events.length === 1)
    const history = tail?.history()
    await runSql(
      database.url,
      `update histories set server = server || '{"timeline":"0000002A"}', written_in = pg_current_xact_id()`,
    )
    await cut()
    await addUser("two")
    await eventually(() => events.length === 2)
    expect([otherHistories, tail?.history()]).toEqual([0, history])
    // It has vouched for it, so that nodes that start now believe it too.
    await openHistory({ url: database.url, log: silentLog })
    await quiet(100)
    expect([otherHistories, tail?.history()]).toEqual([0, history])
  })

  it.each([
    ["the last event is gone", "delete from events"],
    ["the last event is another one", "update events set occurred_at = occurred_at - interval '1 ms'"],
    ["the history's row was written again by a restore", "update histories set began_at = began_at"],
    [
      "the server was made anew",
      `update histories set server = server || '{"system":"1"}', written_in = pg_current_xact_id()`,
    ],
  ])("begins another history when %s", async (_case, sql) => {
    await start()
    await addUser("one")
    await eventually(() => events.length === 1)
    const history = tail?.history()
    await runSql(database.url, sql)
    await cut()
    await eventually(() => otherHistories === 1)
    expect(tail?.history()).not.toBe(history)
    await addUser("two")
    await eventually(() => events.length === 2)
    expect(Number(events[1]?.id)).toBeGreaterThan(1_000_000)
    await lookAgain()
    expect(otherHistories).toBe(1)
  })

  it("begins another history when a promotion may have lost what was confirmed and not yet read", async () => {
    await start()
    await addUser("one")
    await eventually(() => events.length === 1)
    await runSql(
      database.url,
      `update histories set server = server || '{"timeline":"0000002A"}', written_in = pg_current_xact_id()`,
    )
    await cut()
    tail?.committed()
    await eventually(() => otherHistories === 1)
  })
})

describe("the log of events", () => {
  it("is kept for 30 days", async () => {
    for (const name of ["old", "older", "young"]) await addUser(name)
    await runSql(database.url, "update events set occurred_at = now() - interval '30 days 1 minute' where id = 2")
    await runSql(database.url, "update events set occurred_at = now() - interval '400 days' where id = 1")
    await runSql(
      database.url,
      "update events set occurred_at = now() - interval '29 days 23 hours 59 minutes' where id = 3",
    )
    await openHistory({ url: database.url, log: silentLog })
    const db = openDatabase(database.url)
    expect(await deleteOldEvents(db)).toBe(2)
    expect(await deleteOldEvents(db)).toBe(0)
    expect(await db.run({ name: "ids", text: "select id from events", read: ([id]) => id }, [])).toEqual(["3"])
    const horizon = {
      name: "horizon",
      text: "select deleted_id, deleted_at < now() - interval '30 days' from histories",
      read: (fields: unknown) => fields,
    }
    expect(await db.run(horizon, [])).toEqual([["2", "t"]])
    await db.stop()
  })
})
