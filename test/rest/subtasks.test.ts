import { beforeAll, describe, expect, it } from "vitest"
import { makePeople, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

let node: TestNode
let owner: Person
let member: Person
let list: { id: number }
let task: { id: number }

beforeAll(async () => {
  node = await sharedNode()
  ;({ owner, member, list } = await makePeople(node))
  task = await makeTask(owner, list)
})

const makeSubtask = async (members: object = {}, taskId = task.id) =>
  (await owner.post("/subtasks", { task_id: taskId, title: "Fetch a bag", ...members })).body

describe("POST /api/v1/subtasks (§4 Subtasks)", () => {
  it("answers 201 with the whole subtask", async () => {
    const { status, body } = await member.post("/subtasks", { task_id: task.id, title: "  Fetch a bag " })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      task_id: task.id,
      title: "  Fetch a bag ",
      completed: false,
      created_at: INSTANT,
      created_by_id: member.id,
      revision: 1,
      type: "subtask",
    })
  })

  it("shows when a subtask was done that is made completed", async () => {
    expect(await makeSubtask({ completed: true })).toMatchObject({ completed: true, completed_at: INSTANT })
  })

  it("counts code points: 255 emoji are a title, 256 are not", async () => {
    const longest = "😀".repeat(255)
    const { id, title } = await makeSubtask({ title: longest })
    expect(title).toBe(longest)
    expect((await owner.patch(`/subtasks/${id}`, { revision: 1, title: longest })).body.title).toBe(longest)
    const fault = { status: 422, body: { error: { title: ["must have 1 to 255 characters"] } } }
    expect(await owner.post("/subtasks", { task_id: task.id, title: `${longest}😀` })).toMatchObject(fault)
    expect(await owner.patch(`/subtasks/${id}`, { revision: 2, title: `${longest}😀` })).toMatchObject(fault)
  })

  it.each([
    ["", "empty"],
    [" \t\n", "blank"],
    ["a\0b", "with NUL"],
    ["\ud800", "with a lone surrogate"],
  ])("refuses a title %j, which is %s, and names it", async (title) => {
    for (const reply of [
      await owner.post("/subtasks", { task_id: task.id, title }),
      await owner.patch(`/subtasks/${(await makeSubtask()).id}`, { revision: 1, title }),
    ])
      expect(reply).toMatchObject({ status: 422, body: { error: { title: [expect.any(String)] } } })
  })

  it("takes true and false for completed, and nothing else", async () => {
    expect(await owner.post("/subtasks", { task_id: task.id, title: "x", completed: "true" })).toMatchObject({
      status: 400,
      body: { error: { completed: ["must be a boolean"] } },
    })
    expect(await makeSubtask({ completed: null })).toMatchObject({ completed: false })
  })
})

describe("GET /api/v1/subtasks (§4 Subtasks)", () => {
  it("gives both kinds, the completed ones or the open ones, by task and by list", async () => {
    const own = await makeTask(owner, list)
    const [open, done] = [await makeSubtask({}, own.id), await makeSubtask({ completed: true }, own.id)]
    const ids = async (query: string) =>
      (await owner.get(`/subtasks?${query}`)).body
        .filter((subtask: { task_id: number }) => subtask.task_id === own.id)
        .map(({ id }: { id: number }) => id)
    for (const parent of [`task_id=${own.id}`, `list_id=${list.id}`]) {
      expect(await ids(parent)).toEqual([open.id, done.id])
      expect(await ids(`${parent}&completed=true`)).toEqual([done.id])
      expect(await ids(`${parent}&completed=0`)).toEqual([open.id])
    }
    expect(await ids(`list_id=${list.id}&completed=true&completed_tasks=true`)).toEqual([])
    const query = "query ($id: ID!) { subtasks(taskId: $id, completed: true) { id completedById } }"
    expect((await member.graphql(query, { id: own.id })).data.subtasks).toEqual([
      { id: String(done.id), completedById: String(owner.id) },
    ])
  })

  it("looks at the task when a list is named beside it (ours)", async () => {
    const elsewhere = (await owner.post("/lists", { title: "Elsewhere" })).body
    const subtask = await makeSubtask()
    const { body } = await owner.get(`/subtasks?task_id=${task.id}&list_id=${elsewhere.id}`)
    expect(body).toContainEqual(subtask)
  })
})

describe("PATCH /api/v1/subtasks/:id (§4 Subtasks)", () => {
  it("changes what is sent and keeps the rest", async () => {
    const before = await makeSubtask()
    const done = (await member.patch(`/subtasks/${before.id}`, { revision: 1, completed: true })).body
    expect(done).toEqual({ ...before, completed: true, completed_at: INSTANT, revision: 2 })
    const renamed = (await owner.patch(`/subtasks/${before.id}`, { revision: 2, title: "Fetch two" })).body
    expect(renamed).toEqual({ ...done, title: "Fetch two", revision: 3 })
    const open = (await owner.patch(`/subtasks/${before.id}`, { revision: 3, completed: false })).body
    expect(open).toEqual({ ...before, title: "Fetch two", revision: 4 })
  })

  it("remembers who completed it first", async () => {
    const { id } = await makeSubtask()
    await member.patch(`/subtasks/${id}`, { revision: 1, completed: true })
    await owner.patch(`/subtasks/${id}`, { revision: 2, completed: true })
    const { data } = await owner.graphql("query ($id: ID!) { subtask(id: $id) { completedById } }", { id })
    expect(data.subtask.completedById).toBe(String(member.id))
  })

  it("cannot remove the title, and ignores null for completed", async () => {
    const { id } = await makeSubtask({ completed: true })
    const untitled = { revision: 1, title: null }
    expect(await owner.patch(`/subtasks/${id}`, untitled)).toMatchObject({
      status: 422,
      body: { error: { type: "validation_error", title: [expect.any(String)] } },
    })
    const update = "mutation ($id: ID!, $input: UpdateSubtaskInput!) { updateSubtask(id: $id, input: $input) { id } }"
    expect((await owner.graphql(update, { id, input: untitled })).code).toBe("VALIDATION_ERROR")
    expect((await owner.patch(`/subtasks/${id}`, { ...untitled, revision: 7 })).status).toBe(409)
    expect((await owner.patch(`/subtasks/${id}`, { revision: 1, completed: null })).body).toMatchObject({
      completed: true,
      title: "Fetch a bag",
    })
  })

  it("raises the revisions of the task and the list, each write by one", async () => {
    const revisions = async () => [
      (await member.get(`/tasks/${task.id}`)).body.revision,
      (await member.get(`/lists/${list.id}`)).body.revision,
    ]
    const [ofTask, ofList] = await revisions()
    const { id } = await makeSubtask()
    await owner.patch(`/subtasks/${id}`, { revision: 1, completed: true })
    await owner.delete(`/subtasks/${id}?revision=2`)
    expect(await revisions()).toEqual([ofTask + 3, ofList + 3])
  })
})

describe("Task.subtasks and Task.subtaskConnection", () => {
  it("are in effective order and by id, whole and limited to one kind", async () => {
    const own = await makeTask(owner, list)
    const made = [
      await makeSubtask({}, own.id),
      await makeSubtask({ completed: true }, own.id),
      await makeSubtask({}, own.id),
    ]
    const [first, second, third] = made.map(({ id }) => String(id))
    const values = `{${third},9007199254740991,${second},${third}}`
    await runSql(
      node.databaseUrl,
      `INSERT INTO subtask_positions (id, "values", updated_by_id) VALUES (${own.id}, '${values}', ${owner.id})`,
    )
    const query = `query ($id: ID!) { task(id: $id) {
      subtasks { id } open: subtasks(completed: false) { id }
      subtaskConnection(first: 2) { nodes { id } pageInfo { hasNextPage endCursor } } } }`
    const { data } = await member.graphql(query, { id: own.id })
    expect(data.task.subtasks).toEqual([{ id: third }, { id: second }, { id: first }])
    expect(data.task.open).toEqual([{ id: third }, { id: first }])
    const { nodes, pageInfo } = data.task.subtaskConnection
    expect([nodes, pageInfo.hasNextPage]).toEqual([[{ id: first }, { id: second }], true])
    const next = `query ($id: ID!, $after: String) { task(id: $id) { subtaskConnection(first: 2, after: $after) { nodes { id } pageInfo { hasNextPage } } } }`
    const page = (await member.graphql(next, { id: own.id, after: pageInfo.endCursor })).data.task.subtaskConnection
    expect(page).toEqual({ nodes: [{ id: third }], pageInfo: { hasNextPage: false } })
  })
})
