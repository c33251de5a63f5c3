import { execute, parse } from "graphql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Context, Viewer } from "../../src/context.js"
import { changedValues, newValues } from "../../src/loading/fields.js"
import { createOperations } from "../../src/operations/operations.js"
import { fileReads } from "../../src/resources/file/file.statements.js"
import { listById, listsByIds, listsOfUser } from "../../src/resources/list/list.statements.js"
import { noteReads } from "../../src/resources/note/note.statements.js"
import { reminderReads, remindersOfUser } from "../../src/resources/reminder/reminder.statements.js"
import { ordersInList, ordersOfTasks, subtaskReads } from "../../src/resources/subtask/subtask.statements.js"
import { TASK_SETTABLES } from "../../src/resources/task/task.input.js"
import {
  completedTasksOfLists,
  countTasks,
  insertTask,
  openTasksOfLists,
  ordersOfLists,
  pageOfTasks,
  patchTask,
  taskById,
  tasksByIds,
  tasksOfList,
} from "../../src/resources/task/task.statements.js"
import { commentReads } from "../../src/resources/task-comment/task-comment.statements.js"
import { SCOPES } from "../../src/scalars/scope.js"
import type { Statement, Value } from "../../src/statement.js"
import { buildSchema } from "../../src/transports/graphql/schema.js"
import { startNode, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"

// The hot statements against what anybody would write without them: Prisma reads every row, and the rules are applied here.

type Row = Record<string, any>
type Kind = "subtasks" | "notes" | "reminders" | "comments" | "files"
type World = Record<Kind | "lists" | "memberships" | "tasks" | "reads" | "taskOrders" | "subtaskOrders", Row[]>

const USERS = 5
const schema = buildSchema()
let node: TestNode
let world: World

/** The same numbers in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

/** A row of Prisma as answers have it: ids as text, dates as dates, instants as instants. */
const shown = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (typeof value === "bigint")
        return [name, name.toLowerCase().endsWith("revision") ? Number(value) : String(value)]
      if (Array.isArray(value)) return [name, value.map(String)]
      if (!(value instanceof Date)) return [name, value]
      return [name, name === "dueDate" ? value.toISOString().slice(0, 10) : value.toISOString()]
    }),
  )

async function readWorld(): Promise<World> {
  const { prisma } = node.database
  const orderBy = { id: "asc" } as const
  const all = {
    lists: await prisma.list.findMany({ orderBy }),
    memberships: await prisma.membership.findMany({ orderBy }),
    tasks: await prisma.task.findMany({ orderBy }),
    subtasks: await prisma.subtask.findMany({ orderBy }),
    notes: await prisma.note.findMany({ orderBy }),
    reminders: await prisma.reminder.findMany({ orderBy }),
    comments: await prisma.taskComment.findMany({ orderBy }),
    reads: await prisma.commentRead.findMany(),
    files: await prisma.file.findMany({ orderBy }),
    taskOrders: await prisma.taskPosition.findMany(),
    subtaskOrders: await prisma.subtaskPosition.findMany(),
  }
  return Object.fromEntries(Object.entries(all).map(([name, rows]) => [name, rows.map(shown)])) as World
}

/** Random rows directly in the database: every combination that the tables allow, not only those that writers make. */
async function fill(): Promise<void> {
  const roll = dice(7)
  const sql: string[] = []
  for (let user = 1; user <= USERS; user++)
    sql.push(`insert into users (id, name, email) values (${user}, 'User ${user}', 'u${user}@example.org')`)
  for (let list = 101; list <= 112; list++) {
    const owner = 1 + roll(USERS)
    sql.push(
      `insert into lists (id, title, owner_id, created_by_id, updated_by_id) values (${list}, 'List ${list} "☃"', ${owner}, ${owner}, ${owner})`,
      `insert into memberships (list_id, user_id, state, owner) values (${list}, ${owner}, 'accepted', true)`,
    )
    for (let user = 1; user <= USERS; user++)
      if (user !== owner && roll(2) === 0)
        sql.push(
          `insert into memberships (list_id, user_id, state) values (${list}, ${user}, '${["accepted", "pending"][roll(2)]}')`,
        )
  }
  for (let task = 1_001; task <= 1_080; task++) {
    const list = 101 + roll(11) // 112 stays empty
    const isDone = roll(3) === 0
    const recurs = roll(4) === 0
    sql.push(
      `insert into tasks (id, list_id, title, assignee_id, created_by_id, due_date, starred, completed, completed_at, completed_by_id, recurrence_type, recurrence_count, created_at)
       values (${task}, ${list}, 'Task ${task} \\ "quoted"', ${roll(2) ? "null" : 1 + roll(USERS)}, ${1 + roll(USERS)}, ${roll(2) ? "null" : `date '2026-01-01' + ${roll(400)}`},
         ${roll(2) === 0}, ${isDone}, ${isDone ? "now()" : "null"}, ${isDone ? 1 : "null"}, ${recurs ? "'week'" : "null"}, ${recurs ? 2 : "null"}, timestamptz '2026-01-01 10:00:00' + ${roll(1000)} * interval '10 ms')`,
    )
    for (let child = roll(4); child > 0; child--)
      sql.push(
        `insert into subtasks (task_id, title, completed, completed_at, created_by_id) select ${task}, 'Step ${child}', d, case when d then now() end, 1 from (values (${roll(2) === 0})) v(d)`,
      )
    for (let child = roll(3); child > 0; child--)
      sql.push(`insert into notes (task_id, content, created_by_id) values (${task}, E'line\\n${child}', 1)`)
    for (let child = roll(3); child > 0; child--)
      sql.push(
        `insert into reminders (task_id, user_id, date, created_by_device_udid) values (${task}, ${1 + roll(USERS)}, timestamptz '2027-01-01' + ${roll(1000)} * interval '1 hour', ${roll(2) ? "null" : "'phone'"})`,
        `insert into files (task_id, user_id, file_name, content_type, file_size, storage_key) values (${task}, ${1 + roll(USERS)}, 'a ${child} "b".png', 'image/png', ${1 + roll(2_000_000_000)}, 'tandem/uploads/${task}-${child}')`,
        `with c as (insert into task_comments (task_id, text, created_by_id) values (${task}, 'Well, \\ ${child}', ${1 + roll(USERS)}) returning id)
           insert into comment_reads (comment_id, user_id, read) select id, ${1 + roll(USERS)}, ${roll(2) === 0} from c`,
      )
    if (roll(3) === 0)
      sql.push(
        `insert into subtask_positions (id, "values") select ${task}, array_agg(id order by id desc) || 99999::bigint from subtasks where task_id = ${task} and id % 2 = 0`,
      )
  }
  for (let list = 101; list <= 112; list += 2)
    sql.push(
      `insert into task_positions (id, "values") select ${list}, '{5}' || array_agg(id order by md5(id::text)) from tasks where list_id = ${list} and id % 3 <> 0`,
    )
  await runSql(node.databaseUrl, sql.join(";"))
  world = await readWorld()
}

beforeAll(async () => {
  node = await startNode()
  await fill()
})
afterAll(() => node.stop())

const viewers = Array.from({ length: USERS }, (_, index) => String(index + 1))
const membership = (listId: string, viewer: string) =>
  world.memberships.find((row) => row.listId === listId && row.userId === viewer)
const isOpen = (listId: string, viewer: string) => membership(listId, viewer)?.state === "accepted"
const listOf = (taskId: string): string => world.tasks.find(({ id }) => id === taskId)?.listId
/** What a viewer sees of a row beside its columns: whether they have read a comment, and the list that a file is in. */
function asSeen(kind: Kind, row: Row, viewer: string): Row {
  if (kind === "files") return { ...row, listId: listOf(row.taskId), fileSize: Number(row.fileSize) }
  if (kind !== "comments") return row
  const isRead = world.reads.some((mark) => mark.commentId === row.id && mark.userId === viewer && mark.read)
  const seen = { id: row.id, read: row.createdById === viewer || isRead, authorName: `User ${row.createdById}` }
  return { ...row, seen }
}
const run = <R>(statement: Statement<R>, values: readonly Value[]): Promise<R[]> => node.database.run(statement, values)
/** Rows with the members of the statement's answer; null where a left join found nothing. */
function sameRows(found: readonly (object | null)[], expected: readonly Row[]): void {
  const members = Object.keys(found[0] ?? {}).filter((name) => name !== "ownerType")
  expect(found.map((row) => row && { ...row, ownerType: undefined })).toEqual(
    expected.map((row) => ({ ...Object.fromEntries(members.map((name) => [name, row[name]])), ownerType: undefined })),
  )
}

describe.each(viewers)("for viewer %s", (viewer) => {
  it("lists are those that the viewer is a member of or invited to", async () => {
    const mine = world.lists.filter(({ id }) => membership(id, viewer))
    sameRows(await run(listsOfUser, [viewer]), mine)
    const ids = world.lists.map(({ id }) => id)
    const byIds = await run(listsByIds, [ids, viewer])
    sameRows(
      byIds.sort((a, b) => Number(a.id) - Number(b.id)),
      mine,
    )
    for (const list of world.lists)
      sameRows(
        await run(listById, [list.id, viewer]),
        mine.filter(({ id }) => id === list.id),
      )
  })

  it("a list's tasks are its open or completed ones, and none where it is closed", async () => {
    for (const { id: listId } of world.lists)
      for (const completed of [false, true]) {
        const rows = await run(tasksOfList, [listId, viewer, completed])
        const expected = world.tasks.filter((task) => task.listId === listId && task.completed === completed)
        if (!isOpen(listId, viewer)) expect(rows).toEqual([])
        else if (expected.length === 0) expect(rows).toEqual([null])
        else sameRows(rows, expected)
        const page = await run(pageOfTasks, [listId, viewer, "1040", 3, completed])
        sameRows(page, isOpen(listId, viewer) ? expected.filter(({ id }) => Number(id) > 1040).slice(0, 3) : [])
        const [count] = await run(countTasks, [listId, viewer])
        const key = completed ? "completedCount" : "uncompletedCount"
        expect(count?.[key]).toBe(isOpen(listId, viewer) ? expected.length : undefined)
      }
  })

  it("tasks of many lists and by their ids are those of open lists", async () => {
    const open = world.tasks.filter((task) => isOpen(task.listId, viewer))
    const byList = [...open].sort((a, b) => Number(a.listId) - Number(b.listId) || Number(a.id) - Number(b.id))
    const listIds = world.lists.map(({ id }) => id)
    sameRows(
      await run(openTasksOfLists, [listIds, viewer]),
      byList.filter(({ completed }) => !completed),
    )
    sameRows(
      await run(completedTasksOfLists, [listIds, viewer]),
      byList.filter(({ completed }) => completed),
    )
    const byIds = await run(tasksByIds, [world.tasks.map(({ id }) => id), viewer])
    sameRows(
      byIds.sort((a, b) => Number(a.id) - Number(b.id)),
      open,
    )
    for (const task of world.tasks.slice(0, 30))
      sameRows(
        await run(taskById, [task.id, viewer]),
        open.filter(({ id }) => id === task.id),
      )
  })

  it.each([
    ["subtasks", subtaskReads, [null, null, null]] as const,
    ["notes", noteReads, []] as const,
    ["reminders", reminderReads, []] as const,
    ["comments", commentReads, []] as const,
    ["files", fileReads, []] as const,
  ])("%s are those of open tasks, whichever way they are asked for", async (name, reads, filter) => {
    const rows = world[name].map((row) => asSeen(name, row, viewer))
    const seen = rows.filter(
      (row) => isOpen(listOf(row.taskId), viewer) && (name !== "reminders" || row.userId === viewer),
    )
    const byTask = [...seen].sort((a, b) => Number(a.taskId) - Number(b.taskId) || Number(a.id) - Number(b.id))
    sameRows(await run<object>(reads.ofTasks, [world.tasks.map(({ id }) => id), viewer]), byTask)
    for (const row of rows.slice(0, 20))
      sameRows(
        await run<object>(reads.byId, [row.id, viewer]),
        seen.filter(({ id }) => id === row.id),
      )
    for (const { id } of world.tasks.slice(0, 30)) {
      const found = await run<object | null>(reads.ofTask, [id, viewer, null, ...filter])
      const expected = seen.filter(({ taskId }) => taskId === id)
      if (!isOpen(listOf(id), viewer)) expect(found).toEqual([])
      else if (expected.length === 0) expect(found).toEqual([null])
      else sameRows(found, expected)
    }
    for (const { id } of world.lists)
      for (const completed of [null, true, false]) {
        const found = await run<object | null>(reads.ofList, [id, viewer, completed, ...filter])
        const expected = seen.filter(({ taskId }) => {
          const task = world.tasks.find((row) => row.id === taskId) as Row
          return task.listId === id && (completed === null || task.completed === completed)
        })
        if (!isOpen(id, viewer)) expect(found).toEqual([])
        else if (expected.length === 0) expect(found).toEqual([null])
        else sameRows(found, expected)
      }
  })

  it("reminders are the viewer's own, in open tasks", async () => {
    const own = world.reminders.filter((row) => row.userId === viewer && isOpen(listOf(row.taskId), viewer))
    sameRows(await run<object>(remindersOfUser, [viewer]), own)
  })

  it("orders are those of open lists and of their tasks", async () => {
    const byId = (a: { id: string }, b: { id: string }) => Number(a.id) - Number(b.id)
    const plain = (rows: Row[]) => rows.map(({ id, values }) => ({ id, values })).sort(byId)
    const listIds = world.lists.map(({ id }) => id)
    const ofLists = await run(ordersOfLists, [listIds, viewer])
    expect(ofLists.sort(byId)).toEqual(plain(world.taskOrders.filter(({ id }) => isOpen(id, viewer))))
    const seen = world.subtaskOrders.filter(({ id }) => isOpen(listOf(id), viewer))
    const ofTasks = await run(ordersOfTasks, [world.tasks.map(({ id }) => id), viewer])
    expect(ofTasks.sort(byId)).toEqual(plain(seen))
    for (const listId of listIds) {
      const inList = await run(ordersInList, [listId, viewer])
      const open = seen.filter(({ id }) =>
        world.tasks.some((task) => task.id === id && task.listId === listId && !task.completed),
      )
      expect(inList.sort(byId)).toEqual(plain(open))
    }
  })

  it("a list read level by level is what graphql-js and a loader per field make of it", async () => {
    const fields = `id title revision tasks { id title dueDate recurrenceType revision
      subtasks { id title completed } notes { ...Text } first: subtasks { id } }`
    const fragment = "fragment Text on Note { id content createdAt }"
    const who: Viewer = {
      userId: viewer,
      tokenId: "1",
      applicationId: "1",
      clientId: "c",
      dialect: "spec",
      scopes: new Set(SCOPES),
    }
    const context = () =>
      ({ db: node.database, viewer: who, loaders: new Map(), now: () => new Date() }) as unknown as Context
    const plain = await execute({
      schema,
      document: parse(`{ lists { ${fields} } } ${fragment}`),
      contextValue: context(),
    })
    expect(plain.errors).toBeUndefined()
    const operation = createOperations(schema).prepare(`query ($id: ID!) { list(id: $id) { ${fields} } } ${fragment}`)
    for (const { id } of world.lists) {
      const expected = ((plain.data?.lists ?? []) as Row[]).find((list) => list.id === id)
      // The first run is graphql-js, the others are compiled.
      for (let time = 0; time < 3; time++) {
        const { data, errors } = await operation.run(context(), { id })
        if (expected !== undefined) expect(data?.list).toEqual(expected)
        else expect([data?.list ?? undefined, errors?.length]).toEqual([undefined, 1])
      }
    }
  })
})

it("a task that is made or changed is answered as it is stored", async () => {
  const [{ listId, userId: viewer }] = world.memberships.filter(({ state }) => state === "accepted") as [Row]
  const stored = async (id: string) =>
    shown(await node.database.prisma.task.findUniqueOrThrow({ where: { id: BigInt(id) } }))
  const values = [
    ...[listId, viewer, "r", "mine"],
    ...newValues(TASK_SETTABLES, {
      title: "Made",
      dueDate: "2026-05-01",
      starred: true,
      recurrenceType: "day",
      recurrenceCount: 3,
    }),
  ]
  const [made] = await run(insertTask, values)
  sameRows([made as object], [await stored(made!.id)])
  const change = (title: string) => [null, ...changedValues(TASK_SETTABLES, { title })]
  const [changed] = await run(patchTask, [made!.id, viewer, 1, "r", ...change("Changed")])
  expect(changed).toMatchObject({ title: "Changed", dueDate: "2026-05-01", revision: 2 })
  sameRows([changed as object], [await stored(made!.id)])
  expect(await run(patchTask, [made!.id, viewer, 1, "r", ...change("Stale")])).toEqual([])
  for (const other of viewers.filter((user) => !isOpen(listId, user))) {
    expect(await run(insertTask, [listId, other, ...values.slice(2)])).toEqual([])
    expect(await run(patchTask, [made!.id, other, 2, "r", ...change("Not theirs")])).toEqual([])
  }
})
