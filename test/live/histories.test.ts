import { afterEach, beforeEach, describe, expect, inject, it } from "vitest"
import type { App } from "../../src/app.js"
import { openHistory } from "../../src/database/history.js"
import { createClient } from "../support/client.js"
import { silentLog } from "../support/log.js"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNodeOn } from "../support/node.js"
import { createTestDatabase, runSql, type TestDatabase } from "../support/postgres.js"
import { eventually, listen } from "./listener.js"

// A backup is a copy of the database, made while no node runs. A restore puts it where the original was.

let database: TestDatabase
let app: App | undefined
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  await app?.stop()
  app = undefined
  await database.drop()
})

const server = inject("postgresUrl")
const name = () => new URL(database.url).pathname.slice(1)
const start = async () => {
  app = await startNodeOn(database.url)
  return app
}
const values = (sql: string): Promise<string[]> =>
  (app as App).database.run({ name: `values of ${sql}`, text: sql, read: ([value]) => value as string }, [])
const histories = () => values("select name from histories order by id")

type Lost = { ann: Person; list: any; task: any; cursors: string[]; fingerprint: string; ids: number[] }

/** Makes a backup, lets Ann see what comes after it, and restores the backup. */
async function lose(): Promise<Lost> {
  const { url, database: db } = await start()
  const ann = await makePerson({ url, database: db })
  const list = await makeList(ann)
  const first = await makeTask(ann, list)
  await app?.stop()
  await runSql(server, `create database ${name()}_backup template ${name()} strategy file_copy`)

  const again = await start()
  const there = { ...ann, ...createClient(again.url, ann.credentials), url: again.url } as Person
  const listener = listen(there)
  const before = again.status().listeners
  const listening = listener.accountUpdated(undefined, "cursor fingerprint")
  await eventually(() => again.status().listeners > before + 1)
  const task = (await there.patch(`/tasks/${first.id}`, { revision: 1, title: "Lost" })).body
  const lost = [await makeTask(there, list), await makeTask(there, list)]
  const events = await listening.until((all) => all.length === 3)
  await listener.close()
  await again.stop()
  await runSql(server, `drop database ${name()} with (force)`)
  await runSql(server, `alter database ${name()}_backup rename to ${name()}`)
  return {
    ann,
    list,
    task,
    cursors: events.map(({ cursor }) => cursor),
    fingerprint: events[2].fingerprint,
    ids: lost.map(({ id }) => id),
  }
}

/** Ann as a client of the node that runs now. */
const at = ({ url }: App, ann: Person) => ({ ...ann, ...createClient(url, ann.credentials), url }) as Person

describe("a restored database", () => {
  it("begins another history: no id or revision of the lost one is given again, and nobody goes on behind it", async () => {
    const { ann, list, task, cursors, fingerprint, ids } = await lose()
    const node = await start()
    const there = at(node, ann)
    expect(await histories()).toHaveLength(2)
    expect((await there.get(`/tasks/${task.id}`)).body.title).toBe("Buy milk")
    // The lost change made this revision; here it is nobody's.
    expect((await there.patch(`/tasks/${task.id}`, { revision: task.revision, title: "Overwritten" })).status).toBe(409)
    const made = await makeTask(there, list)
    expect(made.id).toBeGreaterThan(Math.max(...ids))
    const [webhookIds] = await values("select nextval('webhook_deliveries_id_seq')")
    expect(Number(webhookIds)).toBeGreaterThan(1_000_000)
    for (let n = 0; n < 4; n++) await makeTask(there, list)

    const listener = listen(there)
    for (const cursor of cursors) expect(await listener.accountUpdated(cursor).ended()).toBe("RESYNC_REQUIRED")
    for (const revision of [0, 2, 3, 5, 9])
      expect([revision, await listener.listUpdated(list.id, revision).ended()]).toEqual([revision, "RESYNC_REQUIRED"])
    const stale = listener.subscribe(
      `subscription { listUpdated(listId: ${list.id}, sinceRevision: 5, sinceFingerprint: "${fingerprint}") { id } }`,
    )
    expect(await stale.ended()).toBe("RESYNC_REQUIRED")
    const { revision } = (await there.get(`/lists/${list.id}`)).body
    expect(revision).toBeGreaterThan(1_000_000)
    const fresh = listener.listUpdated(list.id, revision)
    await makeTask(there, list)
    await fresh.until((events) => events.length === 1)
    await listener.close()

    // Once is enough: the next start finds it done, and so do two at a time.
    await Promise.all([1, 2].map(() => openHistory({ url: database.url, log: silentLog })))
    expect(await histories()).toHaveLength(2)
    await openHistory({ url: database.url, log: silentLog, isRestored: true })
    expect(await histories()).toHaveLength(3)
  })

  it("that shows nothing of it is found out by the first client that has seen more", async () => {
    const { ann, list, cursors, fingerprint } = await lose()
    await runSql(
      database.url,
      `update histories set written_in = pg_current_xact_id(),
         server = server || jsonb_build_object('database', (select oid::text from pg_database where datname = current_database()))`,
    )
    const node = await start()
    const there = at(node, ann)
    expect(await histories()).toHaveLength(1)
    for (let n = 0; n < 4; n++) await makeTask(there, list)
    const listener = listen(there)
    // A fingerprint is not signed, so it begins nothing.
    const stale = listener.subscribe(
      `subscription { listUpdated(listId: ${list.id}, sinceRevision: 5, sinceFingerprint: "${fingerprint}") { id } }`,
    )
    expect(await stale.ended()).toBe("RESYNC_REQUIRED")
    expect(await histories()).toHaveLength(1)
    const open = listener.accountUpdated()
    await eventually(() => node.status().streams === 1)
    expect(await listener.accountUpdated(cursors[2]).ended()).toBe("RESYNC_REQUIRED")
    expect(await open.ended()).toBe("RESYNC_REQUIRED")
    expect(await histories()).toHaveLength(2)
    expect((await makeTask(there, list)).id).toBeGreaterThan(1_000_000)
    for (const cursor of cursors) expect(await listener.accountUpdated(cursor).ended()).toBe("RESYNC_REQUIRED")
    expect(await histories()).toHaveLength(2)
    await listener.close()
  })

  it("is told by the folder of the embedded one, which is younger in a copy", async () => {
    const open = (folder: string) => openHistory({ url: database.url, log: silentLog, folder })
    await open("1700000000000000000")
    await open("1700000000000000000")
    const count = "select count(*) from histories"
    const node = await start()
    expect(await values(count)).toEqual(["1"])
    await node.stop()
    app = undefined
    await open("1700000000000000001")
    await start()
    expect(await values(count)).toEqual(["2"])
  })
})

describe("a server that answers nothing of itself", () => {
  it("is good enough: a copy of its database is noticed all the same", async () => {
    const refuse = (what: string, state: string) =>
      `create function public.${what} language plpgsql as $$ begin raise exception 'no' using errcode = '${state}'; end $$;`
    await runSql(
      database.url,
      `alter database ${name()} set search_path = public, pg_catalog;
       ${refuse("pg_control_system(out system_identifier bigint)", "42501")}
       ${refuse("pg_current_wal_lsn() returns pg_lsn", "55000")}`,
    )
    await openHistory({ url: database.url, log: silentLog })
    await openHistory({ url: database.url, log: silentLog })
    await start()
    expect(await histories()).toHaveLength(1)
    expect(await values("select jsonb_object_keys(server) from histories order by 1")).toEqual(["database", "table"])
    await app?.stop()
    app = undefined
    await runSql(
      database.url,
      "create table kept as select * from histories; truncate histories; insert into histories select * from kept; drop table kept",
    )
    await start()
    expect(await histories()).toHaveLength(2)
  })
})
