import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { statement } from "../../src/statement.js"
import { addMember, makeList, makePeople, makePerson, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { insertHooks } from "../webhooks/make-hook.js"

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UNKNOWN_ID = 9007199254740991
const URL = "https://hooks.example.org/in?x=1"

let node: TestNode
let owner: Person
let member: Person
let invitee: Person
let stranger: Person
let list: any

beforeAll(async () => {
  node = await startNode()
  ;({ owner, member, invitee, stranger, list } = await makePeople(node))
})
afterAll(() => node.stop())

const hook = (members: Record<string, unknown> = {}) => ({
  list_id: list.id,
  url: URL,
  processor_type: "generic",
  configuration: "",
  ...members,
})
const makeWebhook = async (maker: Person = member): Promise<any> => (await maker.post("/webhooks", hook())).body
const urlOfLength = (length: number): string => `https://example.org/${"x".repeat(length - 20)}`

describe("POST /api/v1/webhooks (§4 Webhooks)", () => {
  it("answers 201 with what the list shows, and never the secret", async () => {
    const sent = hook({ configuration: '{"a":1}' })
    const { status, body, text } = await member.post("/webhooks", sent)
    expect(status).toBe(201)
    const memberships = (await owner.get(`/memberships?list_id=${list.id}`)).body
    expect(body).toEqual({
      ...sent,
      id: expect.any(Number),
      membership_id: memberships.find(({ user_id }: any) => user_id === member.id).id,
      membership_type: "Membership",
      created_by_id: member.id,
      created_at: expect.stringMatching(INSTANT),
      updated_at: body.created_at,
      type: "webhook",
      revision: 1,
    })
    expect((await owner.get(`/webhooks/${body.id}`)).text).toBe(text)
    expect((await owner.get(`/webhooks?list_id=${list.id}`)).text).toContain(text)
  })

  it.each([
    ["list_id", { list_id: "1" }, 400],
    ["url", { url: undefined }, 400],
    ["processor_type", { processor_type: undefined }, 400],
    ["configuration", { configuration: undefined }, 400],
    ["configuration", { configuration: {} }, 400],
    ["url", { url: "" }, 422],
    ["url", { url: "hooks.example.org" }, 422],
    ["url", { url: "ftp://example.org/" }, 422],
    ["url", { url: "javascript:alert(1)" }, 422],
    ["url", { url: "https://user:secret@example.org/" }, 422],
    ["url", { url: urlOfLength(256) }, 422],
    ["processor_type", { processor_type: "p".repeat(256) }, 422],
    ["configuration", { configuration: "a\u0000b" }, 422],
  ])("names %s: %j is answered %i", async (field, members, expected) => {
    const { status, body } = await owner.post("/webhooks", hook(members))
    expect([status, body.error[field]]).toEqual([expected, [expect.any(String)]])
  })

  it("takes a url and a processor_type of 255 characters", async () => {
    const { status, body } = await owner.post(
      "/webhooks",
      hook({ url: urlOfLength(255), processor_type: "p".repeat(255) }),
    )
    expect([status, body.url.length]).toEqual([201, 255])
  })

  it.each([
    "http://127.0.0.1:8080/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.0.0.1./",
    "http://0.0.0.0/",
    "http://10.0.0.1/",
    "http://172.31.255.255/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://[ff02::1]/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://a.localhost:3000/",
    "http://①②⑦.0.0.1/",
  ])("refuses an address inside: %s", async (url) => {
    const before = (await owner.get(`/webhooks?list_id=${list.id}`)).body
    const { status, body } = await owner.post("/webhooks", hook({ url }))
    expect([status, body.error.url]).toEqual([422, [expect.stringContaining("must not lead to")]])
    expect((await owner.get(`/webhooks?list_id=${list.id}`)).body).toEqual(before)
  })

  it("takes inside addresses that the operator allows", async () => {
    const open = await startNode({ webhookAllowedNetworks: ["127.0.0.0/8", "fd00::/8"] })
    try {
      const ann = await makePerson(open)
      const its = await makeList(ann)
      const statusOf = async (url: string) => (await ann.post("/webhooks", hook({ list_id: its.id, url }))).status
      for (const url of ["http://127.0.0.1:8080/", "http://localhost:8080/", "http://[fd00::1]/"])
        expect([url, await statusOf(url)]).toEqual([url, 201])
      for (const url of ["http://10.0.0.1/", "http://[fe80::1]/"])
        expect([url, await statusOf(url)]).toEqual([url, 422])
    } finally {
      await open.stop()
    }
  })

  it("answers invitees and strangers as for an unknown list, before it looks at the url", async () => {
    for (const url of [URL, "", "http://127.0.0.1/"]) {
      const unknown = await owner.post("/webhooks", hook({ url, list_id: UNKNOWN_ID }))
      expect(unknown).toMatchObject({
        status: 404,
        body: { error: { type: "permission_error", permissions: "failed" } },
      })
      for (const person of [invitee, stranger])
        expect((await person.post("/webhooks", hook({ url }))).body).toEqual(unknown.body)
    }
    expect((await owner.post("/webhooks", hook(), { "X-Access-Token": "x" })).status).toBe(401)
  })

  it("makes an event that does not show the secret", async () => {
    const { id } = await makeWebhook()
    const [event] = await node.database.run(
      statement(
        "test_webhook_event",
        "select e.after::text, w.secret from events e join webhooks w on w.id = e.subject_id where e.subject_type = 'webhook' and w.id = $1::bigint",
        ([after, secret]) => ({ after: after as string, secret: secret as string }),
      ),
      [id],
    )
    expect(event?.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(event?.after).toContain(URL)
    expect(event?.after).not.toContain("secret")
  })
})

describe("The number of webhooks (§4 Webhooks)", () => {
  const create = "mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { id } }"
  const counterpart = (its: { id: number }) => ({
    input: { listId: its.id, url: URL, processorType: "generic", configuration: "" },
  })

  it("is at most 20 per list, over all members, also when many are created at once", async () => {
    const [ann, bob] = [await makePerson(node, "Ann"), await makePerson(node, "Bob")]
    const its = await makeList(ann)
    await addMember(node, its, bob)
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, index) => (index % 2 ? ann : bob).post("/webhooks", hook({ list_id: its.id }))),
    )
    expect(made.map(({ status }) => status).sort()).toEqual([...Array(20).fill(201), ...Array(4).fill(422)])
    const violations = { list_id: ["has 20 webhooks, and no list may have more"] }
    expect((await bob.post("/webhooks", hook({ list_id: its.id }))).body.error).toMatchObject({
      type: "validation_error",
      ...violations,
    })
    expect(await bob.graphql(create, counterpart(its))).toMatchObject({
      code: "VALIDATION_ERROR",
      fields: { listId: violations.list_id },
    })
    const [{ id }] = (await ann.get(`/webhooks?list_id=${its.id}`)).body
    expect((await ann.delete(`/webhooks/${id}?revision=1`)).status).toBe(204)
    expect((await bob.post("/webhooks", hook({ list_id: its.id }))).status).toBe(201)
  })

  it("is at most 100 a user, who keeps nobody else from making some", async () => {
    const [ann, bob] = [await makePerson(node, "Ann"), await makePerson(node, "Bob")]
    const lists = await Promise.all(Array.from({ length: 6 }, () => makeList(ann)))
    const last = lists.pop()
    for (const each of lists) await insertHooks(node, each, URL, 20)
    await addMember(node, last, bob)
    const refused = { created_by_id: ["has made 100 webhooks, and nobody may have more"] }
    const { status, body } = await ann.post("/webhooks", hook({ list_id: last.id }))
    expect([status, body.error.created_by_id]).toEqual([422, refused.created_by_id])
    expect((await ann.graphql(create, counterpart(last))).fields).toEqual({ createdById: refused.created_by_id })
    expect((await bob.post("/webhooks", hook({ list_id: last.id }))).status).toBe(201)
    const [{ id }] = (await ann.get(`/webhooks?list_id=${lists[0].id}`)).body
    expect((await ann.delete(`/webhooks/${id}?revision=1`)).status).toBe(204)
    expect((await ann.post("/webhooks", hook({ list_id: last.id }))).status).toBe(201)
  })
})

describe("GET /api/v1/webhooks and /webhooks/:id (§4 Webhooks)", () => {
  it("show members all webhooks of the list by id, of all creators", async () => {
    const fresh = await makeList(owner)
    await addMember(node, fresh, member)
    expect((await member.get(`/webhooks?list_id=${fresh.id}`)).body).toEqual([])
    const made = [
      (await owner.post("/webhooks", hook({ list_id: fresh.id }))).body,
      (await member.post("/webhooks", hook({ list_id: fresh.id }))).body,
    ]
    for (const person of [owner, member]) expect((await person.get(`/webhooks?list_id=${fresh.id}`)).body).toEqual(made)
  })

  it("are closed to invitees and strangers, as for what does not exist", async () => {
    const { id } = await makeWebhook()
    for (const [path, unknown] of [
      [`/webhooks/${id}`, `/webhooks/${UNKNOWN_ID}`],
      [`/webhooks?list_id=${list.id}`, `/webhooks?list_id=${UNKNOWN_ID}`],
    ] as const)
      for (const person of [invitee, stranger]) {
        const reply = await person.get(path)
        expect([reply.status, reply.body]).toEqual([404, (await person.get(unknown)).body])
      }
    expect((await owner.get("/webhooks")).body.error.list_id).toEqual(["required"])
    expect((await owner.get(`/webhooks?list_id=${list.id}&list_id=1`)).status).toBe(400)
    expect((await owner.get(`/webhooks/${id}`, { "X-Access-Token": "x" })).status).toBe(401)
  })
})

describe("DELETE /api/v1/webhooks/:id (§4 Webhooks)", () => {
  it("is for its maker and the list's owner, nobody else", async () => {
    const [owners, members] = [await makeWebhook(owner), await makeWebhook(member)]
    const refused = await member.delete(`/webhooks/${owners.id}?revision=1`)
    expect([refused.status, refused.body.error.permissions]).toEqual([403, "failed"])
    for (const person of [invitee, stranger])
      expect((await person.delete(`/webhooks/${members.id}?revision=1`)).status).toBe(404)
    const reply = await owner.delete(`/webhooks/${members.id}`, { revision: 1 })
    expect([reply.status, reply.text]).toEqual([204, ""])
    expect((await owner.delete(`/webhooks/${owners.id}?revision=1`)).status).toBe(204)
    const mine = await makeWebhook(member)
    expect((await member.delete(`/webhooks/${mine.id}?revision=1`)).status).toBe(204)
    expect((await member.get(`/webhooks/${mine.id}`)).status).toBe(404)
  })

  it("needs the current revision", async () => {
    const { id } = await makeWebhook()
    expect((await member.delete(`/webhooks/${id}`)).body.error.revision).toEqual(["required"])
    expect((await member.delete(`/webhooks/${id}?revision=2`)).body.error.revision_conflict).toBe(true)
    expect((await member.get(`/webhooks/${id}`)).status).toBe(200)
  })

  it("takes any revision or none from clients of the retired service", async () => {
    const old = await makePerson(node, "Old", "wunderlist")
    await addMember(node, list, old)
    for (const query of ["", "?revision=99", "?revision=1"]) {
      const { id } = await makeWebhook(old)
      expect((await old.delete(`/webhooks/${id}${query}`)).status).toBe(204)
    }
    expect((await old.delete(`/webhooks/${(await makeWebhook(owner)).id}`)).status).toBe(403)
  })
})

describe("the GraphQL counterparts of /webhooks", () => {
  const create =
    "mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { id url secret membershipType revision } }"
  const input = (members = {}) => ({
    listId: list.id,
    url: URL,
    processorType: "generic",
    configuration: "",
    ...members,
  })

  it("show the secret when it is made and never again", async () => {
    const { data } = await member.graphql(create, { input: input() })
    expect(data.createWebhook).toEqual({
      id: expect.any(String),
      url: URL,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      membershipType: "Membership",
      revision: 1,
    })
    const second = await member.graphql(create, { input: input() })
    expect(second.data.createWebhook.secret).not.toBe(data.createWebhook.secret)
    const { id } = data.createWebhook
    const read = await member.graphql(
      "query ($id: ID!, $listId: ID!) { webhook(id: $id) { secret createdBy { name } list { id } } webhooks(listId: $listId) { secret } list(id: $listId) { webhooks { secret } } }",
      { id, listId: list.id },
    )
    expect(read.data.webhook).toEqual({ secret: null, createdBy: { name: "Bob" }, list: { id: String(list.id) } })
    for (const { secret } of [...read.data.webhooks, ...read.data.list.webhooks]) expect(secret).toBeNull()
  })

  it("give the same results; the revision of deleteWebhook is compared when it is given", async () => {
    expect((await stranger.graphql(create, { input: input({ url: "" }) })).code).toBe("PERMISSION_ERROR")
    const inside = await owner.graphql(create, { input: input({ url: "http://[::1]/" }) })
    expect(inside).toMatchObject({ code: "VALIDATION_ERROR", fields: { url: [expect.any(String)] } })
    // A null is as good as absent, and may be absent here.
    const plain = await owner.graphql(create, { input: { ...input(), configuration: null } })
    expect((await owner.get(`/webhooks?list_id=${list.id}`)).body.at(-1)).toMatchObject({
      id: Number(plain.data.createWebhook.id),
      configuration: "",
    })
    const remove = "mutation ($id: ID!, $revision: Int) { deleteWebhook(id: $id, revision: $revision) }"
    const { id } = await makeWebhook(owner)
    expect((await stranger.graphql(remove, { id })).code).toBe("NOT_FOUND")
    expect((await member.graphql(remove, { id })).code).toBe("PERMISSION_ERROR")
    expect((await owner.graphql(remove, { id, revision: 2 })).code).toBe("CONFLICT")
    expect((await owner.graphql(remove, { id })).data.deleteWebhook).toBe(true)
    const { id: next } = await makeWebhook(owner)
    expect((await owner.graphql(remove, { id: next, revision: 1 })).data.deleteWebhook).toBe(true)
  })
})
