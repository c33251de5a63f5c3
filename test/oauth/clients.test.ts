import * as oauth from "oauth4webapi"
import { beforeAll, describe, expect, it } from "vitest"
import {
  decide,
  type Member,
  makeApplication,
  makeMember,
  REDIRECT_URI,
  type TestApplication,
  tokenFor,
} from "../support/account.js"
import { createClient } from "../support/client.js"
import { sharedNode, type TestNode } from "../support/node.js"

let node: TestNode
let ann: Member
let application: TestApplication
let server: oauth.AuthorizationServer

const insecure = { [oauth.allowInsecureRequests]: true }

beforeAll(async () => {
  node = await sharedNode()
  ann = await makeMember(node)
  application = await makeApplication(node)
  const issuer = new URL(node.url)
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure })
  server = await oauth.processDiscoveryResponse(issuer, discovered)
})

const statusWith = async (token: string) =>
  (await createClient(node.url, { clientId: application.clientId, token }).get("/lists")).status

describe("GET /.well-known/oauth-authorization-server (RFC 8414)", () => {
  it("says where everything is and what is supported", () => {
    expect(server).toMatchObject({
      issuer: node.url,
      authorization_endpoint: `${node.url}/oauth/authorize`,
      token_endpoint: `${node.url}/oauth/access_token`,
      revocation_endpoint: `${node.url}/oauth/revoke`,
      introspection_endpoint: `${node.url}/oauth/introspect`,
      code_challenge_methods_supported: ["S256"],
      grant_types_supported: ["authorization_code", "refresh_token"],
    })
  })
})

describe.each([
  ["in the body", () => oauth.ClientSecretPost(application.clientSecret)],
  ["in the Authorization header", () => oauth.ClientSecretBasic(application.clientSecret)],
])("oauth4webapi with its secret %s", (_, authentication) => {
  it("authorises with PKCE, calls, renews, introspects and revokes", async () => {
    const client: oauth.Client = { client_id: application.clientId }
    const secret = authentication()
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const address = new URL(server.authorization_endpoint as string)
    const query = {
      client_id: client.client_id,
      redirect_uri: REDIRECT_URI,
      response_type: "code",
      scope: "offline_access",
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }
    address.search = new URLSearchParams(query).toString()
    const back = new URL(await decide(ann, address.pathname + address.search))
    const parameters = oauth.validateAuthResponse(server, client, back, state)
    const exchange = () =>
      oauth.authorizationCodeGrantRequest(server, client, secret, parameters, REDIRECT_URI, verifier, insecure)
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, await exchange())
    expect(await statusWith(tokens.access_token)).toBe(200)

    const refreshed = await oauth.refreshTokenGrantRequest(
      server,
      client,
      secret,
      tokens.refresh_token as string,
      insecure,
    )
    const renewed = await oauth.processRefreshTokenResponse(server, client, refreshed)
    expect(await statusWith(renewed.access_token)).toBe(200)

    const introspect = async (token: string) =>
      oauth.processIntrospectionResponse(
        server,
        client,
        await oauth.introspectionRequest(server, client, secret, token, insecure),
      )
    expect(await introspect(renewed.access_token)).toEqual({
      active: true,
      client_id: application.clientId,
      sub: ann.id,
      token_type: "Bearer",
      iat: expect.any(Number),
      exp: expect.any(Number),
      scope: "read write share manage offline_access",
    })

    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, secret, renewed.refresh_token as string, insecure),
    )
    for (const token of [tokens.access_token, renewed.access_token, renewed.refresh_token as string]) {
      expect(await introspect(token)).toEqual({ active: false })
      expect(await statusWith(token)).toBe(401)
    }
    await expect(
      exchange().then((reply) => oauth.processAuthorizationCodeResponse(server, client, reply)),
    ).rejects.toMatchObject({
      error: "invalid_grant",
    })
  })

  it("is told that the user does not agree", async () => {
    const client: oauth.Client = { client_id: application.clientId }
    const state = oauth.generateRandomState()
    const query = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: REDIRECT_URI,
      response_type: "code",
      state,
    })
    const back = new URL(await decide(ann, `/oauth/authorize?${query}`, "deny"))
    expect(() => oauth.validateAuthResponse(server, client, back, state)).toThrow(oauth.AuthorizationResponseError)
  })
})

describe("POST /oauth/revoke and /oauth/introspect (RFC 7009, RFC 7662)", () => {
  const post = async (path: string, fields: Record<string, string>) => {
    const reply = await fetch(`${node.url}${path}`, { method: "POST", body: new URLSearchParams(fields) })
    const text = await reply.text()
    return { status: reply.status, body: text === "" ? undefined : JSON.parse(text) }
  }
  const as = ({ clientId, clientSecret }: TestApplication) => ({ client_id: clientId, client_secret: clientSecret })

  it("end an access token alone, whose client sees 401 in its next request", async () => {
    const [one, two] = [await tokenFor(node, ann, application), await tokenFor(node, ann, application)]
    expect(await statusWith(one)).toBe(200)
    expect(await post("/oauth/revoke", { ...as(application), token: one })).toEqual({ status: 200, body: {} })
    expect([await statusWith(one), await statusWith(two)]).toEqual([401, 200])
    expect((await post("/oauth/revoke", { ...as(application), token: one })).status).toBe(200)
  })

  it("need the application's secret, and say nothing of another's token", async () => {
    const token = await tokenFor(node, ann, application)
    const other = await makeApplication(node, { name: "Other" })
    for (const path of ["/oauth/revoke", "/oauth/introspect"]) {
      expect(await post(path, { client_id: application.clientId, token })).toMatchObject({
        status: 400,
        body: { error: "invalid_request" },
      })
      expect(await post(path, { ...as(application), client_secret: "x", token })).toMatchObject({
        status: 400,
        body: { error: "invalid_client" },
      })
      expect(await post(path, as(application))).toMatchObject({
        status: 400,
        body: { error_description: "Missing parameter: token." },
      })
    }
    expect(await post("/oauth/revoke", { ...as(other), token })).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    })
    expect(await post("/oauth/introspect", { ...as(other), token })).toEqual({ status: 200, body: { active: false } })
    expect(await post("/oauth/revoke", { ...as(other), token: "nothing" })).toMatchObject({ status: 200 })
    expect(await statusWith(token)).toBe(200)
  })
})
