import ICAL from "ical.js"
import rrule from "rrule"
import { beforeAll, describe, expect, it } from "vitest"
import { statement } from "../../src/statement.js"
import { type Member, makeMember, PASSWORD } from "../support/account.js"
import { createClient } from "../support/client.js"
import { createFormClient } from "../support/form-client.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

const { rrulestr } = rrule

let node: TestNode
let ann: Person
let bob: Person

beforeAll(async () => {
  node = await sharedNode()
  ;[ann, bob] = [await personal("Feed Ann"), await personal("Feed Bob")]
})

const makePersonal = statement(
  "test_make_personal",
  "update access_tokens set name = 'mine' where user_id = $1::bigint returning id",
  () => true,
)

async function personal(name: string): Promise<Person> {
  const person = await makePerson(node, name)
  await node.database.run(makePersonal, [person.id])
  return person
}

async function makeFeed(person: Person, listId?: number): Promise<{ id: string; listId: string | null; url: string }> {
  const query = "mutation ($listId: ID) { createCalendarFeed(listId: $listId) { id listId url } }"
  const { data, errors } = await person.graphql(query, { listId: listId === undefined ? null : String(listId) })
  expect(errors).toBeUndefined()
  return data.createCalendarFeed
}

async function read(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const titlesIn = (ics: string, kind = "vtodo"): unknown[] =>
  new ICAL.Component(ICAL.parse(ics)).getAllSubcomponents(kind).map((each) => each.getFirstPropertyValue("summary"))

describe("GET /calendar/:secret.ics", () => {
  it("shows what is to be done in all lists of its user, and of a list in that list only, without headers", async () => {
    const [trip, others] = [await makeList(ann, "Trip"), await makeList(bob, "Bob's")]
    await addMember(node, others, ann, "pending")
    await makeTask(ann, trip, { title: "Pack", due_date: "2027-05-01" })
    await makeTask(ann, trip, { title: "Over", completed: true })
    await makeTask(ann, { id: ann.inboxId }, { title: "Call" })
    await makeTask(bob, others, { title: "not yet Ann's" })
    const [all, one] = [await makeFeed(ann), await makeFeed(ann, trip.id)]
    expect([all.listId, one.listId]).toEqual([null, String(trip.id)])
    const reply = await read(all.url)
    expect(reply.status).toBe(200)
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "text/calendar; charset=utf-8",
      "cache-control": "private, no-cache",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex, nofollow",
    })
    expect(titlesIn(reply.text)).toEqual(["Call", "Pack"])
    expect(titlesIn((await read(one.url)).text)).toEqual(["Pack"])
    expect(titlesIn((await read(`${one.url}?show=events`)).text, "vevent")).toEqual(["Pack"])
    expect((await ann.graphql("{ viewer { calendarFeeds { id listId url } } }")).data.viewer.calendarFeeds).toEqual([
      { id: all.id, listId: null, url: null },
      { id: one.id, listId: String(trip.id), url: null },
    ])
  })

  it("keeps what others write in its line, for readers too that end lines wherever Unicode does", async () => {
    const ends = ["\r\n", "\n", "\r", "\v", "\f", "\u001c", "\u001d", "\u001e", "\u0085", "\u2028", "\u2029"]
    const title = `Mine${ends.map((end) => `${end}ATTACH:x`).join("")}`
    const hostile = await makeList(ann, title)
    await makeTask(ann, hostile, { title })
    const { text } = await read((await makeFeed(ann, hostile.id)).url)
    const lines = text.split(new RegExp(ends.join("|"))).filter((line) => line !== "")
    expect(lines.filter((line) => !/^(?! ?ATTACH)( |[A-Z-]+[:;])/.test(line))).toEqual([])
    // What is an end of a line stays one within the text; other controls have no place in it.
    expect(titlesIn(text)).toEqual([
      `Mine${ends.map((end) => `${/[\r\n\u0085\u2028\u2029]/.test(end) ? "\n" : ""}ATTACH:x`).join("")}`,
    ])
  })

  it("answers 304 until something that it shows changes", async () => {
    const list = await makeList(ann, "Tagged")
    const task = await makeTask(ann, list, { title: "One" })
    const { url } = await makeFeed(ann, list.id)
    let tag = (await read(url)).headers.get("etag") as string
    const isSame = async () => {
      const reply = await read(url, { "If-None-Match": `"other", ${tag}` })
      tag = reply.headers.get("etag") as string
      return reply.status === 304 && reply.text === ""
    }
    expect(await isSame()).toBe(true)
    await makeTask(ann, { id: ann.inboxId }, { title: "elsewhere" })
    expect(await isSame()).toBe(true)
    await ann.post("/subtasks", { task_id: task.id, title: "x" })
    expect([await isSame(), await isSame()]).toEqual([false, true])
    await ann.post("/reminders", { task_id: task.id, date: "2031-01-01T00:00:00Z" })
    expect([await isSame(), await isSame()]).toEqual([false, true])
    expect((await read(`${url}?show=events`, { "If-None-Match": tag })).status).toBe(200)
  })

  it("tells since when each component is as it is, and nothing of one that nobody touched", async () => {
    const list = await makeList(ann, "Stamped")
    const [touched, still] = [
      await makeTask(ann, list, { title: "Touched", due_date: "2027-05-01" }),
      await makeTask(ann, list, { title: "Still" }),
    ]
    const { url } = await makeFeed(ann, list.id)
    let revision = touched.revision
    const patch = async (change: object) => {
      revision = (await ann.get(`/tasks/${touched.id}`)).body.revision
      expect((await ann.patch(`/tasks/${touched.id}`, { revision, ...change })).status).toBe(200)
    }
    const told = async (query = "") => {
      const calendar = new ICAL.Component(ICAL.parse((await read(`${url}${query}`)).text))
      const at = (name: string) => (each: any) => String(each.getFirstPropertyValue(name))
      return new Map(
        ["vtodo", "vevent"]
          .flatMap((kind) => calendar.getAllSubcomponents(kind))
          .map((each) => [at("uid")(each).split("@")[0], [at("dtstamp")(each), at("last-modified")(each)]]),
      )
    }
    const uid = `task-${touched.id}`
    let [before, events] = [await told(), await told("?show=events")]
    const grows = async (name: string, change: () => Promise<unknown>) => {
      await change()
      const now = await told()
      const [was = "", is = ""] = [before.get(name)?.[0], now.get(name)?.[0]]
      expect(is > was, `${name} ${was} ${is}`).toBe(true)
      expect(now.get(name)?.[1]).toBe(is)
      expect(now.get(`task-${still.id}`)).toEqual(before.get(`task-${still.id}`))
      before = now
    }
    await grows(uid, () => patch({ title: "Renamed" }))
    await grows(uid, () => patch({ due_date: "2027-05-02" }))
    await grows(uid, () => ann.post("/notes", { task_id: touched.id, content: "n" }))
    await grows(uid, () => ann.post("/reminders", { task_id: touched.id, date: "2031-01-01T00:00:00Z" }))
    const [reminder] = (await ann.get(`/reminders?task_id=${touched.id}`)).body
    await grows(uid, () => ann.delete(`/reminders/${reminder.id}?revision=1`))
    let subtask: any
    await grows(uid, async () => {
      subtask = (await ann.post("/subtasks", { task_id: touched.id, title: "s" })).body
    })
    const other = (await ann.post("/subtasks", { task_id: touched.id, title: "other" })).body
    before = await told()
    const untouched = before.get(`subtask-${other.id}`)
    for (const change of [{ title: "t" }, { completed: true }])
      await grows(`subtask-${subtask.id}`, async () => {
        subtask = (await ann.patch(`/subtasks/${subtask.id}`, { revision: subtask.revision, ...change })).body
      })
    expect(before.get(`subtask-${other.id}`)).toEqual(untouched)
    const later = await told("?show=events")
    expect((later.get(uid)?.[0] ?? "") > (events.get(uid)?.[0] ?? "")).toBe(true)
    events = later
    const [first, again] = [await read(url), await read(url)]
    expect([again.text, again.headers.get("etag")]).toEqual([first.text, first.headers.get("etag")])
    expect(await told("?show=events")).toEqual(events)
  })

  it("holds a component where there is nothing to show", async () => {
    const list = await makeList(ann, "Empty")
    await makeTask(ann, list, { title: "Over", completed: true })
    const { url } = await makeFeed(ann, list.id)
    const kinds = async (query: string) =>
      new ICAL.Component(ICAL.parse((await read(`${url}${query}`)).text)).getAllSubcomponents().map(({ name }) => name)
    expect([await kinds(""), await kinds("?show=events")]).toEqual([["vtimezone"], ["vtimezone"]])
    await makeTask(ann, list, { title: "Not due" })
    expect([await kinds(""), await kinds("?show=events")]).toEqual([["vtodo"], ["vtimezone"]])
  })

  it("is due on the days on which completing makes a task due, at the end of months too", async () => {
    const list = await makeList(ann, "Months")
    const cases: [string, string, number, string[]][] = [
      ["2027-01-31", "month", 1, ["2027-02-28", "2027-03-31", "2027-04-30"]],
      ["2027-01-30", "month", 1, ["2027-02-28", "2027-03-30"]],
      ["2027-01-29", "month", 1, ["2027-02-28", "2027-03-29"]],
      ["2027-08-31", "month", 2, ["2027-10-31", "2027-12-31", "2028-02-29"]],
      ["2028-02-29", "year", 1, ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]],
      ["2028-02-29", "month", 12, ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]],
      ["2027-08-31", "year", 1, ["2028-08-31"]],
      ["2027-01-28", "month", 1, ["2027-02-28", "2027-03-28"]],
      ["2027-01-31", "week", 2, ["2027-02-14"]],
      ["2027-01-31", "day", 3, ["2027-02-03"]],
    ]
    const { url } = await makeFeed(ann, list.id)
    const daysOf = async (title: string, count: number) => {
      const all = []
      for (const [query, kind] of [
        ["", "vtodo"],
        ["?show=events", "vevent"],
      ] as const) {
        const calendar = new ICAL.Component(ICAL.parse((await read(`${url}${query}`)).text))
        const found = calendar
          .getAllSubcomponents(kind)
          .find((each) => each.getFirstPropertyValue("summary") === title) as ICAL.Component
        // ical.js reads calendars and knows no BYSETPOS among days of a month; rrule knows it.
        const start = String(found.getFirstPropertyValue("dtstart"))
        const rule = rrulestr(
          `DTSTART:${start.replaceAll("-", "")}T000000Z\nRRULE:${found.getFirstPropertyValue("rrule")}`,
        )
        all.push(rule.all((_, index) => index < count).map((date) => date.toISOString().slice(0, 10)))
      }
      expect(all[0]).toEqual(all[1])
      return all[0]
    }
    for (const [due_date, recurrence_type, recurrence_count, days] of cases) {
      const title = `${due_date} ${recurrence_type} ${recurrence_count}`
      const task = await makeTask(ann, list, { title, due_date, recurrence_type, recurrence_count })
      expect(await daysOf(title, days.length + 1)).toEqual([due_date, ...days])
      // What the service itself makes of it, from the first on.
      await ann.patch(`/tasks/${task.id}`, { revision: task.revision, completed: true })
      const next = (await ann.get(`/tasks?list_id=${list.id}`)).body.find((each: any) => each.title === title)
      expect(next.due_date).toBe(days[0])
      expect(await daysOf(title, days.length)).toEqual(days)
      await ann.delete(`/tasks/${next.id}?revision=${next.revision}`)
    }
    const { text } = await read(url)
    expect(text).not.toContain("RRULE")
  })

  it("is gone with the next request when it is revoked, when its list is left, and when it never was", async () => {
    const theirs = await makeList(bob, "Shared")
    const membership = await addMember(node, theirs, ann)
    const [revoked, left] = [await makeFeed(ann), await makeFeed(ann, theirs.id)]
    for (const { url } of [revoked, left]) expect((await read(url)).status).toBe(200)
    expect((await bob.graphql(`mutation { revokeCalendarFeed(id: "${revoked.id}") }`)).code).toBe("NOT_FOUND")
    expect((await ann.graphql(`mutation { revokeCalendarFeed(id: "${revoked.id}") }`)).data).toEqual({
      revokeCalendarFeed: true,
    })
    await ann.delete(`/memberships/${membership}?revision=1`)
    for (const url of [
      revoked.url,
      left.url,
      `${node.url}/calendar/${"a".repeat(40)}.ics`,
      `${node.url}/calendar/x.ics`,
    ]) {
      const reply = await read(url)
      expect(reply.status).toBe(404)
      expect(JSON.parse(reply.text).error.type).toBe("not_found")
    }
    expect((await fetch(left.url, { method: "POST" })).status).toBe(405)
  })

  it("is created by its user alone, for a list that they are a member of, and not by an application's token", async () => {
    const list = await makeList(bob, "Closed")
    const query = "mutation ($listId: ID) { createCalendarFeed(listId: $listId) { url } }"
    expect((await ann.graphql(query, { listId: String(list.id) })).code).toBe("NOT_FOUND")
    await addMember(node, list, ann, "pending")
    expect((await ann.graphql(query, { listId: String(list.id) })).code).toBe("NOT_FOUND")
    const cid = await makePerson(node, "Feed Cid")
    await node.database.run(letIn, [cid.id])
    for (const asked of ["mutation { createCalendarFeed { url } }", "{ viewer { calendarFeeds { id } } }"])
      expect((await cid.graphql(asked)).code).toBe("PERMISSION_ERROR")
    expect((await createClient(node.url).graphql("mutation { createCalendarFeed { url } }")).code).toBe("UNAUTHORIZED")
  })

  it("is stored as a hash, and a user has at most 20", async () => {
    const eve = await personal("Feed Eve")
    const { url } = await makeFeed(eve)
    const secret = /\/calendar\/([\w-]{40})\.ics$/.exec(url)?.[1] as string
    expect(JSON.stringify(await node.database.run(storedFeeds, [eve.id]))).not.toContain(secret)
    for (let count = 2; count <= 20; count++) await makeFeed(eve)
    expect(await eve.graphql("mutation { createCalendarFeed { url } }")).toMatchObject({
      code: "VALIDATION_ERROR",
      fields: { listId: ["cannot have a feed: you have 20; revoke one first"] },
    })
  })
})

const letIn = statement(
  "test_let_in",
  "update access_tokens set name = null, consent_id = 1 where user_id = $1::bigint",
  () => true,
)
const storedFeeds = statement(
  "test_stored_feeds",
  "select to_jsonb(f), encode(f.secret_hash, 'escape') from calendar_feeds f where user_id = $1::bigint",
  (fields) => fields,
)

describe("the account page", () => {
  it("makes a feed, shows its address once, and revokes it", async () => {
    const dan: Member = await makeMember(node)
    const browser = createFormClient(node.url)
    await browser.submit(await browser.get("/sign-in"), "/sign-in", { email: dan.email, password: PASSWORD })
    const page = await browser.get("/account")
    const made = await browser.submit(page, "/account/calendar-feeds", { listId: "" })
    const url = /http[^<]+\/calendar\/[\w-]{40}\.ics/.exec(made.text)?.[0] as string
    expect((await read(url)).status).toBe(200)
    const again = await browser.get("/account")
    expect(again.text).not.toContain("/calendar/")
    const [action] = /\/account\/calendar-feeds\/\d+\/revoke/.exec(again.text) as RegExpExecArray
    expect(await browser.submit(again, action, {})).toMatchObject({ status: 303, location: "/account?done=feed" })
    expect((await read(url)).status).toBe(404)
    const other = await makeList(ann, "Not theirs")
    const refused = await browser.submit(again, "/account/calendar-feeds", { listId: String(other.id) })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain("You no longer have that list.")
  })
})
