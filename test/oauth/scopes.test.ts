import { createHash, randomBytes, randomUUID } from "node:crypto"
import { once } from "node:events"
import http from "node:http"
import { beforeAll, beforeEach, describe, expect, it } from "vitest"
import { createAccessToken } from "../../src/oauth/access-token.js"
import { createApplication as register } from "../../src/oauth/application.js"
import { Scope } from "../../src/scalars/scope.js"
import {
  askForToken,
  authorizePath,
  codeFor,
  decide,
  exchangeBody,
  type Member,
  makeApplication,
  makeMember,
  REDIRECT_URI,
  type TestApplication,
} from "../support/account.js"
import { type Client, createClient } from "../support/client.js"
import { makeList, makePerson, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

let node: TestNode
let ann: Member
let application: TestApplication

beforeAll(async () => {
  node = await sharedNode()
  ann = await makeMember(node)
  application = await makeApplication(node)
})

const ALL = "read write share manage"
const clientWith = (token: string, of = application): Client => createClient(node.url, { clientId: of.clientId, token })

const introspected = async (token: string, { clientId, clientSecret }: TestApplication = application) =>
  (
    await askForToken(
      node.url,
      { client_id: clientId, client_secret: clientSecret, token },
      { path: "/oauth/introspect" },
    )
  ).body

/** Where the browser is led, with what it says. */
async function answered(path: string): Promise<URLSearchParams> {
  const page = await ann.browser.get(path)
  expect(page.status).toBe(302)
  expect(page.location).toMatch(`${REDIRECT_URI}?`)
  return new URL(page.location as string).searchParams
}

describe("scope of an authorization request (RFC 6749, section 3.3)", () => {
  it.each([
    [undefined, ALL],
    ["read", "read"],
    ["write read", "read write"],
    ["share  read share", "read share"],
  ])("%s gives a token with %s", async (scope, given) => {
    const code = await codeFor(ann, application, { scope })
    const { body } = await askForToken(node.url, exchangeBody(application, code, { grant_type: "authorization_code" }))
    expect(body.scope).toBe(given)
    expect((await introspected(body.access_token)).scope).toBe(given)
    const client = clientWith(body.access_token)
    expect((await client.get("/lists")).status).toBe(200)
    const made = await client.post("/lists", { title: "x" })
    expect(made.status).toBe(given.includes("write") ? 201 : 403)
  })

  it("keeps the answer of the specification, and offline_access alone asks for everything", async () => {
    const { body } = await askForToken(node.url, exchangeBody(application, await codeFor(ann, application)))
    expect(body).toEqual({ access_token: expect.any(String) })
    const code = await codeFor(ann, application, { scope: "offline_access" })
    const standard = exchangeBody(application, code, { grant_type: "authorization_code" })
    expect((await askForToken(node.url, standard)).body.scope).toBe(`${ALL} offline_access`)
  })

  it.each([
    ["unknown", "read tasks:write", "There is no scope tasks:write."],
    ["empty", "", "scope is empty"],
    ["of spaces", "  ", "scope is empty"],
    ["in capitals", "READ", "There is no scope READ."],
  ])("is refused when it is %s: the browser is led back with invalid_scope", async (_, scope, words) => {
    const said = await answered(authorizePath(application, { scope }))
    expect(said.get("error")).toBe("invalid_scope")
    expect(said.get("error_description")).toContain(words)
    expect([said.get("state"), said.get("iss")]).toEqual(["s", node.url])
  })

  it("must be given once, as every parameter: nothing is sent anywhere otherwise", async () => {
    const page = await ann.browser.get(`${authorizePath(application, { scope: "read" })}&scope=write`)
    expect([page.status, page.location]).toEqual([400, undefined])
    expect(page.text).toContain("scope is given more than once")
  })

  it("is shown in words, what it may and what it may not, and each time again", async () => {
    const read = await ann.browser.get(authorizePath(application, { scope: "read" }))
    const [may, mayNot] = read.text.split("It cannot")
    expect(may).toContain("see your lists and everything in them")
    expect(mayNot).toContain("create, change and delete lists")
    await codeFor(ann, application, { scope: "read" })
    const more = await ann.browser.get(authorizePath(application, { scope: "read write" }))
    expect(more.status).toBe(200)
    expect(more.text.split("It cannot")[0]).toContain("create, change and delete lists")
  })

  it("is no more than the application is registered with", async () => {
    const made = await register(node.database, {
      name: "R",
      redirectUris: [REDIRECT_URI],
      dialect: "spec",
      scopes: [Scope.read],
    })
    const reader = { ...made, name: "R" }
    const said = await answered(authorizePath(reader, { scope: "read write" }))
    expect([said.get("error"), said.get("error_description")]).toEqual([
      "invalid_scope",
      "The application is registered without the scope write. It may ask for read.",
    ])
    const { body } = await askForToken(node.url, exchangeBody(reader, await codeFor(ann, reader)))
    expect((await introspected(body.access_token, reader)).scope).toBe("read")
  })
})

describe("consent", () => {
  it("gives what its page showed: shown again when the application was changed in between", async () => {
    const bob = await makePerson(node, "Bob")
    const CREATE = `mutation ($redirectUris: [URL!]) { createApplication(input: { name: "W", scopes: [read], redirectUris: $redirectUris }) {
      clientSecret application { id clientId } } }`
    const made = (await bob.graphql(CREATE, { redirectUris: [REDIRECT_URI] })).data.createApplication
    const app = { ...made.application, clientSecret: made.clientSecret, name: "W" }
    const page = await ann.browser.get(authorizePath(app))
    const { data } = await bob.graphql(
      "mutation ($id: ID!) { updateApplication(id: $id, input: { scopes: [read, write] }) { scopes } }",
      { id: app.id },
    )
    expect(data.updateApplication.scopes).toEqual(["read", "write"])
    const again = await ann.browser.submit(page, "/oauth/authorize", { decision: "allow" })
    expect([again.status, again.location]).toEqual([409, undefined])
    expect(again.text).toContain("has just been changed")
    expect(again.text.split("It cannot")[0]).toContain("create, change and delete lists")
    const { location } = await ann.browser.submit(again, "/oauth/authorize", { decision: "allow" })
    const code = new URL(location as string).searchParams.get("code")
    const body = exchangeBody(app, code as string, { grant_type: "authorization_code" })
    expect((await askForToken(node.url, body)).body.scope).toBe("read write")
  })
})

describe("a renewal (RFC 6749, section 6)", () => {
  const renew = (refresh_token: string, more: object = {}) => {
    const { clientId, clientSecret } = application
    const secret = { client_id: clientId, client_secret: clientSecret }
    return askForToken(node.url, { ...secret, grant_type: "refresh_token", refresh_token, ...more })
  }

  it("gives what was agreed to, or less, and never more; asking for more uses nothing up", async () => {
    const code = await codeFor(ann, application, { scope: "read share offline_access" })
    const first = (await askForToken(node.url, exchangeBody(application, code, { grant_type: "authorization_code" })))
      .body
    expect(first.scope).toBe("read share offline_access")
    for (const scope of ["read write", "manage", "", "read other"]) {
      const { status, body } = await renew(first.refresh_token, { scope })
      expect([scope, status, body.error]).toEqual([scope, 400, "invalid_scope"])
    }
    const less = (await renew(first.refresh_token, { scope: "read" })).body
    expect(less.scope).toBe("read offline_access")
    expect((await introspected(less.access_token)).scope).toBe("read offline_access")
    const again = (await renew(less.refresh_token)).body
    expect(again.scope).toBe("read share offline_access")
    expect((await clientWith(again.access_token).post("/lists", { title: "x" })).status).toBe(403)
  })

  it.each([
    ["renewal for what was taken away", "write", 400, "invalid_grant"],
    ["renewal for more than is left", "read write", 200, "read offline_access"],
    ["exchange of a code", undefined, 200, "read offline_access"],
  ])("or exchange gives what is left when its application is narrowed under it: %s", async (_, scope, status, said) => {
    const app = await makeApplication(node)
    const { clientId: client_id, clientSecret: client_secret } = app
    const ask = (body: object) => askForToken(node.url, { client_id, client_secret, ...body })
    const codeOf = async () => ({
      grant_type: "authorization_code",
      code: await codeFor(ann, app, { scope: "read write share offline_access" }),
    })
    const { refresh_token } = (await ask(await codeOf())).body
    const code = await codeOf()
    const renewal = { grant_type: "refresh_token", refresh_token }
    const { prisma } = node.database
    const [reply] = await prisma.$transaction(
      async (tx) => {
        await tx.$executeRaw`update applications set scopes = '{read}' where client_id = ${client_id}`
        const sent = ask(scope === undefined ? code : { ...renewal, scope })
        const waiting = () =>
          prisma.$queryRaw`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'authorization_codes'`
        await expect.poll(waiting, { timeout: 20_000 }).toHaveLength(1)
        return [sent]
      },
      { timeout: 30_000, maxWait: 30_000 },
    )
    const { body, ...head } = (await reply) as Awaited<typeof reply>
    expect([head.status, body.error ?? body.scope]).toEqual([status, said])
    if (status === 200) expect((await introspected(body.access_token, app)).scope).toBe(said)
    // What came to nothing has used nothing up.
    else expect((await ask(renewal)).body.scope).toBe("read offline_access")
  })
})

describe("resource (RFC 8707)", () => {
  it.each(["", "/", "/graphql", "/api/v1"])("may name the service: %s", async (path) => {
    const resource = `${node.url}${path}`
    const code = await codeFor(ann, application, { resource })
    expect((await askForToken(node.url, exchangeBody(application, code, { resource }))).status).toBe(200)
  })

  it("must name nothing else, also where it comes twice", async () => {
    for (const more of ["https://other.example", `${node.url}.other.example`, `${node.url}/other`, ""]) {
      const said = await answered(`${authorizePath(application)}&resource=${encodeURIComponent(more)}`)
      expect([more, said.get("error")]).toEqual([more, "invalid_target"])
      const body = exchangeBody(application, "x", { resource: more })
      expect((await askForToken(node.url, body)).body.error).toBe("invalid_target")
    }
    const twice = `&resource=${encodeURIComponent(node.url)}&resource=${encodeURIComponent("https://other.example")}`
    expect((await answered(authorizePath(application) + twice)).get("error")).toBe("invalid_target")
    const ours = `&resource=${encodeURIComponent(node.url)}&resource=${encodeURIComponent(`${node.url}/graphql`)}`
    expect((await ann.browser.get(authorizePath(application) + ours)).status).toBe(200)
  })
})

describe("metadata", () => {
  it("says who gives tokens for what (RFC 9728), and a 401 says where that is", async () => {
    const reply = await fetch(`${node.url}/api/v1/lists`)
    const at = `${node.url}/.well-known/oauth-protected-resource`
    expect(reply.headers.get("www-authenticate")).toBe(`Bearer resource_metadata="${at}"`)
    for (const path of ["", "/api/v1", "/graphql"])
      expect(await (await fetch(at + path)).json()).toMatchObject({
        resource: node.url + path,
        authorization_servers: [node.url],
        scopes_supported: ["read", "write", "share", "manage"],
        bearer_methods_supported: ["header"],
      })
  })

  it("says what the server can do (RFC 8414): scopes, public clients, iss in answers (RFC 9207)", async () => {
    expect(await (await fetch(`${node.url}/.well-known/oauth-authorization-server`)).json()).toMatchObject({
      scopes_supported: ["read", "write", "share", "manage", "offline_access"],
      token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic", "none"],
      authorization_response_iss_parameter_supported: true,
    })
    const to = new URL(await decide(ann, authorizePath(application)))
    expect(to.searchParams.get("iss")).toBe(node.url)
  })
})

describe("a public application", () => {
  const verifier = randomBytes(32).toString("base64url")
  const challenge = createHash("sha256").update(verifier).digest("base64url")
  const pkce = { code_challenge: challenge, code_challenge_method: "S256" }
  let app: TestApplication

  beforeAll(async () => {
    const redirectUris = [REDIRECT_URI, "http://127.0.0.1/back", "http://[::1]:80/back", "http://localhost:7000/back"]
    app = { ...(await register(node.database, { name: "Phone", redirectUris, dialect: "spec" }, true)), name: "Phone" }
  })

  const exchange = (more: object) => askForToken(node.url, { client_id: app.clientId, ...more })

  it("gets and renews tokens without a secret, with the verifier alone", async () => {
    const code = await codeFor(ann, app, { ...pkce, scope: "read offline_access" })
    const { status, body } = await exchange({ code, code_verifier: verifier, grant_type: "authorization_code" })
    expect([status, body.scope]).toEqual([200, "read offline_access"])
    const renewed = await exchange({ grant_type: "refresh_token", refresh_token: body.refresh_token })
    expect([renewed.status, renewed.body.scope]).toEqual([200, "read offline_access"])
    const token = renewed.body.access_token
    expect((await clientWith(token, app).get("/lists")).status).toBe(200)
    const revoked = await askForToken(node.url, { client_id: app.clientId, token }, { path: "/oauth/revoke" })
    expect(revoked.status).toBe(200)
    expect((await clientWith(token, app).get("/lists")).status).toBe(401)
  })

  it("needs a challenge, of S256", async () => {
    for (const [more, words] of [
      [{}, "needs PKCE"],
      [{ code_challenge: verifier, code_challenge_method: "plain" }, "must be S256"],
      [{ code_challenge: challenge }, "must be S256"],
    ] as const) {
      const said = await answered(authorizePath(app, more))
      expect([said.get("error"), said.get("error_description")]).toEqual([
        "invalid_request",
        expect.stringContaining(words),
      ])
    }
  })

  it("gets nothing without its verifier or with another; a code that comes again ends what it gave", async () => {
    for (const more of [{}, { code_verifier: randomBytes(32).toString("base64url") }]) {
      const code = await codeFor(ann, app, pkce)
      expect((await exchange({ code, ...more })).body.error).toBe("invalid_grant")
    }
    const code = await codeFor(ann, app, pkce)
    const { access_token } = (await exchange({ code, code_verifier: verifier })).body
    expect((await clientWith(access_token, app).get("/lists")).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 5))
    // A caller who saw the code and lacks the verifier ends nothing.
    for (const more of [{}, { code_verifier: randomBytes(32).toString("base64url") }]) {
      expect((await exchange({ code, ...more })).body.error).toBe("invalid_grant")
      expect((await clientWith(access_token, app).get("/lists")).status).toBe(200)
    }
    expect((await exchange({ code, code_verifier: verifier })).body.error).toBe("invalid_grant")
    expect((await clientWith(access_token, app).get("/lists")).status).toBe(401)
  })

  it("has no secret that could be right, and may not introspect", async () => {
    const code = await codeFor(ann, app, pkce)
    const guessed = await exchange({ code, code_verifier: verifier, client_secret: "x" })
    expect([guessed.status, guessed.body.error]).toEqual([400, "invalid_client"])
    const asked = await askForToken(node.url, { client_id: app.clientId, token: "x" }, { path: "/oauth/introspect" })
    expect([asked.status, asked.body.error]).toEqual([400, "invalid_client"])
    // An application with a secret does not become public by leaving it out.
    const left = await askForToken(node.url, { client_id: application.clientId, code: "x", code_verifier: verifier })
    expect(left.body).toMatchObject({
      error: "invalid_request",
      error_description: expect.stringContaining("client_secret"),
    })
  })

  it.each([
    ["http://127.0.0.1:49152/back", 200],
    ["http://127.0.0.1/back", 200],
    ["http://[::1]:8123/back", 200],
    ["http://[::1]/back", 200],
    ["http://localhost:7000/back", 200],
    ["http://localhost:7001/back", 403],
    ["http://127.0.0.1:49152/other", 403],
    ["http://127.0.0.1:49152/back?x=1", 403],
    ["http://127.0.0.1:49152.evil.example/back", 403],
    ["http://127.0.0.1:x@evil.example/back", 403],
    ["http://127.0.0.1:99999/back", 403],
    ["http://127.0.0.2:49152/back", 403],
    ["https://127.0.0.1:49152/back", 403],
    ["https://client.example:444/callback", 403],
  ])(
    "leads people back to the loopback interface at any port: %s is answered with %s (RFC 8252)",
    async (uri, status) => {
      const page = await ann.browser.get(authorizePath(app, { ...pkce, redirect_uri: uri }))
      expect(page.status).toBe(status)
      if (status !== 200) return
      const reply = await ann.browser.submit(page, "/oauth/authorize", { decision: "allow" })
      expect(reply.location?.startsWith(`${uri}?code=`)).toBe(true)
    },
  )
})

describe("personal tokens", () => {
  let bob: Person
  const CREATE = `mutation ($input: CreateAccessTokenInput!) { createAccessToken(input: $input) {
    token accessToken { scopes } } }`
  const make = (client: Client, scopes?: string[]) => client.graphql(CREATE, { input: { name: "x", scopes } })
  const bobWith = async (...scopes: Scope[]) =>
    createClient(node.url, {
      clientId: bob.credentials.clientId,
      token: await createAccessToken(node.database, String(bob.id), bob.credentials.clientId as string, scopes),
    } as never)

  beforeAll(async () => {
    bob = await makePerson(node, "Bob")
  })

  it("make tokens with as many scopes as their own or less, never with more", async () => {
    const manager = await bobWith(Scope.read, Scope.manage)
    expect((await make(manager)).data.createAccessToken.accessToken.scopes).toEqual(["read", "manage"])
    const { token, accessToken } = (await make(manager, ["read"])).data.createAccessToken
    expect(accessToken.scopes).toEqual(["read"])
    const reader = createClient(node.url, { clientId: "personal", token })
    expect((await reader.graphql("{ viewer { id } }")).status).toBe(200)
    expect(await make(reader)).toMatchObject({ status: 403, code: "INSUFFICIENT_SCOPE" })
    expect(await make(manager, ["read", "write"])).toMatchObject({ code: "INSUFFICIENT_SCOPE" })
    expect(await make(manager, [])).toMatchObject({ fields: { scopes: ["must have at least one"] } })
    const LIST = "{ viewer { accessTokens { scopes } } }"
    expect((await manager.graphql(LIST)).data.viewer.accessTokens).toContainEqual({ scopes: ["read"] })
    expect(await reader.graphql(LIST)).toMatchObject({ status: 403, code: "INSUFFICIENT_SCOPE" })
  })

  it("that only write see what they wrote and nothing else, in a conflict neither", async () => {
    const writer = await bobWith(Scope.write)
    const list = await makeList(bob)
    const made = await writer.post("/tasks", { list_id: list.id, title: "x" })
    expect([made.status, made.body.title]).toEqual([201, "x"])
    const patch = "mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input)"
    const input = { revision: made.body.revision, title: "y" }
    const asks = (fields: string) => writer.graphql(`${patch} { ${fields} } }`, { id: String(made.body.id), input })
    expect(await asks("title list { title }")).toMatchObject({ status: 403, code: "INSUFFICIENT_SCOPE" })
    expect((await asks("title")).data.updateTask.title).toBe("y")
    await bob.patch(`/tasks/${made.body.id}`, { revision: made.body.revision + 1, title: "secret" })
    const stale = await writer.patch(`/tasks/${made.body.id}`, { revision: made.body.revision, title: "z" })
    expect([stale.status, stale.body.error.current]).toEqual([409, undefined])
    expect((await writer.get(`/tasks/${made.body.id}`)).status).toBe(403)
  })

  it("are chosen on their page, which lists them", async () => {
    const page = await ann.browser.get("/access-tokens")
    const all = page.form("/access-tokens")
    const { scope_write, scope_share, scope_manage, ...fields } = { ...all, name: "Only reads" } as Record<
      string,
      string
    >
    const made = await ann.browser.send("/access-tokens", fields)
    const token = /X-Access-Token: ([\w-]+)/.exec(made.text)?.[1] as string
    const reader = createClient(node.url, { clientId: "personal", token })
    expect((await reader.get("/lists")).status).toBe(200)
    expect((await reader.post("/lists", { title: "x" })).status).toBe(403)
    expect((await ann.browser.get("/access-tokens")).text).toContain("scopes read, created")
    expect(made.text).toContain("Anyone who has it can, in your name, see lists and everything in them.")
    const own = await ann.browser.submit(await ann.browser.get("/applications/new"), "/applications/new", {
      name: "Own",
    })
    const [, clientId = ""] = /Client ID<\/dt><dd><code>(\w+)/.exec(own.text) ?? []
    const { scope_read, ...none } = fields
    const refused = await ann.browser.send("/access-tokens", { ...none, clientId } as never)
    expect(refused.status).toBe(422)
    expect(refused.text).toContain(`name="clientId" value="${clientId}" checked`)
    expect(Object.keys(refused.form("/access-tokens"))).not.toContain("scope_write")
  })
})

describe("an application whose scopes are changed", () => {
  it("has tokens with those that are left, at once, and none where nothing is left", async () => {
    const bob = await makePerson(node, "Bob")
    const made = (
      await bob.graphql('mutation { createApplication(input: { name: "P" }) { application { id clientId scopes } } }')
    ).data.createApplication.application
    expect(made.scopes).toEqual(["read", "write", "share", "manage"])
    const tokens = await Promise.all(
      [[Scope.read, Scope.write], [Scope.share]].map((scopes) =>
        createAccessToken(node.database, String(bob.id), made.clientId, scopes),
      ),
    )
    const [both, sharing] = tokens.map((token) => createClient(node.url, { clientId: made.clientId, token } as never))
    expect((await both?.post("/lists", { title: "x" }))?.status).toBe(201)
    expect((await sharing?.post("/memberships", {}))?.status).toBe(400)
    const events = await fetch(`${node.url}/api/v1/events`, { headers: both?.headers as Record<string, string> })
    expect(events.status).toBe(200)
    const UPDATE =
      "mutation ($id: ID!, $input: UpdateApplicationInput!) { updateApplication(id: $id, input: $input) { scopes } }"
    const { data } = await bob.graphql(UPDATE, { id: made.id, input: { scopes: ["read"] } })
    expect(data.updateApplication.scopes).toEqual(["read"])
    expect((await both?.post("/lists", { title: "x" }))?.status).toBe(403)
    expect((await both?.get("/lists"))?.status).toBe(200)
    expect((await sharing?.post("/memberships", {}))?.status).toBe(401)
    // What is open with the token ends, for its client to come back with what is left.
    expect(await events.text()).toContain(":")
  })

  it.each([
    ["read, manage", 2],
    ["read, write", 0],
    ["manage", 0],
  ])("keeps its webhooks and devices while it may be told of changes: %s leaves %s", async (scopes, left) => {
    const bob = await makePerson(node, "Bob")
    const list = await makeList(bob)
    const CREATE = 'mutation { createApplication(input: { name: "H" }) { application { id clientId } } }'
    const { id, clientId } = (await bob.graphql(CREATE)).data.createApplication.application
    const token = (await createAccessToken(node.database, String(bob.id), clientId)) as string
    const its = createClient(node.url, { clientId, token })
    const url = "https://hooks.example/narrowed"
    const hook = { list_id: list.id, url, processor_type: "generic", configuration: "" }
    const keys = { p256dh: `BP${"A".repeat(85)}`, auth: "A".repeat(22) }
    const subscription = { endpoint: `https://push.example/${randomUUID()}`, keys }
    for (const by of [its, bob]) expect((await by.post("/webhooks", hook)).status).toBe(201)
    expect((await its.post("/devices", { udid: id, platform: "web_push", subscription })).status).toBe(201)
    const narrowed = await bob.graphql(
      `mutation { updateApplication(id: ${id}, input: { scopes: [${scopes}] }) { scopes } }`,
    )
    expect(narrowed.code).toBeUndefined()
    const where = { applicationId: BigInt(id) }
    const { webhook, device } = node.database.prisma
    expect((await webhook.count({ where })) + (await device.count({ where }))).toBe(left)
    expect(await webhook.count({ where: { listId: BigInt(list.id) } })).toBe(1 + left / 2)
  })
})

describe("what is under way when an application is narrowed", () => {
  let bob: Person
  let app: { id: string; clientId: string }
  let its: Client
  const narrowTo = (scopes: string) =>
    bob.graphql(`mutation { updateApplication(id: ${app.id}, input: { scopes: [${scopes}] }) { id } }`)

  beforeEach(async () => {
    bob = await makePerson(node, "Bob")
    const CREATE = 'mutation { createApplication(input: { name: "U" }) { application { id clientId } } }'
    app = (await bob.graphql(CREATE)).data.createApplication.application
    const token = (await createAccessToken(node.database, String(bob.id), app.clientId)) as string
    its = createClient(node.url, { clientId: app.clientId, token })
  })

  it("a long poll goes on with what is left, and is refused when that is too little", async () => {
    const wait = async () => {
      const { cursor } = (await its.get("/changes?after=now")).body
      const reply = its.get(`/changes?after=${cursor}`, { Prefer: "wait=50" })
      await expect.poll(() => node.status().waits, { timeout: 20_000 }).toBe(1)
      return [reply] as const
    }
    const [first] = await wait()
    await narrowTo("read, manage")
    expect((await its.post("/lists", { title: "x" })).status).toBe(403)
    const list = await makeList(bob)
    const { status, body } = await first
    expect(status).toBe(200)
    expect(body.changes).toContainEqual(expect.objectContaining({ type: "list", id: list.id }))
    const [second] = await wait()
    await narrowTo("manage")
    expect((await second).status).toBe(403)
  })

  const MUTATION = { query: 'mutation { createList(input: { title: "x" }) { id } }' }
  it.each([
    ["REST", "/api/v1/lists", "application/json", { title: "x" }, 403],
    ["GraphQL", "/graphql", "application/json", MUTATION, 403],
    ["GraphQL over events", "/graphql", "text/event-stream", MUTATION, 200],
    ["a subscription", "/graphql", "text/event-stream", { query: "subscription { accountUpdated { id } }" }, 200],
  ])("what comes with its body is refused: %s", async (_case, path, accept, body, status) => {
    const text = JSON.stringify(body)
    const headers = { ...its.headers, Accept: accept, "Content-Type": "application/json", Expect: "100-continue" }
    const request = http.request(node.url + path, { method: "POST", headers: headers as Record<string, string> })
    request.flushHeaders()
    await once(request, "continue")
    request.write(text.slice(0, 10))
    // The server has begun with it, and the one that is answered here came later.
    expect((await its.get("/lists")).status).toBe(200)
    await narrowTo("manage")
    request.end(text.slice(10))
    const [response] = (await once(request, "response")) as [http.IncomingMessage]
    expect(response.statusCode).toBe(status)
    const [said] = (await once(response, "data")) as [Buffer]
    response.destroy()
    expect(String(said)).toMatch(/insufficient_scope/i)
  })

  it.each([
    [false, [200, 200, 403], "y"],
    [true, 403, "x"],
  ] as const)(
    "of a batch nothing more is done with what was taken away (atomic: %s)",
    async (atomic, statuses, title) => {
      const list = await makeList(bob, "x")
      const path = `/api/v1/lists/${list.id}`
      const requests = [
        { id: "a", method: "GET", path },
        { id: "b", method: "PATCH", path, body: { revision: list.revision, title: "y" } },
        { id: "c", method: "POST", path: "/api/v1/lists", body: { title: "z" } },
      ]
      const LONG = { maxWait: 15_000, timeout: 30_000 }
      const [reply] = await node.database.prisma.$transaction(async (tx) => {
        await tx.$queryRaw`select id from lists where id = ${BigInt(list.id)} for update`
        const sent = its.post("/batch", { atomic, requests })
        const waiting = () =>
          node.database.prisma
            .$queryRaw`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'lists'`
        await expect.poll(waiting, { timeout: 20_000 }).not.toHaveLength(0)
        await narrowTo("read")
        return [sent]
      }, LONG)
      const { status, body } = (await reply) as Awaited<typeof reply>
      expect(atomic ? status : body.responses.map((one: { status: number }) => one.status)).toEqual(statuses)
      expect((await bob.get(`/lists/${list.id}`)).body.title).toBe(title)
    },
  )
})

describe("a public application of a user (ours)", () => {
  it("is registered by GraphQL and on the page, and has no secret to rotate", async () => {
    const bob = await makePerson(node, "Bob")
    const CREATE = `mutation { createPublicApplication(input: { name: "Phone", scopes: [write, read] }) {
      id clientId isPublic scopes } }`
    const made = (await bob.graphql(CREATE)).data.createPublicApplication
    expect(made).toMatchObject({ isPublic: true, scopes: ["read", "write"] })
    const ROTATE = "mutation ($id: ID!) { rotateApplicationSecret(id: $id) { clientSecret } }"
    expect(await bob.graphql(ROTATE, { id: made.id })).toMatchObject({ code: "NOT_FOUND" })

    const page = await ann.browser.get("/applications/new")
    const shown = await ann.browser.submit(page, "/applications/new", { name: "On phones", kind: "public" })
    expect([shown.status, shown.text.includes("New client secret")]).toEqual([200, false])
    expect(shown.text).toContain("none: it is public, and uses PKCE")
    expect(shown.text).not.toContain("Rotate the client secret")
    const refused = await ann.browser.submit(page, "/applications/new", { name: "", kind: "public" })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('name="kind" value="public" checked')
    const secret = await ann.browser.submit(page, "/applications/new", { name: "On a server", kind: "confidential" })
    expect(secret.text).toContain("New client secret")
  })
})
