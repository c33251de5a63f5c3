import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { Context, Transacted } from "../../src/context.js"
import { type DatabaseClient, openDatabase } from "../../src/database/client.js"
import { gather } from "../../src/database/gather.js"
import { TextQuery } from "../../src/database/text-query.js"
import { Unavailable } from "../../src/errors.js"
import { inTransaction, oneForEach } from "../../src/operations/atomic.js"
import { statement } from "../../src/statement.js"
import { statementSpans } from "../../src/telemetry/statement-span.js"
import { createBareDatabase, type TestDatabase } from "../support/postgres.js"

const SOMEBODY = { userId: "1", requestId: "r", writer: null }

let made: TestDatabase
let database: DatabaseClient

beforeAll(async () => {
  made = await createBareDatabase()
  database = openDatabase(made.url)
})
afterAll(async () => {
  await database.stop()
  await made.drop()
})

const backend = statement("test_backend", "select pg_backend_pid()", ([pid]) => Number(pid))
const terminate = statement("test_terminate", "select pg_terminate_backend($1::int)", () => true)
const one = statement("test_one", "select 1", () => 1)
const refused = statement("test_refused", "select 1 / (random()::int * 0)", () => 1)

it("is refused as unavailable when its connection breaks between two statements, and the process goes on", async () => {
  const broken = database.transaction(async ({ run }) => {
    const [pid] = await run(backend, [])
    await database.run(terminate, [pid])
    await new Promise((resolve) => setTimeout(resolve, 100))
    return run(one, [])
  })
  await expect(broken).rejects.toBeInstanceOf(Unavailable)
  expect(await database.transaction(({ run }) => run(one, []))).toEqual([1])
})

it.each<[string, () => Promise<unknown>]>([
  ["queries of Prisma", () => database.prisma.$queryRaw`select pg_sleep(0.7)::text`],
  [
    "transactions",
    () =>
      database.transaction(({ run }) =>
        run(
          statement("test_sleep", "select pg_sleep(0.7)", () => 1),
          [],
        ),
      ),
  ],
])(
  "lets %s wait for a connection while others have all of them, and not only as long as for a server",
  async (_, ask) => {
    expect(await Promise.all(Array.from({ length: 30 }, ask))).toHaveLength(30)
  },
)

it("asks PostgreSQL for nothing more once it has refused a statement, and tells each caller of that refusal", async () => {
  const asked = vi.spyOn(TextQuery.prototype, "handleError")
  const answers = await database.transaction(({ run }) =>
    Promise.allSettled([run(one, []), run(refused, []), run(one, []), run(one, [])]),
  )
  expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "rejected"])
  for (const answer of answers.slice(1)) expect(answer).toMatchObject({ reason: { code: "22012" } })
  expect(asked.mock.calls.map(([error]) => (error as { code?: string }).code)).toEqual(["22012"])
  asked.mockRestore()
})

it.each<[string, (inside: Transacted) => Promise<unknown>]>([
  ["statement", ({ run }) => run(one, [])],
  ["query of Prisma", ({ prisma }) => prisma.$queryRaw`select 1`],
  ["query of Prisma in somebody's name", ({ prismaAs }) => prismaAs(SOMEBODY).$queryRaw`select 1`],
])("begins no further %s when it has many writes and takes longer than 10 seconds", async (_, ask) => {
  const transaction = oneForEach(database.transaction, "1")
  const clock = vi.spyOn(performance, "now")
  const start = clock.getMockImplementation()?.() ?? performance.now()
  const late = transaction(async (inside) => {
    clock.mockReturnValue(start + 9_000)
    await ask(inside)
    clock.mockReturnValue(start + 11_000)
    return ask(inside)
  })
  await expect(late).rejects.toMatchObject({ kind: { status: 503 }, message: expect.stringContaining("Send fewer") })
  clock.mockRestore()
  expect(await transaction(({ run }) => run(one, []))).toEqual([1])
})

it("lets one of many writes of a user run and 19 wait, and refuses more", async () => {
  let running = 0
  const transaction = oneForEach(database.transaction, "2")
  const settled = await Promise.allSettled(
    Array.from({ length: 22 }, () =>
      transaction(async ({ run }) => {
        expect(++running).toBe(1)
        await run(one, [])
        running--
      }),
    ),
  )
  const refusals = settled.filter(({ status }) => status === "rejected")
  expect(refusals).toHaveLength(2)
  for (const refusal of refusals)
    expect(refusal).toMatchObject({ reason: { kind: { status: 429 }, retryAfterSeconds: 1 } })
})

it("tells of a database that cannot be reached as unavailable, also by Prisma", async () => {
  const nowhere = openDatabase("postgres://postgres@127.0.0.1:1/nothing")
  await expect(nowhere.prisma.setting.findMany()).rejects.toBeInstanceOf(Unavailable)
  await expect(nowhere.transaction(({ run }) => run(one, []))).rejects.toBeInstanceOf(Unavailable)
  await nowhere.stop()
})

it("is asked before each statement whether it may go on, traced or not", async () => {
  const untold = { current: () => undefined } as unknown as Parameters<typeof statementSpans>[0]
  for (const { transaction } of [database, statementSpans(untold)(database)]) {
    const late = transaction(
      ({ run }) => run(one, []),
      () => {
        throw new Unavailable()
      },
    )
    await expect(late).rejects.toBeInstanceOf(Unavailable)
  }
})

describe("What a request tells its node of what it writes", () => {
  /** Notes what the node is told. */
  function listening() {
    const told: string[] = []
    const note = (what: string) => void told.push(what)
    const skippedWriters = { has: () => true, add: note, refresh: async () => note("refresh") }
    const context = { viewer: SOMEBODY, skippedWriters, tokensEnded: ([id]: string[]) => note(`token ${id}`) }
    return { told, context: context as unknown as Context }
  }
  const tellAll = async ({ tokensEnded, skippedWriters }: Context) => {
    tokensEnded(["7"])
    skippedWriters.add("token 7")
    await skippedWriters.refresh()
  }

  it("is told once the transaction is committed", async () => {
    const { told, context } = listening()
    await database.transaction(async (inside) => {
      await tellAll(inTransaction(context, gather(inside)))
      await inside.run(one, [])
      expect(told).toEqual([])
    })
    expect(told).toEqual(["token 7", "token 7", "refresh"])
  })

  it("is never told when it is rolled back, by the work or by PostgreSQL", async () => {
    const { told, context } = listening()
    const failing = database.transaction(async (inside) => {
      await tellAll(inTransaction(context, inside))
      throw new Unavailable()
    })
    await expect(failing).rejects.toBeInstanceOf(Unavailable)
    // PostgreSQL answers this commit with ROLLBACK.
    await database.transaction(async (inside) => {
      await tellAll(inTransaction(context, inside))
      await Promise.allSettled([inside.run(refused, [])])
    })
    expect(told).toEqual([])
  })

  it("is told once when the transaction is run again after a deadlock", async () => {
    const { told, context } = listening()
    let runs = 0
    await database.transaction(async (inside) => {
      inTransaction(context, inside).tokensEnded(["7"])
      if (++runs === 1) throw Object.assign(new Error("deadlock detected"), { code: "40P01" })
    })
    expect([runs, told]).toEqual([2, ["token 7"]])
  })
})
