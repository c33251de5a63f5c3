import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { addMember, makeList, makePerson, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"
import { copyOf } from "./copy.js"

let node: TestNode
beforeAll(async () => {
  node = await startNode()
})
afterAll(() => node.stop())

const fill = (...statements: string[]) => runSql(node.databaseUrl, statements.join(";"))
const by = ({ id }: Person) => `${id}, ${id}`

/** What comes of some work, and how many statements the node ran for requests; those of its own hold nothing for a user. */
async function counted<Result>(work: () => Promise<Result>): Promise<{ result: Result; statements: number }> {
  const run = vi.spyOn(node.database, "run")
  try {
    const result = await work()
    return { result, statements: run.mock.calls.filter(([, , held]) => held !== undefined).length }
  } finally {
    run.mockRestore()
  }
}

describe("GET /api/v1/changes of much (ours)", () => {
  it("gives 50 lists with 10,000 tasks, 20,000 subtasks and 2,000 notes in at most 34 pages of two statements", async () => {
    const ann = await makePerson(node)
    await fill(
      `with l as (insert into lists (title, owner_id, created_by_id, updated_by_id) select 'Much', ${ann.id}, ${by(ann)} from generate_series(1, 49) returning id)
         insert into memberships (list_id, user_id, state, owner) select id, ${ann.id}, 'accepted', true from l`,
      `insert into tasks (list_id, title, created_by_id, updated_by_id) select l.id, 'Task ' || n, ${by(ann)} from lists l, generate_series(1, 200) n where l.owner_id = ${ann.id}`,
      `insert into subtasks (task_id, title, created_by_id, updated_by_id) select t.id, 'Step ' || n, ${by(ann)} from tasks t, generate_series(1, 2) n where t.created_by_id = ${ann.id}`,
      `insert into notes (task_id, content, created_by_id, updated_by_id) select t.id, 'Note', ${by(ann)} from tasks t where t.created_by_id = ${ann.id} and t.id % 5 = 0`,
    )
    await ann.get("/user") // its token is known from here on
    const copy = copyOf(ann)
    let pages = 0
    for (let more = true; more; pages++) {
      const { result, statements } = await counted(() => copy.page(1000))
      expect(statements).toBeLessThanOrEqual(2)
      more = result.has_more
    }
    expect(pages).toBeLessThanOrEqual(34)
    const count = (type: string) => copy.all(type).length
    expect([count("list"), count("task"), count("subtask"), count("note")]).toEqual([50, 10_000, 20_000, 2_000])
    const { result: empty, statements } = await counted(() => ann.get(`/changes?after=${copy.cursor}`))
    expect([statements, empty.body.changes, empty.text.length < 200]).toEqual([1, [], true])
  }, 180_000)

  it("tells 200 times of 200 objects that 10,000 events changed", async () => {
    const ann = await makePerson(node)
    const list = await makeList(ann)
    await fill(
      `insert into tasks (list_id, title, created_by_id, updated_by_id) select ${list.id}, 'Task', ${by(ann)} from generate_series(1, 199)`,
    )
    const copy = copyOf(ann)
    await copy.level()
    const before = Number((await ann.get(`/lists/${list.id}`)).body.revision)
    for (let round = 0; round < 51; round++)
      await fill(`update tasks set title = 'Round ${round}' where list_id = ${list.id}`)
    expect((await ann.get(`/lists/${list.id}`)).body.revision - before).toBeGreaterThan(10_000)
    const { result, statements } = await counted(() => copy.page(1000))
    expect([result.changes.length, result.has_more]).toEqual([200, false])
    expect(statements).toBeLessThanOrEqual(2)
    expect(new Set(result.changes.map(({ type, id }: any) => `${type} ${id}`)).size).toBe(200)
    expect(new Set(copy.all("task").map(({ title }) => title))).toEqual(new Set(["Round 50"]))
  }, 180_000)

  it("leaves one tombstone of a list that is deleted with 20,000 tasks", async () => {
    const [ann, bob] = [await makePerson(node), await makePerson(node, "Bob")]
    const list = await makeList(ann)
    await addMember(node, list, bob)
    await fill(
      `insert into tasks (list_id, title, created_by_id, updated_by_id) select ${list.id}, 'Task', ${by(ann)} from generate_series(1, 20000)`,
    )
    const copies = [copyOf(ann), copyOf(bob)]
    for (const copy of copies) await copy.level(1000)
    const { revision } = (await ann.get(`/lists/${list.id}`)).body
    expect((await ann.delete(`/lists/${list.id}?revision=${revision}`)).status).toBe(204)
    for (const copy of copies) {
      const { changes, has_more } = await copy.page()
      expect([changes.length, has_more]).toEqual([1, false])
      expect(changes[0]).toMatchObject({ type: "list", id: list.id, operation: "delete", list_id: list.id })
      expect(copy.all("task")).toEqual([])
    }
  }, 180_000)

  it("brings 500 lists that are opened at once whole, in pages", async () => {
    const [ann, bob] = [await makePerson(node), await makePerson(node, "Bob")]
    const copy = copyOf(bob)
    await copy.level()
    await fill(
      `with l as (insert into lists (title, owner_id, created_by_id, updated_by_id) select 'Many', ${ann.id}, ${by(ann)} from generate_series(1, 500) returning id),
         m as (insert into memberships (list_id, user_id, state, owner, updated_by_id) select id, ${ann.id}, 'accepted', true, ${ann.id} from l)
         insert into tasks (list_id, title, created_by_id, updated_by_id) select id, 'Task', ${by(ann)} from l`,
      `insert into memberships (list_id, user_id, state, updated_by_id) select id, ${bob.id}, 'accepted', ${bob.id} from lists where title = 'Many' and owner_id = ${ann.id}`,
    )
    for (let more = true; more; ) more = (await copy.page(100)).has_more
    const own = (all: any[]) => all.map(({ id }) => id)
    expect(own(copy.all("list"))).toEqual(own((await bob.get("/lists")).body).sort((one, other) => one - other))
    expect([copy.all("list").length, copy.all("task").length]).toEqual([501, 500])
    expect(copy.all("user").map(({ name }) => name)).toEqual(["Ann", "Bob"])
  }, 180_000)
})
