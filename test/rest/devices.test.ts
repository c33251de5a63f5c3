import { createECDH, randomBytes } from "node:crypto"
import { beforeAll, describe, expect, it } from "vitest"
import { makePerson, type Person } from "../support/make.js"
import { sharedNode, startNodeOn, type TestNode } from "../support/node.js"

let node: TestNode
let ann: Person
let bob: Person
beforeAll(async () => {
  node = await sharedNode()
  ann = await makePerson(node, "Ann")
  bob = await makePerson(node, "Bob")
})

let subscriptions = 0
/** What a browser gives, with members that nobody asked for. */
function subscription(members: Record<string, unknown> = {}) {
  const keys = {
    p256dh: createECDH("prime256v1").generateKeys("base64url"),
    auth: randomBytes(16).toString("base64url"),
  }
  return { endpoint: `https://push.example.org/${++subscriptions}`, expirationTime: null, keys, ...members }
}
const register = (who: Person, udid: unknown, sent: unknown = subscription(), platform: unknown = "web_push") =>
  who.post("/devices", { udid, platform, subscription: sent })
const udidsOf = async (who: Person) => (await who.get("/devices")).body.map(({ udid }: any) => udid)

describe("POST /api/v1/devices (§5, §9 Reminder push)", () => {
  it("registers a device, and never shows where its messages go", async () => {
    const { status, body } = await register(ann, "phone")
    expect([status, body]).toEqual([
      201,
      { id: expect.any(Number), udid: "phone", platform: "web_push", type: "device", created_at: expect.any(String) },
    ])
    expect((await ann.get("/devices")).body).toEqual([body])
  })

  it("puts a device with the same udid in the place of the first, at each user apart", async () => {
    const first = (await register(ann, "tablet")).body
    const again = await register(ann, "tablet")
    expect([again.status, again.body.id]).toEqual([201, first.id])
    expect((await register(bob, "tablet")).body.id).not.toBe(first.id)
    expect((await udidsOf(ann)).filter((udid: string) => udid === "tablet")).toHaveLength(1)
  })

  it("takes a browser's address from the user who had it before (ours)", async () => {
    const shared = subscription()
    await register(ann, "kiosk", shared)
    await register(bob, "kiosk", shared)
    expect([await udidsOf(ann), await udidsOf(bob)]).toEqual([
      expect.not.arrayContaining(["kiosk"]),
      expect.arrayContaining(["kiosk"]),
    ])
  })

  it("keeps the twenty that registered last (ours)", async () => {
    const cid = await makePerson(node, "Cid")
    for (let n = 1; n <= 21; n++) await register(cid, `device ${n}`)
    expect(await udidsOf(cid)).toEqual(Array.from({ length: 20 }, (_, n) => `device ${n + 2}`))
  })

  const wrong = "must not lead to a private, loopback or link-local address"
  it.each([
    ["without TLS", subscription({ endpoint: "http://push.example.org/1" }), "endpoint must be an absolute https URL"],
    ["to loopback", subscription({ endpoint: "https://127.0.0.1/1" }), `endpoint ${wrong}`],
    ["to loopback without TLS", subscription({ endpoint: "http://localhost/1" }), `endpoint ${wrong}`],
    ["to an address inside", subscription({ endpoint: "https://[::ffff:10.0.0.1]/1" }), `endpoint ${wrong}`],
    ["to cloud metadata in decimal", subscription({ endpoint: "https://2852039166/1" }), `endpoint ${wrong}`],
    [
      "with a password",
      subscription({ endpoint: "https://a:b@push.example.org/1" }),
      "endpoint must not contain a user name or password",
    ],
    [
      "to no address",
      subscription({ endpoint: "push" }),
      "endpoint must be an absolute https URL of at most 2048 characters",
    ],
    [
      "that is too long",
      subscription({ endpoint: `https://push.example.org/${"x".repeat(2_048)}` }),
      "endpoint must be an absolute https URL of at most 2048 characters",
    ],
    [
      "with a short key",
      subscription({ keys: { p256dh: "AAAA", auth: randomBytes(16).toString("base64url") } }),
      "keys.p256dh must be 65 bytes in base64url",
    ],
    [
      "with a short secret",
      subscription({ keys: { ...subscription().keys, auth: "AAAA" } }),
      "keys.auth must be 16 bytes in base64url",
    ],
  ])("refuses a subscription %s with 422, over REST and GraphQL alike", async (_case, sent, text) => {
    const { status, body } = await register(ann, "bad", sent)
    expect([status, body.error.subscription]).toEqual([422, [text]])
    const counterpart = await ann.graphql(
      "mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }",
      {
        input: { udid: "bad", platform: "web_push", subscription: sent },
      },
    )
    expect([counterpart.code, counterpart.fields]).toEqual(["VALIDATION_ERROR", { subscription: [text] }])
    expect(await udidsOf(ann)).not.toContain("bad")
  })

  it.each([
    ["nothing", {}, ["udid", "platform", "subscription"]],
    ["a text for the subscription", { udid: "x", platform: "web_push", subscription: "x" }, ["subscription"]],
    [
      "a subscription without keys",
      { udid: "x", platform: "web_push", subscription: { endpoint: "https://x.org" } },
      ["subscription"],
    ],
    ["a number for the udid", { udid: 1, platform: "web_push", subscription: subscription() }, ["udid"]],
  ])("answers 400 to %s", async (_case, sent, fields) => {
    const { status, body } = await ann.post("/devices", sent)
    expect(status).toBe(400)
    expect(Object.keys(body.error)).toEqual(expect.arrayContaining(fields))
  })

  it("answers 422 to another platform, and to a udid of 0 or 256 characters; 255 are well", async () => {
    expect((await register(ann, "x", subscription(), "apns")).status).toBe(422)
    expect((await register(ann, "")).status).toBe(422)
    expect((await register(ann, "😀".repeat(256))).status).toBe(422)
    expect((await register(ann, "😀".repeat(255))).body.udid).toBe("😀".repeat(255))
  })

  it("reads a subscription that is written into the document", async () => {
    const { endpoint, keys } = subscription()
    const { data } = await ann.graphql(
      `mutation { createDevice(input: { udid: "literal", platform: web_push, subscription: { endpoint: "${endpoint}", keys: { p256dh: "${keys.p256dh}", auth: "${keys.auth}" } } }) { udid } }`,
    )
    expect(data).toEqual({ createDevice: { udid: "literal" } })
  })
})

describe("DELETE /api/v1/devices/:id", () => {
  it("removes the viewer's own without a revision; another's is not found", async () => {
    const { id } = (await register(ann, "old")).body
    expect((await bob.delete(`/devices/${id}`)).status).toBe(404)
    expect((await ann.delete(`/devices/${id}`)).status).toBe(204)
    expect((await ann.delete(`/devices/${id}`)).status).toBe(404)
    expect(await udidsOf(ann)).not.toContain("old")
  })
})

describe("vapidPublicKey", () => {
  it("is a point of P-256, the same for every user, node and start", async () => {
    const ask = async (who: Person) => (await who.graphql("{ vapidPublicKey }")).data.vapidPublicKey
    const key = await ask(ann)
    expect(Buffer.from(key, "base64url")).toHaveLength(65)
    const other = await startNodeOn(node.databaseUrl)
    expect(await ask(Object.assign({}, bob, await makePerson({ url: other.url, database: node.database })))).toBe(key)
    await other.stop()
  })
})
