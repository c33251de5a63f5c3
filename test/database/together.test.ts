import { beforeAll, expect, it } from "vitest"
import { changedValues, newValues } from "../../src/loading/fields.js"
import { TASK_SETTABLES } from "../../src/resources/task/task.input.js"
import { insertTask, patchTask } from "../../src/resources/task/task.statements.js"
import { addMember, makeList, makePerson, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

// Tasks that are made or changed in one list at the same time leave the node together; nobody who writes one can tell.

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
      title: "members",
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
  const members = replies[8]?.body
  expect(members).toMatchObject({
    assignee_id: owner.id,
    due_date: "2031-02-03",
    starred: true,
    created_by_id: member.id,
  })
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
        ...[String(fresh.id), String(owner.id), "r", null],
        ...newValues(TASK_SETTABLES, { title: `t${index}` }),
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

const rowsOf = (sql: string) => node.database.prisma.$queryRawUnsafe<any[]>(sql)
const inMany = async (count: number): Promise<{ list: any; tasks: any[] }> => {
  const fresh = await makeList(owner)
  await addMember(node, fresh, member)
  // The node knows of what it has answered itself in which list it is.
  const made = Array.from({ length: count }, (_, index) =>
    owner.post("/tasks", { list_id: fresh.id, title: `t${index}` }),
  )
  return { list: fresh, tasks: (await Promise.all(made)).map(({ body }) => body) }
}

it("gives each change its own answer: made, stale, closed, refused for one field, moved", async () => {
  const { list: here, tasks } = await inMany(9)
  const elsewhere = await makeList(owner)
  const change = (by: Person, index: number, body: object) =>
    by.patch(`/tasks/${tasks[index].id}`, { revision: 1, ...body })
  const replies = await Promise.all([
    change(owner, 0, { title: 'a "quoted" \\ {one}, two' }),
    change(member, 1, { starred: true, due_date: "2031-02-03", assignee_id: owner.id }),
    change(owner, 2, { revision: 7, title: "stale" }),
    change(stranger, 3, { title: "closed" }),
    change(owner, 4, { assignee_id: stranger.id }),
    change(owner, 5, { recurrence_type: "day" }),
    change(member, 6, { completed: true }),
    change(owner, 7, { list_id: elsewhere.id }),
    change(owner, 8, { title: "first" }),
    change(owner, 8, { title: "second" }),
    change(owner, 8, { title: "third" }),
  ])
  const statuses = replies.map(({ status }) => status)
  expect(statuses.slice(0, 8)).toEqual([200, 200, 409, 404, 422, 422, 200, 200])
  expect(statuses.slice(8).sort()).toEqual([200, 409, 409])
  expect(replies[0]?.body).toMatchObject({ title: 'a "quoted" \\ {one}, two', revision: 2 })
  expect(replies[1]?.body).toMatchObject({ starred: true, due_date: "2031-02-03", assignee_id: owner.id, title: "t1" })
  expect(replies[6]?.body).toMatchObject({ completed: true, completed_by_id: member.id })
  for (const { status, body } of replies)
    if (status === 200) expect((await owner.get(`/tasks/${body.id}`)).body).toEqual(body)
  const told = await rowsOf(
    `select operation, subject_id::int as id, actor_id::int as by from events where list_id = ${here.id} and subject_type = 'task' and operation <> 'CREATE' order by id`,
  )
  expect(told).toHaveLength(5)
  expect(new Set(told.map(({ by }) => by))).toEqual(new Set([owner.id, member.id]))
})

it("changes many in few statements, with an event, a revision, an actor and a request for each", async () => {
  const { list: here, tasks: made } = await inMany(60)
  const tasks = made.toSorted((one, other) => one.id - other.id)
  const before = (await owner.get(`/lists/${here.id}`)).body.revision
  const change = ({ id }: any, index: number) => [
    ...[String(id), String((index % 2 ? member : owner).id), 1, `request-${index}`, null],
    ...changedValues(TASK_SETTABLES, { title: `changed ${index}` }),
  ]
  const changed = await Promise.all(tasks.map((task, index) => node.database.run(patchTask, change(task, index))))
  expect(changed.map(([task]) => task?.title)).toEqual(tasks.map((_, index) => `changed ${index}`))
  expect((await owner.get(`/lists/${here.id}`)).body.revision).toBe(before + 60)
  const told = await rowsOf(
    `select subject_id::int as id, actor_id::int as by, request_id as request, revision::int, xid::text from events
     where list_id = ${here.id} and operation = 'UPDATE' order by subject_id`,
  )
  expect(told.map(({ xid: _, ...one }) => one)).toEqual(
    tasks.map(({ id }, index) => ({
      id,
      by: (index % 2 ? member : owner).id,
      request: `request-${index}`,
      revision: 2,
    })),
  )
  expect(new Set(told.map(({ xid }) => xid)).size).toBe(2) // the first had nobody to wait for
})
