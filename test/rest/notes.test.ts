import { beforeAll, describe, expect, it } from "vitest"
import { makePeople, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

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

describe("POST /api/v1/notes (§4 Notes)", () => {
  it("answers 201 with the whole note", async () => {
    const { status, body } = await member.post("/notes", { task_id: task.id, content: "Whole milk\n" })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      task_id: task.id,
      content: "Whole milk\n",
      created_at: INSTANT,
      updated_at: body.created_at,
      revision: 1,
      type: "note",
    })
  })

  it("takes the empty text and one of 500,000 characters", async () => {
    for (const content of ["", "é".repeat(500_000)])
      expect((await owner.post("/notes", { task_id: task.id, content })).body.content).toBe(content)
  })

  it("gives a task as many notes as are made", async () => {
    const own = await makeTask(owner, list)
    for (const content of ["one", "two"]) await owner.post("/notes", { task_id: own.id, content })
    const { body } = await member.get(`/notes?task_id=${own.id}`)
    expect(body.map(({ content }: { content: string }) => content)).toEqual(["one", "two"])
  })
})

describe("PATCH /api/v1/notes/:id (§4 Notes)", () => {
  it("changes the text, to the empty one too, and says when", async () => {
    const { body: before } = await owner.post("/notes", { task_id: task.id, content: "x" })
    const { body } = await member.patch(`/notes/${before.id}`, { revision: 1, content: "" })
    expect(body).toEqual({ ...before, content: "", updated_at: INSTANT, revision: 2 })
    expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(before.updated_at))
  })

  it("needs the text", async () => {
    const { id } = (await owner.post("/notes", { task_id: task.id, content: "x" })).body
    for (const sent of [{ revision: 1 }, { revision: 1, content: null }])
      expect(await owner.patch(`/notes/${id}`, sent)).toMatchObject({
        status: 400,
        body: { error: { content: ["required"] } },
      })
    expect((await owner.get(`/notes/${id}`)).body).toMatchObject({ content: "x", revision: 1 })
  })

  it("raises the revisions of the task and the list, each write by one", async () => {
    const revisions = async () => [
      (await member.get(`/tasks/${task.id}`)).body.revision,
      (await member.get(`/lists/${list.id}`)).body.revision,
    ]
    const [ofTask, ofList] = await revisions()
    const { id } = (await owner.post("/notes", { task_id: task.id, content: "x" })).body
    await owner.patch(`/notes/${id}`, { revision: 1, content: "y" })
    await owner.delete(`/notes/${id}?revision=2`)
    expect(await revisions()).toEqual([ofTask + 3, ofList + 3])
  })
})
