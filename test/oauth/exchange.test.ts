import { createHash, randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { beforeAll, describe, expect, it } from "vitest"
import {
  askForToken,
  codeFor,
  exchangeBody,
  type Member,
  makeApplication,
  makeMember,
  REDIRECT_URI,
  type TestApplication,
} from "../support/account.js"
import { createClient } from "../support/client.js"
import { sharedNode, type TestNode } from "../support/node.js"

let node: TestNode
let ann: Member
let application: TestApplication

beforeAll(async () => {
  node = await sharedNode()
  ann = await makeMember(node)
  application = await makeApplication(node)
})

const statusWith = async (token: string, { clientId } = application) =>
  (await createClient(node.url, { clientId, token }).get("/lists")).status

const invalidGrant = { status: 400, body: { error: "invalid_grant" } }

describe("POST /oauth/access_token (§5)", () => {
  it("answers the specification's JSON request with access_token alone, which opens the API", async () => {
    const reply = await askForToken(node.url, exchangeBody(application, await codeFor(ann, application)))
    expect(reply).toMatchObject({ status: 200, body: { access_token: expect.stringMatching(/^[\w-]{40}$/) } })
    expect(Object.keys(reply.body)).toEqual(["access_token"])
    expect(reply.headers.get("cache-control")).toBe("no-store")
    expect(await statusWith(reply.body.access_token)).toBe(200)
  })

  it("answers the same request as a form", async () => {
    const body = exchangeBody(application, await codeFor(ann, application))
    const reply = await askForToken(node.url, body, { form: true })
    expect(reply).toMatchObject({ status: 200, body: { access_token: expect.any(String) } })
  })

  it("answers a request with grant_type as RFC 6749 has it, with credentials in either place", async () => {
    const standard = { grant_type: "authorization_code", redirect_uri: REDIRECT_URI }
    const { clientId, clientSecret } = application
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`
    const code = await codeFor(ann, application)
    const reply = await askForToken(node.url, { ...standard, code }, { form: true, headers: { Authorization: basic } })
    const given = { access_token: expect.any(String), token_type: "Bearer", scope: "read write share manage" }
    expect(reply.body).toEqual(given)
    const other = await askForToken(node.url, exchangeBody(application, await codeFor(ann, application), standard), {
      form: true,
    })
    expect(other.body).toEqual(given)
  })

  it.each(["client_id", "client_secret", "code"])("names %s when it is missing", async (name) => {
    const { [name]: _, ...body } = exchangeBody(application, "x") as Record<string, unknown>
    const reply = await askForToken(node.url, body)
    expect(reply).toMatchObject({
      status: 400,
      body: { error: "invalid_request", error_description: `Missing parameter: ${name}.` },
    })
  })

  it("answers what cannot be read with 400, and another method with 405", async () => {
    const body = exchangeBody(application, "x")
    const invalid = { status: 400, body: { error: "invalid_request" } }
    expect(await askForToken(node.url, { ...body, code: 5 })).toMatchObject(invalid)
    expect(await askForToken(node.url, { ...body, code: "a\0b" })).toMatchObject(invalid)
    expect(await askForToken(node.url, { ...body, client_id: "a\0b" }, { form: true })).toMatchObject(invalid)
    expect(await askForToken(node.url, { ...body, grant_type: "password" })).toMatchObject({
      status: 400,
      body: { error: "unsupported_grant_type" },
    })
    const text = await fetch(`${node.url}/oauth/access_token`, {
      method: "POST",
      body: "client_id=x",
      headers: { "Content-Type": "text/plain" },
    })
    expect(text.status).toBe(400)
    const repeated = await fetch(`${node.url}/oauth/access_token`, {
      method: "POST",
      body: "code=x&code=y",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    })
    expect(repeated.status).toBe(400)
    const get = await fetch(`${node.url}/oauth/access_token`)
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST, OPTIONS"])
  })

  it("is open to pages of any origin, without a token for OPTIONS, and when it refuses", async () => {
    const headers = { Origin: "https://a.example", "Access-Control-Request-Method": "POST" }
    const options = await fetch(`${node.url}/oauth/access_token`, { method: "OPTIONS", headers })
    expect([options.status, options.headers.get("access-control-allow-origin")]).toEqual([204, "*"])
    const refused = await askForToken(node.url, {}, { headers: { Origin: "https://a.example" } })
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([400, "*"])
  })

  it("gives exactly one token to 20 requests with one code at once", async () => {
    const code = await codeFor(ann, application)
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => askForToken(node.url, exchangeBody(application, code))),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    const refused = replies.filter(({ status }) => status !== 200)
    expect(refused.every(({ status, body }) => status === 400 && body.error === "invalid_grant")).toBe(true)
    const rows = await node.database.prisma.$queryRaw`
      select a.id from access_tokens a join authorization_codes c on c.id = a.consent_id
      where c.code_hash = ${createHash("sha256").update(code).digest()}`
    expect(rows).toHaveLength(1)
  })

  it("ends the token when its own application brings the code again", async () => {
    const code = await codeFor(ann, application)
    const { body } = await askForToken(node.url, exchangeBody(application, code))
    expect(await statusWith(body.access_token)).toBe(200)
    expect(await askForToken(node.url, exchangeBody(application, code))).toMatchObject(invalidGrant)
    expect(await statusWith(body.access_token)).toBe(401)
  })

  it("leaves the token alone when another application brings the code, before or after", async () => {
    const other = await makeApplication(node, { name: "Other" })
    const code = await codeFor(ann, application)
    expect(await askForToken(node.url, exchangeBody(other, code))).toMatchObject(invalidGrant)
    const { body } = await askForToken(node.url, exchangeBody(application, code))
    expect(await askForToken(node.url, exchangeBody(other, code))).toMatchObject(invalidGrant)
    expect(await statusWith(body.access_token)).toBe(200)
  })

  it("does not use up the code for a wrong secret", async () => {
    const code = await codeFor(ann, application)
    const wrong = await askForToken(node.url, { ...exchangeBody(application, code), client_secret: "wrong" })
    expect(wrong).toMatchObject({ status: 400, body: { error: "invalid_client" } })
    expect((await askForToken(node.url, exchangeBody(application, code))).status).toBe(200)
  })

  it("answers a wrong secret in the Authorization header with 401 and its challenge", async () => {
    const headers = { Authorization: `Basic ${Buffer.from(`${application.clientId}:no`).toString("base64")}` }
    const reply = await askForToken(node.url, { grant_type: "authorization_code", code: "x" }, { form: true, headers })
    expect([reply.status, reply.headers.get("www-authenticate")]).toEqual([401, 'Basic realm="Tandem"'])
  })

  it("refuses a code after 10 minutes and one that was sent to another address", async () => {
    const old = await codeFor(ann, application)
    await node.database.prisma.$executeRaw`update authorization_codes set expires_at = now() - interval '1 second'
      where code_hash = ${createHash("sha256").update(old).digest()}`
    expect(await askForToken(node.url, exchangeBody(application, old))).toMatchObject(invalidGrant)
    const code = await codeFor(ann, application)
    const elsewhere = { redirect_uri: "https://client.example/other" }
    expect(await askForToken(node.url, exchangeBody(application, code, elsewhere))).toMatchObject(invalidGrant)
    const { expiresAt, createdAt } = await node.database.prisma.authorizationCode.findFirstOrThrow({
      orderBy: { id: "desc" },
    })
    expect(expiresAt.getTime() - createdAt.getTime()).toBe(600_000)
  })

  it("has no place for the built-in application, whatever is sent as its secret", async () => {
    for (const client_secret of ["", "personal", "x"]) {
      const reply = await askForToken(node.url, { client_id: "personal", client_secret, code: "x" })
      expect(reply.status).toBe(400)
    }
  })
})

describe("PKCE (RFC 7636)", () => {
  const verifier = randomBytes(32).toString("base64url")
  const challenge = createHash("sha256").update(verifier).digest("base64url")
  const withChallenge = { code_challenge: challenge, code_challenge_method: "S256" }

  it("takes the verifier of the challenge and no other, nor none", async () => {
    const good = exchangeBody(application, await codeFor(ann, application, withChallenge), { code_verifier: verifier })
    expect((await askForToken(node.url, good)).status).toBe(200)
    for (const more of [{}, { code_verifier: randomBytes(32).toString("base64url") }, { code_verifier: challenge }]) {
      const body = exchangeBody(application, await codeFor(ann, application, withChallenge), more)
      expect(await askForToken(node.url, body)).toMatchObject(invalidGrant)
    }
  })

  it("refuses a verifier for a code that had no challenge: somebody took it off", async () => {
    const body = exchangeBody(application, await codeFor(ann, application), { code_verifier: verifier })
    expect(await askForToken(node.url, body)).toMatchObject(invalidGrant)
  })

  it("does not stand for the secret", async () => {
    const { client_secret: _, ...body } = exchangeBody(application, await codeFor(ann, application, withChallenge), {
      code_verifier: verifier,
    })
    for (const form of [true, false])
      expect(await askForToken(node.url, { ...body, grant_type: "authorization_code" }, { form })).toMatchObject({
        status: 400,
      })
  })
})

describe("refresh tokens (RFC 6749, section 6)", () => {
  const renew = (refreshToken: string, of = application) =>
    askForToken(node.url, {
      grant_type: "refresh_token",
      client_id: of.clientId,
      client_secret: of.clientSecret,
      refresh_token: refreshToken,
    })

  async function offline() {
    const code = await codeFor(ann, application, { scope: "offline_access" })
    return askForToken(node.url, exchangeBody(application, code, { grant_type: "authorization_code" }))
  }

  it("come only to clients that asked for them, and then access lasts an hour", async () => {
    const without = exchangeBody(application, await codeFor(ann, application), { grant_type: "authorization_code" })
    expect((await askForToken(node.url, without)).body).not.toHaveProperty("refresh_token")
    expect((await offline()).body).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: "Bearer",
      expires_in: expect.closeTo(3_600, -1),
      scope: "read write share manage offline_access",
    })
  })

  /** As if the token had been used so much earlier. */
  const usedEarlier = (token: string, ms: number) =>
    node.database.prisma.$executeRaw`update refresh_tokens set used_at = used_at - make_interval(secs => ${ms / 1_000})
      where token_hash = ${createHash("sha256").update(token).digest()}`

  it("are good once; one that comes again after ten seconds ends all that came of the consent, and nothing else", async () => {
    const first = (await offline()).body
    const elsewhere = (await offline()).body
    const second = await renew(first.refresh_token)
    expect(second.status).toBe(200)
    expect(second.body.refresh_token).not.toBe(first.refresh_token)
    expect(await statusWith(second.body.access_token)).toBe(200)
    await usedEarlier(first.refresh_token, 10_000)
    expect(await renew(first.refresh_token)).toMatchObject(invalidGrant)
    expect(await statusWith(second.body.access_token)).toBe(401)
    expect(await renew(second.body.refresh_token)).toMatchObject(invalidGrant)
    expect(await statusWith(elsewhere.access_token)).toBe(200)
    expect((await renew(elsewhere.refresh_token)).status).toBe(200)
  })

  it("end nothing when they come again on their way: at once, a moment later, and until ten seconds are over", async () => {
    for (const count of [2, 3, 10]) {
      const { refresh_token } = (await offline()).body
      const replies = await Promise.all(Array.from({ length: count }, () => renew(refresh_token)))
      const [good, ...others] = replies.sort((one, two) => one.status - two.status)
      for (const other of others) expect(other).toMatchObject(invalidGrant)
      await sleep(20)
      expect(await renew(refresh_token)).toMatchObject(invalidGrant)
      await usedEarlier(refresh_token, 5_000)
      expect(await renew(refresh_token)).toMatchObject(invalidGrant)
      expect(await statusWith(good?.body.access_token)).toBe(200)
      expect((await renew(good?.body.refresh_token)).status).toBe(200)
    }
  })

  it("renew once for 10 requests with one at once, and are no other application's", async () => {
    const { refresh_token } = (await offline()).body
    const other = await makeApplication(node, { name: "Other" })
    expect(await renew(refresh_token, other)).toMatchObject(invalidGrant)
    const replies = await Promise.all(Array.from({ length: 10 }, () => renew(refresh_token)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it("give access that ends by itself, on the second", async () => {
    const { access_token } = (await offline()).body
    await node.database.prisma.$executeRaw`update access_tokens set expires_at = now() + interval '2 seconds'
      where token_hash = ${createHash("sha256").update(access_token).digest()}`
    expect(await statusWith(access_token)).toBe(200)
    await expect.poll(() => statusWith(access_token)).toBe(401)
  })
})
