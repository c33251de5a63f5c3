import { beforeAll, describe, expect, it } from "vitest"
import { addMember, makeList, makePerson, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UNKNOWN_ID = 9007199254740991
const EMOJI = "\u{1f600}"

let node: TestNode
let owner: Person
let other: Person
let first: any
let second: any
let closed: any

beforeAll(async () => {
  node = await sharedNode()
  owner = await makePerson(node, "Ann")
  other = await makePerson(node, "Cid")
  ;[first, second, closed] = await Promise.all([makeList(owner), makeList(owner), makeList(other)])
})

const makeFolder = async (list_ids: number[] = [], title = "Work"): Promise<any> =>
  (await owner.post("/folders", { title, list_ids })).body
const folder = async (id: number): Promise<any> => (await owner.get(`/folders/${id}`)).body

describe("POST /api/v1/folders (§4 Folders)", () => {
  it("answers 200, not 201, with the whole folder, the same bytes that GET gives", async () => {
    const sent = { title: " Work ", list_ids: [second.id, first.id] }
    const { status, body, text } = await owner.post("/folders", sent, { "X-Client-Request-Id": "r-7" })
    expect(status).toBe(200)
    expect(body).toEqual({
      ...sent,
      id: expect.any(Number),
      user_id: owner.id,
      created_at: expect.stringMatching(INSTANT),
      updated_at: body.created_at,
      created_by_id: owner.id,
      created_by_request_id: "r-7",
      type: "folder",
      revision: 1,
    })
    expect((await owner.get(`/folders/${body.id}`)).text).toBe(text)
    expect((await owner.get("/folders")).text).toContain(text)
  })

  it("answers 201 to clients of the retired service", async () => {
    const old = await makePerson(node, "Old", "wunderlist")
    expect((await old.post("/folders", { title: "x", list_ids: [] })).status).toBe(201)
  })

  it("takes no lists, drops duplicates, and takes lists that the viewer is only invited to", async () => {
    expect((await makeFolder()).list_ids).toEqual([])
    const invitedTo = await makeList(other)
    await addMember(node, invitedTo, owner, "pending")
    const ids = [first.id, first.id, invitedTo.id, first.id, owner.inboxId]
    expect((await makeFolder(ids)).list_ids).toEqual([first.id, invitedTo.id, owner.inboxId])
  })

  it("takes its lists out of the viewer's other folders, whose revision grows, and of nobody else's", async () => {
    await addMember(node, first, other)
    const { body: theirs } = await other.post("/folders", { title: "Theirs", list_ids: [first.id] })
    const before = await makeFolder([first.id, second.id])
    const after = await makeFolder([first.id])
    expect(after.list_ids).toEqual([first.id])
    expect(await folder(before.id)).toEqual({
      ...before,
      list_ids: [second.id],
      revision: 2,
      updated_at: expect.stringMatching(INSTANT),
    })
    expect((await other.get(`/folders/${theirs.id}`)).body).toEqual(theirs)
  })

  it("leaves a list in one folder when 20 take it at once", async () => {
    const list = await makeList(owner)
    const existing = await makeFolder()
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index === 10
          ? owner.patch(`/folders/${existing.id}`, { revision: 1, list_ids: [list.id] })
          : owner.post("/folders", { title: `F${index}`, list_ids: [list.id] }),
      ),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200))
    const { body: all } = await owner.get("/folders")
    expect(all.filter(({ list_ids }: any) => list_ids.includes(list.id))).toHaveLength(1)
  })

  it("answers 422 for a list that the viewer cannot see, as for one that does not exist, and makes nothing", async () => {
    const before = (await owner.get("/folders")).body
    const replies = await Promise.all(
      [closed.id, UNKNOWN_ID, 0, -1].map((id) => owner.post("/folders", { title: "x", list_ids: [first.id, id] })),
    )
    for (const { status, body } of replies) {
      expect([status, body.error.type]).toEqual([422, "validation_error"])
      expect(body).toEqual(replies[0]?.body)
    }
    expect((await owner.get("/folders")).body).toEqual(before)
  })

  it.each([
    ["title", { list_ids: [] }, 400],
    ["list_ids", { title: "x" }, 400],
    ["list_ids", { title: "x", list_ids: null }, 400],
    ["list_ids", { title: "x", list_ids: ["1"] }, 400],
    ["list_ids", { title: "x", list_ids: [1.5] }, 400],
    ["list_ids", { title: "x", list_ids: [null] }, 400],
    ["title", { title: "", list_ids: [] }, 422],
    ["title", { title: EMOJI.repeat(256), list_ids: [] }, 422],
  ])("names %s: %j is answered %i", async (field, sent, expected) => {
    const { status, body } = await owner.post("/folders", sent)
    expect([status, body.error[field]]).toEqual([expected, [expect.any(String)]])
  })

  it("counts code points, and needs a token", async () => {
    expect((await owner.post("/folders", { title: EMOJI.repeat(255), list_ids: [] })).body.title).toBe(
      EMOJI.repeat(255),
    )
    expect((await owner.post("/folders", { title: "x", list_ids: [] }, { "X-Access-Token": "x" })).status).toBe(401)
  })
})

describe("GET /api/v1/folders, /folders/:id and /folder_revisions (§4 Folders)", () => {
  it("give the viewer's own by id and nobody else's", async () => {
    const [mine] = [await makeFolder([], "Mine")]
    const { body: all } = await owner.get("/folders")
    expect(all.map(({ id }: any) => id)).toEqual(all.map(({ id }: any) => id).sort((a: number, b: number) => a - b))
    expect(all).toContainEqual(mine)
    expect((await owner.get("/folder_revisions")).body).toEqual(
      all.map(({ id, revision }: any) => ({ id, type: "folder_revision", revision })),
    )
    const theirs = (await other.get("/folders")).body
    expect(theirs.every(({ user_id }: any) => user_id === other.id)).toBe(true)
    const [hidden, unknown] = await Promise.all([mine.id, UNKNOWN_ID].map((id) => other.get(`/folders/${id}`)))
    expect([hidden?.status, hidden?.body]).toEqual([404, unknown?.body])
    for (const path of ["/folders", `/folders/${mine.id}`, "/folder_revisions"])
      expect((await owner.get(path, { "X-Access-Token": "x" })).status).toBe(401)
  })
})

describe("PATCH and PUT /api/v1/folders/:id (§4 Folders, §9)", () => {
  it("changes the title, the lists, or both, and keeps what is left out", async () => {
    const made = await makeFolder([first.id])
    const titled = await owner.patch(`/folders/${made.id}`, { revision: 1, title: "Home", list_ids: null })
    expect([titled.status, titled.body]).toEqual([
      200,
      { ...made, title: "Home", updated_at: expect.stringMatching(INSTANT), revision: 2 },
    ])
    const moved = await owner.put(`/folders/${made.id}`, { revision: 2, list_ids: [second.id, second.id] })
    expect(moved.body).toMatchObject({ title: "Home", list_ids: [second.id], revision: 3 })
    const emptied = await owner.patch(`/folders/${made.id}`, { revision: 3, list_ids: [] })
    expect(emptied.body).toMatchObject({ list_ids: [], revision: 4 })
  })

  it("takes what comes in out of the viewer's other folders", async () => {
    const [from, to] = [await makeFolder([first.id, second.id]), await makeFolder()]
    await owner.patch(`/folders/${to.id}`, { revision: 1, list_ids: [second.id] })
    expect([await folder(from.id), await folder(to.id)]).toMatchObject([
      { list_ids: [first.id], revision: 2 },
      { list_ids: [second.id], revision: 2 },
    ])
    expect((await owner.patch(`/folders/${from.id}`, { revision: 1, title: "late" })).status).toBe(409)
  })

  it("asks in the contract's order: parameters, visible, revision, validation", async () => {
    const made = await makeFolder()
    const path = `/folders/${made.id}`
    expect((await other.patch(path, { title: "" })).status).toBe(400)
    for (const bad of [{ title: "" }, { title: null }, { list_ids: [closed.id] }, { title: EMOJI.repeat(256) }]) {
      expect((await other.patch(path, { revision: 1, ...bad })).status).toBe(404)
      expect((await owner.patch(path, { revision: 2, ...bad })).status).toBe(409)
      expect((await owner.patch(path, { revision: 1, ...bad })).status).toBe(422)
    }
    expect(await folder(made.id)).toEqual(made)
  })

  it("lets one of 16 with the same revision through", async () => {
    const made = await makeFolder()
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, index) => owner.patch(`/folders/${made.id}`, { revision: 1, title: `T${index}` })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(15).fill(409)])
    expect((await folder(made.id)).revision).toBe(2)
  })

  it("loses a list that is deleted", async () => {
    const list = await makeList(owner)
    const made = await makeFolder([list.id, second.id])
    await owner.delete(`/lists/${list.id}?revision=1`)
    expect(await folder(made.id)).toMatchObject({ list_ids: [second.id], revision: 2 })
  })
})

describe("DELETE /api/v1/folders/:id (§4 Folders)", () => {
  it("takes the revision as a string or a number; the lists stay", async () => {
    for (const revision of ["1", 1]) {
      const made = await makeFolder([first.id])
      const reply = await owner.delete(`/folders/${made.id}`, { revision })
      expect([reply.status, reply.text]).toEqual([204, ""])
      expect((await owner.get(`/folders/${made.id}`)).status).toBe(404)
    }
    expect((await owner.get(`/lists/${first.id}`)).status).toBe(200)
  })

  it("answers 400 without revision, 409 for a stale one, 404 to others", async () => {
    const made = await makeFolder()
    expect((await owner.delete(`/folders/${made.id}`)).body.error.revision).toEqual(["required"])
    expect((await owner.delete(`/folders/${made.id}`, { revision: "x" })).status).toBe(400)
    expect((await owner.delete(`/folders/${made.id}?revision=2`)).status).toBe(409)
    expect((await other.delete(`/folders/${made.id}?revision=1`)).status).toBe(404)
    const named = { "X-Client-Request-Id": "ends the folder" }
    expect((await owner.delete(`/folders/${made.id}?revision=1`, undefined, named)).status).toBe(204)
    const where = { subjectType: "folder", subjectId: BigInt(made.id), operation: "DELETE" }
    const told = await node.database.prisma.event.findFirstOrThrow({ where })
    expect([Number(told.actorId), told.requestId]).toEqual([owner.id, "ends the folder"])
  })
})

describe("the GraphQL counterparts of /folders", () => {
  it("give the same results", async () => {
    const create = "mutation ($input: CreateFolderInput!) { createFolder(input: $input) { id title listIds } }"
    const update =
      "mutation ($id: ID!, $input: UpdateFolderInput!) { updateFolder(id: $id, input: $input) { revision } }"
    const remove = "mutation ($id: ID!, $revision: Int!) { deleteFolder(id: $id, revision: $revision) }"
    const input = { title: "x", listIds: [first.id, first.id] }
    const { data } = await owner.graphql(create, { input })
    expect(data.createFolder).toMatchObject({ title: "x", listIds: [String(first.id)] })
    const { id } = data.createFolder
    const unseen = await owner.graphql(create, { input: { ...input, listIds: [closed.id] } })
    expect(unseen).toMatchObject({ code: "VALIDATION_ERROR", fields: { listIds: [expect.any(String)] } })
    expect((await owner.graphql(create, { input: { title: "x" } })).fields).toEqual({ listIds: ["required"] })
    expect((await other.graphql(update, { id, input: { revision: 1, title: "" } })).code).toBe("NOT_FOUND")
    expect((await owner.graphql(update, { id, input: { revision: 2, title: "" } })).code).toBe("CONFLICT")
    expect((await owner.graphql(update, { id, input: { revision: 1, title: null } })).fields).toHaveProperty("title")
    expect((await other.graphql(remove, { id, revision: 1 })).code).toBe("NOT_FOUND")
    expect((await owner.graphql(remove, { id, revision: 2 })).code).toBe("CONFLICT")
    expect((await owner.graphql(remove, { id, revision: 1 })).data.deleteFolder).toBe(true)
  })

  it("give a folder's lists in the viewer's order, and a list's folder", async () => {
    const eve = await makePerson(node, "Eve")
    const [a, b, c] = [await makeList(eve), await makeList(eve), await makeList(eve)]
    const { body: made } = await eve.post("/folders", { title: "F", list_ids: [a.id, b.id, c.id] })
    await node.database.prisma.listPosition.create({
      data: { id: BigInt(eve.id), values: [c.id, 99999, a.id].map(BigInt) },
    })
    const { data } = await eve.graphql(
      "{ folders { lists { id folder { id } } } lists { id folder { id } } folderRevisions { id revision } }",
    )
    const inFolder = (list: any) => ({ id: String(list.id), folder: { id: String(made.id) } })
    expect(data).toEqual({
      folders: [{ lists: [c, a, b].map(inFolder) }],
      lists: [{ id: String(eve.inboxId), folder: null }, ...[a, b, c].map(inFolder)],
      folderRevisions: [{ id: String(made.id), revision: 1 }],
    })
  })
})
