import { afterAll, beforeAll, expect, it } from "vitest"
import { type DatabaseClient, openDatabase } from "../../src/database/client.js"
import { Unavailable } from "../../src/errors.js"
import { statement } from "../../src/statement.js"
import { createBareDatabase, type TestDatabase } from "../support/postgres.js"

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

it("tells of a database that cannot be reached as unavailable, also by Prisma", async () => {
  const nowhere = openDatabase("postgres://postgres@127.0.0.1:1/nothing")
  await expect(nowhere.prisma.setting.findMany()).rejects.toBeInstanceOf(Unavailable)
  await expect(nowhere.transaction(({ run }) => run(one, []))).rejects.toBeInstanceOf(Unavailable)
  await nowhere.stop()
})
