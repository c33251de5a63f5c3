import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { addMember, makeList, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UNKNOWN_ID = 9007199254740991
const EMOJI = "\u{1f600}"

let node: TestNode
let owner: Person
let member: Person
let invitee: Person
let stranger: Person
let list: { id: number; revision: number }

beforeAll(async () => {
  node = await startNode()
  ;({ owner, member, invitee, stranger, list } = await makePeople(node))
})
afterAll(() => node.stop())

const titleOf = async (id: number) => (await owner.get(`/tasks/${id}`)).body.title

describe("POST /api/v1/tasks (§4 Tasks)", () => {
  it("answers 201 with the whole task, the same bytes that GET gives alone and in the list", async () => {
    const sent = {
      list_id: list.id,
      title: " Buy milk ",
      assignee_id: member.id,
      due_date: "2031-01-31",
      starred: true,
      recurrence_type: "month",
      recurrence_count: 2,
    }
    const { status, body, text, headers } = await owner.post("/tasks", sent)
    expect(status).toBe(201)
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8")
    expect(body).toEqual({
      ...sent,
      id: expect.any(Number),
      created_at: expect.stringMatching(INSTANT),
      created_by_id: owner.id,
      completed: false,
      revision: 1,
      type: "task",
    })
    expect((await owner.get(`/tasks/${body.id}`)).text).toBe(text)
    expect((await owner.get(`/tasks?list_id=${list.id}`)).text).toContain(text)
  })

  it("makes a completed task complete from the start", async () => {
    const { body } = await member.post("/tasks", { list_id: list.id, title: "Done", completed: true })
    expect(body).toMatchObject({
      completed: true,
      completed_at: expect.stringMatching(INSTANT),
      completed_by_id: member.id,
    })
  })

  it("shows X-Client-Request-Id as created_by_request_id", async () => {
    const { body } = await owner.post("/tasks", { list_id: list.id, title: "x" }, { "X-Client-Request-Id": "r-1" })
    expect(body.created_by_request_id).toBe("r-1")
  })

  it("ignores members that it does not know or that only answers have, and takes null as absent", async () => {
    const sent = `{"list_id":${list.id},"title":"x","id":7,"revision":9,"type":"list","completed_at":"0001-01-01T00:00:00Z","due_date":null,"starred":null,"__proto__":{"starred":true,"isAdmin":true},"constructor":{"prototype":{"x":1}}}`
    const { status, body } = await owner.post("/tasks", sent)
    expect(status).toBe(201)
    expect(body).toMatchObject({ revision: 1, starred: false, completed: false, type: "task" })
    expect(body.id).not.toBe(7)
    expect(body).not.toHaveProperty("due_date")
    expect(body).not.toHaveProperty("completed_at")
    expect({}).not.toHaveProperty("isAdmin")
    expect({}).not.toHaveProperty("x")
  })

  it.each([
    ["list_id", { title: "x" }, ["required"]],
    ["title", {}, ["required"]],
    ["title", { title: null }, ["required"]],
    ["title", { title: 5 }, ["must be a string"]],
    ["list_id", { title: "x", list_id: "1" }, ["must be an integer"]],
    ["list_id", { title: "x", list_id: 1.5 }, ["must be an integer"]],
    ["starred", { title: "x", starred: "true" }, ["must be a boolean"]],
    ["recurrence_count", { title: "x", recurrence_type: "day", recurrence_count: "1" }, ["must be an integer"]],
    ["due_date", { title: "x", due_date: 20130830 }, ["must be a string"]],
    ["assignee_id", { title: "x", assignee_id: "7" }, ["must be an integer"]],
  ])("answers 400 and names %s when it is missing or mistyped: %j", async (field, members, texts) => {
    const { status, body } = await owner.post(
      "/tasks",
      field === "list_id" ? members : { list_id: list.id, ...members },
    )
    expect(status).toBe(400)
    expect(body.error).toMatchObject({
      type: "missing_parameter",
      translation_key: "api_error_missing_params",
      [field]: texts,
    })
  })

  it.each([
    ["title", { title: "" }],
    ["title", { title: " \t\n " }],
    ["title", { title: EMOJI.repeat(256) }],
    ["title", { title: "a\u0000b" }],
    ["due_date", { due_date: "2013-02-30" }],
    ["due_date", { due_date: "2013-8-3" }],
    ["due_date", { due_date: "2013-08-30T23:00:00-07:00" }],
    ["due_date", { due_date: "0000-00-00" }],
    ["due_date", { due_date: "" }],
    ["recurrence_type", { recurrence_type: "hour", recurrence_count: 1 }],
    ["recurrence_count", { recurrence_type: "day", recurrence_count: 0 }],
    ["recurrence_count", { recurrence_type: "day" }],
    ["recurrence_type", { recurrence_count: 1 }],
  ])("answers 422 and names %s when its value is not allowed: %j", async (field, members) => {
    const before = (await owner.get(`/lists/${list.id}`)).body.revision
    const { status, body } = await owner.post("/tasks", { list_id: list.id, title: "x", ...members })
    expect(status).toBe(422)
    expect(body.error).toMatchObject({ type: "validation_error", [field]: [expect.any(String)] })
    expect((await owner.get(`/lists/${list.id}`)).body.revision).toBe(before)
  })

  it("refuses a lone surrogate instead of storing something else", async () => {
    const { status, body } = await owner.post("/tasks", `{"list_id":${list.id},"title":"a\\ud83d"}`)
    expect(status).toBe(422)
    expect(body.error.title).toEqual([expect.stringContaining("surrogate")])
  })

  it("counts code points: 255 emoji are a title, verbatim", async () => {
    const title = EMOJI.repeat(255)
    const { status, body } = await owner.post("/tasks", { list_id: list.id, title })
    expect(status).toBe(201)
    expect(await titleOf(body.id)).toBe(title)
  })

  it("takes only an accepted member as assignee", async () => {
    for (const { id } of [invitee, stranger, { id: UNKNOWN_ID }]) {
      const { status, body } = await owner.post("/tasks", { list_id: list.id, title: "x", assignee_id: id })
      expect([status, body.error.assignee_id]).toEqual([422, ["must be an accepted member of the list"]])
    }
  })

  it("answers strangers and invitees as for a list that does not exist, before it looks at the values", async () => {
    const unknown = await owner.post("/tasks", { list_id: UNKNOWN_ID, title: "" })
    expect(unknown).toMatchObject({ status: 404, body: { error: { type: "permission_error", permissions: "failed" } } })
    for (const person of [stranger, invitee])
      expect((await person.post("/tasks", { list_id: list.id, title: "" })).body).toEqual(unknown.body)
  })
})

describe("GET /api/v1/tasks (§4 Tasks)", () => {
  it("gives the open tasks by id; completed=true the others, in every spelling of a boolean", async () => {
    const fresh = await makeList(owner)
    const [first, second, third] = [
      await makeTask(owner, fresh),
      await makeTask(owner, fresh),
      await makeTask(owner, fresh),
    ]
    await owner.patch(`/tasks/${second.id}`, { revision: 1, completed: true })
    const ids = async (query: string) =>
      (await owner.get(`/tasks?list_id=${fresh.id}${query}`)).body.map(({ id }: { id: number }) => id)
    expect(await ids("")).toEqual([first.id, third.id])
    for (const no of ["false", "False", "0"]) expect(await ids(`&completed=${no}`)).toEqual([first.id, third.id])
    for (const yes of ["true", "True", "TRUE", "1"]) expect(await ids(`&completed=${yes}`)).toEqual([second.id])
    expect(await ids("&completed=true&utm_source=x")).toEqual([second.id])
  })

  it("answers an empty list with an empty array", async () => {
    expect((await owner.get(`/tasks?list_id=${owner.inboxId}`)).text).toBe("[]")
  })

  it.each([
    "",
    "?list_id=",
    "?list_id[]=1",
    "?list_id[a]=1",
    "?list_id=1.5",
    "?list_id=1e3",
    "?list_id=0x10",
    "?list_id=%201",
    "?list_id=-1",
  ])("answers 400 to /tasks%s and names list_id", async (query) => {
    const { status, body } = await owner.get(`/tasks${query}`)
    expect(status).toBe(400)
    expect(body.error.list_id).toBeDefined()
  })

  it("answers 400 to a parameter that is given twice, and never another list's tasks", async () => {
    for (const query of [
      `list_id=${list.id}&list_id=${owner.inboxId}`,
      `list_id=${list.id}&completed=true&completed=false`,
    ])
      expect((await owner.get(`/tasks?${query}`)).body.error.type).toBe("bad_request")
    expect((await owner.get(`/tasks?list_id=${list.id}&completed=yes`)).status).toBe(400)
  })

  it("answers 404 for a list that is closed to the viewer, unknown, or beyond any id", async () => {
    const replies = await Promise.all([
      stranger.get(`/tasks?list_id=${list.id}`),
      invitee.get(`/tasks?list_id=${list.id}`),
      ...[UNKNOWN_ID, "9007199254740993", "9223372036854775808", "99999999999999999999", 0].map((id) =>
        owner.get(`/tasks?list_id=${id}`),
      ),
    ])
    for (const { status, body } of replies) {
      expect(status).toBe(404)
      expect(body).toEqual(replies[0]?.body)
    }
  })
})

describe("GET /api/v1/tasks/:id (§4 Tasks)", () => {
  it.each([
    "2147483648",
    "9007199254740993",
    "9223372036854775808",
    "99999999999999999999",
    "-1",
    "0",
    "1.5",
    "1e3",
    "0x10",
    "%201",
    "abc",
  ])("answers 404 to /tasks/%s", async (id) => {
    expect((await owner.get(`/tasks/${id}`)).body).toEqual((await stranger.get(`/tasks/${UNKNOWN_ID}`)).body)
  })

  it("works with ids up to 2^53-1", async () => {
    await node.database.prisma.$executeRawUnsafe(
      `insert into tasks (id, list_id, title, created_by_id, updated_by_id) values (${UNKNOWN_ID - 1}, ${list.id}, 'large', ${owner.id}, ${owner.id})`,
    )
    expect((await owner.get(`/tasks/${UNKNOWN_ID - 1}`)).body).toMatchObject({ id: UNKNOWN_ID - 1, title: "large" })
    const { data } = await owner.graphql("query ($id: ID!) { task(id: $id) { id } }", { id: String(UNKNOWN_ID - 1) })
    expect(data.task.id).toBe("9007199254740990")
    expect((await owner.delete(`/tasks/${UNKNOWN_ID - 1}?revision=1`)).status).toBe(204)
  })
})

describe("PATCH and PUT /api/v1/tasks/:id (§4 Tasks, §9)", () => {
  it("changes what is sent and keeps the rest; PUT is the same", async () => {
    const task = await makeTask(owner, list, { due_date: "2031-05-01", starred: true, assignee_id: member.id })
    const patched = await member.patch(`/tasks/${task.id}`, { revision: 1, title: "Buy tea" })
    expect(patched).toMatchObject({ status: 200 })
    expect(patched.body).toEqual({ ...task, title: "Buy tea", revision: 2 })
    expect((await owner.put(`/tasks/${task.id}`, { revision: 2, starred: false })).body).toEqual({
      ...patched.body,
      starred: false,
      revision: 3,
    })
  })

  it("clears with null and with remove, and each half of a recurrence clears the pair", async () => {
    const whole = {
      due_date: "2031-05-01",
      starred: true,
      assignee_id: member.id,
      recurrence_type: "week",
      recurrence_count: 1,
    }
    const bare = (task: any) =>
      Object.fromEntries(Object.entries(task).filter(([name]) => !(name in whole) || name === "starred"))
    const nulled = await makeTask(owner, list, whole)
    const byNull = await owner.patch(`/tasks/${nulled.id}`, {
      revision: 1,
      due_date: null,
      starred: null,
      assignee_id: null,
      recurrence_count: null,
    })
    expect(byNull.body).toEqual({ ...bare(nulled), starred: false, revision: 2 })
    const named = await makeTask(owner, list, whole)
    const remove = ["due_date", "starred", "assignee_id", "recurrence_type", "completed"]
    expect((await owner.patch(`/tasks/${named.id}`, { revision: 1, remove })).body).toEqual({
      ...bare(named),
      starred: false,
      revision: 2,
    })
    expect((await owner.patch(`/tasks/${named.id}`, { revision: 2, remove })).status).toBe(200)
  })

  it("completes and reopens: completed_at and completed_by_id come and go", async () => {
    const task = await makeTask(owner, list)
    const done = (await member.patch(`/tasks/${task.id}`, { revision: 1, completed: true })).body
    expect(done).toEqual({
      ...task,
      completed: true,
      completed_at: expect.stringMatching(INSTANT),
      completed_by_id: member.id,
      revision: 2,
    })
    const again = (await owner.patch(`/tasks/${task.id}`, { revision: 2, completed: true })).body
    expect(again).toEqual({ ...done, revision: 3 })
    expect((await owner.patch(`/tasks/${task.id}`, { revision: 3, completed: false })).body).toEqual({
      ...task,
      revision: 4,
    })
  })

  it("judges half a recurrence after merging it with what is stored", async () => {
    const task = await makeTask(owner, list, { recurrence_type: "week", recurrence_count: 1 })
    expect((await owner.patch(`/tasks/${task.id}`, { revision: 1, recurrence_count: 3 })).body).toMatchObject({
      recurrence_type: "week",
      recurrence_count: 3,
    })
    const plain = await makeTask(owner, list)
    const half = await owner.patch(`/tasks/${plain.id}`, { revision: 1, recurrence_count: 3 })
    expect([half.status, half.body.error.recurrence_count]).toEqual([422, [expect.any(String)]])
  })

  it.each([
    ["title", { title: null }],
    ["title", { title: "" }],
    ["title", { title: EMOJI.repeat(256) }],
    ["remove", { remove: ["title"] }],
    ["remove", { remove: ["dueDate"] }],
    ["remove", { remove: ["starred", "recurrenceType"] }],
    ["due_date", { remove: ["due_date"], due_date: "2031-01-01" }],
    ["due_date", { due_date: "2013-02-30" }],
    ["recurrence_type", { recurrence_type: "hour" }],
    ["assignee_id", { assignee_id: UNKNOWN_ID }],
  ])("answers 422, names %s and changes nothing: %j", async (field, members) => {
    const task = await makeTask(owner, list)
    const { status, body } = await owner.patch(`/tasks/${task.id}`, { revision: 1, ...members })
    expect(status).toBe(422)
    expect(body.error[field]).toEqual([expect.any(String)])
    expect((await owner.get(`/tasks/${task.id}`)).body).toEqual(task)
  })

  it("asks in the contract's order: parameters, visible, revision, validation", async () => {
    const task = await makeTask(owner, list)
    await owner.patch(`/tasks/${task.id}`, { revision: 1, title: "newer" })
    expect((await stranger.patch(`/tasks/${task.id}`, { title: "" })).status).toBe(400)
    expect((await stranger.patch(`/tasks/${task.id}`, { revision: 1, title: "" })).status).toBe(404)
    expect((await owner.patch(`/tasks/${task.id}`, { revision: 1, title: "" })).status).toBe(409)
    expect((await owner.patch(`/tasks/${task.id}`, { revision: 2, title: "" })).status).toBe(422)
  })

  it("answers 409 and changes nothing when the revision is stale or was never given", async () => {
    const task = await makeTask(owner, list)
    await owner.patch(`/tasks/${task.id}`, { revision: 1, title: "newer" })
    for (const revision of [1, 0, -1, 3, 2_147_483_647]) {
      const reply = await owner.patch(`/tasks/${task.id}`, { revision, title: "older" })
      expect(reply).toMatchObject({ status: 409, body: { error: { type: "conflict", revision_conflict: true } } })
    }
    expect(await titleOf(task.id)).toBe("newer")
  })

  it("accepts a revision from before something was added to the task, but not from before its own change", async () => {
    const task = await makeTask(owner, list)
    await owner.post("/subtasks", { task_id: task.id, title: "part" })
    expect((await owner.get(`/tasks/${task.id}`)).body.revision).toBe(2)
    expect((await owner.patch(`/tasks/${task.id}`, { revision: 1, title: "own" })).body.revision).toBe(3)
    expect((await owner.patch(`/tasks/${task.id}`, { revision: 2, title: "late" })).status).toBe(409)
  })

  it("moves the task to another list of the viewer and clears an assignee who is no member there", async () => {
    const target = await makeList(owner, "Target")
    const task = await makeTask(owner, list, { assignee_id: member.id })
    const before = [(await owner.get(`/lists/${list.id}`)).body.revision, target.revision]
    const moved = await owner.patch(`/tasks/${task.id}`, { revision: 1, list_id: target.id })
    expect(moved.body).toMatchObject({ list_id: target.id, revision: 2 })
    expect(moved.body).not.toHaveProperty("assignee_id")
    const after = await Promise.all(
      [list.id, target.id].map(async (id) => (await owner.get(`/lists/${id}`)).body.revision),
    )
    expect(after).toEqual(before.map((revision) => revision + 1))
    expect((await member.get(`/tasks/${task.id}`)).status).toBe(404)
  })

  it("keeps an assignee who is a member of both lists", async () => {
    const target = await makeList(owner, "Both")
    await addMember(node, target, member)
    const task = await makeTask(owner, list, { assignee_id: member.id })
    expect((await owner.patch(`/tasks/${task.id}`, { revision: 1, list_id: target.id })).body.assignee_id).toBe(
      member.id,
    )
  })

  it("does not move into a list that is closed to the viewer, and answers as for an unknown list", async () => {
    const theirs = await makeList(stranger, "Private")
    const task = await makeTask(owner, list)
    const closed = await owner.patch(`/tasks/${task.id}`, { revision: 1, list_id: theirs.id })
    const unknown = await owner.patch(`/tasks/${task.id}`, { revision: 1, list_id: UNKNOWN_ID })
    expect([closed.status, closed.body]).toEqual([404, unknown.body])
    expect((await owner.get(`/tasks/${task.id}`)).body).toEqual(task)
  })
})

describe("DELETE /api/v1/tasks/:id (§4 Tasks, §9)", () => {
  it("answers 204 without a body, and the task with everything in it is gone", async () => {
    const task = await makeTask(owner, list)
    const { body: subtask } = await owner.post("/subtasks", { task_id: task.id, title: "part" })
    const reply = await member.delete(`/tasks/${task.id}?revision=1`)
    expect([reply.status, reply.text]).toEqual([204, ""])
    expect((await owner.get(`/tasks/${task.id}`)).status).toBe(404)
    expect((await owner.get(`/subtasks/${subtask.id}`)).status).toBe(404)
  })

  it("takes the revision from the query or the body, and refuses two that differ", async () => {
    const task = await makeTask(owner, list)
    expect((await owner.delete(`/tasks/${task.id}`)).body.error.revision).toEqual(["required"])
    expect((await owner.delete(`/tasks/${task.id}?revision=x`)).status).toBe(400)
    expect((await owner.delete(`/tasks/${task.id}`, { revision: "1" })).status).toBe(400)
    expect((await owner.delete(`/tasks/${task.id}?revision=1`, { revision: 2 })).status).toBe(400)
    expect((await owner.delete(`/tasks/${task.id}?revision=2`)).status).toBe(409)
    expect((await owner.delete(`/tasks/${task.id}`, { revision: 1 })).status).toBe(204)
  })

  it("is not for strangers or invitees", async () => {
    const task = await makeTask(owner, list)
    for (const person of [stranger, invitee])
      expect((await person.delete(`/tasks/${task.id}?revision=1`)).status).toBe(404)
    expect(await titleOf(task.id)).toBe("Buy milk")
  })
})

describe("the GraphQL counterparts of /tasks", () => {
  it("give the same results as REST, with the type in capitals and the fields in camelCase", async () => {
    const task = await makeTask(owner, list)
    const update =
      "mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id title dueDate revision } }"
    const create = "mutation ($input: CreateTaskInput!) { createTask(input: $input) { id } }"
    const id = String(task.id)
    expect((await stranger.graphql(update, { id, input: { revision: 1, title: "" } })).code).toBe("NOT_FOUND")
    expect((await owner.graphql(update, { id, input: { revision: 5, title: "" } })).code).toBe("CONFLICT")
    expect(await owner.graphql(update, { id, input: { revision: 1, title: "" } })).toMatchObject({
      code: "VALIDATION_ERROR",
      fields: { title: [expect.any(String)] },
    })
    expect(await owner.graphql(update, { id, input: { title: "x" } })).toMatchObject({
      code: "MISSING_PARAMETER",
      fields: { revision: ["required"] },
    })
    expect((await owner.graphql(update, { id, input: { revision: 1, title: null } })).fields).toEqual({
      title: [expect.any(String)],
    })
    expect((await stranger.graphql(create, { input: { listId: list.id, title: "x" } })).code).toBe("PERMISSION_ERROR")
    expect(
      await owner.graphql(create, { input: { listId: list.id, title: "x", recurrenceType: "day" } }),
    ).toMatchObject({
      code: "VALIDATION_ERROR",
      fields: { recurrenceCount: [expect.any(String)] },
    })
    expect(
      await owner.graphql(create, { input: { listId: list.id, title: "x", dueDate: "2013-02-30" } }),
    ).toMatchObject({ fields: { dueDate: [expect.any(String)] } })
    expect((await owner.graphql("mutation ($id: ID!) { deleteTask(id: $id, revision: 9) }", { id })).code).toBe(
      "CONFLICT",
    )
    expect(await titleOf(task.id)).toBe("Buy milk")
    const good = await owner.graphql(update, { id, input: { revision: 1, dueDate: "2031-01-01" } })
    expect(good.data.updateTask).toEqual({ id, title: "Buy milk", dueDate: "2031-01-01", revision: 2 })
  })

  it("tell a variable that was left out from one that is null", async () => {
    const task = await makeTask(owner, list, { due_date: "2031-05-01" })
    const update =
      'mutation ($id: ID!, $due: Date) { updateTask(id: $id, input: { revision: 1, title: "n", dueDate: $due }) { dueDate } }'
    expect((await owner.graphql(update, { id: task.id })).data.updateTask.dueDate).toBe("2031-05-01")
    const cleared = await owner.graphql(update.replace("revision: 1", "revision: 2"), { id: task.id, due: null })
    expect(cleared.data.updateTask.dueDate).toBeNull()
  })

  it("remove by name, as a string, in the schema's spelling", async () => {
    const task = await makeTask(owner, list, { due_date: "2031-05-01", starred: true })
    const update =
      "mutation ($id: ID!, $remove: [String!]) { updateTask(id: $id, input: { revision: 1, remove: $remove }) { dueDate starred } }"
    const { data } = await owner.graphql(update, { id: task.id, remove: ["dueDate", "starred"] })
    expect(data.updateTask).toEqual({ dueDate: null, starred: false })
    for (const remove of ["due_date", "recurrence_type"])
      expect(
        await owner.graphql(update.replace("revision: 1", "revision: 2"), { id: task.id, remove: [remove] }),
      ).toMatchObject({
        code: "VALIDATION_ERROR",
        fields: { remove: [expect.stringContaining("dueDate")] },
      })
  })

  it("page through a list by a connection", async () => {
    const fresh = await makeList(owner)
    const made: string[] = []
    for (let count = 0; count < 5; count++) made.push(String((await makeTask(owner, fresh)).id))
    const page =
      "query ($id: ID!, $after: String) { list(id: $id) { taskConnection(first: 2, after: $after) { nodes { id } edges { cursor } pageInfo { hasNextPage hasPreviousPage endCursor } } } }"
    const seen: string[] = []
    let after: string | undefined
    do {
      const { nodes, pageInfo } = (await owner.graphql(page, { id: fresh.id, after })).data.list.taskConnection
      seen.push(...nodes.map(({ id }: { id: string }) => id))
      expect(pageInfo.hasPreviousPage).toBe(after !== undefined)
      after = pageInfo.hasNextPage ? pageInfo.endCursor : undefined
    } while (after !== undefined)
    expect(seen).toEqual(made)
    for (const first of [0, 101]) {
      const { code } = await owner.graphql(
        `{ list(id: ${fresh.id}) { taskConnection(first: ${first}) { nodes { id } } } }`,
      )
      expect(code).toBe("VALIDATION_ERROR")
    }
  })
})

describe("GET /api/v1/lists/tasks_count and /task_revisions", () => {
  it("count and list what is in the list, open and completed", async () => {
    const other = await makePerson(node, "Eve")
    const fresh = await makeList(other)
    const open = await makeTask(other, fresh)
    const done = await makeTask(other, fresh, { completed: true })
    expect((await other.get(`/lists/tasks_count?list_id=${fresh.id}`)).body).toEqual({
      id: fresh.id,
      completed_count: 1,
      uncompleted_count: 1,
      type: "tasks_count",
    })
    expect((await other.get(`/task_revisions?list_id=${fresh.id}`)).body).toEqual([
      { id: open.id, revision: 1, type: "task_revision" },
      { id: done.id, revision: 1, type: "task_revision" },
    ])
    for (const path of [`/lists/tasks_count?list_id=${fresh.id}`, `/task_revisions?list_id=${fresh.id}`])
      expect((await owner.get(path)).status).toBe(404)
  })
})
