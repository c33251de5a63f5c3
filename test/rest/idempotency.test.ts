import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { accessMaintenance } from "../../src/jobs/expired-access.js"
import { createAccessToken } from "../../src/oauth/access-token.js"
import { createOperations } from "../../src/operations/operations.js"
import { buildSchema } from "../../src/transports/graphql/schema.js"
import { routes } from "../../src/transports/rest/routes.js"
import { listen } from "../live/listener.js"
import { makeApplication, makeMember, tokenFor } from "../support/account.js"
import { createClient } from "../support/client.js"
import { addMember, makeList, makePerson, type Person } from "../support/make.js"
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
      "update idempotency_keys set created_at = now() - interval '25 hours' where key like '%:key:k-4'",
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
  it("makes the same request safe to repeat where it is a UUID, and another body is another request", async () => {
    const before = await countOf(bob)
    const id = randomUUID()
    const send = (title: string) => bob.post("/tasks", task(bob, title), { "X-Client-Request-Id": id })
    const [first, again, other] = [await send("a"), await send("a"), await send("b")]
    expect(again.text).toBe(first.text)
    expect(other.body).toMatchObject({ title: "b", created_by_request_id: id })
    expect(await countOf(bob)).toBe(before + 2)
    const over = () =>
      bob.graphql(CREATE, { input: { listId: bob.inboxId, title: "c" } }, { "X-Client-Request-Id": id })
    expect((await over()).data).toEqual((await over()).data)
    expect(await countOf(bob)).toBe(before + 3)
  })

  it.each(["constant", "", "00000000-0000-0000-0000-000000000000"])(
    "is only a name where it is %j: what is sent twice is made twice",
    async (id) => {
      const before = await countOf(bob)
      const send = () => bob.post("/tasks", task(bob), { "X-Client-Request-Id": id })
      expect([(await send()).status, (await send()).status]).toEqual([201, 201])
      const over = () =>
        bob.graphql(CREATE, { input: { listId: bob.inboxId, title: "x" } }, { "X-Client-Request-Id": id })
      expect([(await over()).code, (await over()).code]).toEqual([undefined, undefined])
      expect(await countOf(bob)).toBe(before + 4)
    },
  )
})

describe("what is kept under a key (§4)", () => {
  const kept = async (key: string) =>
    (await node.database.prisma.$queryRawUnsafe(
      `select body, status from idempotency_keys where key like '%:key:${key}'`,
    )) as { body: string | null; status: number | null }[]

  it("is asked for by every mutation that makes something or gives a new secret, and by every row that does", () => {
    const schema = buildSchema()
    const mutations = Object.values(schema.getMutationType()?.getFields() ?? {})
    for (const { name, extensions } of mutations)
      expect([name, extensions.once !== undefined]).toEqual([name, /^(create|rotate)/.test(name)])
    const operations = createOperations(schema)
    for (const { method, document } of routes)
      expect([document, operations.fixed(document).once !== undefined]).toEqual([document, method === "POST"])
  })

  it("never is a secret: the repetition says that it is done, and makes no second one", async () => {
    const list = await makeList(ann)
    const secrets = [
      [`mutation { createAccessToken(input: { name: "script" }) { token accessToken { id } } }`, "token"],
      [`mutation { createApplication(input: { name: "App" }) { clientSecret application { id } } }`, "clientSecret"],
      ["mutation { createCalendarFeed { id url } }", "url"],
      [
        `mutation { createWebhook(input: { listId: ${list.id}, url: "https://hooks.example/a", processorType: "generic", configuration: "" }) { id ...S } }
         fragment S on Webhook { secret }`,
        "secret",
      ],
    ] as const
    for (const [index, [query, member]] of secrets.entries()) {
      const key = { "Idempotency-Key": `secret-${index}` }
      const first = await ann.graphql(query, {}, key)
      const [made] = Object.values<any>(first.data)
      expect(made[member]).toMatch(/.{30}/)
      const again = await ann.graphql(query, {}, key)
      expect([again.code, again.data ?? null]).toEqual(["CONFLICT", null])
      expect(again.errors?.[0]?.message).toMatch(/secret/)
      expect(await kept(`secret-${index}`)).toEqual([{ body: null, status: 200 }])
      // A new key makes another.
      const other = await ann.graphql(query, {}, { "Idempotency-Key": `other-${index}` })
      expect(Object.values<any>(other.data)[0][member]).not.toBe(made[member])
    }
    const { data } = await ann.graphql("{ viewer { accessTokens { id } applications { id } calendarFeeds { id } } }")
    expect(Object.values<any>(data.viewer).map(({ length }) => length)).toEqual([2, 2, 2])
    expect((await ann.get(`/webhooks?list_id=${list.id}`)).body).toHaveLength(2)
  })

  it("is the whole answer where no secret is asked for: REST shows none of a webhook", async () => {
    const list = await makeList(ann)
    const body = { list_id: list.id, url: "https://hooks.example/b", processor_type: "generic", configuration: "" }
    const send = () => ann.post("/webhooks", body, { "Idempotency-Key": "hook" })
    const [first, again] = [await send(), await send()]
    expect([again.status, again.text]).toEqual([201, first.text])
  })

  it("belongs to the token: an application gets nothing of what its user asked by another", async () => {
    const member = await makeMember(node, "Mia")
    const application = await makeApplication(node)
    const { clientId } = application
    const byApplication = createClient(node.url, { clientId, token: await tokenFor(node, member, application) })
    const query = `mutation { createAccessToken(input: { name: "mine" }) { token } }`
    const key = { "Idempotency-Key": "shared" }
    const byUser = createClient(node.url, {
      clientId: "personal",
      token: await createAccessToken(node.database, member.id, "personal"),
    })
    expect((await byUser.graphql(query, {}, key)).data.createAccessToken.token).toMatch(/.{40}/)
    expect(await byApplication.graphql(query, {}, key)).toMatchObject({ code: "PERMISSION_ERROR", data: null })
    const inbox = (await byUser.get("/lists")).body[0].id
    const send = (by: typeof byUser) => by.post("/tasks", { list_id: inbox, title: "x" }, { "Idempotency-Key": "task" })
    const [mine, theirs] = [await send(byUser), await send(byApplication)]
    expect([mine.status, theirs.status]).toEqual([201, 201])
    expect(theirs.body.id).not.toBe(mine.body.id)
  })

  it("is given only to somebody who may ask for it still", async () => {
    const list = await makeList(ann)
    await addMember(node, list, bob)
    const rest = () => bob.post("/tasks", { list_id: list.id, title: "x" }, { "Idempotency-Key": "left" })
    const graphql = () =>
      bob.graphql(CREATE, { input: { listId: list.id, title: "y" } }, { "Idempotency-Key": "left-too" })
    expect([(await rest()).status, (await graphql()).code]).toEqual([201, undefined])
    await node.database.prisma.membership.deleteMany({ where: { listId: BigInt(list.id), userId: BigInt(bob.id) } })
    expect([(await rest()).status, (await graphql()).code]).toEqual([404, "PERMISSION_ERROR"])
  })

  it("is nothing of an operation that makes several things and fails at one", async () => {
    const before = await countOf(ann)
    const query = `mutation ($list: ID!) { a: createTask(input: { listId: $list, title: "a" }) { id }
      b: createTask(input: { listId: ${bob.inboxId}, title: "b" }) { id } }`
    const refused = await ann.graphql(query, { list: ann.inboxId }, { "Idempotency-Key": "several" })
    expect([refused.code, refused.data ?? null]).toEqual(["PERMISSION_ERROR", null])
    expect(await countOf(ann)).toBe(before)
    expect(await kept("several")).toEqual([])
  })

  it("goes after a day", async () => {
    await ann.post("/tasks", task(ann), { "Idempotency-Key": "old" })
    await node.database.prisma.$executeRawUnsafe(
      "update idempotency_keys set created_at = now() - interval '25 hours' where key like '%:key:old'",
    )
    await accessMaintenance(node.database)["delete-leftovers-of-access"]?.run(new AbortController().signal)
    expect([(await kept("old")).length, (await kept("hook")).length]).toEqual([0, 1])
  })
})

describe("a key over every transport (§4)", () => {
  it("makes an upload once over GraphQL too, ten times at once", async () => {
    const query = `mutation ($input: CreateUploadInput!) { createUpload(input: $input) { id } }`
    const input = { fileName: "a.txt", contentType: "text/plain", fileSize: 3 }
    const send = (fileSize = 3) =>
      ann.graphql(query, { input: { ...input, fileSize } }, { "Idempotency-Key": "upload-over-graphql" })
    const replies = await Promise.all(Array.from({ length: 10 }, () => send()))
    expect(new Set(replies.map(({ data }) => data?.createUpload.id)).size).toBe(1)
    expect((await send(4)).code).toBe("CONFLICT")
  })

  it("makes a task once over a WebSocket, as `extensions.idempotencyKey`", async () => {
    const before = await countOf(ann)
    const { client, close } = listen(ann)
    const send = (title: string, idempotencyKey: unknown) =>
      new Promise<any>((resolve) => {
        const payload = {
          query: CREATE,
          variables: { input: { listId: ann.inboxId, title } },
          extensions: { idempotencyKey },
        }
        client.subscribe(payload, {
          next: resolve,
          error: (errors) => resolve({ errors }),
          complete: () => {},
        })
      })
    const [first, again] = [await send("once", "ws"), await send("once", "ws")]
    expect(again.data.createTask.id).toBe(first.data.createTask.id)
    for (const [title, key, code] of [
      ["other", "ws", "CONFLICT"],
      ["once", "", "BAD_REQUEST"],
      ["once", 7, "BAD_REQUEST"],
    ] as const)
      expect((await send(title, key)).errors[0].extensions.code).toBe(code)
    expect(await countOf(ann)).toBe(before + 1)
    await close()
  })

  it("answers a body that is nested 20,000 deep as it does without a key", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`
    const input = `{"list_id":${ann.inboxId},"title":"x"`
    const bodies = { unknown: `${input},"more":${deep}}`, title: `{"list_id":${ann.inboxId},"title":${deep}}` }
    const key = () => ({ "Idempotency-Key": randomUUID() })
    expect((await ann.post("/tasks", bodies.unknown, key())).status).toBe(201)
    expect((await ann.post("/tasks", bodies.title, key())).status).toBe(400)
    const over = (variables: string) =>
      ann.request("POST", "/graphql", `{"query":${JSON.stringify(CREATE)},"variables":${variables}}`, key())
    const good = `"input":{"listId":"${ann.inboxId}","title":"x"}`
    expect((await over(`{${good},"more":${deep}}`)).body.errors).toBeUndefined()
    expect((await over(`{"input":{"listId":"1","title":${deep}}}`)).body.errors[0].extensions.code).toBe(
      "MISSING_PARAMETER",
    )
  })
})
