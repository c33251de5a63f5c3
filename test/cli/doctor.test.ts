import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { runCli } from "../support/cli.js"
import { makeList, makePerson, makeTask } from "../support/make.js"
import { startNodeOn } from "../support/node.js"
import { createTestDatabase, folderOf, runSql, type TestDatabase } from "../support/postgres.js"

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  const app = await startNodeOn(database.url)
  const ann = await makePerson(app, "Ann")
  await makeTask(ann, await makeList(ann))
  await app.stop() // it would take away what a test leaves
  vi.stubEnv("DATABASE_URL", database.url)
  vi.stubEnv("DATA_DIR", folderOf(database.url))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.drop()
})

const sql = (text: string) => runSql(database.url, text)
async function found() {
  const { code, json } = await runCli("doctor", "--json")
  const by: Record<string, any> = Object.fromEntries(json.findings.map((finding: any) => [finding.check, finding]))
  return { code, ok: json.ok, by }
}

describe("tandem doctor", () => {
  it("tells the age of the events, the way to new ones, replication, the line of history, and what waits", async () => {
    const { code, ok, by } = await found()
    expect({ code, ok }).toEqual({ code: 0, ok: true })
    expect(by.age).toMatchObject({ ok: true, figures: { rows: expect.any(Number), oldestDays: expect.any(Number) } })
    expect(by.age.figures.oldestDays).toBeLessThan(1)
    expect(by.poll).toMatchObject({ ok: true, figures: { way: expect.stringMatching(/Scan/) } })
    expect(by.replication).toMatchObject({ ok: true, figures: { synchronousCommit: expect.any(String), standbys: [] } })
    expect(by.history).toMatchObject({ ok: true, figures: { lines: 1, deletedId: 0 } })
    expect(by.deliveries.figures).toMatchObject({ due: 0, leased: 0, later: 0 })
    expect(by.removals.figures).toMatchObject({ lists: 0, objects: 0 })
    expect(by.jobs.ok).toBe(true)
    const { out } = await runCli("doctor")
    for (const check of ["age", "poll", "replication", "history", "deliveries", "jobs", "removals"])
      expect(out).toMatch(new RegExp(`^${check} +ok: .`, "m"))
  })

  it("says what is wrong: events that should be gone, a poll that reads all of them, a list that is not taken away", async () => {
    const old = "now() - interval '32 days'"
    await sql(`update events set occurred_at = ${old} where id = (select min(id) from events)`)
    await sql(
      `insert into events (user_id, operation, subject_type, subject_id, revision)
       select 1, 'UPDATE', 'user', 1, i from generate_series(1, 20001) i`,
    )
    await sql("analyze events")
    expect((await found()).by.poll).toMatchObject({ ok: true, found: expect.stringContaining("of events_xid_idx") })
    await sql("drop index events_xid_idx")
    await sql(
      `insert into lists (title, owner_id, created_by_id, deleted_at) select 'l', 1, 1, now() - interval '2 days'`,
    )
    const { code, ok, by } = await found()
    expect({ code, ok }).toEqual({ code: 1, ok: false })
    expect(by.age).toMatchObject({ ok: false, found: expect.stringContaining("32.0 days old; 30 are kept") })
    expect(by.poll).toMatchObject({ ok: false, found: expect.stringContaining("and not by events_xid_idx") })
    expect(by.removals).toMatchObject({ ok: false, figures: { lists: 1 } })
  })
})
