import { beforeAll, describe, expect, it } from "vitest"
import { makePerson, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

const UNKNOWN_ID = 9007199254740991

let node: TestNode
let owner: Person
let other: Person
let count = 0

beforeAll(async () => {
  node = await sharedNode()
  owner = await makePerson(node, "Ann")
  other = await makePerson(node, "Cid")
})

const makeSetting = async (value = "v"): Promise<any> =>
  (await owner.post("/settings", { key: `key ${count++}`, value })).body

describe("POST /api/v1/settings", () => {
  it("answers 201 with the setting, the same bytes that GET gives", async () => {
    const { status, body, text } = await owner.post("/settings", { key: "start_of_week", value: "mon" })
    expect([status, body]).toEqual([
      201,
      { id: expect.any(Number), key: "start_of_week", value: "mon", type: "setting", revision: 1 },
    ])
    expect((await owner.get(`/settings/${body.id}`)).text).toBe(text)
    expect((await owner.get("/settings")).text).toContain(text)
  })

  it("answers 422 for a key that the viewer has; others may have it too", async () => {
    const { key } = await makeSetting()
    const { status, body } = await owner.post("/settings", { key, value: "again" })
    expect([status, body.error.key]).toEqual([422, [expect.stringContaining("already in use")]])
    expect((await other.post("/settings", { key, value: "mine" })).status).toBe(201)
  })

  it("makes one of 20 at once", async () => {
    const sent = { key: `key ${count++}`, value: "v" }
    const replies = await Promise.all(Array.from({ length: 20 }, () => owner.post("/settings", sent)))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(422)])
  })

  it.each([
    ["key", { value: "v" }, 400],
    ["value", { key: "k" }, 400],
    ["value", { key: "k", value: 1 }, 400],
    ["key", { key: "", value: "v" }, 422],
    ["key", { key: "k".repeat(256), value: "v" }, 422],
    ["key", { key: "a\u0000", value: "v" }, 422],
    ["value", { key: "k", value: "a\u0000" }, 422],
  ])("names %s: %j is answered %i", async (field, sent, expected) => {
    const { status, body } = await owner.post("/settings", sent)
    expect([status, body.error[field]]).toEqual([expected, [expect.any(String)]])
  })

  it("takes a key of 255 characters and an empty value", async () => {
    const sent = { key: "\u{1f600}".repeat(255), value: "" }
    expect((await owner.post("/settings", sent)).body).toMatchObject(sent)
  })
})

describe("GET /api/v1/settings and /settings/:id", () => {
  it("give the viewer's own by id, and need a token", async () => {
    const mine = await makeSetting()
    const ids = (await owner.get("/settings")).body.map(({ id }: any) => id)
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    expect(ids).toContain(mine.id)
    expect((await other.get("/settings")).body.map(({ id }: any) => id)).not.toContain(mine.id)
    const [hidden, unknown] = await Promise.all([mine.id, UNKNOWN_ID].map((id) => other.get(`/settings/${id}`)))
    expect([hidden?.status, hidden?.body]).toEqual([404, unknown?.body])
    for (const id of ["x", "0", "1.5", "99999999999999999999"])
      expect((await owner.get(`/settings/${id}`)).status).toBe(404)
    for (const path of ["/settings", `/settings/${mine.id}`])
      expect((await owner.get(path, { "X-Access-Token": "x" })).status).toBe(401)
  })
})

describe("PATCH and PUT /api/v1/settings/:id", () => {
  it("changes the value or the key and keeps the other", async () => {
    const made = await makeSetting()
    const changed = await owner.patch(`/settings/${made.id}`, { ...made, value: "w" })
    expect([changed.status, changed.body]).toEqual([200, { ...made, value: "w", revision: 2 }])
    const renamed = await owner.put(`/settings/${made.id}`, { revision: 2, key: `${made.key}!` })
    expect(renamed.body).toEqual({ ...made, key: `${made.key}!`, value: "w", revision: 3 })
    expect((await owner.get(`/settings/${made.id}`)).body).toEqual(renamed.body)
  })

  it("asks in the contract's order: parameters, visible, revision, validation", async () => {
    const [made, taken] = [await makeSetting(), await makeSetting()]
    const path = `/settings/${made.id}`
    expect((await other.patch(path, { value: "w" })).body.error.revision).toEqual(["required"])
    for (const bad of [{ key: "" }, { value: "\u0000" }, { key: taken.key }]) {
      expect((await other.patch(path, { revision: 1, ...bad })).status).toBe(404)
      expect((await owner.patch(path, { revision: 2, ...bad })).body.error.revision_conflict).toBe(true)
      const { status, body } = await owner.patch(path, { revision: 1, ...bad })
      expect([status, body.error[Object.keys(bad)[0] as string]]).toEqual([422, [expect.any(String)]])
    }
    expect((await owner.get(path)).body).toEqual(made)
  })

  it("lets one of 16 with the same revision through", async () => {
    const made = await makeSetting()
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        owner.patch(`/settings/${made.id}`, { revision: 1, value: `v${index}` }),
      ),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(15).fill(409)])
  })
})

describe("DELETE /api/v1/settings/:id", () => {
  it("answers 204, once, with the current revision and to the viewer alone", async () => {
    const made = await makeSetting()
    const path = `/settings/${made.id}`
    expect((await owner.delete(path)).body.error.revision).toEqual(["required"])
    expect((await owner.delete(`${path}?revision=2`)).status).toBe(409)
    expect((await other.delete(`${path}?revision=1`)).status).toBe(404)
    expect((await owner.delete(`${path}?revision=1`)).status).toBe(204)
    expect((await owner.delete(`${path}?revision=1`)).status).toBe(404)
  })
})

describe("the GraphQL counterparts of /settings", () => {
  it("give the same results", async () => {
    const create = "mutation ($input: CreateSettingInput!) { createSetting(input: $input) { id key value revision } }"
    const update =
      "mutation ($id: ID!, $input: UpdateSettingInput!) { updateSetting(id: $id, input: $input) { value revision } }"
    const input = { key: `key ${count++}`, value: "v" }
    const { data } = await owner.graphql(create, { input })
    const { id } = data.createSetting
    expect(data.createSetting).toEqual({ id, ...input, revision: 1 })
    expect(await owner.graphql(create, { input })).toMatchObject({
      code: "VALIDATION_ERROR",
      fields: { key: [expect.any(String)] },
    })
    expect((await other.graphql(update, { id, input: { revision: 1, key: "" } })).code).toBe("NOT_FOUND")
    expect((await owner.graphql(update, { id, input: { revision: 2, key: "" } })).code).toBe("CONFLICT")
    expect((await owner.graphql(update, { id, input: { revision: 1, value: "w" } })).data.updateSetting).toEqual({
      value: "w",
      revision: 2,
    })
    expect((await owner.graphql("query ($id: ID!) { setting(id: $id) { value } }", { id })).data.setting.value).toBe(
      "w",
    )
    expect((await other.graphql("query ($id: ID!) { setting(id: $id) { value } }", { id })).code).toBe("NOT_FOUND")
    const remove = "mutation ($id: ID!) { deleteSetting(id: $id, revision: 2) }"
    expect((await other.graphql(remove, { id })).code).toBe("NOT_FOUND")
    expect((await owner.graphql(remove, { id })).data.deleteSetting).toBe(true)
  })
})
