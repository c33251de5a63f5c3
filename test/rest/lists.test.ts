import { beforeAll, describe, expect, it } from "vitest"
import { makeList, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const EMOJI = "\u{1f600}"

let node: TestNode
let owner: Person
let member: Person
let invitee: Person
let stranger: Person
let list: { id: number; revision: number }

beforeAll(async () => {
  node = await sharedNode()
  ;({ owner, member, invitee, stranger, list } = await makePeople(node))
})

describe("GET /api/v1/lists", () => {
  it("begins with an inbox, whose title is exactly inbox", async () => {
    const fresh = await makePerson(node, "Eve")
    expect((await fresh.get("/lists")).body).toEqual([
      {
        id: fresh.inboxId,
        title: "inbox",
        list_type: "inbox",
        public: false,
        owner_type: "user",
        owner_id: fresh.id,
        created_at: expect.stringMatching(INSTANT),
        created_by_id: fresh.id,
        revision: 1,
        type: "list",
      },
    ])
  })

  it("gives the lists of members and invitees by id, and no others", async () => {
    for (const [person, sees] of [
      [owner, true],
      [member, true],
      [invitee, true],
      [stranger, false],
    ] as const) {
      const ids = (await person.get("/lists")).body.map(({ id }: { id: number }) => id)
      expect(ids).toEqual([person.inboxId, ...(sees ? [list.id] : [])].sort((a, b) => a - b))
      expect((await person.get(`/lists/${list.id}`)).status).toBe(sees ? 200 : 404)
    }
  })

  it("shows revisions alone at /list_revisions", async () => {
    const lists = (await owner.get("/lists")).body as { id: number; revision: number }[]
    expect((await owner.get("/list_revisions")).body).toEqual(
      lists.map(({ id, revision }) => ({ id, revision, type: "list_revision" })),
    )
  })
})

describe("POST /api/v1/lists", () => {
  it("answers 201 with the list at revision 1, owned by its maker", async () => {
    const { status, body, text } = await owner.post("/lists", { title: EMOJI.repeat(255), public: true })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      title: EMOJI.repeat(255),
      list_type: "list",
      public: true,
      owner_id: owner.id,
      revision: 1,
    })
    expect((await owner.get(`/lists/${body.id}`)).text).toBe(text)
    expect((await owner.get(`/memberships?list_id=${body.id}`)).body).toMatchObject([
      { user_id: owner.id, state: "accepted", owner: true },
    ])
    expect((await owner.get(`/task_positions/${body.id}`)).body).toEqual({
      id: body.id,
      list_id: body.id,
      values: [],
      revision: 1,
      type: "task_position",
    })
  })

  it.each([
    [400, {}],
    [400, { title: 5 }],
    [422, { title: "" }],
    [422, { title: "   " }],
    [422, { title: EMOJI.repeat(256) }],
    [422, { title: "a\u0000b" }],
  ])("answers %i and names the title: %j", async (status, members) => {
    const reply = await owner.post("/lists", members)
    expect([reply.status, reply.body.error.title]).toEqual([status, [expect.any(String)]])
  })
})

describe("PATCH and PUT /api/v1/lists/:id", () => {
  it("lets any member rename it", async () => {
    const fresh = await makeList(owner)
    expect((await owner.patch(`/lists/${fresh.id}`, { revision: 1, title: "Food" })).body).toEqual({
      ...fresh,
      title: "Food",
      revision: 2,
    })
    expect((await owner.put(`/lists/${fresh.id}`, { revision: 2, public: true })).body).toEqual({
      ...fresh,
      title: "Food",
      public: true,
      revision: 3,
    })
    const { revision } = (await member.get(`/lists/${list.id}`)).body
    expect((await member.patch(`/lists/${list.id}`, { revision, title: "Ours" })).status).toBe(200)
  })

  it("refuses in the contract's order: parameters, visible, allowed, revision, validation", async () => {
    const path = `/lists/${list.id}`
    expect((await stranger.patch(path, { title: "" })).status).toBe(400)
    expect((await stranger.patch(path, { revision: 999, title: "" })).status).toBe(404)
    expect((await invitee.patch(path, { revision: 999, title: "" })).status).toBe(403)
    expect((await owner.patch(path, { revision: 999, title: "" })).status).toBe(409)
    const { revision } = (await owner.get(path)).body
    for (const title of ["", null, EMOJI.repeat(256)])
      expect((await owner.patch(path, { revision, title })).status).toBe(422)
    expect((await owner.get(path)).body.revision).toBe(revision)
  })

  it("leaves an inbox as it is: 403", async () => {
    const reply = await owner.patch(`/lists/${owner.inboxId}`, { revision: 1, title: "x" })
    expect(reply).toMatchObject({ status: 403, body: { error: { type: "permission_error" } } })
  })
})

describe("DELETE /api/v1/lists/:id", () => {
  it("is for the owner alone, and never for an inbox", async () => {
    const { revision } = (await owner.get(`/lists/${list.id}`)).body
    for (const [person, status] of [
      [stranger, 404],
      [invitee, 403],
      [member, 403],
    ] as const)
      expect((await person.delete(`/lists/${list.id}?revision=${revision}`)).status).toBe(status)
    expect((await owner.delete(`/lists/${owner.inboxId}?revision=1`)).status).toBe(403)
    expect((await owner.delete(`/lists/${list.id}`)).status).toBe(400)
    expect((await owner.delete(`/lists/${list.id}?revision=${revision + 1}`)).status).toBe(409)
  })

  it("accepts the revision it was made with though tasks were added, and takes everything inside with it", async () => {
    const fresh = await makeList(owner)
    const task = await makeTask(owner, fresh)
    await owner.post("/notes", { task_id: task.id, content: "n" })
    const folder = (await owner.post("/folders", { title: "f", list_ids: [fresh.id] })).body
    const root = (await owner.get("/root")).body.revision
    expect((await owner.delete(`/lists/${fresh.id}?revision=1`)).status).toBe(204)
    for (const path of [`/lists/${fresh.id}`, `/tasks/${task.id}`, `/tasks?list_id=${fresh.id}`])
      expect((await owner.get(path)).status).toBe(404)
    expect((await owner.get(`/folders/${folder.id}`)).body.list_ids).toEqual([])
    expect((await owner.get("/root")).body.revision).toBeGreaterThan(root)
  })
})

describe("the GraphQL counterparts of /lists", () => {
  it("give the same results", async () => {
    const fresh = await makeList(owner)
    const id = String(fresh.id)
    const update =
      "mutation ($id: ID!, $input: UpdateListInput!) { updateList(id: $id, input: $input) { title revision } }"
    expect((await stranger.graphql(update, { id, input: { revision: 1, title: "" } })).code).toBe("NOT_FOUND")
    expect((await owner.graphql(update, { id, input: { revision: 4, title: "x" } })).code).toBe("CONFLICT")
    expect((await owner.graphql(update, { id, input: { revision: 1, title: " " } })).fields).toEqual({
      title: [expect.any(String)],
    })
    expect((await owner.graphql(update, { id: owner.inboxId, input: { revision: 1, title: "x" } })).code).toBe(
      "PERMISSION_ERROR",
    )
    expect((await owner.graphql(update, { id, input: { revision: 1, title: "x" } })).data.updateList).toEqual({
      title: "x",
      revision: 2,
    })
    expect(
      (await member.graphql("mutation ($id: ID!) { deleteList(id: $id, revision: 1) }", { id: list.id })).code,
    ).toBe("PERMISSION_ERROR")
    expect((await owner.graphql("mutation ($id: ID!) { deleteList(id: $id, revision: 2) }", { id })).data).toEqual({
      deleteList: true,
    })
    expect((await owner.graphql("query ($id: ID!) { list(id: $id) { id } }", { id })).code).toBe("NOT_FOUND")
  })

  it("make a list as REST does", async () => {
    const { data } = await owner.graphql(
      'mutation { createList(input: { title: "Pair" }) { id title listType ownerId revision } }',
    )
    expect(data.createList).toEqual({
      id: expect.stringMatching(/^\d+$/),
      title: "Pair",
      listType: "list",
      ownerId: String(owner.id),
      revision: 1,
    })
  })
})
