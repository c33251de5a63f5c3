import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { addMember, makeList, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"
import { eventually, FIELDS, type Listener, listen, quiet } from "./listener.js"

let node: TestNode
let ann: Person
let anns: Listener
beforeAll(async () => {
  node = await startNode()
  ann = await makePerson(node)
  anns = listen(ann)
})
afterAll(async () => {
  await anns.close()
  await node.stop()
})

/** Subscribes from the list's beginning, so that nothing depends on when the subscription is open. */
const sinceBirth = (list: { id: number }, fields?: string) => anns.listUpdated(list.id, 0, fields)
const revisionsOf = (events: any[]) => events.map(({ listRevision }) => listRevision)
const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe("listUpdated (§9 Events)", () => {
  it("tells a member of a new task, with the object as GET gives it", async () => {
    const { owner, member, list } = await makePeople(node)
    const listener = listen(member)
    const listening = listener.listUpdated(list.id, list.revision)
    const task = await makeTask(owner, list, { title: "Buy milk", starred: true, due_date: "2030-02-28" })
    const [event] = await listening.until((events) => events.length === 1)
    expect(event).toEqual({
      id: expect.stringMatching(/^\d+$/),
      operation: "CREATE",
      subjectType: "task",
      subjectId: String(task.id),
      listId: String(list.id),
      listRevision: list.revision + 1,
      revision: 1,
      actorId: String(owner.id),
      requestId: expect.any(String),
      occurredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      before: null,
      after: task,
    })
    await listener.close()
  })

  it("shows what each kind of object was and is in the form of REST", async () => {
    const list = await makeList(ann)
    const task = await makeTask(ann, list)
    const post = async (path: string, body: object) => (await ann.post(path, body)).body
    const objects = [
      task,
      await post("/subtasks", { task_id: task.id, title: "Take a bag" }),
      await post("/notes", { task_id: task.id, content: "Not the blue one" }),
      await post("/webhooks", {
        list_id: list.id,
        url: "https://hooks.example.com/1",
        processor_type: "generic",
        configuration: "",
      }),
    ]
    const comment = await post("/task_comments", { task_id: task.id, text: "Done?" })
    const changed = (await ann.patch(`/tasks/${task.id}`, { revision: 1, title: "Buy tea", assignee_id: ann.id })).body
    await ann.put(`/task_positions/${list.id}`, { revision: 1, values: [task.id] })
    const position = (await ann.get(`/task_positions/${list.id}`)).body
    const order = (await ann.put(`/subtask_positions/${task.id}`, { revision: 1, values: [objects[1].id] })).body
    const renamed = (await ann.patch(`/lists/${list.id}`, { revision: 1, title: "Errands" })).body
    await ann.delete(`/notes/${objects[2].id}?revision=1`)

    const listening = sinceBirth(list)
    const events = await listening.until((all) => all.length === 11)
    const { author: _author, read: _read, ...plainComment } = comment
    expect(events.map(({ operation, subjectType, before, after }) => [operation, subjectType, before, after])).toEqual([
      ["CREATE", "list", null, { ...list, revision: 1 }],
      ...objects.map((object) => ["CREATE", object.type, null, object]),
      ["CREATE", "task_comment", null, plainComment],
      // The row as it was: a task's revision has grown with what was made in it.
      ["UPDATE", "task", { ...task, revision: changed.revision - 1 }, changed],
      ["UPDATE", "task_position", { ...position, revision: 1, values: [] }, position],
      ["UPDATE", "subtask_position", { ...order, revision: 1, values: [] }, order],
      ["UPDATE", "list", { ...list, revision: renamed.revision - 1 }, renamed],
      ["DELETE", "note", objects[2], null],
    ])
    expect(revisionsOf(events)).toEqual(upTo(1, 11))
    listening.stop()
  })

  it("gives the subject as its type, and looks up what it is linked to", async () => {
    const list = await makeList(ann, "Linked")
    const task = await makeTask(ann, list, { due_date: "2031-12-31" })
    await ann.post("/subtasks", { task_id: task.id, title: "First" })
    const listening = sinceBirth(
      list,
      `operation subject { __typename ... on Task { id dueDate completed list { title } }
        ... on Subtask { title task { id } } ... on List { title ownerType members { id } } }`,
    )
    expect(await listening.until((events) => events.length === 3)).toEqual([
      {
        operation: "CREATE",
        subject: { __typename: "List", title: "Linked", ownerType: "user", members: [{ id: String(ann.id) }] },
      },
      {
        operation: "CREATE",
        subject: {
          __typename: "Task",
          id: String(task.id),
          dueDate: "2031-12-31",
          completed: false,
          list: { title: "Linked" },
        },
      },
      { operation: "CREATE", subject: { __typename: "Subtask", title: "First", task: { id: String(task.id) } } },
    ])
    listening.stop()
  })

  it("shows a move as a deletion there and a creation here, and neither the other list", async () => {
    const [from, to] = [await makeList(ann, "From"), await makeList(ann, "To")]
    const task = await makeTask(ann, from)
    const [there, here] = [sinceBirth(from), sinceBirth(to)]
    const moved = (await ann.patch(`/tasks/${task.id}`, { revision: 1, list_id: to.id })).body
    const [, , gone] = await there.until((events) => events.length === 3)
    const [, came] = await here.until((events) => events.length === 2)
    expect(gone).toMatchObject({ operation: "DELETE", subjectId: String(task.id), before: task, after: null })
    expect(came).toMatchObject({ operation: "CREATE", subjectId: String(task.id), before: null, after: moved })
    expect(JSON.stringify(gone)).not.toContain(`"list_id":${to.id}`)
    expect(JSON.stringify(came)).not.toContain(`"list_id":${from.id}`)
    there.stop()
    here.stop()
  })

  it("ends with the list's own deletion, which is one event for everything in it", async () => {
    const { owner, member, list } = await makePeople(node)
    const listener = listen(member)
    const listening = listener.listUpdated(list.id, list.revision)
    const task = await makeTask(owner, list)
    await listening.until((events) => events.length === 1)
    await owner.post("/subtasks", { task_id: task.id, title: "Inside" })
    await owner.delete(`/lists/${list.id}?revision=1`)
    expect(await listening.ended()).toBe("complete")
    expect(listening.events.map(({ operation, subjectType }) => [operation, subjectType])).toEqual([
      ["CREATE", "task"],
      ["CREATE", "subtask"],
      ["DELETE", "list"],
    ])
    expect(listening.events[2]).toMatchObject({ before: { id: list.id, type: "list" }, after: null })
    expect(listening.events[2].before).not.toHaveProperty("member_ids")
    await listener.close()
  })

  it("tells nothing of a write that was refused", async () => {
    const list = await makeList(ann)
    const listening = sinceBirth(list)
    const task = await makeTask(ann, list)
    expect((await ann.patch(`/tasks/${task.id}`, { revision: 7, title: "No" })).status).toBe(409)
    expect((await makeTask(ann, list, { title: "" })).error.type).toBe("validation_error")
    await ann.patch(`/tasks/${task.id}`, { revision: 1, title: "Yes" })
    await listening.until((events) => events.length === 3)
    await quiet()
    expect(listening.events.map(({ after }) => after.title)).toEqual(["Groceries", "Buy milk", "Yes"])
    listening.stop()
  })
})

describe("listUpdated(sinceRevision)", () => {
  it("replays exactly what is behind the revision, then goes on live", async () => {
    const list = await makeList(ann)
    for (let n = 2; n <= 6; n++) await makeTask(ann, list, { title: `Task ${n}` })
    const listening = anns.listUpdated(list.id, 4)
    await listening.until((events) => events.length === 2)
    await makeTask(ann, list, { title: "Task 7" })
    await listening.until((events) => events.length === 3)
    expect(listening.events.map(({ listRevision, after }) => [listRevision, after.title])).toEqual([
      [5, "Task 5"],
      [6, "Task 6"],
      [7, "Task 7"],
    ])
    listening.stop()
  })

  it("replays nothing behind the current revision", async () => {
    const list = await makeList(ann)
    const listening = anns.listUpdated(list.id, 1)
    await quiet()
    await makeTask(ann, list)
    await listening.until((events) => events.length === 1)
    expect(revisionsOf(listening.events)).toEqual([2])
    listening.stop()
  })

  // 200 tasks before, eight of each writer, and one beside each subscription.
  const LAST = 236
  it.each([0, 100, 199])(
    "gives each event once and in order while the list is being written to, from revision %i on",
    async (since) => {
      const list = await makeList(ann)
      await runSql(
        node.databaseUrl,
        `insert into tasks (list_id, title, created_by_id, updated_by_id)
         select ${list.id}, 'Task ' || n, ${ann.id}, ${ann.id} from generate_series(2, 200) n`,
      )
      const write = async () => {
        for (let n = 0; n < 8; n++) await makeTask(ann, list)
      }
      const writing = Promise.all([write(), write(), write(), write()])
      const listenings = []
      for (let n = 0; n < 4; n++) {
        listenings.push(anns.listUpdated(list.id, since, "listRevision"))
        await makeTask(ann, list)
      }
      await writing
      for (const one of listenings) {
        await one.until((events) => events.at(-1)?.listRevision === LAST)
        expect(revisionsOf(one.events)).toEqual(upTo(since + 1, LAST))
        one.stop()
      }
    },
  )

  it("asks to read again when the revision is in the future, below 0, or no longer in the log", async () => {
    const list = await makeList(ann)
    for (let n = 2; n <= 4; n++) await makeTask(ann, list)
    expect(await anns.listUpdated(list.id, 5).ended()).toBe("RESYNC_REQUIRED")
    expect(await anns.listUpdated(list.id, -1).ended()).toBe("VALIDATION_ERROR")
    await runSql(node.databaseUrl, `delete from events where list_id = ${list.id} and list_revision <= 2`)
    expect(await anns.listUpdated(list.id, 1).ended()).toBe("RESYNC_REQUIRED")
    const still = anns.listUpdated(list.id, 2)
    expect(revisionsOf(await still.until((events) => events.length === 2))).toEqual([3, 4])
    still.stop()
    await runSql(node.databaseUrl, `delete from events where list_id = ${list.id}`)
    expect(await anns.listUpdated(list.id, 3).ended()).toBe("RESYNC_REQUIRED")
  })
})

describe("listUpdated(sinceFingerprint)", () => {
  const since = (list: { id: number }, revision: number, fingerprint?: string) =>
    anns.subscribe(
      `subscription ($id: ID!, $revision: Int, $fingerprint: String) {
        listUpdated(listId: $id, sinceRevision: $revision, sinceFingerprint: $fingerprint) { id listRevision occurredAt fingerprint } }`,
      { id: list.id, revision, fingerprint },
    )

  it("goes on behind the event that made the revision, and asks to read again behind another one", async () => {
    const list = await makeList(ann)
    for (let n = 2; n <= 4; n++) await makeTask(ann, list)
    const whole = since(list, 0)
    const events = await whole.until((all) => all.length === 4)
    whole.stop()
    const [, second, third] = events
    const still = since(list, 2, second.fingerprint)
    expect(revisionsOf(await still.until((all) => all.length === 2))).toEqual([3, 4])
    still.stop()
    for (const other of [third.fingerprint, "", "nonsense"])
      expect([other, await since(list, 2, other).ended()]).toEqual([other, "RESYNC_REQUIRED"])
    // The same number given to what happens at another instant: the list was set back, and written to again.
    await runSql(
      node.databaseUrl,
      `update events set occurred_at = occurred_at + interval '1 ms' where id = ${second.id}`,
    )
    expect(await since(list, 2, second.fingerprint).ended()).toBe("RESYNC_REQUIRED")
  })
})

describe("what is large", () => {
  it("is replayed whole and in order, page by page", async () => {
    const list = await makeList(ann)
    const task = await makeTask(ann, list)
    const note = (await ann.post("/notes", { task_id: task.id, content: "x" })).body
    await runSql(
      node.databaseUrl,
      `do $$ begin for n in 1..12 loop update notes set content = repeat(n::text, 100000), updated_by_id = ${ann.id} where id = ${note.id}; end loop; end $$`,
    )
    const listenings = [1, 2, 3, 4, 5, 6].map(() => sinceBirth(list, "listRevision after"))
    for (const one of listenings) {
      await one.until((events) => events.length === 15, 50_000)
      expect(revisionsOf(one.events)).toEqual(upTo(1, 15))
      expect(one.events[14].after.content).toBe("12".repeat(100_000))
      one.stop()
    }
  }, 60_000)
})

describe("listUpdated is open to accepted members alone", () => {
  it.each(["invitee", "stranger"] as const)("answers NOT_FOUND to the %s as to an unknown list", async (who) => {
    const people = await makePeople(node)
    const listener = listen(people[who])
    for (const id of [people.list.id, 999_999_999, 0]) {
      const listening = listener.listUpdated(id, 0)
      expect(await listening.ended()).toBe("NOT_FOUND")
      expect(listening.events).toEqual([])
    }
    await listener.close()
  })

  it("opens when the invitation is accepted", async () => {
    const { owner, list } = await makePeople(node)
    const eve = await makePerson(node, "Eve")
    const id = await addMember(node, list, eve, "pending")
    const listener = listen(eve)
    expect(await listener.listUpdated(list.id).ended()).toBe("NOT_FOUND")
    expect((await eve.patch(`/memberships/${id}`, { revision: 1, state: "accepted" })).status).toBe(200)
    const { revision } = (await eve.get(`/lists/${list.id}`)).body
    const listening = listener.listUpdated(list.id, revision)
    await makeTask(owner, list)
    await listening.until((events) => events.length === 1)
    // What was there before is none of theirs: their events begin with the acceptance.
    for (const early of [0, revision - 2])
      expect(await listener.listUpdated(list.id, early).ended()).toBe("RESYNC_REQUIRED")
    const fromThere = listener.listUpdated(list.id, revision - 1)
    await fromThere.until((events) => events.length === 2)
    expect(fromThere.events.map(({ subjectType }) => subjectType)).toEqual(["membership", "task"])
    await listener.close()
  })
})

describe("what subscribers share", () => {
  it("runs one execution for all who get the same answer, and one each where the answer is personal", async () => {
    const { owner, member, list } = await makePeople(node)
    await eventually(() => node.status().subscribers === 0)
    const listeners = [owner, owner, member].map((person) => listen(person))
    const plain = listeners.map((one, index) => one.listUpdated(list.id, list.revision - index, FIELDS))
    await Promise.all(plain.map((one, index) => one.until((events) => events.length === index)))
    expect(node.status()).toMatchObject({ subscribers: 3, executions: 1 })
    const personal = listeners.map((one) =>
      one.listUpdated(list.id, list.revision, "subject { ... on Task { list { title } } }"),
    )
    const task = await makeTask(owner, list)
    await Promise.all(personal.map((one) => one.until((events) => events.length === 1)))
    expect(node.status()).toMatchObject({ subscribers: 6, executions: 3 })
    for (const { events } of plain) expect(events.at(-1)).toMatchObject({ after: task })
    for (const { events } of personal) expect(events).toEqual([{ subject: { list: { title: "Groceries" } } }])
    await Promise.all(listeners.map((one) => one.close()))
  })

  it("answers each subscriber with its own variables", async () => {
    const list = await makeList(ann)
    const query = `subscription ($listId: ID!, $more: Boolean!) { listUpdated(listId: $listId, sinceRevision: 1) { operation after @include(if: $more) } }`
    const [short, long] = [false, true].map((more) => anns.subscribe(query, { listId: list.id, more }))
    const task = await makeTask(ann, list)
    expect(await short?.until((events) => events.length === 1)).toEqual([{ operation: "CREATE" }])
    expect(await long?.until((events) => events.length === 1)).toEqual([{ operation: "CREATE", after: task }])
    short?.stop()
    long?.stop()
  })
})
