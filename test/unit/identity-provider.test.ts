import { afterEach, describe, expect, it, vi } from "vitest"
import { boundedFetch } from "../../src/accounts/bounded-fetch.js"
import { type Claims, completed } from "../../src/accounts/identity-claims.js"
import { createIdentityProvider } from "../../src/accounts/identity-provider.js"
import type { Log } from "../../src/log.js"

afterEach(() => vi.unstubAllGlobals())

/** Where a browser would be sent by a provider at `issuer` that says of itself that it is `named`. */
function signInUrl(issuer: string, named: string): Promise<string> {
  const metadata = { issuer: named, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` }
  vi.stubGlobal("fetch", async () => Response.json(metadata))
  const config = { issuer, clientId: "tandem", clientSecret: "secret", name: "Login", allowedGroups: undefined }
  const log = { error() {}, warn() {} } as unknown as Log
  const parts = { log, publicUrl: () => "https://tandem.example.org", now: () => new Date() }
  return createIdentityProvider(config, parts).signInUrl({ state: "s", nonce: "n", codeVerifier: "v".repeat(43) })
}

describe("an OpenID provider that names another issuer", () => {
  it.each([
    ["https://login.microsoftonline.com/common/v2.0", "https://login.microsoftonline.com/{tenantid}/v2.0"],
    ["https://login.microsoftonline.com/one/v2.0", "https://login.microsoftonline.com/another/v2.0"],
    ["https://one.b2clogin.com/one/v2.0", "https://one.b2clogin.com/another/v2.0"],
    ["https://login.example.org/a", "https://login.example.org/b"],
  ])("is refused: %s", async (issuer, named) => {
    await expect(signInUrl(issuer, named)).rejects.toThrow("it names another issuer than OIDC_ISSUER")
  })

  it.each([
    ["https://login.microsoftonline.com/one/v2.0", "https://login.microsoftonline.com/one/v2.0"],
    ["https://one.b2clogin.com/one/v2.0", "https://one.b2clogin.com/one/v2.0/"],
    ["https://login.example.org", "https://login.example.org/"],
  ])("is none when they are the same, a slash aside: %s", async (issuer, named) => {
    expect(await signInUrl(issuer, named)).toMatch(`${issuer}/authorize?`)
  })
})

describe("an OpenID provider whose answers have no end", () => {
  const answerOf = (bytes: number) => {
    const text = JSON.stringify({
      issuer: "https://login.example.org",
      authorization_endpoint: "https://login.example.org/authorize",
    })
    let sent = 0
    const body = new ReadableStream({
      pull(controller) {
        const piece = sent === 0 ? text.padEnd(1_000) : " ".repeat(Math.min(65_536, bytes - sent))
        sent += piece.length
        controller.enqueue(new TextEncoder().encode(piece))
        if (sent >= bytes) controller.close()
      },
    })
    return { response: new Response(body, { headers: { "content-type": "application/json" } }), sent: () => sent }
  }
  const ask = (response: Response) => {
    vi.stubGlobal("fetch", async () => response)
    return boundedFetch(1024 ** 2)("https://login.example.org", {})
  }

  it("is read up to 1 MiB", async () => {
    expect(await (await ask(answerOf(1024 ** 2).response)).text()).toHaveLength(1024 ** 2)
  })

  it("is given up behind that, and counts as one that is gone", async () => {
    const endless = answerOf(Number.POSITIVE_INFINITY)
    await expect(ask(endless.response)).rejects.toThrow("the answer has more than 1048576 bytes")
    expect(endless.sent()).toBeLessThan(2 * 1024 ** 2)
    vi.stubGlobal("fetch", async () => answerOf(Number.POSITIVE_INFINITY).response)
    const config = {
      issuer: "https://login.example.org",
      clientId: "tandem",
      clientSecret: "secret",
      name: "Login",
      allowedGroups: undefined,
    }
    const log = { error() {}, warn() {} } as unknown as Log
    const parts = { log, publicUrl: () => "https://tandem.example.org", now: () => new Date() }
    const asked = createIdentityProvider(config, parts).signInUrl({
      state: "s",
      nonce: "n",
      codeVerifier: "v".repeat(43),
    })
    await expect(asked).rejects.toThrow("Login cannot be reached at the moment")
  })
})

describe("claims of an ID token and of the userinfo endpoint", () => {
  const token: Claims = { iss: "https://login.example.org", sub: "1", iat: 1 }

  it.each([
    [
      "ID token",
      { email: "a@x.org", email_verified: false },
      { email: "b@x.org", email_verified: true },
      "a@x.org",
      false,
    ],
    ["userinfo endpoint", { email: "a@x.org" }, { email: "b@x.org", email_verified: true }, "b@x.org", true],
    ["userinfo endpoint", { email_verified: true }, { email: "b@x.org" }, "b@x.org", undefined],
    ["ID token", { email: "a@x.org" }, { email_verified: true }, "a@x.org", undefined],
  ])("take address and proof from the %s alone", (_, inToken, more, email, isVerified) => {
    const claims = completed({ ...token, ...inToken }, more)
    expect([claims.email, claims.email_verified]).toEqual([email, isVerified])
  })

  it("take what else is missing, and never another issuer", () => {
    expect(completed(token, { iss: "https://evil.example", iat: 2, groups: ["staff"] })).toMatchObject({
      ...token,
      groups: ["staff"],
    })
  })
})
