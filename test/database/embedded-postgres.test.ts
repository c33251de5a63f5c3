import { realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { describe, expect, it, vi } from "vitest"
import { copyTree, dataDirPerTest, end, query, works } from "../support/embedded-postgres.js"

const place = dataDirPerTest({ isMade: true })

describe("a process that is killed", () => {
  it("leaves PostgreSQL running, and the next one adopts it", async () => {
    const killed = await place.openElsewhere()
    const pid = place.postmasterPid()
    await query(killed.said, "CREATE TABLE kept ()")
    await end(killed.child, "SIGKILL")
    const postgres = await place.open()
    expect(postgres.url).toBe(killed.said)
    expect(place.postmasterPid()).toBe(pid)
    expect(await query(postgres.url, "SELECT * FROM kept")).toEqual([])
    await place.close(postgres)
    expect(place.postmasterPid()).toBeUndefined()
  })

  it("together with PostgreSQL loses nothing that was committed", async () => {
    const killed = await place.openElsewhere()
    await query(killed.said, "CREATE TABLE kept AS SELECT 7 AS a")
    process.kill(place.postmasterPid() as number, "SIGKILL")
    await end(killed.child, "SIGKILL")
    const { url } = await place.open()
    expect(url).toBe(killed.said)
    expect(await query(url, "SELECT a FROM kept")).toEqual([{ a: 7 }])
  })

  it("while it started leaves a lock that does not hold", async () => {
    await place.close(await place.open())
    symlinkSync("2147483646 1", join(place.dataDir, "postgres.lock"))
    await works((await place.open()).url)
  })

  it("leaves a pid that an unrelated process may have by now", async () => {
    await place.close(await place.open())
    const lines = [
      process.pid,
      realpathSync(join(place.dataDir, "postgres/data")),
      1,
      23456,
      "",
      "127.0.0.1",
      "1 1",
      "ready",
    ]
    writeFileSync(join(place.dataDir, "postgres/data/postmaster.pid"), lines.join("\n"))
    await works((await place.open()).url)
  })
})

describe("PostgreSQL dying under a node that runs", () => {
  it("is back within seconds at the same address", async () => {
    const { url } = await place.open()
    await query(url, "CREATE TABLE kept AS SELECT 7 AS a")
    const pid = place.postmasterPid() as number
    process.kill(pid, "SIGKILL")
    await vi.waitFor(async () => expect(await query(url, "SELECT a FROM kept")).toEqual([{ a: 7 }]), 10_000)
    expect(place.postmasterPid()).not.toBe(pid)
  })

  it("is started once when two nodes use it", async () => {
    const { said: url, child } = await place.openElsewhere()
    const here = await place.open()
    process.kill(place.postmasterPid() as number, "SIGKILL")
    await vi.waitFor(() => works(url), 10_000)
    await end(child, "SIGTERM")
    // That one was the last user, and stopped it, if this one was not back by then.
    await vi.waitFor(() => works(here.url), 10_000)
  })

  it("in one of its connections only does not keep the node from stopping it", async () => {
    const postgres = await place.open()
    const victim = new pg.Client({ connectionString: postgres.url })
    victim.on("error", () => {})
    await victim.connect()
    const { rows } = await victim.query("SELECT pg_backend_pid() AS pid")
    process.kill(rows[0].pid, "SIGKILL") // PostgreSQL then restarts all of its connections
    await vi.waitFor(() => works(postgres.url), 10_000)
    await place.close(postgres)
    expect(place.postmasterPid()).toBeUndefined()
  })
})

describe("several processes on one folder", () => {
  it("share one PostgreSQL, which the last one stops", async () => {
    const server = await place.openElsewhere()
    const cli = await place.open()
    expect(cli.url).toBe(server.said)
    await place.close(cli)
    await works(server.said)

    const late = await place.open()
    expect(await end(server.child, "SIGTERM")).toBe(0)
    await works(late.url)
    await place.close(late)
    expect(place.postmasterPid()).toBeUndefined()
  })

  it("do not take a copy of the folder for the original", async () => {
    const copy = join(place.folder, "copy")
    copyTree(place.dataDir, copy)
    const original = await place.open()
    const pidFile = "postgres/data/postmaster.pid" // as it would be in a copy made now
    copyTree(join(place.dataDir, pidFile), join(copy, pidFile))
    const second = await place.open(copy)
    expect(second.url).not.toBe(original.url)
    await query(second.url, "CREATE TABLE only_here ()")
    await expect(query(original.url, "SELECT * FROM only_here")).rejects.toThrow(/does not exist/)
  })
})
