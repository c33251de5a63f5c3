import pg from "pg"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { eventually, type Listener, listen } from "../live/listener.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { makeFile, temporaryFolder } from "../support/uploads.js"

const TASKS = 300

let node: TestNode
let owner: Person
let member: Person
const sockets: Listener[] = []

beforeAll(async () => {
  node = await startNode({ dataDir: temporaryFolder() })
  owner = await makePerson(node, "Ann")
  member = await makePerson(node, "Bob")
})
afterAll(async () => {
  await Promise.all(sockets.map((socket) => socket.close()))
  await node.stop()
})

const rows = (sql: string) => node.database.prisma.$queryRawUnsafe<any[]>(sql)
const countIn = async (list: { id: number }): Promise<number> =>
  Number((await rows(`select count(*) from tasks where list_id = ${list.id}`))[0].count)

/** Holds a row as a slow writer does, so that its removal waits. */
async function holding(task: { id: number }): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: node.databaseUrl })
  await client.connect()
  await client.query("begin")
  await client.query(`select from tasks where id = ${task.id} for update`)
  onTestFinished(() => client.end())
  return { release: () => client.query("rollback").then(() => {}) }
}

const waitsToRemove =
  "select pid from pg_stat_activity where datname = current_database() and query like 'delete from tasks%' and wait_event_type = 'Lock'"

it("is gone for everybody at once, with one event, while what was in it is taken away in the background", async () => {
  const list = await makeList(owner)
  await addMember(node, list, member)
  const task = await makeTask(owner, list)
  const subtask = (await owner.post("/subtasks", { task_id: task.id, title: "s" })).body
  const file = await makeFile(owner, task, Buffer.from("hello"))
  const [reminder] = (await member.post("/reminders", { task_id: task.id, date: "2031-01-01T00:00:00Z" })).body
  const feed = await member.graphql("mutation ($listId: ID) { createCalendarFeed(listId: $listId) { url } }", {
    listId: String(list.id),
  })
  await rows(
    `insert into tasks (list_id, title, created_by_id) select ${list.id}, 't' || i, ${owner.id} from generate_series(1, ${TASKS}) i`,
  )
  const download = (await owner.get(`/files/${file.id}`)).body.url
  const socket = listen(owner, node.url)
  sockets.push(socket)
  const heard = socket.subscribe("subscription { accountUpdated { operation subjectType subjectId } }")
  await eventually(() => node.status().streams >= 1)
  const [root, user] = [(await member.get("/root")).body.revision, (await member.get("/user")).body.revision]
  const { revision } = (await owner.get(`/lists/${list.id}`)).body

  const held = await holding(task)
  expect((await owner.delete(`/lists/${list.id}?revision=${revision}`)).status).toBe(204)

  const closed = [
    `/lists/${list.id}`,
    `/tasks/${task.id}`,
    `/tasks?list_id=${list.id}`,
    `/lists/tasks_count?list_id=${list.id}`,
    `/subtasks/${subtask.id}`,
    `/subtasks?list_id=${list.id}`,
    `/files/${file.id}`,
    `/reminders/${reminder.id}`,
    `/task_positions/${list.id}`,
    `/webhooks?list_id=${list.id}`,
  ]
  for (const person of [owner, member]) {
    const statuses = await Promise.all(closed.map(async (path) => [path, (await person.get(path)).status]))
    expect(statuses).toEqual(closed.map((path) => [path, 404]))
    const [memberships, lists, one] = await Promise.all([
      person.get("/memberships"),
      person.get("/lists"),
      person.graphql(`{ task(id: ${task.id}) { id } }`),
    ])
    expect(memberships.body.map(({ list_id }: any) => list_id)).not.toContain(list.id)
    expect(lists.body.map(({ id }: any) => id)).not.toContain(list.id)
    expect(one.code).toBe("NOT_FOUND")
  }
  const refused = await Promise.all([
    fetch(download),
    fetch(feed.data.createCalendarFeed.url),
    owner.post("/tasks", { list_id: list.id, title: "t" }),
    owner.patch(`/tasks/${task.id}`, { revision: 1, title: "x" }),
    owner.delete(`/lists/${list.id}?revision=${revision}`),
  ])
  expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
  const grown = (await member.get("/root")).body.revision
  expect(grown).toBeGreaterThan(root)
  // A reminder of theirs went with it, which is below the user.
  const after = (await member.get("/user")).body.revision
  expect(after).toBe(user + 1)
  expect(await countIn(list)).toBe(TASKS + 1)

  await held.release()
  await eventually(async () => (await rows(`select from lists where id = ${list.id}`)).length === 0)
  expect(await countIn(list)).toBe(0)
  expect(await rows(`select from files where id = ${file.id}`)).toEqual([])
  expect((await member.get("/root")).body.revision).toBe(grown)
  expect((await member.get("/user")).body.revision).toBe(after)
  await eventually(() => heard.events.length > 0)
  expect(heard.events).toEqual([{ operation: "DELETE", subjectType: "list", subjectId: String(list.id) }])
  const told = await rows(
    `select operation || ' ' || subject_type as what from events where list_id = ${list.id} and list_revision > ${revision}`,
  )
  expect(told).toEqual([{ what: "DELETE list" }])
})

it("goes on when the node that was at it has died", async () => {
  const list = await makeList(owner)
  const task = await makeTask(owner, list)
  const held = await holding(task)
  expect((await owner.delete(`/lists/${list.id}?revision=2`)).status).toBe(204)
  await eventually(async () => (await rows(waitsToRemove)).length === 1)
  const [{ pid }] = await rows(waitsToRemove)
  await rows(`select pg_terminate_backend(${pid})`)
  await held.release()
  await eventually(async () => (await rows(`select from lists where id = ${list.id}`)).length === 0)
  expect(await countIn(list)).toBe(0)
})

it("refuses what waited for the list while it was deleted, and moves nothing out of it or into it", async () => {
  const [list, other] = [await makeList(owner), await makeList(owner)]
  const [task, outside] = [await makeTask(owner, list), await makeTask(owner, other)]
  const deleting = new pg.Client({ connectionString: node.databaseUrl })
  await deleting.connect()
  await deleting.query("begin")
  await deleting.query(`update lists set deleted_at = now() where id = ${list.id}`)
  const waiting = [
    owner.post("/tasks", { list_id: list.id, title: "t" }),
    owner.patch(`/tasks/${task.id}`, { revision: 1, list_id: other.id }),
    owner.patch(`/tasks/${outside.id}`, { revision: 1, list_id: list.id }),
  ]
  const blocked =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%tasks%'"
  await eventually(async () => (await rows(blocked)).length === waiting.length)
  await deleting.query("commit")
  await deleting.end()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([404, 404, 404])
  expect((await owner.get(`/tasks/${outside.id}`)).body).toMatchObject({ list_id: other.id, revision: 1 })
  expect(await countIn(other)).toBe(1)
})
