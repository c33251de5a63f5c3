import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { App } from "../../src/app.js"
import { createClient } from "../support/client.js"
import {
  type DebianServer,
  hasDebianPostgres,
  makeDebianFolder,
  openDebianServer,
  runDebianMeanwhile,
} from "../support/debian-postgres.js"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNodeOn } from "../support/node.js"
import { eventually, listen } from "./listener.js"

// Backups as they are really made, and restored into another server.

if (!hasDebianPostgres)
  console.warn("\nNOT TESTED with real backups: Debian's postgresql-15 is not installed, or this is not root.\n")

describe.skipIf(!hasDebianPostgres)("a backup that was restored into another server", () => {
  const folder = mkdtempSync(join(tmpdir(), "tandem-restored-"))
  const dataDir = join(folder, "files")
  const dump = join(folder, "backups", "tandem.dump")
  const servers: DebianServer[] = []
  const apps: App[] = []
  let origin: DebianServer
  let ann: Person
  let list: { id: number }
  let lost: Written

  async function place(name: string): Promise<DebianServer> {
    makeDebianFolder(join(folder, name))
    const server = await openDebianServer(join(folder, name, "data"))
    servers.push(server)
    return server
  }
  async function start(server: DebianServer): Promise<App> {
    const app = await startNodeOn(server.url, { dataDir })
    apps.push(app)
    return app
  }
  const at = ({ url }: App) => ({ ...ann, ...createClient(url, ann.credentials), url }) as Person
  const historiesOf = ({ database }: App) =>
    database.run(
      { name: "histories_of_test", text: "select name from histories", read: ([name]) => name as string },
      [],
    )

  type Written = { ids: number[]; revision: number; cursor: string }
  const revisionOf = async (app: App) => (await at(app).get(`/lists/${list.id}`)).body.revision
  /** Makes tasks, and gives what a client has seen of them. */
  async function write(app: App): Promise<Written> {
    const there = at(app)
    const listener = listen(there)
    // Begun behind a place that is known, it hears of all that follows, whenever it is open.
    const listening = listener.accountUpdated((await there.get("/changes?after=now")).body.cursor, "cursor")
    const ids: number[] = []
    for (let count = 0; count < 3; count++) ids.push((await makeTask(there, list)).id)
    const events = await listening.until((all) => all.length === 3)
    await listener.close()
    return { ids, revision: await revisionOf(app), cursor: events[2].cursor }
  }

  /** That nobody goes on behind what was lost, and nothing of it is given again. */
  async function expectAnotherHistory(app: App, { ids, revision, cursor }: Written): Promise<void> {
    const listener = listen(at(app))
    expect(await listener.accountUpdated(cursor).ended()).toBe("RESYNC_REQUIRED")
    await listener.close()
    expect(await revisionOf(app)).toBeGreaterThan(revision)
    expect((await makeTask(at(app), list)).id).toBeGreaterThan(Math.max(...ids))
  }

  const restore = async (into: DebianServer) => {
    await into.ask("drop database if exists tandem with (force)")
    await into.ask("create database tandem")
    await runDebianMeanwhile("pg_restore", "--no-owner", `--dbname=${into.url}`, dump)
  }

  beforeAll(async () => {
    chmodSync(folder, 0o755)
    makeDebianFolder(join(folder, "backups"))
    makeDebianFolder(join(folder, "wal"))
    origin = await place("origin")
    origin.init()
    await origin.start({ fsync: "off", archive_mode: "on", archive_command: `cp %p ${join(folder, "wal")}/%f` })
    await origin.ask("create database tandem")
    const app = await start(origin)
    ann = await makePerson(app)
    list = await makeList(ann)
    await makeTask(ann, list)
    // This process has to go on meanwhile: a node that stands still finds its connections too old afterwards, and resets them.
    await runDebianMeanwhile("pg_dump", "--format=custom", `--file=${dump}`, origin.url)
    const source = `host=127.0.0.1 port=${origin.port} user=tandem`
    await runDebianMeanwhile(
      "pg_basebackup",
      "-D",
      join(folder, "backups", "base"),
      "-d",
      source,
      "-X",
      "stream",
      "-c",
      "fast",
      "--no-sync",
    )
    await origin.ask("select pg_create_restore_point('before')")
    lost = await write(app)
    await origin.ask("select pg_switch_wal()")
    await app.stop()
    await origin.end("SIGINT")
  }, 120_000)
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.stop()))
    await Promise.all(servers.map((server) => server.end("SIGKILL")))
    rmSync(folder, { recursive: true, force: true })
  }, 60_000)

  it("by a dump begins another history, and so does the next restore under a node that runs", async () => {
    const server = await place("dumped")
    server.init()
    await server.start({ fsync: "off" })
    await restore(server)
    const app = await start(server)
    expect(await historiesOf(app)).toHaveLength(2)
    await expectAnotherHistory(app, lost)
    const between = await write(app)
    await restore(server)
    // The node finds the line of history gone that it has read from.
    await eventually(async () => (await historiesOf(app).catch(() => [])).length === 2)
    await expectAnotherHistory(app, between)
    await expectAnotherHistory(app, lost)
  }, 120_000)

  it("to a point in time begins another history", async () => {
    const server = await openDebianServer(join(folder, "backups", "base"))
    servers.push(server)
    writeFileSync(join(server.folder, "recovery.signal"), "")
    appendFileSync(
      join(server.folder, "postgresql.auto.conf"),
      `restore_command = 'cp ${join(folder, "wal")}/%f %p'\nrecovery_target_name = 'before'\nrecovery_target_action = 'promote'\n`,
    )
    await server.start({ fsync: "off" })
    await server.until("select not pg_is_in_recovery()", "the point in time is reached")
    const app = await start(server)
    expect(await historiesOf(app)).toHaveLength(2)
    await expectAnotherHistory(app, lost)
  }, 120_000)
})
