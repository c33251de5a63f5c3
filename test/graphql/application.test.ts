import { beforeAll, describe, expect, it } from "vitest"
import {
  askForToken,
  codeFor,
  exchangeBody,
  type Member,
  makeMember,
  REDIRECT_URI,
  tokenFor,
} from "../support/account.js"
import { type Client, createClient } from "../support/client.js"
import { makePerson, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"

let node: TestNode
let ann: Person
let bob: Person

beforeAll(async () => {
  node = await sharedNode()
  ann = await makePerson(node, "Ann")
  bob = await makePerson(node, "Bob")
})

const CREATE = `mutation ($input: CreateApplicationInput!) { createApplication(input: $input) {
  clientSecret application { id clientId name dialect redirectUris createdAt } } }`
const create = async (by: Client, input: Record<string, unknown> = {}) =>
  (await by.graphql(CREATE, { input: { name: "Planner", redirectUris: [REDIRECT_URI], ...input } })).data
    .createApplication
const mine = async (by: Client) =>
  (await by.graphql("{ viewer { applications { id name redirectUris dialect } } }")).data.viewer.applications

describe("applications over GraphQL (§5)", () => {
  it("are registered with a secret that is shown once, and are their owner's alone", async () => {
    const { application, clientSecret } = await create(ann)
    expect(application).toEqual({
      id: expect.stringMatching(/^\d+$/),
      clientId: expect.stringMatching(/^[0-9a-f]{20}$/),
      name: "Planner",
      dialect: "spec",
      redirectUris: [REDIRECT_URI],
      createdAt: expect.stringMatching(/Z$/),
    })
    expect(clientSecret).toMatch(/^[\w-]{40}$/)
    expect(await mine(ann)).toEqual([
      { id: application.id, name: "Planner", redirectUris: [REDIRECT_URI], dialect: "spec" },
    ])
    expect(await mine(bob)).toEqual([])
  })

  it.each([
    ["a blank name", { name: " " }, "name"],
    ["plain http", { redirectUris: ["http://client.example/cb"] }, "redirectUris"],
    ["a fragment", { redirectUris: ["https://client.example/cb#x"] }, "redirectUris"],
    ["a user name", { redirectUris: ["https://user@client.example/cb"] }, "redirectUris"],
    ["a script", { redirectUris: ["javascript:alert(1)"] }, "redirectUris"],
    ["data", { redirectUris: ["data:text/html,x"] }, "redirectUris"],
    ["a relative address", { redirectUris: ["/callback"] }, "redirectUris"],
    ["letters that are not ASCII", { redirectUris: ["https://cl\u0456ent.example/"] }, "redirectUris"],
    [
      "21 addresses",
      { redirectUris: Array.from({ length: 21 }, (_, index) => `https://a.example/${index}`) },
      "redirectUris",
    ],
  ])("are refused with %s", async (_, input, field) => {
    const reply = await ann.graphql(CREATE, { input: { name: "x", redirectUris: [], ...input } })
    expect(reply.code).toBe("VALIDATION_ERROR")
    expect(Object.keys(reply.fields ?? {})[0]).toContain(field)
  })

  it.each([
    "http://localhost:8080/cb",
    "http://127.0.0.1/cb",
    "http://[::1]:9/cb",
    "com.example.app:/cb",
    "https://a.example/cb?x=1,2",
  ])("may lead back to %s", async (uri) => {
    expect((await create(bob, { redirectUris: [uri] })).application.redirectUris).toEqual([uri])
  })

  it("are changed, given another secret and deleted by their owner; to others they do not exist", async () => {
    const { application, clientSecret } = await create(ann)
    const change = `mutation ($id: ID!, $input: UpdateApplicationInput!) { updateApplication(id: $id, input: $input) { name redirectUris dialect } }`
    const rotate = "mutation ($id: ID!) { rotateApplicationSecret(id: $id) { clientSecret } }"
    const remove = "mutation ($id: ID!) { deleteApplication(id: $id) }"
    const { id } = application
    for (const [query, variables] of [
      [change, { id, input: { name: "x" } }],
      [rotate, { id }],
      [remove, { id }],
    ] as const) {
      expect((await bob.graphql(query, variables)).code).toBe("NOT_FOUND")
      expect((await bob.graphql(query, { ...variables, id: "9007199254740991" })).code).toBe("NOT_FOUND")
    }
    const changed = await ann.graphql(change, { id, input: { name: "Garden", dialect: "wunderlist" } })
    expect(changed.data.updateApplication).toEqual({
      name: "Garden",
      redirectUris: [REDIRECT_URI],
      dialect: "wunderlist",
    })
    const rotated = (await ann.graphql(rotate, { id })).data.rotateApplicationSecret.clientSecret
    const body = { client_id: application.clientId, code: "x" }
    const errorWith = async (client_secret: string) =>
      (await askForToken(node.url, { ...body, client_secret })).body.error
    expect(await errorWith(clientSecret)).toBe("invalid_client")
    expect(await errorWith(rotated)).toBe("invalid_grant")
    expect((await ann.graphql(remove, { id })).data.deleteApplication).toBe(true)
    expect(await errorWith(rotated)).toBe("invalid_client")
  })

  it("are at most 100 of a user, however many are registered at once, and 100 are listed", async () => {
    const eve = await makePerson(node, "Eve")
    await runSql(
      node.databaseUrl,
      `insert into applications (client_id, name, owner_id) select 'of-eve-' || n, 'Old', ${eve.id} from generate_series(1, 98) n`,
    )
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => eve.graphql(CREATE, { input: { name: "New", redirectUris: [] } })),
    )
    expect(replies.filter(({ code }) => code === undefined)).toHaveLength(2)
    for (const reply of replies.filter(({ code }) => code !== undefined))
      expect(reply).toMatchObject({ code: "VALIDATION_ERROR", fields: { name: [expect.stringContaining("100")] } })
    const all = await mine(eve)
    expect(all).toHaveLength(100)
    await eve.graphql("mutation ($id: ID!) { deleteApplication(id: $id) }", { id: all[0].id })
    expect(await create(eve)).toMatchObject({ application: { name: "Planner" } })
  })

  it("end with every token they have", async () => {
    const member = await makeMember(node, "Cid")
    const { application, clientSecret } = await create(ann)
    const token = await tokenFor(node, member, { clientId: application.clientId, clientSecret, name: "" })
    const client = createClient(node.url, { clientId: application.clientId, token })
    expect((await client.get("/lists")).status).toBe(200)
    await ann.graphql("mutation ($id: ID!) { deleteApplication(id: $id) }", { id: application.id })
    expect((await client.get("/lists")).status).toBe(401)
  })
})

describe("personal tokens over GraphQL", () => {
  const MAKE =
    "mutation ($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { token accessToken { id name clientId } } }"

  it("open the API with their client ID until they are revoked", async () => {
    const { token, accessToken } = (await ann.graphql(MAKE, { input: { name: "backup" } })).data.createAccessToken
    expect(accessToken).toEqual({ id: expect.any(String), name: "backup", clientId: "personal" })
    const client = createClient(node.url, { clientId: "personal", token })
    expect((await client.get("/user")).body.id).toBe(ann.id)
    const listed = async () =>
      (await ann.graphql("{ viewer { accessTokens { name clientId } } }")).data.viewer.accessTokens
    expect(await listed()).toEqual([{ name: "backup", clientId: "personal" }])
    const revoke = "mutation ($id: ID!) { revokeAccessToken(id: $id) }"
    expect((await bob.graphql(revoke, { id: accessToken.id })).code).toBe("NOT_FOUND")
    expect((await ann.graphql(revoke, { id: accessToken.id })).data.revokeAccessToken).toBe(true)
    expect((await client.get("/user")).status).toBe(401)
    expect((await ann.graphql(revoke, { id: accessToken.id })).code).toBe("NOT_FOUND")
    expect(await listed()).toEqual([])
  })

  it("are at most 100 of a user that have not been revoked, on the page too", async () => {
    const member = await makeMember(node, "Fay")
    const own = async (): Promise<string> => {
      const page = await member.browser.submit(await member.browser.get("/access-tokens"), "/access-tokens", {
        name: "n",
      })
      return page.text
    }
    const token = /class="secret">([\w-]+)</.exec(await own())?.[1] as string
    const fay = createClient(node.url, { clientId: "personal", token })
    await runSql(
      node.databaseUrl,
      `insert into access_tokens (token_hash, user_id, application_id, name)
       select sha256(('fay' || n)::bytea), a.user_id, a.application_id, 'Old' from access_tokens a, generate_series(1, 99) n
       where a.token_hash = sha256('${token}'::bytea)`,
    )
    expect(await fay.graphql(MAKE, { input: { name: "more" } })).toMatchObject({
      code: "VALIDATION_ERROR",
      fields: { name: [expect.stringContaining("100 personal tokens")] },
    })
    expect(await own()).toContain("you have 100 personal tokens, and nobody may have more.")
    const tokens = (await fay.graphql("{ viewer { accessTokens { id name } } }")).data.viewer.accessTokens
    expect(tokens).toHaveLength(100)
    const { id } = tokens.find(({ name }: { name: string }) => name === "Old")
    await fay.graphql("mutation ($id: ID!) { revokeAccessToken(id: $id) }", { id })
    expect((await fay.graphql(MAKE, { input: { name: "more" } })).data.createAccessToken.token).toEqual(
      expect.any(String),
    )
  })

  it("belong to an application of one's own, or to none of another's", async () => {
    const { application } = await create(ann)
    const made = await ann.graphql(MAKE, { input: { name: "try", clientId: application.clientId } })
    expect(made.data.createAccessToken.accessToken.clientId).toBe(application.clientId)
    for (const clientId of [application.clientId, "nobody", "a\0b"])
      expect(await bob.graphql(MAKE, { input: { name: "x", clientId } })).toMatchObject({
        code: "VALIDATION_ERROR",
        fields: { clientId: [expect.any(String)] },
      })
  })
})

describe("a token that an application got by consent", () => {
  let member: Member
  let client: Client

  beforeAll(async () => {
    member = await makeMember(node, "Dan")
    const { application, clientSecret } = await create(ann)
    const code = await codeFor(member, { ...application, clientSecret })
    const { body } = await askForToken(
      node.url,
      exchangeBody({ clientId: application.clientId, clientSecret, name: "" }, code),
    )
    client = createClient(node.url, { clientId: application.clientId, token: body.access_token })
  })

  it.each([
    "{ viewer { applications { id } } }",
    "{ viewer { authorizedApplications { id } } }",
    "{ viewer { accessTokens { id } } }",
    'mutation { createAccessToken(input: { name: "x" }) { token } }',
    'mutation { createApplication(input: { name: "x" }) { clientSecret } }',
    'mutation { revokeAuthorization(applicationId: "1") }',
  ])("may not %s", async (query) => {
    expect((await client.graphql(query)).code).toBe("PERMISSION_ERROR")
  })

  it("is seen by its user, and ends when they revoke it", async () => {
    const own = createClient(node.url, { clientId: "personal", token: await personalToken(member) })
    // When it was last used is written from time to time, and not again within a minute.
    const lastUsedAt = new Date()
    const { clientId = "" } = client.credentials
    await node.database.prisma.accessToken.updateMany({ where: { application: { clientId } }, data: { lastUsedAt } })
    const seen = (await own.graphql("{ viewer { authorizedApplications { id name lastUsedAt } } }")).data.viewer
      .authorizedApplications
    expect(seen).toEqual([{ id: expect.any(String), name: "Planner", lastUsedAt: lastUsedAt.toISOString() }])
    const revoke = "mutation ($id: ID!) { revokeAuthorization(applicationId: $id) }"
    expect((await ann.graphql(revoke, { id: seen[0].id })).code).toBe("NOT_FOUND")
    expect((await own.graphql(revoke, { id: seen[0].id })).data.revokeAuthorization).toBe(true)
    expect((await client.get("/lists")).status).toBe(401)
    expect((await own.graphql(revoke, { id: seen[0].id })).code).toBe("NOT_FOUND")
  })

  async function personalToken({ browser }: Member): Promise<string> {
    const page = await browser.submit(await browser.get("/access-tokens"), "/access-tokens", { name: "mine" })
    return /class="secret">([\w-]+)</.exec(page.text)?.[1] as string
  }
})

describe("what others see of a user", () => {
  it("is not an authorised application", async () => {
    const list = (await ann.post("/lists", { title: "Shared" })).body
    const query = "query ($id: ID!) { list(id: $id) { members { id applications { id } } } }"
    expect((await ann.graphql(query, { id: String(list.id) })).code).toBeUndefined()
    await node.database.prisma
      .$executeRaw`insert into memberships (list_id, user_id, state, updated_by_id) values (${list.id}, ${bob.id}, 'accepted', ${bob.id})`
    expect((await bob.graphql(query, { id: String(list.id) })).code).toBe("PERMISSION_ERROR")
  })
})
