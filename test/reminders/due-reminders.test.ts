import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { App } from "../../src/app.js"
import { openDatabase } from "../../src/database/client.js"
import { createPubSub } from "../../src/events/pub-sub.js"
import { startDueReminders } from "../../src/jobs/due-reminders.js"
import type { Log } from "../../src/log.js"
import { statement } from "../../src/statement.js"
import { eventually, type Listener, type Listening, listen, quiet } from "../live/listener.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { createTestDatabase, runSql } from "../support/postgres.js"

let node: TestNode
let other: App
let ann: Person
const sockets: Listener[] = []
beforeAll(async () => {
  node = await startNode()
  other = await startNodeOn(node.databaseUrl)
  ann = await makePerson(node, "Ann")
})
afterAll(async () => {
  await Promise.all(sockets.map((socket) => socket.close()))
  await other.stop()
  await node.stop()
})

type Where = { readonly url: string; status: App["status"] }

/** Waits for a person's reminders at a node; resolves when nothing is missed any more. */
async function awaiting(person: Person, at: Where = node): Promise<Listening & { readonly arrivals: number[] }> {
  const { streams } = at.status()
  const socket = listen(person, at.url)
  sockets.push(socket)
  const listening = socket.subscribe("subscription { reminderDue { id taskId date revision task { title } } }")
  await eventually(() => at.status().streams === streams + 1)
  const arrivals: number[] = []
  const push = listening.events.push.bind(listening.events)
  listening.events.push = (...events: any[]) => {
    arrivals.push(...events.map(() => Date.now()))
    return push(...events)
  }
  return Object.assign(listening, { arrivals })
}

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const remind = async (person: Person, task: { id: number }, date: string): Promise<any> =>
  (await person.post("/reminders", { task_id: task.id, date })).body[0]
/** Moves the instants of reminders to now, all at once. */
const fallDue = (reminders: { id: number }[]) =>
  runSql(node.databaseUrl, `update reminders set date = now() where id in (${reminders.map(({ id }) => id)})`)
const idsOf = ({ events }: Listening) => events.map(({ id }) => Number(id))

describe("reminderDue (§9)", () => {
  it("tells each of the user's sockets once, at the instant, whatever node it is at, and nobody else", async () => {
    const bob = await makePerson(node, "Bob")
    const list = await makeList(ann)
    await addMember(node, list, bob)
    const task = await makeTask(ann, list)
    const [here, there, bobs] = [await awaiting(ann), await awaiting(ann, other), await awaiting(bob, other)]
    const dates = [1_500, 2_000, 2_000, 2_700].map(inMs)
    const reminders = []
    for (const date of dates) reminders.push(await remind(ann, task, date))
    const bobsOwn = await remind(bob, task, inMs(900))
    await Promise.all([here, there].map((one) => one.until((events) => events.length === 4)))
    for (const one of [here, there]) {
      expect([...one.events]).toEqual(
        reminders.map(({ id, date }) => ({
          id: String(id),
          taskId: String(task.id),
          date,
          revision: 1,
          task: { title: task.title },
        })),
      )
      for (const [index, arrival] of one.arrivals.entries()) {
        const lateMs = arrival - Date.parse(dates[index] as string)
        expect(lateMs).toBeGreaterThanOrEqual(-5)
        expect(lateMs).toBeLessThan(30_000) // a second on a machine that does nothing else
      }
    }
    await quiet()
    expect([here, there, bobs].map(idsOf)).toEqual([idsOf(here), idsOf(here), [bobsOwn.id]])
  })

  it("follows a reminder that is moved, and leaves out what is deleted, completed or closed by then", async () => {
    const bob = await makePerson(node, "Bob")
    const list = await makeList(ann)
    const membershipId = await addMember(node, list, bob)
    const [kept, done, gone, reopened] = await Promise.all(
      ["kept", "done", "gone", "reopened"].map((title) => makeTask(bob, list, { title })),
    )
    const elsewhere = await makeTask(ann, list, { title: "elsewhere" })
    const bobs = await awaiting(bob)
    const anns = await awaiting(ann)
    const make = (task: any, person = bob) => remind(person, task, inMs(3_600_000))
    const [first, later, deleted] = [await make(kept), await make(kept), await make(kept)]
    const [ofDone, ofGone, ofReopened] = [await make(done), await make(gone), await make(reopened)]
    const ofMoved = await make(elsewhere, ann)
    await bob.patch(`/reminders/${first.id}`, { revision: 1, date: inMs(100) })
    await bob.delete(`/reminders/${deleted.id}?revision=1`)
    await bob.patch(`/tasks/${done.id}`, { revision: 1, completed: true })
    await bob.delete(`/tasks/${gone.id}?revision=1`)
    await bob.patch(`/tasks/${reopened.id}`, { revision: 1, completed: true })
    await bob.patch(`/tasks/${reopened.id}`, { revision: 2, completed: false })
    // Into a list that is Ann's alone: it is still Ann's task.
    await ann.patch(`/tasks/${elsewhere.id}`, { revision: 1, list_id: ann.inboxId })
    await bobs.until((events) => events.length === 1)
    await fallDue([deleted, ofDone, ofGone, ofReopened, ofMoved])
    await bobs.until((events) => events.length === 2)
    await anns.until((events) => events.length === 1)
    expect([idsOf(bobs), idsOf(anns)]).toEqual([[first.id, ofReopened.id], [ofMoved.id]])

    await ann.delete(`/memberships/${membershipId}?revision=1`)
    await fallDue([later])
    await quiet(1_200)
    expect(idsOf(bobs)).not.toContain(later.id)
  })

  it("tells again when a reminder that was told is moved, and not when anything else changes", async () => {
    const task = await makeTask(ann, { id: ann.inboxId })
    const anns = await awaiting(ann)
    const reminder = await remind(ann, task, inMs(50))
    await anns.until((events) => events.length === 1)
    await ann.patch(`/reminders/${reminder.id}`, { revision: 1, date: reminder.date })
    await ann.patch(`/tasks/${task.id}`, { revision: 1, title: "Other" })
    await quiet(400)
    await ann.patch(`/reminders/${reminder.id}`, { revision: 2, date: inMs(50) })
    await anns.until((events) => events.length === 2)
    await quiet()
    expect(anns.events.map(({ id, revision }) => [Number(id), revision])).toEqual([
      [reminder.id, 1],
      [reminder.id, 3],
    ])
  })

  it("is no change: accountUpdated tells of the reminder, not of its falling due, live or behind a cursor", async () => {
    const socket = listen(ann)
    sockets.push(socket)
    const changes = socket.accountUpdated()
    await eventually(async () => {
      await ann.post("/settings", { key: `k${Math.random()}`, value: "v" })
      return changes.events.length > 0
    })
    const { cursor } = changes.events[0]
    const anns = await awaiting(ann)
    const task = await makeTask(ann, { id: ann.inboxId })
    const reminder = await remind(ann, task, inMs(50))
    await anns.until((events) => events.length === 1)
    await quiet()
    const behind = socket.accountUpdated(cursor)
    await behind.until((events) => events.some(({ subjectId }) => subjectId === String(reminder.id)))
    await quiet()
    for (const { events } of [changes, behind])
      expect(
        events.filter(({ subjectId }) => subjectId === String(reminder.id)).map(({ subjectType }) => subjectType),
      ).toEqual(["reminder"])
  })

  it("tells at once of a reminder that is made for now, or for a moment ago (ours)", async () => {
    const task = await makeTask(ann, { id: ann.inboxId })
    const anns = await awaiting(ann, other)
    // By the looks of two nodes alone, each once a second, two in a row would take a second together.
    let atOnce = 0
    for (let count = 1; atOnce < 2; count++) {
      await remind(ann, task, inMs(count % 2 === 0 ? -1_000 : 0))
      const madeAt = Date.now()
      await anns.until((events) => events.length === count)
      atOnce = (anns.arrivals.at(-1) as number) - madeAt < 400 ? atOnce + 1 : 0
    }
  })

  it("closes with the token", async () => {
    const bob = await makePerson(node, "Bob")
    await awaiting(bob)
    const socket = sockets.at(-1) as Listener
    await runSql(node.databaseUrl, `update access_tokens set revoked_at = now() where user_id = ${bob.id}`)
    expect(await socket.closed()).toBe(4403)
  })
})

describe("reminders that fell due while no node ran", () => {
  it("are told once by the nodes that start when they are less than an hour late, and dropped with a log line when more", async () => {
    const { url, drop } = await createTestDatabase()
    const database = openDatabase(url)
    await runSql(
      url,
      `with u as (insert into users (name, email) values ('Ann', 'ann@example.org') returning id) select id from u;
       insert into tasks (list_id, title, created_by_id, updated_by_id) select id, 'x', owner_id, owner_id from lists;
       insert into reminders (task_id, user_id, date, updated_by_id)
       select t.id, t.created_by_id, now() - make_interval(mins => late), t.created_by_id from tasks t, unnest('{61,59,600,0}'::int[]) late`,
    )
    const lines: unknown[][] = []
    const log = { warn: (...line: unknown[]) => lines.push(line), info() {} } as unknown as Log
    for (let start = 1; start <= 2; start++) {
      const polls = [1, 2, 3].map(() =>
        startDueReminders({ db: database, pubSub: createPubSub(() => {}), log, onNotified() {} }),
      )
      await quiet()
      await Promise.all(polls.map((poll) => poll.stop()))
    }
    expect(await database.run(toldMinutesLate, [])).toEqual([59, 0])
    expect(lines).toEqual([[{ reminders: 2 }, expect.stringContaining("more than an hour ago")]])
    await database.stop()
    await drop()
  })
})

const toldMinutesLate = statement(
  "told_minutes_late",
  `select round(extract(epoch from e.occurred_at - r.date) / 60) from events e join reminders r on r.id = e.subject_id
   where e.subject_type = 'reminder_due' order by e.id`,
  ([minutes]) => Number(minutes),
)
