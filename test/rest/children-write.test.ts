import { beforeAll, describe, expect, it } from "vitest"
import { childKinds, childrenBy, UNKNOWN_ID } from "../support/children.js"
import { makePeople, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

// How everything that belongs to a task is written; what is peculiar to a kind stands in a file of its own.

let node: TestNode
let owner: Person
let invitee: Person
let stranger: Person
let list: { id: number }
let task: { id: number }

beforeAll(async () => {
  node = await sharedNode()
  ;({ owner, invitee, stranger, list } = await makePeople(node))
  task = await makeTask(owner, list)
})

const CONFLICT = { status: 409, body: { error: { type: "conflict", revision_conflict: true } } }

describe.each(childKinds)("POST, PATCH and DELETE /api/v1$path (§4, §9)", (kind) => {
  const { path, one, member } = kind
  const { type, make, graphql } = childrenBy(kind)
  const [made, changed, bad] = [kind.made, kind.changed, kind.bad].map((value) => ({ [member]: value })) as [
    object,
    object,
    object,
  ]

  it("asks for a token before anything else", async () => {
    for (const [method, at] of [
      ["POST", path],
      ["PATCH", `${path}/1`],
      ["PUT", `${path}/1`],
      ["DELETE", `${path}/1`],
    ])
      expect((await owner.request(method as string, at as string, {}, { "X-Access-Token": "none" })).status).toBe(401)
  })

  it("adds nothing to a task that is closed to the viewer, whatever is wrong with the rest", async () => {
    const unknown = await owner.post(path, { task_id: UNKNOWN_ID, ...made })
    expect(unknown).toMatchObject({ status: 404, body: { error: { type: "permission_error", permissions: "failed" } } })
    for (const who of [stranger, invitee])
      for (const members of [made, bad]) {
        expect(await who.post(path, { task_id: task.id, ...members })).toMatchObject({
          status: 404,
          body: unknown.body,
        })
        expect((await graphql.create(who, { taskId: task.id, ...members })).code).toBe("PERMISSION_ERROR")
      }
    expect((await owner.get(`${path}?task_id=${task.id}`)).text).toBe("[]")
  })

  it("answers 400 for a missing or mistyped member and 422 outside of a limit, naming it", async () => {
    const violations = async (sent: object) => {
      const { status, body } = await owner.post(path, sent)
      return [status, body.error.task_id, body.error[member]]
    }
    expect(await violations(made)).toEqual([400, ["required"], undefined])
    expect(await violations({ task_id: String(task.id), ...made })).toEqual([400, ["must be an integer"], undefined])
    expect(await violations({ task_id: task.id })).toEqual([400, undefined, ["required"]])
    expect(await violations({ task_id: task.id, [member]: null })).toEqual([400, undefined, ["required"]])
    expect(await violations({ task_id: task.id, [member]: 7 })).toEqual([400, undefined, ["must be a string"]])
    expect(await violations({ task_id: task.id, ...bad })).toEqual([422, undefined, [expect.any(String)]])
    expect(await graphql.create(owner, { taskId: task.id, ...bad })).toMatchObject({
      code: "VALIDATION_ERROR",
      fields: { [member]: [expect.any(String)] },
    })
  })

  it("shows the client's own name for the request that made it", async () => {
    const { body } = await owner.post(path, { task_id: task.id, ...made }, { "X-Client-Request-Id": `made-${one}` })
    expect([body].flat()[0].created_by_request_id).toBe(`made-${one}`)
  })

  it("lets a stranger and an invitee change nothing: every id looks unknown", async () => {
    const { id } = await make(owner, task.id)
    for (const who of [stranger, invitee]) {
      const replies = (at: number) =>
        Promise.all([
          who.patch(`${path}/${at}`, { revision: 1, ...changed }),
          who.patch(`${path}/${at}`, { revision: 1, ...bad }),
          who.delete(`${path}/${at}?revision=1`),
        ])
      const unknown = await replies(UNKNOWN_ID)
      expect(unknown.map(({ status }) => status)).toEqual([404, 404, 404])
      expect((await replies(id)).map(({ body }) => body)).toEqual(unknown.map(({ body }) => body))
      expect((await graphql.update(who, id, { revision: 1, ...changed })).code).toBe("NOT_FOUND")
      expect((await graphql.remove(who, id, 1)).code).toBe("NOT_FOUND")
    }
    expect((await owner.get(`${path}/${id}`)).body).toMatchObject({ revision: 1, ...made })
  })

  it("changes with the current revision only, and says 409 before 422", async () => {
    const { id } = await make(owner, task.id)
    const reply = await owner.patch(`${path}/${id}`, { revision: 1, ...changed })
    expect(reply).toMatchObject({ status: 200, body: { id, revision: 2, ...changed } })
    expect((await owner.get(`${path}/${id}`)).text).toBe(reply.text)
    for (const members of [
      { revision: 1, ...made },
      { revision: 3, ...made },
      { revision: 1, ...bad },
    ]) {
      expect(await owner.patch(`${path}/${id}`, members)).toMatchObject(CONFLICT)
      expect((await graphql.update(owner, id, members)).code).toBe("CONFLICT")
    }
    expect((await owner.patch(`${path}/${id}`, { revision: 2, ...bad })).status).toBe(422)
    expect((await owner.get(`${path}/${id}`)).text).toBe(reply.text)
    expect((await graphql.update(owner, id, { revision: 2, ...made })).data).toEqual({
      [`update${type}`]: { revision: 3, ...made },
    })
    expect((await owner.put(`${path}/${id}`, { revision: 3, ...changed })).body).toMatchObject({
      revision: 4,
      ...changed,
    })
  })

  it("needs a revision that is an integer", async () => {
    const { id } = await make(owner, task.id)
    for (const [sent, fault] of [
      [undefined, "required"],
      [null, "required"],
      ["1", "must be an integer"],
    ])
      expect(await owner.patch(`${path}/${id}`, { revision: sent, ...changed })).toMatchObject({
        status: 400,
        body: { error: { type: "missing_parameter", revision: [fault] } },
      })
    expect(await owner.delete(`${path}/${id}`)).toMatchObject({
      status: 400,
      body: { error: { revision: ["required"] } },
    })
    expect(await owner.delete(`${path}/${id}?revision=1x`)).toMatchObject({ status: 400 })
    expect((await owner.get(`${path}/${id}`)).body.revision).toBe(1)
  })

  it("takes the whole object back and ignores what cannot be written", async () => {
    const before = await make(owner, task.id)
    const readOnly = { task_id: UNKNOWN_ID, created_at: "0001-01-01T00:00:00Z", type: "list", unheard_of: 1 }
    const { status, body } = await owner.patch(`${path}/${before.id}`, { ...before, ...changed, ...readOnly })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: before.id, task_id: task.id, created_at: before.created_at, type: before.type })
    expect(body).not.toHaveProperty("unheard_of")
  })

  it("lets one of 16 racing writers over two transports win", async () => {
    const { id } = await make(owner, task.id)
    const write = { revision: 1, ...changed }
    const outcomes = await Promise.all(
      Array.from({ length: 16 }, async (_, index) =>
        index % 2 === 0
          ? ((await graphql.update(owner, id, write)).code ?? "won")
          : { 200: "won", 409: "CONFLICT" }[(await owner.patch(`${path}/${id}`, write)).status],
      ),
    )
    expect(outcomes.sort()).toEqual([...Array(15).fill("CONFLICT"), "won"])
    expect((await owner.get(`${path}/${id}`)).body).toMatchObject({ revision: 2, ...changed })
  })

  it("deletes with the current revision only", async () => {
    const [first, second] = [await make(owner, task.id), await make(owner, task.id)]
    await owner.patch(`${path}/${first.id}`, { revision: 1, ...changed })
    expect(await owner.delete(`${path}/${first.id}?revision=1`)).toMatchObject(CONFLICT)
    expect((await graphql.remove(owner, first.id, 1)).code).toBe("CONFLICT")
    expect(await owner.delete(`${path}/${first.id}?revision=2`)).toMatchObject({ status: 204, text: "" })
    expect((await owner.get(`${path}/${first.id}`)).status).toBe(404)
    expect((await owner.delete(`${path}/${first.id}?revision=2`)).status).toBe(404)
    expect((await graphql.remove(owner, second.id, 1)).data).toEqual({ [`delete${type}`]: true })
    expect((await owner.get(`${path}/${second.id}`)).status).toBe(404)
  })

  it("goes with its task, and with its list", async () => {
    const away = (await owner.post("/lists", { title: "To be deleted" })).body
    const [first, second] = [await makeTask(owner, away), await makeTask(owner, away)]
    const [ofTask, ofList] = [await make(owner, first.id), await make(owner, second.id)]
    expect((await owner.delete(`/tasks/${first.id}?revision=1`)).status).toBe(204)
    expect((await owner.get(`${path}/${ofTask.id}`)).status).toBe(404)
    expect((await owner.get(`${path}/${ofList.id}`)).status).toBe(200)
    expect((await owner.delete(`/lists/${away.id}?revision=1`)).status).toBe(204)
    expect((await owner.get(`${path}/${ofList.id}`)).status).toBe(404)
  })
})
