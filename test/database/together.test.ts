import { beforeAll, expect, it } from "vitest"
import { insertTask } from "../../src/resources/task/task.statements.js"
import { addMember, makeList, makePerson, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

// Tasks that are made in one list at the same time leave the node together; nobody who makes one can tell.

let node: TestNode
let owner: Person
let member: Person
let stranger: Person
let list: { id: number }

beforeAll(async () => {
  node = await sharedNode()
  owner = await makePerson(node, "Ann")
  member = await makePerson(node, "Bob")
  stranger = await makePerson(node, "Cid")
  list = await makeList(owner)
  await addMember(node, list, member)
})

it("gives each its own answer: made, closed, refused for one field", async () => {
  const titles = ['a "quoted" \\ {one}, two', "NULL", "", "ünï 名", "x".repeat(255), " spaced ", "it's"]
  const replies = await Promise.all([
    ...titles.map((title) => owner.post("/tasks", { list_id: list.id, title })),
    stranger.post("/tasks", { list_id: list.id, title: "closed" }),
    member.post("/tasks", {
      list_id: list.id,
      title: "his",
      assignee_id: owner.id,
      due_date: "2031-02-03",
      starred: true,
    }),
    owner.post("/tasks", { list_id: list.id, title: "no member", assignee_id: stranger.id }),
    owner.post("/tasks", { list_id: list.id, title: "half", recurrence_type: "day" }),
    owner.post("/tasks", {
      list_id: list.id,
      title: "done",
      completed: true,
      recurrence_type: "day",
      recurrence_count: 2,
    }),
  ])
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 422, 201, 201, 201, 201, 404, 201, 422, 422, 201])
  titles.forEach((title, index) => {
    if (title !== "") expect(replies[index]?.body.title).toBe(title)
  })
  const his = replies[8]?.body
  expect(his).toMatchObject({ assignee_id: owner.id, due_date: "2031-02-03", starred: true, created_by_id: member.id })
  expect(replies[9]?.body.error.assignee_id).toEqual([expect.any(String)])
  expect(replies[10]?.body.error.recurrence_count).toEqual([expect.any(String)])
  expect(replies[11]?.body).toMatchObject({ completed: true, completed_by_id: owner.id, recurrence_count: 2 })
  const made = replies.filter(({ status }) => status === 201).map(({ body }) => body)
  for (const task of made) expect((await owner.get(`/tasks/${task.id}`)).body).toEqual(task)
  expect(new Set(made.map(({ id }) => id)).size).toBe(made.length)
})

it("makes many in few statements, with an event and a revision for each", async () => {
  const fresh = await makeList(owner)
  const rows = (sql: string) => node.database.prisma.$queryRawUnsafe<any[]>(sql)
  const made = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      node.database.run(insertTask, [
        ...[String(fresh.id), String(owner.id), "r", `t${index}`, null, null, false, false],
        ...[null, null, null],
      ]),
    ),
  )
  expect(made.map(([task]) => task?.title)).toEqual(Array.from({ length: 60 }, (_, index) => `t${index}`))
  expect((await owner.get(`/lists/${fresh.id}`)).body.revision).toBe(61)
  const told = await rows(
    `select count(*)::int as events, count(distinct xid)::int as transactions from events where list_id = ${fresh.id} and subject_type = 'task'`,
  )
  // The first had nobody to wait for.
  expect(told).toEqual([{ events: 60, transactions: 2 }])
})
