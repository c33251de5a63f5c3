import { beforeAll, expect, it } from "vitest"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { recorded } from "../support/recorded.js"

const EVERYTHING = `query ($id: ID!) {
  list(id: $id) {
    id title
    tasks {
      id title assignee { name } createdBy { name }
      subtasks { id title createdBy { name } } notes { id content } reminders { id date } files { id fileName } comments { id text author { name } createdBy { name } }
      subtaskPosition { values }
    }
  }
}`

let node: TestNode
let owner: Person

beforeAll(async () => {
  node = await sharedNode()
  owner = await makePerson(node)
})

/** How many statements a list of so many tasks with everything inside takes, and how many tasks came. */
async function statementsFor(tasks: number): Promise<{ statements: string[]; tasks: number }> {
  const list = await makeList(owner)
  const { id } = await makeTask(owner, list)
  await node.database.prisma.$executeRawUnsafe(
    `insert into tasks (list_id, title, assignee_id, created_by_id, updated_by_id) select ${list.id}, 'Task ' || n, ${owner.id}, ${owner.id}, ${owner.id} from generate_series(2, ${tasks}) n`,
  )
  for (const table of ["subtasks (task_id, title", "notes (task_id, content", "task_comments (task_id, text"])
    await node.database.prisma.$executeRawUnsafe(
      `insert into ${table}, created_by_id, updated_by_id) select id, 'x', ${owner.id}, ${owner.id} from tasks where list_id = ${list.id} and id % 3 = 0`,
    )
  expect(id).toBeGreaterThan(0)
  const { statements, data } = await recorded(node, owner, EVERYTHING, { id: String(list.id) })
  return { statements, tasks: data.list.tasks.length }
}

it("reads a list of 1,000 tasks with everything inside in as many statements as one of 10, at most 12", async () => {
  const small = await statementsFor(10)
  const large = await statementsFor(1_000)
  expect([small.tasks, large.tasks]).toEqual([10, 1_000])
  expect(large.statements.sort()).toEqual(small.statements.sort())
  expect(large.statements.length).toBeLessThanOrEqual(12)
})
