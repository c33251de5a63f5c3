import { once } from "node:events"
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { startEmbeddedPostgres } from "../../src/database/embedded-postgres.js"
import { dataDirPerTest, end, query, works } from "../support/embedded-postgres.js"
import { silentLog } from "../support/log.js"

const isRoot = process.getuid?.() === 0

describe("startEmbeddedPostgres on an empty folder", () => {
  const place = dataDirPerTest({ isMade: false })

  it("gives a PostgreSQL 18 that reads and writes any text, and whose role is no superuser", async () => {
    const { url } = await place.open()
    await query(url, "CREATE TABLE words (word text)")
    await query(url, "INSERT INTO words VALUES ('Übung 🎉')")
    expect(await query(url, "SELECT upper(word) AS word FROM words")).toEqual([{ word: "ÜBUNG 🎉" }])
    const [about] = await query(
      url,
      `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('TimeZone') AS zone,
         rolsuper AS "isSuperuser" FROM pg_roles WHERE rolname = current_user`,
    )
    expect(about).toEqual({ version: 18, zone: "UTC", isSuperuser: false })
    if (isRoot) expect(statSync(`/proc/${place.postmasterPid()}`).uid).not.toBe(0)
  })

  it("makes one cluster when three processes start at once, whatever their variables say to PostgreSQL", async () => {
    const foreign = { LC_ALL: "de_DE", LANG: "xx", PGDATA: "/nowhere", PGPORT: "1", PGUSER: "x", TZ: "Asia/Tokyo" }
    const env = { ...process.env, ...foreign }
    const all = await Promise.all([1, 2, 3].map(() => place.openElsewhere({ env })))
    const urls = new Set(all.map(({ said }) => said))
    expect(urls.size).toBe(1)
    await works([...urls][0] as string)
    expect(readdirSync(place.dataDir).sort()).toEqual(["postgres", "postgres.log"])
  })
})

describe("startEmbeddedPostgres", () => {
  const place = dataDirPerTest({ isMade: true })

  it("keeps the data when it stops, and the address", async () => {
    const first = await place.open()
    await query(first.url, "CREATE TABLE kept AS SELECT 7 AS a")
    await place.close(first)
    expect(place.postmasterPid()).toBeUndefined()
    const second = await place.open()
    expect(second.url).toBe(first.url)
    expect(await query(second.url, "SELECT a FROM kept")).toEqual([{ a: 7 }])
  })

  it("syncs to disk unless told otherwise", async () => {
    const postgres = await startEmbeddedPostgres({ dataDir: place.dataDir, log: silentLog })
    try {
      expect(await query(postgres.url, "SHOW fsync")).toEqual([{ fsync: "on" }])
    } finally {
      await postgres.stop()
    }
  })

  it("lets in nobody from elsewhere, or without the password, which only its user can read", async () => {
    const { url } = await place.open()
    expect(await query(url, "SHOW listen_addresses")).toEqual([{ listen_addresses: "127.0.0.1" }])
    const wrong = new URL(url)
    wrong.password = "guess"
    await expect(query(wrong.href, "SELECT 1")).rejects.toThrow(/password authentication failed/)
    expect(statSync(join(place.dataDir, "postgres/password")).mode & 0o777).toBe(0o600)
    expect(statSync(join(place.dataDir, "postgres/data")).mode & 0o777).toBe(0o700)
  })

  it.runIf(isRoot)("names a folder that belongs to another user", async () => {
    const { said, child } = await place.openElsewhere({ uid: 65_534, gid: 65_534 })
    expect(said).toBe(`The embedded PostgreSQL cannot run: cannot write to ${place.dataDir}: permission denied`)
    await once(child, "exit")
    expect(child.exitCode).toBe(1)
  })
})

describe("a folder that cannot be used", () => {
  const place = dataDirPerTest({ isMade: false })
  const fault = async (where: string) => (await place.open(where).catch((error) => error)).message

  it("is named when a file is in its place", async () => {
    writeFileSync(place.dataDir, "")
    expect(await fault(place.dataDir)).toBe(
      `The embedded PostgreSQL cannot run: cannot make the folder ${place.dataDir}: a file of that name is in the way`,
    )
  })

  it("is named when its link leads nowhere", async () => {
    symlinkSync(join(place.folder, "gone"), join(place.folder, "postgres"))
    expect(await fault(place.folder)).toMatch(
      /postgres leads to the database, but cannot be followed: it is not there$/,
    )
    rmSync(join(place.folder, "postgres"))
  })
})

describe.runIf(isRoot)("root", () => {
  const place = dataDirPerTest({ isMade: false })

  it("lets that user into a new folder that is closed, but not to read it", async () => {
    mkdirSync(place.dataDir, { mode: 0o700 })
    await works((await place.open()).url)
    expect(lstatSync(join(place.dataDir, "postgres")).isDirectory()).toBe(true)
    expect(statSync(place.dataDir).mode & 0o777).toBe(0o710)
  })

  it("closes a folder that was made open, but to that user, and what is in it", async () => {
    const first = await place.open()
    await place.close(first)
    const [folder, port] = [join(place.dataDir, "postgres"), join(place.dataDir, "postgres/port")]
    for (const path of [place.dataDir, folder]) chmodSync(path, 0o755)
    chmodSync(port, 0o644)
    await works((await place.open()).url)
    const modes = [place.dataDir, folder, port, join(folder, "password"), join(place.dataDir, "postgres.log")]
    expect(modes.map((path) => statSync(path).mode & 0o777)).toEqual([0o710, 0o710, 0o600, 0o600, 0o600])
  })

  it("keeps the data elsewhere when a folder of its own in use is closed to that user", async () => {
    mkdirSync(place.dataDir, { mode: 0o700 })
    writeFileSync(join(place.dataDir, "kept"), "")
    await works((await place.open()).url)
    expect(lstatSync(join(place.dataDir, "postgres")).isSymbolicLink()).toBe(true)
    expect(statSync(place.dataDir).mode & 0o777).toBe(0o700)
  })

  it("keeps the data elsewhere when its own folders are closed to that user, and finds them again", async () => {
    chmodSync(place.folder, 0o700)
    const first = await place.open()
    await query(first.url, "CREATE TABLE kept AS SELECT 7 AS a")
    const link = join(place.dataDir, "postgres")
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(dirname(realpathSync(link))).toMatch(/\/tandem$/)
    await place.close(first)
    expect(await query((await place.open()).url, "SELECT a FROM kept")).toEqual([{ a: 7 }])
  })

  it("leaves an ordinary user's database to that user", async () => {
    const nobody = { uid: 65_534, gid: 65_534 }
    chmodSync(place.folder, 0o777)
    const theirs = await place.openElsewhere(nobody)
    await works(theirs.said)
    await end(theirs.child, "SIGTERM")
    const { url } = await place.open()
    await works(url)
    expect(statSync(`/proc/${place.postmasterPid()}`).uid).toBe(nobody.uid)
  })

  it("is told when the user has no name", async () => {
    chmodSync(place.folder, 0o777)
    const { said } = await place.openElsewhere({ uid: 54_321, gid: 54_321 })
    expect(said).toMatch(
      /^The embedded PostgreSQL cannot run: PostgreSQL wants its user to have a name, and user id 54321/,
    )
  })
})
