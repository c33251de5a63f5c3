import { afterAll, beforeAll, expect, it } from "vitest"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { repetitions } from "../support/repetitions.js"

// What the database promises about revisions and events, under writers that race on a few shared lists: each list's events
// count from 1 without a gap and end at the list's revision or its own deletion, a task counts its changes and those in it,
// and nobody's root ever falls.

const WRITERS = 8
const WRITES_EACH = repetitions(150, 20)
const LISTS = 6

let node: TestNode

beforeAll(async () => {
  node = await startNode()
})
afterAll(() => node.stop())

/** Repeatable, so that a failure can be looked at again. (mulberry32) */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Shared = { lists: number[]; tasks: number[]; subtasks: number[]; people: Person[] }

async function write(random: () => number, writer: Person, shared: Shared): Promise<number> {
  const pick = <Item>(items: Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const current = async (path: string) => (await writer.get(path)).body?.revision ?? 1
  const dice = random()
  const [list, other, task, subtask, person] = [
    pick(shared.lists),
    pick(shared.lists),
    pick(shared.tasks),
    pick(shared.subtasks),
    pick(shared.people),
  ]
  if (dice < 0.2) {
    const made = await writer.post("/tasks", {
      list_id: list,
      title: "t",
      recurrence_type: "day",
      recurrence_count: 1,
      due_date: "2031-01-01",
    })
    if (made.status === 201) shared.tasks.push(made.body.id)
    return made.status
  }
  if (dice < 0.35)
    return (
      await writer.patch(`/tasks/${task}`, {
        revision: await current(`/tasks/${task}`),
        title: `t${dice}`,
        completed: dice < 0.28,
      })
    ).status
  if (dice < 0.45)
    return (await writer.patch(`/tasks/${task}`, { revision: await current(`/tasks/${task}`), list_id: other })).status
  if (dice < 0.52)
    return (await writer.patch(`/tasks/${task}`, { revision: await current(`/tasks/${task}`), assignee_id: person.id }))
      .status
  if (dice < 0.58) return (await writer.delete(`/tasks/${task}?revision=${await current(`/tasks/${task}`)}`)).status
  if (dice < 0.72) {
    const made = await writer.post("/subtasks", { task_id: task, title: "s" })
    if (made.status === 201) shared.subtasks.push(made.body.id)
    return made.status
  }
  if (dice < 0.78)
    return (
      await writer.patch(`/subtasks/${subtask}`, { revision: await current(`/subtasks/${subtask}`), completed: true })
    ).status
  if (dice < 0.82)
    return (await writer.delete(`/subtasks/${subtask}?revision=${await current(`/subtasks/${subtask}`)}`)).status
  if (dice < 0.86)
    return (await writer.patch(`/lists/${list}`, { revision: await current(`/lists/${list}`), title: `l${dice}` }))
      .status
  if (dice < 0.9) {
    const invited = await writer.post("/memberships", { list_id: list, user_id: person.id })
    if (invited.status !== 201 || invited.body.state === "accepted") return invited.status
    return (
      await person.patch(`/memberships/${invited.body.id}`, { revision: invited.body.revision, state: "accepted" })
    ).status
  }
  if (dice < 0.95) {
    const mine = ((await writer.get("/memberships")).body as any[]).filter(
      ({ list_id, owner }) => list_id === list && !owner,
    )[0]
    return mine === undefined ? 404 : (await writer.delete(`/memberships/${mine.id}?revision=${mine.revision}`)).status
  }
  if (dice < 0.97)
    return (
      await writer.put(`/task_positions/${list}`, {
        revision: await current(`/task_positions/${list}`),
        values: [task],
      })
    ).status
  if (dice < 0.985) return (await writer.post("/folders", { title: "f", list_ids: [list] })).status
  const deleted = await writer.delete(`/lists/${list}?revision=${await current(`/lists/${list}`)}`)
  if (deleted.status === 204) {
    const fresh = await makeList(writer)
    shared.lists.splice(shared.lists.indexOf(list), 1, fresh.id)
    for (const to of shared.people) {
      if (to.id === writer.id) continue
      const invited = await writer.post("/memberships", { list_id: fresh.id, user_id: to.id })
      if (invited.body.state === "pending")
        await to.patch(`/memberships/${invited.body.id}`, { revision: invited.body.revision, state: "accepted" })
    }
  }
  return deleted.status
}

it("holds under eight writers that race", { timeout: 120_000 }, async () => {
  const people = await Promise.all(Array.from({ length: WRITERS }, (_, index) => makePerson(node, `Writer${index}`)))
  const shared: Shared = { lists: [], tasks: [], subtasks: [], people }
  for (let index = 0; index < LISTS; index++) {
    const owner = people[index % people.length] as Person
    const list = await makeList(owner)
    shared.lists.push(list.id)
    await node.database.prisma.$executeRawUnsafe(
      `insert into memberships (list_id, user_id, state, updated_by_id) select ${list.id}, id, 'accepted', id from users where id in (${people.map(({ id }) => id)}) and id <> ${owner.id} order by id`,
    )
    const task = await makeTask(owner, list)
    shared.tasks.push(task.id)
    shared.subtasks.push((await owner.post("/subtasks", { task_id: task.id, title: "s" })).body.id)
  }

  const statuses: number[] = []
  let isWriting = true
  const fallen: string[] = []
  const watch = people.slice(0, 2).map(async (person) => {
    for (let last = 0; isWriting; ) {
      const { revision } = (await person.get("/root")).body
      if (revision < last) fallen.push(`${person.name}: ${last} -> ${revision}`)
      last = revision
    }
  })
  await Promise.all(
    people.map(async (person, index) => {
      const random = randomFrom(index + 1)
      for (let count = 0; count < WRITES_EACH; count++) statuses.push(await write(random, person, shared))
    }),
  )
  isWriting = false
  await Promise.all(watch)

  expect(fallen).toEqual([])
  expect(statuses.filter((status) => status >= 500)).toEqual([])
  expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(WRITERS * WRITES_EACH * 0.3)

  const broken = await node.database.prisma.$queryRawUnsafe(`
    select 'gap' as what, list_id, list_revision from (
      select list_id, list_revision, row_number() over (partition by list_id order by id) as nth from events where list_id is not null) e where list_revision <> nth
    union all
    select 'list is not at its last event', l.id, l.revision from lists l where l.deleted_at is null and l.revision <> (select max(list_revision) from events e where e.list_id = l.id)
    union all
    select 'list was deleted without a last event', e.list_id, max(e.list_revision) from events e
    where e.list_id is not null and not exists (select from lists l where l.id = e.list_id and l.deleted_at is null) group by e.list_id
    having (array_agg(e.subject_type || e.operation order by e.list_revision desc))[1] <> 'listDELETE'
    union all
    select 'task does not count what happened in it', t.id, t.revision from tasks t join lists l on l.id = t.list_id and l.deleted_at is null where t.revision <> 1
      + (select count(*) from events e where e.subject_type = 'task' and e.subject_id = t.id and (e.operation = 'UPDATE' or (e.operation = 'CREATE' and (e.after->>'revision')::bigint > 1)))
      + (select count(*) from events e where e.subject_type in ('subtask', 'note', 'task_comment') and coalesce(e.after, e.before)->>'task_id' = t.id::text)
    union all
    select 'list without an owner', l.id, l.revision from lists l where l.deleted_at is null and not exists (select from memberships m where m.list_id = l.id and m.owner)
    union all
    select 'assigned to no member', t.id, t.assignee_id from tasks t join lists l on l.id = t.list_id and l.deleted_at is null where t.assignee_id is not null
      and not exists (select from memberships m where m.list_id = t.list_id and m.user_id = t.assignee_id and m.state = 'accepted')`)
  expect(broken).toEqual([])
})
