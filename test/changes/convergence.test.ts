import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Listener, listen } from "../live/listener.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"
import { repetitions } from "../support/repetitions.js"
import { copyOf, everything, shown, stable } from "./copy.js"
import { dice, disturb } from "./disturb.js"

const TURNS = repetitions(40, 20)
const STEPS = repetitions(40, 20)
const TASKS = repetitions(120, 40)
/** More than a page of what is opened. */
const LISTS = 15

let node: TestNode
let other: Awaited<ReturnType<typeof startNodeOn>>
beforeAll(async () => {
  node = await startNode()
  other = await startNodeOn(node.databaseUrl)
})
afterAll(async () => {
  await other.stop()
  await node.stop()
})

describe("a copy (ours)", () => {
  it.each([1, 2, 3].slice(0, repetitions(3, 1)))(
    `equals a GET of everything whenever it is level, while two people do whatever they like; ${STEPS} steps of run %i`,
    async (run) => {
      const roll = dice(run)
      const people = [await makePerson(node), await makePerson(node, "Bob")] as const
      const copies = people.map((person) => copyOf(person))
      for (let step = 0; step < STEPS; step++) {
        await disturb(roll, people)
        // One page, now and then: what goes on meanwhile happens in the middle of a reading.
        const [one, two] = [roll(2), roll(4)]
        if (two < 2) await copies[one]?.page(1 + roll(3))
        if (step % 10 !== 9) continue
        for (const [index, copy] of copies.entries()) {
          await copy.level(1 + roll(20))
          const found = await everything(people[index] as Person)
          expect([step, stable(shown(copy, Object.keys(found)))]).toEqual([step, stable(found)])
        }
      }
    },
  )

  it("leaves nothing out of what a transaction commits late, while 50 others commit", async () => {
    const ann = await makePerson(node)
    const list = await makeList(ann)
    const copy = copyOf(ann)
    await copy.level()
    let finish = () => {}
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const late = node.database.transaction(async (runner) => {
      // It is open for as long as a busy machine takes for the others.
      const patience = "set local idle_in_transaction_session_timeout = 0"
      await runner.run({ name: "patience_of_copy", text: patience, read: () => 1 }, [])
      const text = `insert into tasks (list_id, title, created_by_id, updated_by_id) values (${ann.inboxId}, 'Late', ${ann.id}, ${ann.id}) returning id`
      await runner.run({ name: "late_task_of_copy", text, read: () => 1 }, [])
      begin()
      await held
    })
    await begun
    for (let n = 0; n < 50; n++) {
      await makeTask(ann, list, { title: `Task ${n}` })
      if (n % 5 === 0) await copy.level(2)
    }
    finish()
    await late
    await copy.level()
    expect(copy.all("task").map(({ title }) => title)).toContain("Late")
    expect(copy.all("task")).toHaveLength(51)
    expect(copy.again).toEqual([])
  })

  it("is told 60 times of 60 objects that 1,200 events changed, each once", async () => {
    const ann = await makePerson(node)
    const list = await makeList(ann)
    await runSql(
      node.databaseUrl,
      `insert into tasks (list_id, title, created_by_id, updated_by_id) select ${list.id}, 'Task', ${ann.id}, ${ann.id} from generate_series(1, 59)`,
    )
    const copy = copyOf(ann)
    await copy.level()
    for (let round = 0; round < 20; round++)
      await runSql(node.databaseUrl, `update tasks set title = 'Round ${round}' where list_id = ${list.id}`)
    // The tasks, and their list, whose revision grew with each.
    const { changes, has_more } = await copy.page(60)
    expect([changes.length, has_more]).toEqual([60, false])
    expect(new Set(changes.map(({ type, id }: any) => `${type} ${id}`)).size).toBe(60)
    expect(new Set(copy.all("task").map(({ title }) => title))).toEqual(new Set(["Round 19"]))
  })

  it(`goes from changes to subscriptions and back ${TURNS} times with one cursor: nothing missing, nothing twice`, async () => {
    const ann = await makePerson(node)
    const list = await makeList(ann)
    let cursor = (await ann.get("/root")).body.cursor
    const told: string[] = []
    let isOver = false
    let made = 0
    const writing = (async () => {
      for (; made < TASKS; made++) await makeTask(ann, list, { title: `Task ${made}` })
      isOver = true
    })()
    const take = (type: string, id: unknown, revision: unknown) => {
      // A list's revision grows with all that is in it, and only `changes` shows it.
      if (type !== "list") told.push(`${type} ${id} ${revision}`)
    }
    for (let turn = 0; turn < TURNS || !isOver; turn++) {
      if (turn % 2 === 0) {
        const url = turn % 4 === 0 ? node.url : other.url
        const reply = await fetch(`${url}/api/v1/changes?after=${cursor}&limit=${1 + (turn % 7)}`, {
          headers: ann.headers,
        })
        const page: any = await reply.json()
        for (const { type, id, revision } of page.changes) take(type, id, revision)
        cursor = page.cursor
        continue
      }
      const listener: Listener = listen(ann, turn % 3 === 0 ? node.url : other.url)
      const listening = listener.accountUpdated(cursor, "cursor subjectType subjectId revision")
      await new Promise((resolve) => setTimeout(resolve, 30 + 10 * (turn % 5)))
      listener.cut()
      for (const { subjectType, subjectId, revision } of listening.events) take(subjectType, subjectId, revision)
      cursor = listening.events.at(-1)?.cursor ?? cursor
    }
    await writing
    const copy = copyOf(ann)
    copy.cursor = cursor
    for (const { type, id, revision } of await copy.level()) take(type, id, revision)
    expect(told.length).toBe(TASKS)
    expect(new Set(told).size).toBe(TASKS)
  })

  it(`gets ${LISTS} lists that are opened to it at once, in pages, whole`, async () => {
    const [ann, bob] = [await makePerson(node), await makePerson(node, "Bob")]
    const copy = copyOf(bob)
    await copy.level()
    await runSql(
      node.databaseUrl,
      `with l as (insert into lists (title, owner_id, created_by_id, updated_by_id) select 'Many', ${ann.id}, ${ann.id}, ${ann.id} from generate_series(1, ${LISTS}) returning id),
         m as (insert into memberships (list_id, user_id, state, owner, updated_by_id) select id, ${ann.id}, 'accepted', true, ${ann.id} from l),
         t as (insert into tasks (list_id, title, created_by_id, updated_by_id) select id, 'Task', ${ann.id}, ${ann.id} from l)
       select 1 from l`,
    )
    await runSql(
      node.databaseUrl,
      `insert into memberships (list_id, user_id, state, updated_by_id) select id, ${bob.id}, 'accepted', ${bob.id} from lists where title = 'Many' and owner_id = ${ann.id}`,
    )
    await copy.level(7)
    const found = await everything(bob)
    expect(stable(shown(copy, Object.keys(found)))).toEqual(stable(found))
    expect(copy.all("task")).toHaveLength(LISTS)
    await addMember(node, { id: ann.inboxId }, bob)
    await copy.level()
    expect(copy.all("list").map(({ id }) => id)).toContain(ann.inboxId)
  })
})
