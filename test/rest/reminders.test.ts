import { beforeAll, describe, expect, it } from "vitest"
import { addMember, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const AT = "2031-05-06T07:08:09.123Z"

let node: TestNode
let owner: Person
let member: Person
let list: { id: number }
let task: { id: number; list_id: number }
/** A member through an application of the retired service. */
let veteran: Person

beforeAll(async () => {
  node = await sharedNode()
  ;({ owner, member, list } = await makePeople(node))
  task = await makeTask(owner, list)
  veteran = await makePerson(node, "Eve", "wunderlist")
  await addMember(node, list, veteran)
})

const makeReminder = async (who: Person, taskId = task.id, date = AT) => {
  const { body } = await who.post("/reminders", { task_id: taskId, date })
  return Array.isArray(body) ? body[0] : body
}

describe("POST /api/v1/reminders (§4 Reminders)", () => {
  const whole = () => ({
    id: expect.any(Number),
    task_id: task.id,
    date: AT,
    created_at: INSTANT,
    updated_at: INSTANT,
    revision: 1,
    type: "reminder",
  })

  it("answers 201 with an array that holds the reminder, without the device", async () => {
    const reply = await owner.post("/reminders", { task_id: task.id, date: AT, created_by_device_udid: "phone-1" })
    expect(reply).toMatchObject({ status: 201, body: [whole()] })
    expect(reply.text).not.toContain("phone-1")
    expect(Object.keys(reply.body[0])).toEqual(Object.keys(whole()))
  })

  it("answers a client of the retired service with the object itself", async () => {
    expect(await veteran.post("/reminders", { task_id: task.id, date: AT })).toMatchObject({
      status: 201,
      body: whole(),
    })
  })

  it.each([
    ["2013-08-30T08:36:13.273Z", "2013-08-30T08:36:13.273Z"],
    ["2013-08-30T08:36:13Z", "2013-08-30T08:36:13.000Z"],
    ["2013-08-30T01:36:13-07:00", "2013-08-30T08:36:13.000Z"],
    ["2013-08-31T00:06+1530", "2013-08-30T08:36:00.000Z"],
    ["20130830T083613Z", undefined],
    ["2013-08-30T08:36:13", undefined],
    ["2013-08-30", undefined],
    ["2013-02-30T08:36:13Z", undefined],
    ["2013-08-30T25:00:00Z", undefined],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["0001-01-01T00:00:00-12:00", "0001-01-01T12:00:00.000Z"],
    ["0001-01-01T00:00:00+00:01", undefined],
    ["0001-01-01T00:00:00+14:00", undefined],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
    ["9999-12-31T23:59:59+14:00", "9999-12-31T09:59:59.000Z"],
    ["9999-12-31T23:59:59-00:01", undefined],
    ["9999-12-31T24:00:00Z", undefined],
    ["", undefined],
  ])("keeps the date %j as %s", async (sent, kept) => {
    const { status, body } = await owner.post("/reminders", { task_id: task.id, date: sent })
    if (kept === undefined) expect([status, body.error?.date]).toEqual([422, [expect.any(String)]])
    else expect([status, body[0]?.date]).toEqual([201, kept])
  })

  it("says of an instant that is none what would be one", async () => {
    for (const date of ["2026-02-30T00:00:00Z", "0000-01-01T00:00:00Z", "2026-02-03T25:00:00Z"]) {
      const { body } = await owner.post("/reminders", { task_id: task.id, date })
      expect([date, body.error.date]).toEqual([date, ["must be a real date and time between the years 1 and 9999"]])
    }
  })

  it("refuses an instant before the year 1 wherever one is taken", async () => {
    const date = "0001-01-01T00:00:00+01:00"
    const mutation = "mutation ($input: CreateReminderInput!) { createReminder(input: $input) { id } }"
    expect(await owner.graphql(mutation, { input: { taskId: task.id, date } })).toMatchObject({
      code: "VALIDATION_ERROR",
    })
    for (const name of ["completed_from", "completed_to"]) {
      const path = `/tasks?list_id=${task.list_id}&completed=true&${name}=${encodeURIComponent(date)}`
      const { status, body } = await owner.get(path)
      expect([name, status, body.error?.[name]]).toEqual([name, 422, [expect.any(String)]])
    }
  })

  it("takes a udid of 255 characters and refuses one of 256", async () => {
    const make = (udid: string) =>
      owner.post("/reminders", { task_id: task.id, date: AT, created_by_device_udid: udid })
    expect((await make("u".repeat(255))).status).toBe(201)
    expect(await make("u".repeat(256))).toMatchObject({
      status: 422,
      body: { error: { created_by_device_udid: [expect.any(String)] } },
    })
  })
})

describe("GET /api/v1/reminders (§4 Reminders)", () => {
  it("shows nobody but its maker that there is a reminder", async () => {
    const own = await makeTask(owner, list)
    const { id } = await makeReminder(owner, own.id)
    const members = await makeReminder(member, own.id)
    expect((await owner.get(`/reminders?task_id=${own.id}`)).body.map((one: { id: number }) => one.id)).toEqual([id])
    expect((await member.get(`/reminders?task_id=${own.id}`)).body).toEqual([members])
    expect((await member.get(`/reminders?list_id=${list.id}`)).body).not.toContainEqual(expect.objectContaining({ id }))
    const unknown = (await member.get("/reminders/9007199254740991")).body
    for (const reply of [
      await member.get(`/reminders/${id}`),
      await member.patch(`/reminders/${id}`, { revision: 1, date: AT }),
      await member.delete(`/reminders/${id}?revision=1`),
    ])
      expect(reply).toMatchObject({ status: 404, body: unknown })
    const { data } = await member.graphql("query ($id: ID!) { task(id: $id) { reminders { id } } }", { id: own.id })
    expect(data.task.reminders).toEqual([{ id: String(members.id) }])
  })

  it("hides it from its creator too, once they cannot see the task any more", async () => {
    const guest = await makePerson(node, "Gus", "wunderlist")
    const membership = await addMember(node, list, guest)
    const { id } = await makeReminder(guest)
    expect((await guest.get("/reminders")).body).toHaveLength(1)
    await runSql(node.databaseUrl, `DELETE FROM memberships WHERE id = ${membership}`)
    expect((await guest.get(`/reminders/${id}`)).status).toBe(404)
    expect((await guest.patch(`/reminders/${id}`, { revision: 1, date: AT })).status).toBe(404)
    expect((await guest.get("/reminders")).body).toEqual([])
  })

  it("gives a client of the retired service all the user's reminders without task_id and list_id", async () => {
    const other = (await veteran.post("/lists", { title: "Other" })).body
    const made = [await makeReminder(veteran), await makeReminder(veteran, (await makeTask(veteran, other)).id)]
    const { status, body } = await veteran.get("/reminders")
    expect(status).toBe(200)
    expect(body.slice(-2)).toEqual(made)
    expect((await veteran.get(`/reminders?list_id=${other.id}`)).body).toEqual([made[1]])
    const { data } = await veteran.graphql("{ reminders(all: true) { id } }")
    expect(data.reminders).toEqual(body.map(({ id }: { id: number }) => ({ id: String(id) })))
  })
})

describe("PATCH /api/v1/reminders/:id (§4 Reminders)", () => {
  it("moves the date and says when", async () => {
    const before = await makeReminder(owner)
    const { body } = await owner.patch(`/reminders/${before.id}`, {
      id: before.id,
      revision: 1,
      date: "2032-01-01T01:00:00+01:00",
    })
    expect(body).toEqual({ ...before, date: "2032-01-01T00:00:00.000Z", updated_at: INSTANT, revision: 2 })
    expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(before.updated_at))
  })

  it("refuses another id in the body, after a stale revision", async () => {
    const { id } = await makeReminder(owner)
    for (const other of [id + 1, 0, 2 ** 53])
      expect(await owner.patch(`/reminders/${id}`, { id: other, revision: 1, date: AT })).toMatchObject({
        status: 422,
        body: { error: { type: "validation_error", id: [expect.any(String)] } },
      })
    expect((await owner.patch(`/reminders/${id}`, { id: id + 1, revision: 9, date: AT })).status).toBe(409)
    expect((await owner.patch(`/reminders/${id}`, { id: null, revision: 1, date: AT })).status).toBe(200)
  })

  it("needs the date", async () => {
    const { id } = await makeReminder(owner)
    expect(await owner.patch(`/reminders/${id}`, { revision: 1 })).toMatchObject({
      status: 400,
      body: { error: { date: ["required"] } },
    })
  })

  it("raises its user's revision with each write and leaves the list alone", async () => {
    const revisions = async (who: Person) => {
      const { data } = await who.graphql("query ($id: ID!) { viewer { revision } list(id: $id) { revision } }", {
        id: list.id,
      })
      return [data.viewer.revision, data.list.revision]
    }
    const [[mine, ofList], [members]] = [await revisions(owner), await revisions(member)] as [
      [number, number],
      [number],
    ]
    const { id } = await makeReminder(owner)
    await owner.patch(`/reminders/${id}`, { revision: 1, date: AT })
    await owner.delete(`/reminders/${id}?revision=2`)
    expect(await revisions(owner)).toEqual([mine + 3, ofList])
    expect(await revisions(member)).toEqual([members, ofList])
  })
})
