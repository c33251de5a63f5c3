import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { signingKey } from "../../src/database/signing-key.js"
import { placeNow } from "../../src/events/account-replay.js"
import { NEWS_PACE_MS } from "../../src/events/carrier-limits.js"
import { type Cursor, createCursors } from "../../src/events/cursor.js"
import { deleteOldEvents } from "../../src/jobs/event-retention.js"
import { eventually, quiet } from "../live/listener.js"
import { addMember, makeList, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { ALONE_TIMEOUT_MS, runSql, untilAlone } from "../support/postgres.js"
import { makeFile } from "../support/uploads.js"
import { type Copy, copyOf, everything, shown } from "./copy.js"

let node: TestNode
beforeAll(async () => {
  node = await startNode()
})
afterAll(() => node.stop())

/**
 * Everything but the addresses that are signed anew each minute, and the revisions of users, which grow with settings and
 * reminders, others' too, of which nothing is told.
 */
const stable = ({ file = [], user = [], ...found }: Record<string, any[]>) => ({
  ...found,
  file: file.map(({ url: _, ...one }) => one),
  user: user.map(({ revision: _, ...one }) => one),
})

async function expectLevel(person: Person, copy: Copy, limit?: number): Promise<void> {
  await copy.level(limit)
  const found = await everything(person)
  expect(stable(shown(copy, Object.keys(found)))).toEqual(stable(found))
}

/** Makes a task with one of everything in it. */
async function makeFullTask(person: Person, list: { id: number }): Promise<any> {
  const task = await makeTask(person, list)
  const subtask = (await person.post("/subtasks", { task_id: task.id, title: "Step" })).body
  await person.post("/notes", { task_id: task.id, content: "Note" })
  await person.post("/task_comments", { task_id: task.id, text: "Look" })
  await person.post("/reminders", { task_id: task.id, date: "2031-01-01T00:00:00Z" })
  await person.patch(`/subtask_positions/${task.id}`, { revision: 1, values: [subtask.id] })
  return (await person.get(`/tasks/${task.id}`)).body
}

const brief = (changes: any[]) => changes.map(({ type, id, operation }) => `${operation} ${type} ${id}`)
const setCursor = async (person: Person) => {
  const copy = copyOf(person)
  await copy.level()
  return copy
}

describe("GET /api/v1/changes without after (ours)", () => {
  it.each([1, 3, 1000])("gives the whole account in pages of %i, parents before children", async (limit) => {
    const { owner, member, list } = await makePeople(node)
    const task = await makeFullTask(owner, list)
    await makeFullTask(member, list)
    await owner.patch(`/tasks/${task.id}`, { revision: task.revision, completed: true })
    await owner.post("/folders", { title: "Home", list_ids: [list.id] })
    await owner.post("/settings", { key: "a", value: "b" })
    await owner.patch(`/list_positions/${owner.id}`, { revision: 1, values: [list.id] })
    await owner.patch(`/task_positions/${list.id}`, { revision: 1, values: [task.id] })
    await owner.post("/webhooks", {
      list_id: list.id,
      url: "https://example.org/",
      processor_type: "generic",
      configuration: "",
    })
    const copy = copyOf(owner)
    const types: string[] = []
    for (let more = true; more; ) {
      const page = await copy.page(limit)
      expect(page.full).toBe(true)
      expect(page.changes.length).toBeLessThanOrEqual(limit)
      for (const { type, id, data, operation, revision } of page.changes) {
        types.push(type)
        expect([operation, id, revision]).toEqual(["upsert", data.id, data.revision])
      }
      more = page.has_more
    }
    const order = [...new Set(types)]
    expect(order).toEqual([
      "user",
      "setting",
      "list",
      "membership",
      "folder",
      "list_position",
      "webhook",
      "task",
      "task_position",
      "subtask",
      "note",
      "reminder",
      "task_comment",
      "subtask_position",
    ])
    expect(types).toEqual(order.flatMap((type) => types.filter((one) => one === type)))
    await expectLevel(owner, copy, limit)
    expect((await copy.page()).changes).toEqual([])
  })

  it("gives whatever has changed meanwhile with the changes behind it", async () => {
    const { owner, member, list } = await makePeople(node)
    const [one, two] = [await makeFullTask(owner, list), await makeFullTask(owner, list)]
    const other = await makeList(owner, "Other")
    const elsewhere = await makeList(member, "Elsewhere")
    await addMember(node, elsewhere, owner)
    const copy = copyOf(owner)
    let round = 0
    for (let more = true; more; round++) {
      more = (await copy.page(4)).has_more
      const task = (await owner.get(`/tasks/${[one, two][round % 2].id}`)).body
      const to = [other, elsewhere, list][round % 3] as any
      await owner.patch(`/tasks/${task.id}`, { revision: task.revision, list_id: to.id, completed: round % 2 === 0 })
      if (round === 3) await makeFullTask(owner, other)
      if (round !== 4) continue
      const made = await makeList(member, "New")
      await addMember(node, made, owner)
      await makeFullTask(member, made)
    }
    expect(round).toBeGreaterThan(5)
    await expectLevel(owner, copy, 4)
  })
})

describe("GET /api/v1/changes?after (ours)", () => {
  it("shows each object that changed once, as it is, with who changed it last", async () => {
    const { owner, member, list } = await makePeople(node)
    const copy = await setCursor(owner)
    const task = await makeTask(member, list)
    await owner.patch(`/tasks/${task.id}`, { revision: 1, title: "Two" }, { "X-Client-Request-Id": "second" })
    const page = await copy.page()
    expect(brief(page.changes)).toEqual([`upsert list ${list.id}`, `upsert task ${task.id}`])
    expect(page.changes[1]).toEqual({
      type: "task",
      id: task.id,
      operation: "upsert",
      list_id: list.id,
      revision: 2,
      actor_id: owner.id,
      request_id: "second",
      data: (await owner.get(`/tasks/${task.id}`)).body,
    })
    expect([page.has_more, page.full]).toEqual([false, false])
    await expectLevel(owner, copy)
  })

  it("says of what is gone what it was and in which list", async () => {
    const { owner, list } = await makePeople(node)
    const task = await makeFullTask(owner, list)
    const [note] = (await owner.get(`/notes?task_id=${task.id}`)).body
    const copy = await setCursor(owner)
    await owner.delete(`/notes/${note.id}?revision=${note.revision}`)
    const { changes } = await copy.page()
    expect(changes[0]).toEqual({
      type: "note",
      id: note.id,
      operation: "delete",
      list_id: list.id,
      revision: note.revision,
      actor_id: owner.id,
      request_id: expect.any(String),
    })
    const { revision } = (await owner.get(`/tasks/${task.id}`)).body
    await owner.delete(`/tasks/${task.id}?revision=${revision}`)
    expect(brief((await copy.page()).changes)).toEqual([`delete task ${task.id}`, `upsert list ${list.id}`])
    await expectLevel(owner, copy)
  })

  it("shows a move as one upsert, a deletion or the whole subtree, by which lists the viewer sees", async () => {
    const { owner, member, list } = await makePeople(node)
    const other = await makeList(owner, "Other")
    const third = await makeList(owner, "Third")
    await addMember(node, third, member)
    const task = await makeFullTask(owner, list)
    const copies = await Promise.all([setCursor(owner), setCursor(member)])
    const move = async (to: any) => {
      const { revision } = (await owner.get(`/tasks/${task.id}`)).body
      await owner.patch(`/tasks/${task.id}`, { revision, list_id: to.id })
      return Promise.all(copies.map(async (copy) => brief(await copy.level()).filter((line) => !/ list /.test(line))))
    }
    expect(await move(other)).toEqual([[`upsert task ${task.id}`], [`delete task ${task.id}`]])
    const [, back] = await move(third)
    expect(back?.[0]).toBe(`upsert task ${task.id}`)
    expect(back?.map((line) => line.split(" ")[1])).toEqual([
      "task",
      "subtask",
      "note",
      "task_comment",
      "subtask_position",
    ])
    expect(await move(list)).toEqual([[`upsert task ${task.id}`], [`upsert task ${task.id}`]])
    await expectLevel(owner, copies[0] as Copy)
    await expectLevel(member, copies[1] as Copy)
  })

  it("shows a task that was moved back and forth once, where it is, with all that is in it", async () => {
    const { owner, member, list } = await makePeople(node)
    const [other, hidden] = [await makeList(owner, "Other"), await makeList(owner, "Hidden")]
    await addMember(node, other, member)
    const task = await makeFullTask(owner, list)
    const copies = await Promise.all([setCursor(owner), setCursor(member)])
    const move = async (to: { id: number }) => {
      const { revision } = (await owner.get(`/tasks/${task.id}`)).body
      await owner.patch(`/tasks/${task.id}`, { revision, list_id: to.id })
    }
    for (const way of [
      [other, list],
      [hidden, list],
      [other, list, other],
      [hidden, other, hidden, list],
      [hidden, list, hidden],
    ]) {
      for (const to of way) await move(to)
      for (const [index, person] of [owner, member].entries()) {
        // One that was out of sight meanwhile is forgotten first, on a page of its own.
        const changes = await (copies[index] as Copy).level(1000)
        const told = changes.filter(({ type, id }: any) => type === "task" && id === task.id)
        expect(told.filter(({ operation }: any) => operation === "upsert").length).toBeLessThanOrEqual(1)
        const isThere = (await person.get(`/tasks/${task.id}`)).status === 200
        expect(told.at(-1)?.operation).toBe(isThere ? "upsert" : "delete")
        await expectLevel(person, copies[index] as Copy)
      }
    }
  })

  it("forgets what was done to a task while it was out of sight", async () => {
    const { owner, member, list } = await makePeople(node)
    const other = await makeList(owner, "Other")
    const task = await makeFullTask(owner, list)
    const copy = await setCursor(member)
    const move = async (to: any) => {
      const { revision } = (await owner.get(`/tasks/${task.id}`)).body
      await owner.patch(`/tasks/${task.id}`, { revision, list_id: to.id })
    }
    await move(other)
    const [note] = (await owner.get(`/notes?task_id=${task.id}`)).body
    await owner.delete(`/notes/${note.id}?revision=${note.revision}`)
    await move(list)
    await expectLevel(member, copy)
    expect(copy.all("note")).toEqual([])
  })

  it("brings a list that was joined whole, and one tombstone of one that was left", async () => {
    const { owner, stranger, list } = await makePeople(node)
    const task = await makeFullTask(owner, list)
    const copy = await setCursor(stranger)
    const invitation = (await owner.post("/memberships", { list_id: list.id, user_id: stranger.id })).body
    await expectLevel(stranger, copy)
    expect(copy.all("list").map(({ id }) => id)).toContain(list.id)
    expect(copy.all("task")).toEqual([])
    await stranger.patch(`/memberships/${invitation.id}`, { revision: 1, state: "accepted" })
    const page = await copy.page(1000)
    expect([page.has_more, page.full]).toEqual([false, false])
    expect(brief(page.changes)).toContain(`upsert task ${task.id}`)
    await expectLevel(stranger, copy)
    const { revision } = (await stranger.get(`/memberships/${invitation.id}`)).body
    await stranger.delete(`/memberships/${invitation.id}?revision=${revision}`)
    const left = await copy.page()
    expect(left.changes).toEqual([
      {
        type: "list",
        id: list.id,
        operation: "delete",
        list_id: list.id,
        revision: expect.any(Number),
        actor_id: stranger.id,
        request_id: expect.any(String),
      },
    ])
  })

  it.each([1, 2, 1000])(
    "is right about a list that was joined, left and joined again, in pages of %i",
    async (limit) => {
      const { owner, stranger, list } = await makePeople(node)
      const task = await makeFullTask(owner, list)
      const copy = await setCursor(stranger)
      const join = async () => {
        const { id } = (await owner.post("/memberships", { list_id: list.id, user_id: stranger.id })).body
        await stranger.patch(`/memberships/${id}`, { revision: 1, state: "accepted" })
        return id
      }
      const first = await join()
      await copy.page(limit)
      await stranger.delete(`/memberships/${first}?revision=2`)
      const [note] = (await owner.get(`/notes?task_id=${task.id}`)).body
      await owner.delete(`/notes/${note.id}?revision=${note.revision}`)
      await join()
      await expectLevel(stranger, copy, limit)
      expect(copy.all("note")).toEqual([])
    },
  )

  it("tells of somebody's new name to those who share a list with them, and to nobody else", async () => {
    const { owner, member, stranger, list } = await makePeople(node)
    const copies = await Promise.all([setCursor(member), setCursor(stranger)])
    const { revision } = (await owner.get("/user")).body
    await owner.patch("/user", { revision, name: "Anna" })
    expect(brief((await (copies[0] as Copy).page()).changes)).toEqual([`upsert user ${owner.id}`])
    expect((await (copies[1] as Copy).page()).changes).toEqual([])
    await expectLevel(member, copies[0] as Copy)
    const others = (await owner.get(`/memberships?list_id=${list.id}`)).body
    const its = others.find(({ user_id }: any) => user_id === member.id)
    await owner.delete(`/memberships/${its.id}?revision=${its.revision}`)
    const own = await setCursor(owner)
    expect(own.all("user").map(({ id }) => id)).not.toContain(member.id)
  })

  it("leaves one tombstone of a deleted list, however much was in it", async () => {
    const { owner, member, list } = await makePeople(node)
    for (let n = 0; n < 5; n++) await makeFullTask(owner, list)
    const copies = await Promise.all([setCursor(owner), setCursor(member)])
    const { revision } = (await owner.get(`/lists/${list.id}`)).body
    expect((await owner.delete(`/lists/${list.id}?revision=${revision}`)).status).toBe(204)
    for (const copy of copies) expect(brief((await copy.page()).changes)).toEqual([`delete list ${list.id}`])
  })
})

describe("cursors (ours)", () => {
  it("of a root, of now and of an empty page go on from there", async () => {
    const ann = await makePerson(node)
    const { cursor, revision } = (await ann.get("/root")).body
    const now = (await ann.get("/changes?after=now")).body
    expect(now).toEqual({ changes: [], cursor: expect.any(String), has_more: false, full: false })
    const empty = await ann.get(`/changes?after=${cursor}`)
    expect(empty.text.length).toBeLessThan(200)
    expect(empty.headers.get("cache-control")).toBe("private, no-store")
    const task = await makeTask(ann, { id: ann.inboxId })
    for (const after of [cursor, now.cursor, empty.body.cursor])
      expect(brief((await ann.get(`/changes?after=${after}`)).body.changes)).toEqual([
        `upsert list ${ann.inboxId}`,
        `upsert task ${task.id}`,
      ])
    expect((await ann.get("/root")).body.revision).toBeGreaterThan(revision)
  })

  it("that are none are refused, and so are limits beyond 1 to 1000", async () => {
    const [ann, eve] = await Promise.all([makePerson(node), makePerson(node, "Eve")])
    const { cursor } = (await ann.get("/root")).body
    const altered = `${cursor.slice(0, 8)}${cursor[8] === "A" ? "B" : "A"}${cursor.slice(9)}`
    for (const [after, person] of [
      ["", ann],
      ["nonsense", ann],
      [altered, ann],
      [cursor.slice(0, -1), ann],
      [cursor, eve],
    ] as const) {
      const reply = await person.get(`/changes?after=${after}`)
      expect([after, reply.status, reply.body.error.type, reply.body.error.after]).toEqual([
        after,
        400,
        "bad_request",
        [expect.stringContaining("must be a cursor")],
      ])
      const { code } = await person.graphql("query ($after: String) { changes(after: $after) { cursor } }", { after })
      expect(code).toBe("BAD_REQUEST")
    }
    const limits = [
      ["0", 422],
      ["1001", 422],
      ["1e3", 400],
      ["-1", 400],
      ["", 400],
      ["1", 200],
      ["1000", 200],
    ] as const
    for (const [limit, status] of limits) {
      const reply = await ann.get(`/changes?after=now&limit=${limit}`)
      expect([limit, reply.status]).toEqual([limit, status])
      if (status !== 200) expect(reply.body.error.limit).toHaveLength(1)
    }
  })
})

describe("cursors that lead nowhere (ours)", () => {
  /** A node of its own, with a task that a cursor lies before, and what writes cursors as it does. */
  async function start() {
    const own = await startNode()
    const ann = await makePerson(own)
    const cursors = createCursors(await signingKey(own.database, "cursors"))
    const [place] = (await own.database.run(placeNow, [])) as [Cursor]
    await makeTask(ann, { id: ann.inboxId })
    return { own, ann, place, write: (more: Partial<Cursor>) => cursors.write(String(ann.id), { ...place, ...more }) }
  }

  async function expectResync(ann: Person, after: string): Promise<void> {
    const { status, body } = await ann.get(`/changes?after=${after}`)
    expect([status, body.error.type]).toEqual([410, "resync_required"])
    const { code } = await ann.graphql("query ($after: String) { changes(after: $after) { cursor } }", { after })
    expect(code).toBe("RESYNC_REQUIRED")
    const stream = await fetch(`${ann.url}/api/v1/events`, { headers: { ...ann.headers, "Last-Event-ID": after } })
    expect([stream.status, JSON.parse(await stream.text()).error.type]).toEqual([410, "resync_required"])
  }

  it("of another line of history are answered with 410, on every way", async () => {
    const { own, ann, write } = await start()
    await expectResync(ann, write({ history: "another" }))
    expect((await ann.get(`/changes?after=${write({})}`)).body.changes).toHaveLength(2)
    await own.stop()
  })

  it("of the future, and behind an event that is gone, are answered with 410, and begin another line of history", async () => {
    for (const more of [{ before: "900000000:900000000:", after: "900000000:900000000:" }, { id: "900000000" }]) {
      const { own, ann, write } = await start()
      const [good, lost] = [write({}), write(more)]
      await expectResync(ann, lost)
      // A client that was given that cursor knows of something that the database has lost.
      const isOver = async () => (await ann.get(`/changes?after=${good}`)).status === 410
      await expect.poll(isOver, { timeout: 30_000 }).toBe(true)
      await expectResync(ann, lost)
      await own.stop()
    }
  })

  it(
    "behind what is not kept any more are answered with 410; those of a log that has become empty go on",
    async () => {
      const { own, ann, write } = await start()
      const old = write({})
      await runSql(own.databaseUrl, `update events set occurred_at = now() - interval '40 days'`)
      await deleteOldEvents(own.database)
      await expectResync(ann, old)
      await untilAlone(own.databaseUrl)
      expect(await ann.get("/changes?after=now")).toMatchObject({ status: 200, body: { changes: [], has_more: false } })
      const silent = (await ann.get("/changes?after=now")).body.cursor
      const root = (await ann.get("/root")).body.cursor
      const again = (await ann.get(`/changes?after=${silent}`)).body.cursor
      const task = await makeTask(ann, { id: ann.inboxId })
      for (const after of [silent, root, again])
        expect(brief((await ann.get(`/changes?after=${after}`)).body.changes)).toContain(`upsert task ${task.id}`)
      await own.stop()
    },
    ALONE_TIMEOUT_MS,
  )
})

describe("Prefer: wait (ours)", () => {
  const waiting = (person: Person, cursor: string, preference: string) =>
    person.get(`/changes?after=${cursor}`, { Prefer: preference })

  it("holds an empty answer until something changes, and says for how long", async () => {
    const { owner, member, list } = await makePeople(node)
    const { cursor } = await setCursor(member)
    const reply = waiting(member, cursor as string, "wait=50")
    await eventually(() => node.status().waits === 1)
    const task = await makeTask(owner, list)
    const { body, headers } = await reply
    expect(brief(body.changes)).toEqual([`upsert list ${list.id}`, `upsert task ${task.id}`])
    expect(headers.get("preference-applied")).toBe("wait=50")
    const renamed = waiting(member, body.cursor, "respond-async, wait=9999")
    await eventually(() => node.status().waits === 1)
    const { revision } = (await owner.get("/user")).body
    await owner.patch("/user", { revision, name: "Anna" })
    expect(brief((await renamed).body.changes)).toEqual([`upsert user ${owner.id}`])
    expect((await renamed).headers.get("preference-applied")).toBe("wait=55")
    expect(node.status().waits).toBe(0)
  })

  it("answers when the time is over, at once when there is something, and leaves out what it cannot understand", async () => {
    const ann = await makePerson(node)
    const { cursor } = (await ann.get("/root")).body
    const applied = async (preference: string) =>
      (await waiting(ann, cursor, preference)).headers.get("preference-applied")
    expect(await applied("wait=1")).toBe("wait=1")
    expect(await applied("wait=0")).toBe("wait=0")
    for (const nonsense of ["wait=-1", "wait=soon", "wait", "handling=strict"])
      expect(await applied(nonsense)).toBe(null)
    await makeTask(ann, { id: ann.inboxId })
    expect(brief((await waiting(ann, cursor, "wait=55")).body.changes)).toHaveLength(2)
  })

  it("asks the database for nothing when somebody is renamed whom the viewer does not know", async () => {
    const own = await startNode()
    const [ann, bob, cid] = [await makePerson(own), await makePerson(own, "Bob"), await makePerson(own, "Cid")]
    const asked = vi.spyOn(own.database, "run")
    /** How often the database was asked, once all has been answered. */
    const countOf = async (name: string, isMeant = (_: readonly unknown[]) => true) => {
      const calls = asked.mock.calls.flatMap(([one, values], at) => (one.name === name && isMeant(values) ? [at] : []))
      await Promise.all(calls.map((at) => asked.mock.results[at]?.value))
      return calls.length
    }
    const glancesOf = ({ id }: Person) => countOf("glance_at_changes", (values) => values[1] === String(id))
    const hearings = () => countOf("hearers_of_person")
    /** Waits for what is behind this moment; the second glance is that of one who listens already. */
    const beginToWait = async (person: Person) => {
      const reply = waiting(person, (await person.get("/root")).body.cursor, "wait=50")
      await eventually(async () => (await glancesOf(person)) === 2)
      return { reply }
    }
    const rename = async (name: string) => {
      const { revision } = (await bob.get("/user")).body
      expect((await bob.patch("/user", { revision, name })).status, name).toBe(200)
    }
    // What was made by SQL is heard up to a second later, or with the next change, and wakes whom it is for. Now it has been heard.
    await beginToWait(cid)
    await rename("B")
    await eventually(async () => (await hearings()) === 1)
    const { reply } = await beginToWait(ann)
    await quiet(NEWS_PACE_MS)
    for (const name of ["Bo", "Bob", "Bobby"]) await rename(name)
    await eventually(async () => (await hearings()) === 4)
    await makeTask(ann, { id: ann.inboxId })
    expect((await reply).body.changes).toHaveLength(2)
    expect(await glancesOf(ann)).toBe(3) // the third finds the task
    await own.stop()
  })

  it("holds 100 requests of a user, and answers one more at once, which says so; streams are not counted", async () => {
    const own = await startNode()
    const ann = await makePerson(own)
    const { cursor } = (await ann.get("/root")).body
    const replies = Array.from({ length: 100 }, () => waiting(ann, cursor, "wait=50"))
    await eventually(() => own.status().waits === 100)
    const more = await waiting(ann, cursor, "wait=50")
    expect([more.status, more.headers.get("preference-applied")]).toEqual([200, null])
    const stream = await fetch(`${own.url}/api/v1/events`, { headers: ann.headers })
    await eventually(() => own.status().waits === 101)
    await stream.body?.cancel()
    await makeTask(ann, { id: ann.inboxId })
    for (const { body } of await Promise.all(replies)) expect(body.changes).toHaveLength(2)
    await own.stop()
  })

  it("ends with the token, and with the node", async () => {
    const own = await startNode()
    const [ann, bob] = [await makePerson(own), await makePerson(own, "Bob")]
    const cursors = [(await ann.get("/root")).body.cursor, (await bob.get("/root")).body.cursor]
    const replies = [waiting(ann, cursors[0], "wait=55"), waiting(bob, cursors[1], "wait=55")] as const
    await eventually(() => own.status().waits === 2)
    await runSql(own.databaseUrl, `delete from access_tokens where user_id = ${ann.id}`)
    expect((await replies[0]).status).toBe(401)
    const [reply] = await Promise.all([replies[1], own.stop()])
    expect([reply.status, reply.body.changes]).toEqual([200, []])
  })
})

describe("gzip (ours)", () => {
  const lengthOf = async (person: Person, path: string, body?: object, accept = "gzip") => {
    const answer = await fetch(`${node.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { ...person.headers, "Content-Type": "application/json", "Accept-Encoding": accept },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return [answer.headers.get("content-encoding"), (await answer.text()).length > 1_023]
  }

  it("packs what is read and has 1 KiB, for clients that ask for it, but no answer that holds a signed address or was written for", async () => {
    const ann = await makePerson(node)
    const list = await makeList(ann)
    for (let n = 0; n < 9; n++) await makeTask(ann, list)
    const query = { query: "{ lists { tasks { id title createdAt createdById revision starred completed listId } } }" }
    const made = {
      query: `mutation { createTask(input: {listId: ${list.id}, title: "x"}) { list { tasks { id title createdAt revision listId starred completed createdById } } } }`,
    }
    expect(await lengthOf(ann, "/api/v1/changes")).toEqual(["gzip", true])
    expect(await lengthOf(ann, `/api/v1/tasks?list_id=${list.id}`)).toEqual(["gzip", true])
    expect(await lengthOf(ann, "/graphql", query)).toEqual(["gzip", true])
    expect(await lengthOf(ann, "/graphql", query)).toEqual(["gzip", true])
    expect(await lengthOf(ann, "/api/v1/changes", undefined, "gzip;q=0, identity")).toEqual([null, true])
    expect(await lengthOf(ann, "/api/v1/root")).toEqual([null, false])
    expect(await lengthOf(ann, "/graphql", made)).toEqual([null, true])
    const task = await makeTask(ann, list)
    for (let n = 0; n < 4; n++)
      await makeFile(ann, task, Buffer.from("text"), { file_name: "a.txt", content_type: "text/plain" })
    expect(await lengthOf(ann, `/api/v1/files?task_id=${task.id}`)).toEqual([null, true])
    expect(await lengthOf(ann, "/api/v1/changes")).toEqual([null, true])
  })
})

describe("history (ours)", () => {
  it("tells what happened in a list and to a task, the newest first, page by page", async () => {
    const { owner, member, list } = await makePeople(node)
    const task = await makeTask(member, list)
    const other = await makeTask(owner, list)
    await owner.patch(`/tasks/${task.id}`, { revision: 1, title: "Two" })
    const note = (await owner.post("/notes", { task_id: task.id, content: "Note" })).body
    const { body } = await member.get(`/history?task_id=${task.id}`)
    expect(
      body.events.map(({ operation, subject_type, subject_id, actor_id }: any) => [
        operation,
        subject_type,
        subject_id,
        actor_id,
      ]),
    ).toEqual([
      ["CREATE", "note", note.id, owner.id],
      ["UPDATE", "task", task.id, owner.id],
      ["CREATE", "task", task.id, member.id],
    ])
    expect(body.events[1]).toMatchObject({ before: { title: "Buy milk" }, after: { title: "Two" } })
    expect(body.has_more).toBe(false)
    const all: any[] = []
    let after = ""
    for (let more = true; more; ) {
      const page = (await owner.get(`/history?list_id=${list.id}&limit=2${after}`)).body
      expect(page.events.length).toBeLessThanOrEqual(2)
      all.push(...page.events)
      more = page.has_more
      after = `&after=${page.cursor}`
    }
    expect(all.map(({ list_revision }) => list_revision)).toEqual(all.map((_, index) => all.length - index))
    expect(all.map(({ subject_id }) => subject_id)).toContain(other.id)
    const asked = `{ task(id: ${task.id}) { history(first: 1) { events { operation subjectType } hasMore } list { history(first: 1) { events { subjectType } } } } }`
    expect((await owner.graphql(asked)).data.task).toEqual({
      history: { events: [{ operation: "CREATE", subjectType: "note" }], hasMore: true },
      list: { history: { events: [{ subjectType: "note" }] } },
    })
  })

  it("goes no further back than the viewer's own acceptance, and is closed to everybody else", async () => {
    const { owner, invitee, stranger, list } = await makePeople(node)
    await makeTask(owner, list)
    const { body } = await owner.post("/memberships", { list_id: list.id, user_id: stranger.id })
    await stranger.patch(`/memberships/${body.id}`, { revision: 1, state: "accepted" })
    const task = await makeTask(owner, list)
    const { events } = (await stranger.get(`/history?list_id=${list.id}`)).body
    expect(events.map(({ subject_type, subject_id }: any) => [subject_type, subject_id])).toEqual([
      ["task", task.id],
      ["membership", body.id],
    ])
    for (const path of [`/history?list_id=${list.id}`, `/history?task_id=${task.id}`])
      expect((await invitee.get(path)).status).toBe(404)
    expect((await owner.get("/history")).status).toBe(400)
    const many = (count: number) =>
      owner.graphql(
        `{ ${Array.from({ length: count }, (_, at) => `a${at}: list(id: ${list.id}) { history(first: 1) { hasMore } }`).join(" ")} }`,
      )
    expect((await many(20)).errors).toBeUndefined()
    expect((await many(21)).errors?.map(({ extensions }: any) => extensions.code)).toEqual(["BAD_REQUEST"])
    const nonsense = await owner.get(`/history?list_id=${list.id}&after=nonsense`)
    expect([nonsense.status, nonsense.body.error.after]).toEqual([400, ["must be the cursor of an earlier page"]])
  })
})
