import { beforeAll, describe, expect, it } from "vitest"
import { applyMigrations } from "../../src/database/migrate.js"
import { silentLog } from "../support/log.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, startNode, type TestNode } from "../support/node.js"
import { onOneDay } from "../support/noon.js"
import { runSql } from "../support/postgres.js"

let node: TestNode
let owner: Person
let member: Person

beforeAll(async () => {
  node = await sharedNode()
  owner = await makePerson(node)
  member = await makePerson(node, "Bob")
})

const openTasks = async (listId: number) => (await owner.get(`/tasks?list_id=${listId}`)).body

/** Completes the only open task of a list again and again; gives the due dates that follow. */
async function follow(members: Record<string, unknown>, times: number): Promise<string[]> {
  const list = await makeList(owner)
  await makeTask(owner, list, members)
  const dates: string[] = []
  for (let count = 0; count < times; count++) {
    const [task] = await openTasks(list.id)
    await owner.patch(`/tasks/${task.id}`, { revision: task.revision, completed: true })
    const open = await openTasks(list.id)
    expect(open).toHaveLength(1)
    dates.push(open[0].due_date)
  }
  return dates
}

describe("completing a recurring task (§2 Task, §8)", () => {
  it("clamps the 31st to the end of a short month, and the 31st comes back", async () => {
    expect(await follow({ due_date: "2031-01-31", recurrence_type: "month", recurrence_count: 1 }, 12)).toEqual([
      "2031-02-28",
      "2031-03-31",
      "2031-04-30",
      "2031-05-31",
      "2031-06-30",
      "2031-07-31",
      "2031-08-31",
      "2031-09-30",
      "2031-10-31",
      "2031-11-30",
      "2031-12-31",
      "2032-01-31",
    ]) // prettier-ignore
  })

  it.each([
    ["year", 1, "2032-02-29", ["2033-02-28", "2034-02-28", "2035-02-28", "2036-02-29"]],
    ["month", 1, "2031-08-31", ["2031-09-30", "2031-10-31"]],
    ["month", 12, "2032-02-29", ["2033-02-28"]],
    ["week", 2, "2031-12-25", ["2032-01-08", "2032-01-22"]],
    ["day", 3, "2032-02-27", ["2032-03-01"]],
  ])("every %s × %i from %s: %j", async (type, count, due, dates) => {
    expect(await follow({ due_date: due, recurrence_type: type, recurrence_count: count }, dates.length)).toEqual(dates)
  })

  it("skips to the first date that is not in the past", async () => {
    await onOneDay(async (dayIn) => {
      expect(await follow({ due_date: dayIn(-10), recurrence_type: "day", recurrence_count: 3 }, 1)).toEqual([dayIn(2)])
      expect(await follow({ due_date: dayIn(-7), recurrence_type: "week", recurrence_count: 1 }, 1)).toEqual([dayIn(0)])
      const [next] = await follow({ due_date: "2019-01-31", recurrence_type: "month", recurrence_count: 1 }, 1)
      expect(next && next >= dayIn(0) && next <= dayIn(32)).toBe(true)
    })
  })

  it("counts from the day of completion when there is no due date", async () => {
    await onOneDay(async (dayIn) => {
      expect(await follow({ recurrence_type: "week", recurrence_count: 1 }, 1)).toEqual([dayIn(7)])
    })
  })

  it("makes nothing when the next date would leave the calendar", async () => {
    const list = await makeList(owner)
    const task = await makeTask(owner, list, {
      due_date: "2031-01-31",
      recurrence_type: "year",
      recurrence_count: 2_147_483_647,
    })
    expect((await owner.patch(`/tasks/${task.id}`, { revision: 1, completed: true })).status).toBe(200)
    expect(await openTasks(list.id)).toEqual([])
  })

  it("copies title, star, assignee and recurrence, opens the subtasks again, and shifts the reminder by as many days", async () => {
    const list = await makeList(owner)
    await addMember(node, list, member)
    const task = await makeTask(owner, list, {
      title: "Rent",
      due_date: "2031-01-31",
      starred: true,
      assignee_id: member.id,
      recurrence_type: "month",
      recurrence_count: 1,
    })
    const { body: subtask } = await owner.post("/subtasks", { task_id: task.id, title: "Transfer", completed: true })
    await owner.post("/reminders", { task_id: task.id, date: "2031-01-30T09:15:00+01:00" })
    const { revision } = (await owner.get(`/tasks/${task.id}`)).body
    const done = (await member.patch(`/tasks/${task.id}`, { revision, completed: true })).body
    expect(done).toMatchObject({
      id: task.id,
      completed: true,
      due_date: "2031-01-31",
      recurrence_type: "month",
      recurrence_count: 1,
    })
    const [next] = await openTasks(list.id)
    expect(next).toEqual({
      ...task,
      id: expect.any(Number),
      created_at: expect.any(String),
      created_by_id: member.id,
      due_date: "2031-02-28",
      revision: 2,
    })
    expect((await owner.get(`/subtasks?task_id=${next.id}`)).body).toMatchObject([
      { title: "Transfer", completed: false },
    ])
    expect((await owner.get(`/subtasks/${subtask.id}`)).body.completed).toBe(true)
    expect((await owner.get(`/reminders?task_id=${next.id}`)).body).toMatchObject([
      { date: "2031-02-27T08:15:00.000Z" },
    ])
  })

  it("makes one successor however often and by however many it is completed", async () => {
    const list = await makeList(owner)
    await addMember(node, list, member)
    const task = await makeTask(owner, list, { due_date: "2031-01-31", recurrence_type: "day", recurrence_count: 1 })
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? owner : member).patch(`/tasks/${task.id}`, { revision: 1, completed: true }),
      ),
    )
    const { revision } = (await owner.get(`/tasks/${task.id}`)).body
    const reopened = (await owner.patch(`/tasks/${task.id}`, { revision, completed: false })).body
    await owner.patch(`/tasks/${task.id}`, { revision: reopened.revision, completed: true })
    expect((await openTasks(list.id)).map(({ due_date }: { due_date: string }) => due_date)).toEqual(["2031-02-01"])
  })

  it("takes a new due date as the new anchor", async () => {
    const list = await makeList(owner)
    const task = await makeTask(owner, list, { due_date: "2031-01-31", recurrence_type: "month", recurrence_count: 1 })
    await owner.patch(`/tasks/${task.id}`, { revision: 1, completed: true })
    const [february] = await openTasks(list.id)
    await owner.patch(`/tasks/${february.id}`, { revision: february.revision, due_date: "2031-02-27" })
    await owner.patch(`/tasks/${february.id}`, { revision: february.revision + 1, completed: true })
    expect((await openTasks(list.id))[0].due_date).toBe("2031-03-27")
  })
})

describe("the next task of a recurring one", () => {
  /** Columns that begin anew; every other is the former task's. A new column has to be put on one of the two sides. */
  const ANEW = [
    ...["id", "created_at", "created_by_id", "created_by_request_id", "due_date", "recurrence_anchor", "recurred"],
    ...[
      "completed",
      "completed_at",
      "completed_by_id",
      "revision",
      "own_revision",
      "updated_by_id",
      "updated_by_request_id",
    ],
  ]

  it("has what its row says, column by column, but for what begins anew", async () => {
    const list = await makeList(owner)
    await addMember(node, list, member)
    const task = await makeTask(owner, list, {
      title: "Water the plants",
      starred: true,
      assignee_id: member.id,
      due_date: "2031-01-31",
      recurrence_type: "month",
      recurrence_count: 2,
    })
    await owner.patch(`/tasks/${task.id}`, { revision: task.revision, completed: true })
    const rows = await node.database.prisma.$queryRawUnsafe<{ row: Record<string, unknown> }[]>(
      "select to_jsonb(t) as row from tasks t where list_id = $1::bigint order by id",
      String(list.id),
    )
    const [former, next] = rows.map(({ row }) => row) as [Record<string, unknown>, Record<string, unknown>]
    const copied = Object.keys(former).filter((name) => !ANEW.includes(name))
    for (const name of copied) expect(former[name], `give the task of this test a ${name}`).not.toBeNull()
    expect(Object.fromEntries(copied.map((name) => [name, next[name]]))).toEqual(
      Object.fromEntries(copied.map((name) => [name, former[name]])),
    )
    expect(ANEW.filter((name) => !(name in former))).toEqual([])
  })
})

describe("reminders whose next date would be behind the year 9999", () => {
  const calendarOf = async (person: Person) => {
    const { data } = await person.graphql("mutation { createCalendarFeed { url } }")
    return (await fetch(data.createCalendarFeed.url)).text()
  }
  /** Makes a shared task that is completed so that the next is due in 9999, and a reminder of the member's. */
  async function complete(node: TestNode, [owner, member]: [Person, Person], date: string) {
    const list = await makeList(owner)
    await addMember(node, list, member)
    const task = await makeTask(owner, list)
    expect((await member.post("/reminders", { task_id: task.id, date })).status).toBe(201)
    const { revision } = (await owner.get(`/tasks/${task.id}`)).body
    const every = { recurrence_type: "year", recurrence_count: 9_998, due_date: "0001-01-01" }
    const reply = await owner.patch(`/tasks/${task.id}`, { revision, ...every, completed: true })
    expect(reply.status).toBe(200)
    const next = (await owner.get(`/tasks?list_id=${list.id}`)).body[0]
    expect(next.due_date).toBe("9999-01-01")
    return { list, next }
  }

  it.each([
    ["are left out", "2027-06-01T08:00:00Z", []],
    ["go with the task up to then", "0001-12-31T23:59:59.999Z", ["9999-12-31T23:59:59.999Z"]],
    ["are left out from the first moment behind it", "0002-01-01T00:00:00Z", []],
  ])("%s", async (_case, date, dates) => {
    const { list, next } = await complete(node, [owner, member], date)
    const all = (await member.get(`/reminders?list_id=${list.id}`)).body
    expect(all.filter((one: any) => one.task_id === next.id).map((one: any) => one.date)).toEqual(dates)
    expect(await calendarOf(member)).toMatch(/END:VCALENDAR\r\n$/)
  })

  it("that an earlier version has stored are set to the last moment of the calendar, in events too", async () => {
    const other = await startNode()
    try {
      const people: [Person, Person] = [await makePerson(other), await makePerson(other)]
      const { list, next } = await complete(other, people, "0001-06-01T08:00:00Z")
      const [_, bob] = people
      const cursor = (await bob.get("/root")).body.cursor
      await runSql(
        other.databaseUrl,
        `alter table reminders drop constraint reminder_date_range; alter table files drop constraint local_created_at_range;
         update reminders set date = '12025-05-30 08:00+00' where task_id = ${next.id};
         delete from _prisma_migrations where migration_name ~ '_the_calendar$'`,
      )
      expect(await applyMigrations(other.databaseUrl, silentLog)).toHaveLength(5)
      const [reminder] = (await bob.get(`/reminders?task_id=${next.id}`)).body
      expect(reminder.date).toBe("9999-12-31T23:59:59.999Z")
      const { changes } = (await bob.get(`/changes?after=${encodeURIComponent(cursor)}`)).body
      expect(changes.filter((one: any) => one.type === "reminder")).toMatchObject([{ id: reminder.id }])
      const snapshots = await other.database.prisma.$queryRawUnsafe<{ dates: string }[]>(
        "select concat_ws(' ', before->>'date', after->>'date') as dates from events where subject_type = 'reminder' order by id desc limit 2",
      )
      expect(snapshots.map(({ dates }) => dates.split(" ").at(-1))).toEqual(
        Array(2).fill("9999-12-31T23:59:59.999+00:00"),
      )
      expect((await bob.patch(`/reminders/${reminder.id}`, { revision: reminder.revision, date: "2031-01-01T08:00:00Z" })).status).toBe(200) // biome-ignore format: one line
      expect((await bob.get(`/reminders?list_id=${list.id}`)).status).toBe(200)
      expect(await calendarOf(bob)).toMatch(/END:VCALENDAR\r\n$/)
    } finally {
      await other.stop()
    }
  })
})

describe("calendar dates (§2 Task, due_date)", () => {
  it("do not move, whatever the time zones of the server's and the database's sessions", async () => {
    await node.database.prisma.$executeRawUnsafe(
      `alter database ${new URL(node.databaseUrl).pathname.slice(1)} set timezone to 'Asia/Tokyo'`,
    )
    const zone = process.env.TZ
    process.env.TZ = "America/Los_Angeles"
    try {
      const list = await makeList(owner)
      const task = await makeTask(owner, list, { due_date: "2013-08-30" })
      expect(task.due_date).toBe("2013-08-30")
      expect((await owner.get(`/tasks/${task.id}`)).body.due_date).toBe("2013-08-30")
      const { data } = await owner.graphql("query ($id: ID!) { task(id: $id) { dueDate } }", { id: task.id })
      expect(data.task.dueDate).toBe("2013-08-30")
    } finally {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    }
  })
})
