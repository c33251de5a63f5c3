import { beforeAll, describe, expect, it } from "vitest"
import { statement } from "../../src/statement.js"
import { addMember, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

let node: TestNode
let owner: Person
let member: Person
let another: Person
let list: { id: number }
let task: { id: number }

beforeAll(async () => {
  node = await sharedNode()
  ;({ owner, member, list } = await makePeople(node))
  another = await makePerson(node, "Eve")
  await addMember(node, list, another)
  task = await makeTask(owner, list)
})

const say = async (who: Person, text = "Which kind?") =>
  (await who.post("/task_comments", { task_id: task.id, text })).body
const seenBy = async (who: Person, id: number) => (await who.get(`/task_comments/${id}`)).body

const eventsOf = statement(
  "test_events_of_comment",
  "select operation, revision, actor_id, list_revision from events where subject_type = 'task_comment' and subject_id = $1::bigint order by id",
  ([operation, revision, actor, listRevision]) => ({
    operation,
    revision: Number(revision),
    actor: Number(actor),
    listRevision: Number(listRevision),
  }),
)

describe("POST /api/v1/task_comments (§4 Task comments)", () => {
  it("answers 201 with the whole comment, read by its author", async () => {
    const { status, body } = await member.post("/task_comments", { task_id: task.id, text: "Which kind? 😀" })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      task_id: task.id,
      text: "Which kind? 😀",
      author: { id: member.id, name: member.name, avatar: `${node.url}/api/v1/avatar?user_id=${member.id}` },
      read: true,
      created_at: INSTANT,
      revision: 1,
      type: "task_comment",
    })
    expect(await seenBy(member, body.id)).toEqual(body)
    expect(await seenBy(owner, body.id)).toEqual({ ...body, read: false })
  })
})

describe("PATCH /api/v1/task_comments/:id (contract of read marks)", () => {
  it("marks a comment read and unread for the one who says so", async () => {
    const made = await say(owner)
    expect((await member.patch(`/task_comments/${made.id}`, { revision: 1, read: true })).body).toEqual({
      ...made,
      revision: 2,
    })
    expect((await seenBy(member, made.id)).read).toBe(true)
    expect((await seenBy(another, made.id)).read).toBe(false)
    const unread = { ...made, read: false, revision: 3 }
    expect((await member.patch(`/task_comments/${made.id}`, { revision: 2, read: false })).body).toEqual(unread)
    expect(await seenBy(member, made.id)).toEqual(unread)
  })

  it("raises the revision of every accepted write, also where nothing changes", async () => {
    const { id } = await say(owner)
    for (const [who, revision, sent, read] of [
      [owner, 1, { read: true }, true],
      [owner, 2, { read: false }, true],
      [member, 3, { read: false }, false],
      [member, 4, { read: true }, true],
      [member, 5, { read: true }, true],
      [member, 6, { read: null }, true],
    ] as const) {
      const { status, body } = await who.patch(`/task_comments/${id}`, { revision, ...sent })
      expect([status, body.revision, body.read]).toEqual([200, revision + 1, read])
      expect(await seenBy(who, id)).toEqual(body)
    }
  })

  it("edits the text and takes its author's mark along, as one change", async () => {
    const { id } = await say(owner)
    await member.patch(`/task_comments/${id}`, { revision: 1, read: true })
    const both = await owner.patch(`/task_comments/${id}`, { revision: 2, text: "Whole milk", read: false })
    expect(both).toMatchObject({ status: 200, body: { text: "Whole milk", read: true, revision: 3 } })
    expect(await node.database.run(eventsOf, [id])).toMatchObject([
      { operation: "CREATE", revision: 1, actor: owner.id },
      { operation: "UPDATE", revision: 2, actor: member.id },
      { operation: "UPDATE", revision: 3, actor: owner.id },
    ])
  })

  it("keeps the revision of a writer good when others have read the comment", async () => {
    const { id } = await say(owner)
    await member.patch(`/task_comments/${id}`, { revision: 1, read: true })
    await another.patch(`/task_comments/${id}`, { revision: 1, read: true })
    expect((await owner.patch(`/task_comments/${id}`, { revision: 1, text: "Edited" })).body.revision).toBe(4)
    expect((await owner.patch(`/task_comments/${id}`, { revision: 3, text: "Again" })).status).toBe(409)
  })

  it("gives each of 12 requests that mark, unmark and edit at once a revision and an event of its own", async () => {
    const { id } = await say(owner)
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        if (index === 5) return owner.patch(`/task_comments/${id}`, { revision: 1, text: "Edited", read: true })
        return [member, another][index % 2]!.patch(`/task_comments/${id}`, { revision: 1, read: index % 4 < 2 })
      }),
    )
    expect(replies.every(({ status }) => status === 200 || status === 409)).toBe(true)
    const answered = replies.filter(({ status }) => status === 200).map(({ body }) => body.revision)
    const told = (await node.database.run(eventsOf, [id])).map(({ revision }) => revision)
    expect(told).toEqual(Array.from({ length: answered.length + 1 }, (_, index) => index + 1))
    expect([1, ...answered].sort((a, b) => a - b)).toEqual(told)
    expect((await seenBy(owner, id)).revision).toBe(told.length)
  })

  it("lets nobody else edit the text, the list's owner neither, whatever is wrong with it", async () => {
    const { id } = await say(member)
    const update =
      "mutation ($id: ID!, $input: UpdateTaskCommentInput!) { updateTaskComment(id: $id, input: $input) { id } }"
    for (const who of [owner, another])
      for (const input of [
        { revision: 1, text: "Mine" },
        { revision: 9, text: "Mine", read: true },
        { revision: 1, text: "\0" },
      ]) {
        expect(await who.patch(`/task_comments/${id}`, input)).toMatchObject({
          status: 403,
          body: { error: { type: "permission_error", permissions: "failed" } },
        })
        expect((await who.graphql(update, { id, input })).code).toBe("PERMISSION_ERROR")
      }
    expect(await seenBy(owner, id)).toMatchObject({ text: "Which kind?", read: false, revision: 1 })
  })

  it("wants a boolean for read", async () => {
    const { id } = await say(owner)
    expect(await owner.patch(`/task_comments/${id}`, { revision: 1, read: "yes" })).toMatchObject({
      status: 400,
      body: { error: { read: ["must be a boolean"] } },
    })
  })

  it("raises the revisions of the task and the list with each mark", async () => {
    const revisions = async () => [
      (await owner.get(`/tasks/${task.id}`)).body.revision,
      (await owner.get(`/lists/${list.id}`)).body.revision,
    ]
    const { id } = await say(owner)
    const [ofTask, ofList] = await revisions()
    await member.patch(`/task_comments/${id}`, { revision: 1, read: true })
    expect(await revisions()).toEqual([ofTask + 1, ofList + 1])
    expect((await node.database.run(eventsOf, [id])).at(-1)?.listRevision).toBe(ofList + 1)
  })
})

describe("DELETE /api/v1/task_comments/:id", () => {
  it("lets its author and the list's owner delete it, another member not", async () => {
    const [first, second] = [await say(member), await say(member)]
    for (const revision of [1, 9])
      expect(await another.delete(`/task_comments/${first.id}?revision=${revision}`)).toMatchObject({
        status: 403,
        body: { error: { type: "permission_error" } },
      })
    const remove = "mutation ($id: ID!) { deleteTaskComment(id: $id, revision: 1) }"
    expect((await another.graphql(remove, { id: first.id })).code).toBe("PERMISSION_ERROR")
    await another.patch(`/task_comments/${first.id}`, { revision: 1, read: true })
    expect((await member.delete(`/task_comments/${first.id}?revision=1`)).status).toBe(204)
    expect((await owner.delete(`/task_comments/${second.id}?revision=1`)).status).toBe(204)
    expect(await node.database.run(eventsOf, [second.id])).toMatchObject([
      { operation: "CREATE" },
      { operation: "DELETE", actor: owner.id },
    ])
    expect((await owner.get(`/task_comments/${first.id}`)).status).toBe(404)
  })
})

describe("Task.commentConnection", () => {
  it("pages through the comments as each reader sees them", async () => {
    const own = await makeTask(owner, list)
    const ids: string[] = []
    for (const who of [owner, member, owner])
      ids.push(String((await who.post("/task_comments", { task_id: own.id, text: "x" })).body.id))
    const query = `query ($id: ID!, $after: String) { task(id: $id) { commentConnection(first: 2, after: $after) {
      nodes { id read author { name } } pageInfo { hasNextPage endCursor } } } }`
    const first = (await member.graphql(query, { id: own.id })).data.task.commentConnection
    expect(first.nodes).toEqual([
      { id: ids[0], read: false, author: { name: owner.name } },
      { id: ids[1], read: true, author: { name: member.name } },
    ])
    const rest = (await member.graphql(query, { id: own.id, after: first.pageInfo.endCursor })).data.task
      .commentConnection
    expect([first.pageInfo.hasNextPage, rest.nodes.length, rest.pageInfo.hasNextPage]).toEqual([true, 1, false])
  })
})
