import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makePeople, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"

let node: TestNode
let owner: Person
let stranger: Person
let list: { id: number }

beforeAll(async () => {
  node = await startNode()
  ;({ owner, stranger, list } = await makePeople(node))
})
afterAll(() => node.stop())

describe("POST /api/v1/tasks (§4 Tasks)", () => {
  it("answers 201 with the whole task", async () => {
    const { status, body } = await owner.post("/tasks", {
      list_id: list.id,
      title: "Buy milk",
      due_date: "2031-01-31",
      starred: true,
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      list_id: list.id,
      title: "Buy milk",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      created_by_id: owner.id,
      due_date: "2031-01-31",
      starred: true,
      completed: false,
      revision: 1,
      type: "task",
    })
    expect((await owner.get(`/tasks/${body.id}`)).body).toEqual(body)
  })

  it("answers a stranger as for a list that does not exist", async () => {
    const reply = await stranger.post("/tasks", { list_id: list.id, title: "x" })
    const unknown = await stranger.post("/tasks", { list_id: 9007199254740991, title: "x" })
    expect(reply).toMatchObject({ status: 404, body: { error: { type: "permission_error" } } })
    expect(reply.body).toEqual(unknown.body)
  })

  it("is made once however often it is repeated with one key", async () => {
    const before = (await owner.get(`/tasks?list_id=${list.id}`)).body.length
    const replies = await Promise.all(
      Array.from({ length: 20 }, () =>
        owner.post("/tasks", { list_id: list.id, title: "once" }, { "Idempotency-Key": "k1" }),
      ),
    )
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(replies.every(({ status }) => status === 201)).toBe(true)
    expect((await owner.get(`/tasks?list_id=${list.id}`)).body.length).toBe(before + 1)
    expect(await makeTask(owner, list)).toMatchObject({ revision: 1 })
  })
})
