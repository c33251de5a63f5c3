import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signingKey } from "../../src/database/signing-key.js"
import { placeNow } from "../../src/events/account-replay.js"
import { type Cursor, createCursors } from "../../src/events/cursor.js"
import { deleteOldEvents } from "../../src/jobs/event-retention.js"
import { createAccessToken } from "../../src/oauth/access-token.js"
import { addMember, makeList, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { ALONE_TIMEOUT_MS, runSql, untilAlone } from "../support/postgres.js"
import { repetitions } from "../support/repetitions.js"
import { begun, eventually, type Listening, listen, quiet } from "./listener.js"

/** What each of three writes while a subscription is cut, and what comes late besides. */
const TASKS_EACH = repetitions(30, 10)
const LATE = 5
const TOLD = 3 * TASKS_EACH + LATE

let node: TestNode
beforeAll(async () => {
  node = await startNode()
})
afterAll(() => node.stop())

/** Subscribes, and waits until it is sure to hear. */
async function account(person: Person, after?: string): Promise<Listening & { close(): Promise<void> }> {
  const listener = listen(person)
  const listening = listener.accountUpdated(after)
  if (after === undefined) await begun(listening, person)
  return Object.assign(listening, { close: listener.close })
}
async function accounts(...people: Person[]) {
  const listenings = []
  for (const person of people) listenings.push(await account(person))
  return listenings
}
const brief = (events: any[]) =>
  events.map(({ operation, subjectType, subjectId }) => [operation, subjectType, +subjectId])

describe("accountUpdated (§9 Events)", () => {
  it("tells of the viewer's lists, old and new, and of what only they see", async () => {
    const ann = await makePerson(node)
    const other = await makePerson(node, "Eve")
    const old = await makeList(ann)
    const listening = await account(ann)
    const task = await makeTask(ann, old)
    const list = await makeList(ann, "New")
    const inside = await makeTask(ann, list)
    const setting = (await ann.post("/settings", { key: "sort", value: "asc" })).body
    const folder = (await ann.post("/folders", { title: "Home", list_ids: [list.id] })).body
    const [reminder] = (await ann.post("/reminders", { task_id: task.id, date: "2031-01-01T08:00:00Z" })).body
    await ann.put(`/list_positions/${ann.id}`, { revision: 1, values: [list.id, old.id] })
    const position = (await ann.get(`/list_positions/${ann.id}`)).body
    const { revision } = (await ann.get("/user")).body
    const user = (await ann.put("/user", { revision, name: "Anna" })).body
    await makeTask(other, await makeList(other))
    await other.post("/settings", { key: "sort", value: "desc" })

    await listening.until((events) => events.length === 8)
    await quiet()
    expect(brief(listening.events)).toEqual([
      ["CREATE", "task", task.id],
      ["CREATE", "list", list.id],
      ["CREATE", "task", inside.id],
      ["CREATE", "setting", setting.id],
      ["CREATE", "folder", folder.id],
      ["CREATE", "reminder", reminder.id],
      ["UPDATE", "list_position", ann.id],
      ["UPDATE", "user", ann.id],
    ])
    expect(listening.events.map(({ after }) => after)).toEqual([
      task,
      { ...list, revision: 1 },
      inside,
      setting,
      folder,
      reminder,
      position,
      user,
    ])
    expect(listening.events.map(({ listId }) => listId && Number(listId))).toEqual([
      old.id,
      list.id,
      list.id,
      null,
      null,
      null,
      null,
      null,
    ])
    await listening.close()
  })

  it("tells an invitee of list and memberships alone, a member of everything, and the removed member of their removal last", async () => {
    const { owner, list } = await makePeople(node)
    const eve = await makePerson(node, "Eve")
    const listening = await account(eve)
    const invitation = (await owner.post("/memberships", { list_id: list.id, user_id: eve.id })).body
    const hidden = await makeTask(owner, list, { title: "Not for Eve yet" })
    const renamed = (await owner.patch(`/lists/${list.id}`, { revision: list.revision, title: "Shared" })).body
    await listening.until((events) => events.length === 2)
    await eve.patch(`/memberships/${invitation.id}`, { revision: 1, state: "accepted" })
    const task = await makeTask(owner, list, { title: "For Eve" })
    await listening.until((events) => events.length === 4)
    expect((await owner.delete(`/memberships/${invitation.id}?revision=2`)).status).toBe(204)
    await makeTask(owner, list, { title: "No longer for Eve" })
    await listening.until((events) => events.length >= 5)
    await quiet()
    expect(brief(listening.events)).toEqual([
      ["CREATE", "membership", invitation.id],
      ["UPDATE", "list", list.id],
      ["UPDATE", "membership", invitation.id],
      ["CREATE", "task", task.id],
      ["DELETE", "membership", invitation.id],
    ])
    expect(listening.events[1].after).toEqual(renamed)
    expect(JSON.stringify(listening.events)).not.toContain(hidden.title)
    expect(listening.state()).toBe("open")
    await listening.close()
  })

  it("tells members and invitees of a list's end", async () => {
    const { owner, member, invitee, stranger, list } = await makePeople(node)
    const listenings = await accounts(owner, member, invitee, stranger)
    await owner.delete(`/lists/${list.id}?revision=${list.revision}`)
    for (const listening of listenings.slice(0, 3)) {
      await listening.until((events) => events.length === 1)
      expect(brief(listening.events)).toEqual([["DELETE", "list", list.id]])
    }
    expect(listenings[3]?.events).toEqual([])
    await Promise.all(listenings.map((listening) => listening.close()))
  })

  it("says nothing of the user's tokens", async () => {
    const ann = await makePerson(node)
    const listening = await account(ann)
    const token = await createAccessToken(node.database, String(ann.id), ann.credentials.clientId as string)
    expect(token).toBeDefined()
    await runSql(
      node.databaseUrl,
      `delete from access_tokens where id = (select max(id) from access_tokens where user_id = ${ann.id})`,
    )
    await makeTask(ann, { id: ann.inboxId })
    await listening.until((events) => events.length > 0)
    expect(brief(listening.events)).toEqual([["CREATE", "task", expect.any(Number)]])
    await listening.close()
  })
})

describe("accountUpdated(after)", () => {
  it("goes on behind the cursor: everything once, then live", async () => {
    const ann = await makePerson(node)
    const first = await account(ann)
    for (let n = 1; n <= 5; n++) await makeTask(ann, { id: ann.inboxId }, { title: `Task ${n}` })
    await first.until((events) => events.length === 5)
    await first.close()
    for (let n = 6; n <= 8; n++) await makeTask(ann, { id: ann.inboxId }, { title: `Task ${n}` })
    const second = await account(ann, first.events[2].cursor)
    await second.until((events) => events.length === 5)
    await makeTask(ann, { id: ann.inboxId }, { title: "Task 9" })
    await second.until((events) => events.length === 6)
    const third = await account(ann, second.events[1].cursor)
    await third.until((events) => events.length === 4)
    expect(second.events.map(({ after }) => after.title)).toEqual([4, 5, 6, 7, 8, 9].map((n) => `Task ${n}`))
    expect(third.events.map(({ after }) => after.title)).toEqual([6, 7, 8, 9].map((n) => `Task ${n}`))
    await Promise.all([second.close(), third.close()])
  })

  it.each([
    ["little", 0],
    ["much", 2_100],
  ])(
    "tells of what was closed to the viewer while %s happened elsewhere, and of nothing in it",
    async (_case, elsewhere) => {
      const { owner, member, invitee, stranger, list } = await makePeople(node)
      const other = await makeList(owner, "Other")
      const membershipId = await addMember(node, other, member)
      const [one, two] = await accounts(member, invitee)
      await owner.patch(`/lists/${list.id}`, { revision: list.revision, title: "Soon gone" })
      await Promise.all([one?.until((events) => events.length === 1), two?.until((events) => events.length === 1)])
      await Promise.all([one?.close(), two?.close()])
      await makeTask(owner, list)
      await makeTask(owner, other)
      await owner.delete(`/lists/${list.id}?revision=${list.revision + 1}`)
      expect((await owner.delete(`/memberships/${membershipId}?revision=1`)).status).toBe(204)
      await makeTask(owner, other)
      await runSql(
        node.databaseUrl,
        `insert into tasks (list_id, title, created_by_id, updated_by_id)
       select ${stranger.inboxId}, 'Elsewhere', ${stranger.id}, ${stranger.id} from generate_series(1, ${elsewhere})`,
      )
      const task = await makeTask(member, { id: member.inboxId })
      const setting = (await member.post("/settings", { key: "a", value: "b" })).body
      const ofMember = await account(member, one?.events[0].cursor)
      const ofInvitee = await account(invitee, two?.events[0].cursor)
      await ofMember.until((events) => events.length === 4)
      await ofInvitee.until((events) => events.length === 1)
      await quiet()
      expect(brief(ofMember.events)).toEqual([
        ["DELETE", "list", list.id],
        ["DELETE", "membership", membershipId],
        ["CREATE", "task", task.id],
        ["CREATE", "setting", setting.id],
      ])
      expect(brief(ofInvitee.events)).toEqual([["DELETE", "list", list.id]])
      await Promise.all([ofMember.close(), ofInvitee.close()])
    },
  )

  it("misses none and repeats none when it is cut again and again, and goes from node to node, under writers and an open transaction", async () => {
    const other = await startNodeOn(node.databaseUrl)
    const ann = await makePerson(node)
    const lists = await Promise.all([1, 2, 3, 4].map((n) => makeList(ann, `List ${n}`)))
    await quiet() // their events are told before it begins
    const first = await account(ann)
    await makeTask(ann, lists[0])
    await first.until((events) => events.length === 1)
    await first.close()
    let isWriting = true
    const write = async (list: any) => {
      for (let n = 0; n < TASKS_EACH; n++) await makeTask(ann, list)
    }
    // Its event has a low number and is committed late, again and again.
    const straggle = async () => {
      for (let n = 0; n < LATE; n++)
        await node.database.transaction(async (runner) => {
          const text =
            "insert into tasks (list_id, title, created_by_id, updated_by_id) values ($1::bigint, 'Late', $2::bigint, $2::bigint) returning id"
          await runner.run({ name: "late_task", text, read: () => 1 }, [lists[3].id, ann.id])
          await quiet(100)
        })
    }
    const writers = Promise.all([...lists.slice(0, 3).map(write), straggle()]).finally(() => {
      isWriting = false
    })
    const heard: any[] = []
    let cursor = first.events[0].cursor
    for (let round = 0; isWriting || round === 0; round++) {
      const listener = listen(ann, round % 2 === 0 ? other.url : node.url)
      const listening = listener.accountUpdated(cursor, "id cursor")
      await quiet(20 + 30 * (round % 4))
      listener.cut()
      heard.push(...listening.events)
      cursor = listening.events.at(-1)?.cursor ?? cursor
    }
    await writers
    const last = await account(ann, cursor)
    await last.until((events) => heard.length + events.length >= TOLD)
    await quiet()
    heard.push(...last.events)
    expect(heard).toHaveLength(TOLD)
    expect(new Set(heard.map(({ id }) => id)).size).toBe(TOLD)
    await last.close()
    await other.stop()
  })

  it("refuses what is no cursor, and asks to read again behind one that is not of this log", async () => {
    const ann = await makePerson(node)
    const listening = await account(ann)
    await makeTask(ann, { id: ann.inboxId })
    await makeTask(ann, { id: ann.inboxId })
    const [event] = await listening.until((events) => events.length === 2)
    const eve = await makePerson(node, "Eve")
    const outcome = async (after: string, person = ann) => {
      const listener = listen(person)
      const state = await listener.accountUpdated(after).ended()
      await listener.close()
      return state
    }
    const altered = `${event.cursor.slice(0, 8)}${event.cursor[8] === "A" ? "B" : "A"}${event.cursor.slice(9)}`
    for (const nonsense of ["", "nonsense", "' or 1=1", altered, event.cursor.slice(0, -1)])
      expect([nonsense, await outcome(nonsense)]).toEqual([nonsense, "BAD_REQUEST"])
    expect(await outcome(event.cursor, eve)).toBe("BAD_REQUEST")
    const former = Buffer.from("65a1b2.00000001.16384/100:110:/110:111:/5").toString("base64url")
    expect(await outcome(former)).toBe("RESYNC_REQUIRED")
    await listening.close()
  })

  it(
    "is good until something behind the cursor is deleted, however old its event is",
    async () => {
      const own = await startNode()
      const ann = await makePerson(own)
      const listener = listen(ann)
      const hear = async (after?: string) => {
        const before = own.status().listeners
        const listening = listener.accountUpdated(after)
        await eventually(() => own.status().listeners > before + 1)
        return listening
      }
      const first = await hear()
      const cursors = createCursors(await signingKey(own.database, "cursors"))
      // A transaction that another database of the same PostgreSQL has open just now may still write an event, as far as a cursor tells.
      const isAlone = ({ cursor }: any) => {
        const [xmin, xmax] = (cursors.read(String(ann.id), cursor) as Cursor).after.split(":")
        return xmin === xmax
      }
      let [one, two]: any[] = []
      for (let told = 2; one === undefined || !isAlone(one); told += 2) {
        await makeTask(ann, { id: ann.inboxId })
        await makeTask(ann, { id: ann.inboxId })
        ;[one, two] = (await first.until((events) => events.length === told)).slice(-2)
      }
      first.stop()
      const aged = ({ cursor, occurredAt }: any) => {
        const place = cursors.read(String(ann.id), cursor) as Cursor
        const then = new Date(Date.parse(occurredAt) - 31 * 86_400_000).toISOString()
        return cursors.write(String(ann.id), { ...place, occurredAt: then })
      }
      const age = async ({ id }: any) => {
        await runSql(
          own.databaseUrl,
          `update events set occurred_at = occurred_at - interval '31 days' where id = ${id}`,
        )
        await runSql(own.databaseUrl, `update events set occurred_at = now() - interval '31 days' where id < ${id}`)
        await deleteOldEvents(own.database)
      }
      await age(one)
      const still = listener.accountUpdated(aged(one))
      expect((await still.until((events) => events.length === 1))[0].id).toBe(two.id)
      still.stop()
      await age(two)
      expect(await listener.accountUpdated(aged(one)).ended()).toBe("RESYNC_REQUIRED")
      // A cursor of now, which was given when the log was empty, goes on.
      await untilAlone(own.databaseUrl)
      const place = cursors.write(String(ann.id), (await own.database.run(placeNow, []))[0] as Cursor)
      const task = await makeTask(ann, { id: ann.inboxId })
      const again = listener.accountUpdated(place)
      expect((await again.until((events) => events.length === 1))[0].after.id).toBe(task.id)
      await listener.close()
      await own.stop()
    },
    ALONE_TIMEOUT_MS,
  )
})

describe("what happened before somebody was let in", () => {
  it("is no part of their account, behind an older cursor either", async () => {
    const { owner, list } = await makePeople(node)
    const eve = await makePerson(node, "Eve")
    const listening = await account(eve)
    await eve.post("/settings", { key: "a", value: "b" })
    const [{ cursor }] = await listening.until((events) => events.length === 1)
    await listening.close()
    const gone = await makeTask(owner, list, { title: "Not for Eve" })
    await owner.delete(`/tasks/${gone.id}?revision=1`)
    const invitation = (await owner.post("/memberships", { list_id: list.id, user_id: eve.id })).body
    const waiting = await makeTask(owner, list, { title: "Not for Eve either" })
    await eve.patch(`/memberships/${invitation.id}`, { revision: 1, state: "accepted" })
    const task = await makeTask(owner, list, { title: "For Eve" })
    const again = await account(eve, cursor)
    await again.until((events) => events.length >= 3)
    await quiet()
    expect(brief(again.events)).toEqual([
      ["CREATE", "membership", invitation.id],
      ["UPDATE", "membership", invitation.id],
      ["CREATE", "task", task.id],
    ])
    expect(waiting.id).toBeGreaterThan(gone.id)
    await again.close()
  })
})
