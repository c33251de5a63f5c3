import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type App, startApp } from "../../src/app.js"
import { readConfig } from "../../src/config/config.js"
import { openCluster } from "../../src/database/embedded-postgres/cluster.js"
import { launchPostgres, shutDown } from "../../src/database/embedded-postgres/postmaster.js"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/database/embedded-postgres.js"
import { requireServing } from "../../src/database/requirements.js"
import { copyTree, query } from "../support/embedded-postgres.js"
import { freePort } from "../support/free-port.js"
import { silentLog } from "../support/log.js"
import { makePerson, makeTask, type Person } from "../support/make.js"
import { startNodeOn } from "../support/node.js"
import { databaseUrl } from "../support/postgres.js"

// A server of its own: what is set here holds for all of it.
const folder = mkdtempSync(join(tmpdir(), "tandem-demoted-"))
const dataDir = join(folder, "data")
let postgres: EmbeddedPostgres
let app: App
let ann: Person
let superuser: string

beforeAll(async () => {
  chmodSync(folder, 0o755)
  postgres = await startEmbeddedPostgres({ dataDir, log: silentLog, isDurable: false })
  const url = new URL(databaseUrl(postgres.url, "postgres"))
  url.username = "postgres"
  superuser = url.href
  // A folder of its own: that of files is closed to everybody else, PostgreSQL too.
  app = await startNodeOn(postgres.url, { dataDir: join(folder, "files") })
  ann = await makePerson(app)
}, 180_000)
afterAll(async () => {
  await app.stop()
  await postgres.stop()
  const link = join(dataDir, "postgres")
  if (existsSync(link)) rmSync(realpathSync(link), { recursive: true })
  rmSync(folder, { recursive: true })
})

const set = async (sql: string) => {
  await query(superuser, sql)
  await query(superuser, "select pg_reload_conf()")
}
const serving = async () =>
  (
    await query(superuser, "select pid from pg_stat_activity where application_name = 'tandem' and datname = 'tandem'")
  ).map(({ pid }) => pid)
const ready = async () => (await fetch(`${app.url}/readyz`)).status

describe("a node whose primary has been demoted (ours)", () => {
  it("answers 503 to writes over REST and GraphQL, reads on, says that it is not ready, and leaves the connections that refused", async () => {
    const task = await makeTask(ann, { id: ann.inboxId })
    expect(await ready()).toBe(200)
    const before = await serving()
    await set("alter system set default_transaction_read_only = on")
    try {
      await expect
        .poll(async () => (await ann.post("/settings", { key: `k${Math.random()}`, value: "x" })).status)
        .toBe(503)
      const replies = await Promise.all([
        ann.post("/tasks", { list_id: ann.inboxId, title: "lost" }),
        ann.post("/folders", { title: "lost", list_ids: [] }),
        ann.post("/settings", { key: "lost", value: "x" }),
        ann.post("/tasks", { list_id: ann.inboxId, title: "lost" }, { "Idempotency-Key": "once" }),
      ])
      for (const { status, body, headers } of replies)
        expect([status, body.error.type, headers.get("retry-after")]).toEqual([503, "unavailable", "1"])
      const graphql = await ann.graphql(
        'mutation ($id: ID!) { createTask(input: { listId: $id, title: "lost" }) { id } }',
        { id: ann.inboxId },
      )
      expect([graphql.status, graphql.code]).toEqual([503, "UNAVAILABLE"])
      expect([
        await ready(),
        (await fetch(`${app.url}/healthz`)).status,
        (await ann.get(`/tasks/${task.id}`)).status,
      ]).toEqual([503, 200, 200])
      await expect
        .poll(async () => (await serving()).filter((pid) => before.includes(pid)).length)
        .toBeLessThan(before.length)
    } finally {
      await set("alter system reset default_transaction_read_only")
    }
    await expect.poll(ready).toBe(200)
    await expect.poll(async () => (await ann.post("/tasks", { list_id: ann.inboxId, title: "kept" })).status).toBe(201)
    expect((await ann.get(`/tasks?list_id=${ann.inboxId}`)).body.map(({ title }: any) => title)).not.toContain("lost")
  })

  it("is not ready when another database answers at the address, and is again when its own does", async () => {
    const swap = async (...names: [string, string][]) => {
      for (const [from, to] of names) {
        await query(superuser, `alter database ${from} allow_connections false`)
        await query(superuser, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${from}'`)
        await query(superuser, `alter database ${from} rename to ${to}`)
      }
    }
    await query(superuser, "create database other owner tandem strategy file_copy")
    await swap(["tandem", "away"], ["other", "tandem"])
    await query(superuser, "alter database tandem allow_connections true")
    await expect.poll(ready).toBe(503)
    await swap(["tandem", "other"], ["away", "tandem"])
    await query(superuser, "alter database tandem allow_connections true")
    await expect.poll(ready, { timeout: 30_000 }).toBe(200)
  })
})

describe("a standby as DATABASE_URL (ours)", () => {
  it("is refused in a sentence", async () => {
    const elsewhere = join(folder, "standby")
    await app.stop()
    await postgres.stop()
    copyTree(dataDir, elsewhere)
    const cluster = openCluster(elsewhere, false)
    writeFileSync(join(cluster.data, "standby.signal"), "")
    const port = await freePort()
    launchPostgres(cluster, port, false)
    const url = new URL(postgres.url)
    url.port = String(port)
    try {
      const refusal = () => requireServing(url.href).then(() => "it serves", (error: Error) => error.message) // biome-ignore format: one line
      await expect
        .poll(refusal, { timeout: 30_000 })
        .toMatch(/^DATABASE_URL cannot be used: it leads to a standby.*Name the primary/)
    } finally {
      await shutDown(cluster)
    }
  })
})

describe("a start that fails (ours)", () => {
  /** The process of the embedded PostgreSQL, if one runs. */
  const postmaster = (): string | undefined =>
    existsSync(join(dataDir, "postgres/data/postmaster.pid"))
      ? readFileSync(join(dataDir, "postgres/data/postmaster.pid"), "utf8").split("\n")[0]
      : undefined

  const settings = { DATA_DIR: dataDir, NODE_ENV: "test", PORT: "0" }
  it.each<[string, Record<string, string>, () => unknown, () => unknown]>([
    ["a port that is taken", { PORT: "1", HOST: "203.0.113.1" }, () => {}, () => {}],
    [
      "a migration that fails",
      {},
      () =>
        edit(
          "update _prisma_migrations set finished_at = null where migration_name = (select max(migration_name) from _prisma_migrations)",
        ),
      () => edit("update _prisma_migrations set finished_at = now() where finished_at is null"),
    ],
    [
      "a table that is gone",
      {},
      () => edit("alter table events rename to eventz"),
      () => edit("alter table eventz rename to events"),
    ],
  ])("leaves nothing running: %s", async (_, more, spoil, mend) => {
    // biome-ignore format: a row a case
    expect(postmaster()).toBeUndefined()
    await spoil()
    try {
      const started = startApp(readConfig({ ...settings, ...more }), silentLog)
      await expect(started).rejects.toThrow()
      expect(postmaster()).toBeUndefined()
    } finally {
      await mend()
    }
  })

  async function edit(sql: string): Promise<void> {
    const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog, isDurable: false })
    await query(postgres.url, sql)
    await postgres.stop()
  }
})
