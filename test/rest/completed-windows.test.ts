import { beforeAll, describe, expect, it } from "vitest"
import { createClient } from "../support/client.js"
import { addMember, makeList, makePeople, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"

let node: TestNode
let owner: Person
let invitee: Person
let stranger: Person
let list: any
/** Five tasks: the second is open, the others were completed on the 1st, 3rd, 4th and 5th. */
let ids: number[]
let subtaskIds: number[]

const day = (at: number) => `2029-06-0${at}T12:00:00.000Z`

beforeAll(async () => {
  node = await sharedNode()
  ;({ owner, invitee, stranger, list } = await makePeople(node))
  const tasks: any[] = []
  for (let at = 1; at <= 5; at++) tasks.push(await makeTask(owner, list, { title: `t${at}`, completed: at !== 2 }))
  ids = tasks.map(({ id }) => id)
  const subtasks: any[] = []
  for (let at = 1; at <= 3; at++)
    subtasks.push((await owner.post("/subtasks", { task_id: ids[1], title: `s${at}`, completed: at !== 2 })).body)
  subtaskIds = subtasks.map(({ id }) => id)
  const set = (table: string, id: number, at: number) =>
    `update ${table} set completed_at = '${day(at)}' where id = ${id} and completed`
  await runSql(
    node.databaseUrl,
    [...ids.map((id, at) => set("tasks", id, at + 1)), ...subtaskIds.map((id, at) => set("subtasks", id, at + 1))].join(
      ";",
    ),
  )
})

const foundIn = async (path: string, who = owner): Promise<number[]> =>
  (await who.get(path)).body.map(({ id }: any) => id)
const at = (...places: number[]) => places.map((place) => ids[place - 1])

describe.each(["tasks", "subtasks"])("completed_from and completed_to of GET /api/v1/%s (ours)", (kind) => {
  const base = () => (kind === "tasks" ? `/tasks?list_id=${list.id}` : `/subtasks?task_id=${ids[1]}`)
  const expected = (...places: number[]) =>
    kind === "tasks" ? at(...places) : places.filter((place) => place <= 3).map((place) => subtaskIds[place - 1])

  it("are both part of the window, to the millisecond", async () => {
    const from = (instant: string) => foundIn(`${base()}&completed_from=${encodeURIComponent(instant)}`)
    const to = (instant: string) => foundIn(`${base()}&completed_to=${encodeURIComponent(instant)}`)
    expect(await from(day(3))).toEqual(expected(3, 4, 5))
    expect(await from("2029-06-03T12:00:00.001Z")).toEqual(expected(4, 5))
    expect(await to(day(3))).toEqual(expected(1, 3))
    expect(await to("2029-06-03T11:59:59.999Z")).toEqual(expected(1))
    expect(await to("2029-06-03T14:00:00+02:00")).toEqual(expected(1, 3))
    expect(await foundIn(`${base()}&completed_from=${day(3)}&completed_to=${day(4)}`)).toEqual(expected(3, 4))
    expect(await foundIn(`${base()}&completed_from=${day(3)}&completed_to=${day(3)}`)).toEqual(expected(3))
    expect(await foundIn(`${base()}&completed_from=${day(6)}`)).toEqual([])
  })

  it("hold only what is completed, whatever completed says", async () => {
    expect(await foundIn(`${base()}&completed=true&completed_from=${day(3)}`)).toEqual(expected(3, 4, 5))
    expect(await foundIn(`${base()}&completed=false&completed_from=${day(3)}`)).toEqual([])
  })

  it.each([
    ["completed_from", "yesterday", /with a time zone/],
    ["completed_from", "2029-06-03", /with a time zone/],
    ["completed_to", "2029-02-30T00:00:00Z", /./],
    ["completed_to", "", /with a time zone/],
  ])("are refused with 422 as %s=%s", async (parameter, value, text) => {
    const { status, body } = await owner.get(`${base()}&${parameter}=${value}`)
    expect([status, body.error[parameter]]).toEqual([422, [expect.stringMatching(text)]])
  })

  it("are refused when the window ends before it begins", async () => {
    const { status, body } = await owner.get(`${base()}&completed_from=${day(4)}&completed_to=${day(3)}`)
    expect([status, body.error.completed_from]).toEqual([422, ["must not be after completed_to"]])
  })

  it("are 404 to people who may not see the list, and 401 without a token", async () => {
    for (const who of [stranger, invitee])
      expect((await who.get(`${base()}&completed_from=${day(1)}`)).status).toBe(404)
    const nobody = createClient(node.url)
    expect((await nobody.get(`${base()}&completed_from=${day(1)}`)).status).toBe(401)
  })

  it("leave other parameters to be ignored, as before", async () => {
    const everything = await foundIn(base())
    expect(await foundIn(`${base()}&sort=-title&limit=1&after=x&completedFrom=x&completed_until=x`)).toEqual(everything)
  })
})

describe("Query.tasks and Query.subtasks (ours)", () => {
  const QUERY = `query ($listId: ID!, $completed: Boolean, $completedAt: InstantRange, $orderBy: TaskOrder, $first: Int, $after: String) {
    tasks(listId: $listId, completed: $completed, completedAt: $completedAt, orderBy: $orderBy, first: $first, after: $after) { id title cursor } }`
  const ask = (variables: object, who = owner) => who.graphql(QUERY, { listId: list.id, ...variables })
  const idsOf = ({ data, errors }: any) => {
    expect(errors).toBeUndefined()
    return data.tasks.map(({ id }: any) => Number(id))
  }

  it("have the same windows as REST", async () => {
    expect(idsOf(await ask({ completedAt: { from: day(3), to: day(4) } }))).toEqual(at(3, 4))
    expect(idsOf(await ask({ completed: false, completedAt: { from: day(3) } }))).toEqual([])
    expect(idsOf(await ask({ completedAt: {} }))).toEqual(at(2))
    expect((await ask({ completedAt: { from: day(4), to: day(3) } })).fields).toEqual({
      "completedAt.from": ["must not be after completedAt.to"],
    })
    const subtasks = "query ($id: ID!, $at: InstantRange) { subtasks(taskId: $id, completedAt: $at) { id } }"
    const { data } = await owner.graphql(subtasks, { id: ids[1], at: { from: day(2) } })
    expect(data.subtasks).toEqual([{ id: String(subtaskIds[2]) }])
  })

  it("order tasks as they are found in all lists", async () => {
    const completed = { completed: true }
    expect(idsOf(await ask({ ...completed, orderBy: "COMPLETED_AT_DESC" }))).toEqual(at(5, 4, 3, 1))
    expect(idsOf(await ask({ ...completed, orderBy: "TITLE_DESC" }))).toEqual(at(5, 4, 3, 1))
    expect(idsOf(await ask({ ...completed, orderBy: "ID_DESC" }))).toEqual(at(5, 4, 3, 1))
    for (const orderBy of ["ID_ASC", "DUE_DATE_ASC", "CREATED_AT_ASC", undefined])
      expect(idsOf(await ask({ ...completed, orderBy }))).toEqual(at(1, 3, 4, 5))
    const { data } = await owner.graphql(
      `{ findTasks(filter: { listIds: ["${list.id}"] }, orderBy: ID_DESC) { nodes { id } } }`,
    )
    expect(data.findTasks.nodes.map(({ id }: any) => Number(id))).toEqual(at(5, 4, 3, 2, 1))
  })

  it("go page by page, and lose nothing when the last of a page is deleted or completed meanwhile", async () => {
    const other = await makeList(owner)
    await addMember(node, other, invitee)
    const made: any[] = []
    for (const title of ["e", "d", "c", "b", "a"]) made.push(await makeTask(owner, other, { title }))
    const seen: string[] = []
    let after: string | undefined
    for (let page = 0; page < 3; page++) {
      const { data, errors } = await ask({ listId: other.id, orderBy: "TITLE_ASC", first: 2, after })
      expect(errors).toBeUndefined()
      seen.push(...data.tasks.map(({ title }: any) => title))
      expect(data.tasks).toHaveLength(page < 2 ? 2 : 1)
      const last = data.tasks.at(-1)
      after = last.cursor
      if (page === 0) await owner.delete(`/tasks/${last.id}?revision=1`)
      else await owner.patch(`/tasks/${last.id}`, { revision: 1, completed: true })
    }
    expect(seen).toEqual(["a", "b", "c", "d", "e"])
    // Without an order they go by id, and the last page may be full.
    const first = await ask({ listId: other.id, first: 1 })
    expect(idsOf(first)).toEqual([made[2].id])
    const second = await ask({ listId: other.id, first: 1, after: first.data.tasks[0].cursor })
    expect(idsOf(second)).toEqual([made[4].id])
    expect(idsOf(await ask({ listId: other.id, first: 1, after: second.data.tasks[0].cursor }))).toEqual([])
  })

  it("give a cursor with an order, a page or a window, and none otherwise", async () => {
    const cursors = async (variables: object) => (await ask(variables)).data.tasks.map(({ cursor }: any) => cursor)
    expect(await cursors({})).toEqual([null])
    for (const variables of [{ first: 1 }, { orderBy: "TITLE_ASC" }])
      expect(await cursors(variables)).toEqual([expect.stringMatching(/^[\w-]+$/)])
  })

  it("refuse pages of 0 and of 101, and a cursor of another order", async () => {
    expect(idsOf(await ask({ first: 1 }))).toEqual(at(2))
    expect(idsOf(await ask({ first: 100 }))).toEqual(at(2))
    for (const first of [0, 101, -1]) expect((await ask({ first })).fields).toEqual({ first: ["must be 1 to 100"] })
    const { cursor } = (await ask({ orderBy: "TITLE_ASC" })).data.tasks[0]
    for (const variables of [{ after: cursor }, { orderBy: "TITLE_DESC", after: cursor }, { after: "x" }])
      expect((await ask(variables)).fields).toEqual({ after: [expect.stringContaining("in the same order")] })
    expect((await ask({ after: "x".repeat(4_097) })).fields).toEqual({ after: [expect.stringContaining("4096")] })
  })

  it("tell a list that is closed from an empty page", async () => {
    for (const who of [stranger, invitee])
      for (const variables of [{ first: 1 }, { orderBy: "TITLE_ASC" }, { completedAt: { from: day(1) } }, {}])
        expect((await ask(variables, who)).code).toBe("NOT_FOUND")
    expect((await ask({ listId: "0", first: 1 })).code).toBe("NOT_FOUND")
    expect((await createClient(node.url).graphql(QUERY, { listId: list.id, first: 1 })).code).toBe("UNAUTHORIZED")
  })
})
