import { beforeAll, describe, expect, it } from "vitest"
import { makeList, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

const UNKNOWN_ID = 9007199254740991

let node: TestNode
let owner: Person
let member: Person
let invitee: Person
let stranger: Person
let list: { id: number }

beforeAll(async () => {
  node = await sharedNode()
  ;({ owner, member, invitee, stranger, list } = await makePeople(node))
})

describe("positions before they are first written (§2 Positions)", () => {
  it("exist from the start, empty, at revision 1", async () => {
    const fresh = await makePerson(node, "Eve")
    const made = await makeList(fresh)
    const task = await makeTask(fresh, made)
    const listPosition = { id: fresh.id, values: [], revision: 1, type: "list_position" }
    const taskPosition = { id: made.id, list_id: made.id, values: [], revision: 1, type: "task_position" }
    const subtaskPosition = { id: task.id, task_id: task.id, values: [], revision: 1, type: "subtask_position" }
    expect((await fresh.get("/list_positions")).body).toEqual([listPosition])
    expect((await fresh.get(`/list_positions/${fresh.id}`)).body).toEqual(listPosition)
    expect((await fresh.get(`/task_positions?list_id=${made.id}`)).body).toEqual([taskPosition])
    expect((await fresh.get(`/task_positions/${made.id}`)).body).toEqual(taskPosition)
    expect((await fresh.get(`/subtask_positions?task_id=${task.id}`)).body).toEqual([subtaskPosition])
    expect((await fresh.get(`/subtask_positions?list_id=${made.id}`)).body).toEqual([subtaskPosition])
    expect((await fresh.get(`/subtask_positions/${task.id}`)).body).toEqual(subtaskPosition)
  })
})

describe.each(["list", "task", "subtask"] as const)("PUT and PATCH /api/v1/%s_positions/:id (§4 Positions)", (kind) => {
  let path: string
  let extra: Record<string, number>
  beforeAll(async () => {
    const made = await makeList(owner)
    const task = await makeTask(owner, made)
    const id = { list: owner.id, task: made.id, subtask: task.id }[kind]
    path = `/${kind}_positions/${id}`
    extra = kind === "subtask" ? { task_id: id } : { list_id: id }
  })

  it("keeps what was sent, each id once, ids of nothing too", async () => {
    const { revision, id } = (await owner.get(path)).body
    const written = await owner.put(path, { revision, values: [7, UNKNOWN_ID, 7, 3] })
    expect(written).toMatchObject({ status: 200 })
    expect(written.body).toEqual({
      id,
      ...extra,
      values: [7, UNKNOWN_ID, 3],
      revision: revision + 1,
      type: `${kind}_position`,
    })
    const again = await owner.patch(path, { revision: revision + 1, values: [] })
    expect(again.body).toMatchObject({ values: [], revision: revision + 2 })
  })

  it("answers 409 to a stale revision, also before the first write", async () => {
    const { revision } = (await owner.get(path)).body
    for (const stale of [revision - 1, revision + 1, 0])
      expect((await owner.put(path, { revision: stale, values: [] })).body.error.revision_conflict).toBe(true)
  })

  it("answers 400 to what is no array of integers, 422 to integers that cannot be ids", async () => {
    const { revision, values } = (await owner.get(path)).body
    for (const wrong of [undefined, null, 5, "x", ["5"], [1.5], [null], [[1]]])
      expect((await owner.put(path, { revision, values: wrong })).body.error).toMatchObject({
        type: "missing_parameter",
        values: [expect.any(String)],
      })
    for (const wrong of [[0], [-1], [9007199254740992]])
      expect((await owner.put(path, { revision, values: wrong })).status).toBe(422)
    expect((await owner.get(path)).body).toMatchObject({ revision, values })
  })

  it("takes as many ids as a body carries, which is 1 MiB", async () => {
    const { revision } = (await owner.get(path)).body
    const many = Array.from({ length: 100_000 }, (_, index) => 20_000_000 + index)
    expect((await owner.put(path, { revision, values: [...many, ...many] })).status).toBe(413)
    expect((await owner.get(path)).body.revision).toBe(revision)
    const reply = await owner.put(path, { revision, values: many })
    expect([reply.status, reply.body.values.length]).toEqual([200, many.length])
    expect((await owner.put(path, { revision: revision + 1, values: [] })).status).toBe(200)
  })

  it("is one writer's when several come with one revision", async () => {
    const { revision } = (await owner.get(path)).body
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => owner.put(path, { revision, values: [index + 1] })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
  })

  it("does not exist for strangers and invitees", async () => {
    for (const person of [stranger, invitee]) {
      expect((await person.get(path)).body).toEqual((await person.get("/tasks/1")).body)
      expect((await person.put(path, { revision: 1, values: [] })).status).toBe(404)
    }
  })

  it("has a GraphQL counterpart with the same results", async () => {
    const name = `${kind[0]?.toUpperCase()}${kind.slice(1)}Position`
    const { id, revision } = (await owner.get(path)).body
    const update = `mutation ($id: ID!, $input: UpdatePositionInput!) { update${name}(id: $id, input: $input) { id values revision } }`
    expect((await owner.graphql(update, { id, input: { revision: 0, values: [] } })).code).toBe("CONFLICT")
    expect((await owner.graphql(update, { id, input: { revision, values: ["x"] } })).code).toBe("VALIDATION_ERROR")
    expect((await stranger.graphql(update, { id, input: { revision, values: ["x"] } })).code).toBe("NOT_FOUND")
    expect((await owner.graphql(update, { id, input: { revision, values: ["4", 2] } })).data[`update${name}`]).toEqual({
      id: String(id),
      values: ["4", "2"],
      revision: revision + 1,
    })
  })
})

describe("the effective order (§2 Positions, rules 1 to 3)", () => {
  it("follows values, ignores what is gone, and puts what is not named behind it by id", async () => {
    const here = await makeList(owner)
    const there = await makeList(owner)
    const [a, b, c, d, e] = [
      await makeTask(owner, here),
      await makeTask(owner, here),
      await makeTask(owner, here),
      await makeTask(owner, here),
      await makeTask(owner, here),
    ]
    await owner.put(`/task_positions/${here.id}`, { revision: 1, values: [e.id, d.id, b.id, a.id] })
    await owner.delete(`/tasks/${e.id}?revision=1`)
    await owner.patch(`/tasks/${d.id}`, { revision: 1, list_id: there.id })
    await owner.patch(`/tasks/${b.id}`, { revision: 1, completed: true })
    const order =
      "query ($id: ID!) { list(id: $id) { tasks { id } completed: tasks(completed: true) { id } taskPosition { values order } } }"
    const ids = (tasks: { id: string }[]) => tasks.map(({ id }) => Number(id))
    const seen = (await owner.graphql(order, { id: here.id })).data.list
    expect(ids(seen.tasks)).toEqual([a.id, c.id])
    expect(ids(seen.completed)).toEqual([b.id])
    expect(seen.taskPosition.values.map(Number)).toEqual([e.id, d.id, b.id, a.id])
    expect(seen.taskPosition.order.map(Number)).toEqual([b.id, a.id, c.id])
    expect(ids((await owner.graphql(order, { id: there.id })).data.list.tasks)).toEqual([d.id])
    await owner.put(`/task_positions/${here.id}`, { revision: 2, values: [c.id] })
    expect(ids((await owner.graphql(order, { id: here.id })).data.list.tasks)).toEqual([c.id, a.id])
  })

  it("orders subtask positions of a list by its tasks", async () => {
    const made = await makeList(owner)
    const [a, b] = [await makeTask(owner, made), await makeTask(owner, made)]
    await owner.put(`/task_positions/${made.id}`, { revision: 1, values: [b.id, a.id] })
    expect((await owner.get(`/subtask_positions?list_id=${made.id}`)).body.map(({ id }: { id: number }) => id)).toEqual(
      [b.id, a.id],
    )
    expect((await owner.get("/subtask_positions")).body.error.task_id).toBeDefined()
    expect((await stranger.get(`/subtask_positions?list_id=${made.id}`)).status).toBe(404)
  })

  it("is the members' own for lists, and shared for tasks", async () => {
    await member.put(`/list_positions/${member.id}`, { revision: 1, values: [list.id, member.inboxId] })
    const order = async (person: Person) =>
      (await person.graphql("{ listPositions { order } }")).data.listPositions[0].order.map(Number)
    expect(await order(member)).toEqual([list.id, member.inboxId])
    expect((await owner.get(`/list_positions/${member.id}`)).status).toBe(404)
    await member.put(`/task_positions/${list.id}`, { revision: 1, values: [5] })
    expect((await owner.get(`/task_positions/${list.id}`)).body.values).toEqual([5])
  })
})
