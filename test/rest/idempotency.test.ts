import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient } from "../support/client.js"
import { makePerson, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"

const CREATE = "mutation ($input: CreateTaskInput!) { createTask(input: $input) { id title } }"

let node: TestNode
let ann: Person
let bob: Person

beforeAll(async () => {
  node = await startNode()
  ann = await makePerson(node)
  bob = await makePerson(node, "Bob")
})
afterAll(() => node.stop())

const task = (person: Person, title = "Buy milk") => ({ list_id: person.inboxId, title })
const countOf = async (person: Person): Promise<number> =>
  (await person.get(`/tasks?list_id=${person.inboxId}`)).body.length

describe("Idempotency-Key (§4)", () => {
  it("gives the first answer again: at once, twenty at a time, and after a restart", async () => {
    const before = await countOf(ann)
    const send = () => ann.post("/tasks", task(ann), { "Idempotency-Key": "k-1" })
    const replies = await Promise.all(Array.from({ length: 20 }, send))
    const [first] = replies
    for (const { status, text } of replies) expect([status, text]).toEqual([201, first?.text])
    const other = await startNodeOn(node.databaseUrl)
    const again = createClient(other.url, ann.credentials)
    expect((await again.post("/tasks", task(ann), { "Idempotency-Key": "k-1" })).text).toBe(first?.text)
    await other.stop()
    expect(await countOf(ann)).toBe(before + 1)
  })

  it("refuses another body with 409, and is nothing to another user", async () => {
    const key = { "Idempotency-Key": "k-2" }
    await ann.post("/tasks", task(ann), key)
    const reused = await ann.post("/tasks", task(ann, "Buy tea"), key)
    expect([reused.status, reused.body.error.type, reused.body.error.revision_conflict]).toEqual([
      409,
      "conflict",
      undefined,
    ])
    expect((await ann.post("/lists", task(ann), key)).status).toBe(409)
    expect((await bob.post("/tasks", task(bob), key)).status).toBe(201)
  })

  it("does not keep a refusal, so that the corrected request can use the same key", async () => {
    const key = { "Idempotency-Key": "k-3" }
    expect((await ann.post("/tasks", task(ann, ""), key)).status).toBe(422)
    expect((await ann.post("/tasks", { ...task(ann), recurrence_type: "day" }, key)).status).toBe(422)
    expect((await ann.post("/tasks", { list_id: bob.inboxId, title: "x" }, key)).status).toBe(404)
    expect((await ann.post("/tasks", task(ann), key)).status).toBe(201)
  })

  it("has 1 to 255 characters", async () => {
    for (const [key, status] of [
      ["x".repeat(255), 201],
      ["x".repeat(256), 400],
      ["", 400],
    ] as const)
      expect((await ann.post("/tasks", task(ann), { "Idempotency-Key": key })).status).toBe(status)
  })

  it("is forgotten after 24 hours", async () => {
    const key = { "Idempotency-Key": "k-4" }
    const first = await ann.post("/tasks", task(ann), key)
    await node.database.prisma.$executeRawUnsafe(
      "update idempotency_keys set created_at = now() - interval '25 hours' where key = 'key:k-4'",
    )
    const second = await ann.post("/tasks", task(ann), key)
    expect(second.status).toBe(201)
    expect(second.body.id).not.toBe(first.body.id)
  })

  it("works for GraphQL mutations that make things", async () => {
    const before = await countOf(ann)
    const send = (title: string) =>
      ann.graphql(CREATE, { input: { listId: ann.inboxId, title } }, { "Idempotency-Key": "g-1" })
    const replies = await Promise.all(Array.from({ length: 10 }, () => send("Once")))
    expect(new Set(replies.map(({ data }) => data.createTask.id)).size).toBe(1)
    expect(await countOf(ann)).toBe(before + 1)
    expect((await send("Other")).code).toBe("CONFLICT")
    const refused = await ann.graphql(
      CREATE,
      { input: { listId: ann.inboxId, title: "" } },
      { "Idempotency-Key": "g-2" },
    )
    expect(refused.code).toBe("VALIDATION_ERROR")
    expect(
      (await ann.graphql(CREATE, { input: { listId: ann.inboxId, title: "x" } }, { "Idempotency-Key": "g-2" })).code,
    ).toBeUndefined()
  })
})

describe("X-Client-Request-Id (§4)", () => {
  it("makes the same request safe to repeat, and another body is another request", async () => {
    const before = await countOf(bob)
    const send = (title: string) => bob.post("/tasks", task(bob, title), { "X-Client-Request-Id": "constant" })
    const [first, again, other] = [await send("a"), await send("a"), await send("b")]
    expect(again.text).toBe(first.text)
    expect(other.body).toMatchObject({ title: "b", created_by_request_id: "constant" })
    expect(await countOf(bob)).toBe(before + 2)
  })
})
