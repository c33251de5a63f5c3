import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type DatabaseClient, openDatabase } from "../../src/database/client.js"
import { Unavailable } from "../../src/errors.js"
import { startDueDays } from "../../src/jobs/due-days.js"
import type { Log } from "../../src/log.js"
import type { Runner } from "../../src/statement.js"
import { makePerson, makeTask, type Person } from "../support/make.js"
import { startNodeOn } from "../support/node.js"
import { dayIn, NOON_ZONE } from "../support/noon.js"
import { createTestDatabase, runSql, type TestDatabase } from "../support/postgres.js"

type Hooked = { readonly hookId: number; readonly taskId: number }

let made: TestDatabase
let database: DatabaseClient
let heavy: Hooked
let others: Hooked[]
beforeAll(async () => {
  made = await createTestDatabase()
  const node = await startNodeOn(made.url)
  const where = { url: node.url, database: node.database }
  heavy = await withDueTask(where)
  others = [await withDueTask(where), await withDueTask(where)]
  await node.stop()
  database = openDatabase(made.url)
})
afterAll(async () => {
  await database.stop()
  await made.drop()
})

/** Somebody with a webhook of their account and a task that is due today. */
async function withDueTask(where: Parameters<typeof makePerson>[0]): Promise<Hooked> {
  const person: Person = await makePerson(where)
  const hook = await person.post("/webhooks", {
    url: "https://example.org/",
    processor_type: "generic",
    configuration: "",
    events: ["task.due"],
  })
  await person.post("/settings", { key: "time_zone", value: NOON_ZONE })
  const task = await makeTask(person, { id: person.inboxId }, { due_date: dayIn(0) })
  return { hookId: hook.body.id, taskId: task.id }
}

describe("webhooks that are told what is due (§4 Webhooks)", () => {
  it("are told when one of them has more to hear than the database writes in time, which is passed over", async () => {
    const ids = [heavy, ...others].map(({ hookId }) => hookId)
    const asked: number[] = []
    const errors: unknown[] = []
    // What takes the time of the one takes that of every statement that it is in.
    const slow: Runner = {
      async run(statement, values, meter) {
        if (statement.name !== "tell_due_days") return database.run(statement, values, meter)
        asked.push(values[0] as number)
        const due = await database.prisma.webhookEndpoint.findMany({
          where: { nextDayAt: { lte: new Date() } },
          orderBy: { nextDayAt: "asc" },
          take: values[0] as number,
        })
        if (due.some(({ webhookId }) => Number(webhookId) === heavy.hookId))
          throw Object.assign(new Unavailable(), { cause: { code: "57014" } })
        return database.run(statement, values, meter)
      },
    }
    const log = { error: (what: unknown) => errors.push(what), debug() {}, warn() {}, info() {} } as unknown as Log
    await runSql(
      made.url,
      `update webhook_endpoints set told_day = null, next_day_at = now() - case webhook_id when ${heavy.hookId} then interval '2 hours' else interval '1 hour' end
       where webhook_id in (${ids})`,
    )
    const loop = startDueDays({ db: slow, log, onNotified() {} })
    const told = async () =>
      (
        (await database.prisma.$queryRawUnsafe(
          `select d.webhook_id::int as hook, e.subject_id::int as task from webhook_deliveries d join events e on e.id = d.event_id
           where d.webhook_id in (${ids}) and e.subject_type = 'task_due' order by 1`,
        )) as { hook: number; task: number }[]
      ).map(({ hook, task }) => [hook, task])
    await expect.poll(told, { timeout: 40_000 }).toEqual(others.map(({ hookId, taskId }) => [hookId, taskId]))
    await loop.stop()
    expect(asked.slice(0, 3)).toEqual([100, 10, 1])
    expect(errors).toEqual([{ webhookId: String(heavy.hookId) }])
  })
})
