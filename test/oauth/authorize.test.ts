import { request } from "node:http"
import { beforeAll, describe, expect, it } from "vitest"
import {
  authorizePath,
  decide,
  type Member,
  makeApplication,
  makeMember,
  REDIRECT_URI,
  type TestApplication,
} from "../support/account.js"
import { createFormClient } from "../support/form-client.js"
import { sharedNode, type TestNode } from "../support/node.js"

let node: TestNode
let ann: Member
let application: TestApplication

beforeAll(async () => {
  node = await sharedNode()
  ann = await makeMember(node)
  application = await makeApplication(node)
})

/** Loads an address as it is written: URL and fetch would tidy it up. */
function getRaw(path: string): Promise<{ status: number; location: string | undefined; text: string }> {
  const cookie = [...ann.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(node.url)
    request({ hostname, port, path, headers: { cookie } }, (response) => {
      let text = ""
      response.on("data", (chunk) => {
        text += chunk
      })
      response.on("end", () => resolve({ status: response.statusCode ?? 0, location: response.headers.location, text }))
    })
      .on("error", reject)
      .end()
  })
}

describe("GET /oauth/authorize (§5)", () => {
  it("asks visitors without a session to sign in first, and comes back", async () => {
    const browser = createFormClient(node.url)
    const reply = await browser.get(authorizePath(application))
    expect(reply.status).toBe(302)
    const signIn = new URL(reply.location ?? "", node.url)
    expect(signIn.pathname).toBe("/sign-in")
    expect(signIn.searchParams.get("next")).toBe(authorizePath(application))
  })

  it("names the application, the host to which it leads and what it may do", async () => {
    const page = await ann.browser.get(authorizePath(application))
    expect(page).toMatchObject({ status: 200, title: "Allow Planner?" })
    expect(page.text).toContain("client.example")
    expect(page.text).toContain("see your lists and everything in them")
    expect(page.text).toContain(ann.email)
    expect(page.text).not.toContain("keep its access")
    expect((await ann.browser.get(authorizePath(application, { scope: "offline_access" }))).text).toContain(
      "keep its access",
    )
  })

  it.each(["client_id", "redirect_uri", "state"])(
    "answers 400 with a page that names %s when it is missing",
    async (name) => {
      for (const browser of [ann.browser, createFormClient(node.url)]) {
        const page = await browser.get(authorizePath(application, { [name]: undefined }))
        expect(page.status).toBe(400)
        expect(page.headers["content-type"]).toBe("text/html; charset=utf-8")
        expect(page.text).toContain(name)
      }
      expect((await ann.browser.get(authorizePath(application, { [name]: "" }))).status).toBe(400)
    },
  )

  it("answers 400 for an unknown client, a parameter given twice, NUL and broken encoding", async () => {
    expect(await ann.browser.get(authorizePath(application, { client_id: "nobody" }))).toMatchObject({ status: 400 })
    expect((await ann.browser.get(`${authorizePath(application)}&state=t`)).text).toContain(
      "state is given more than once",
    )
    for (const name of ["client_id", "redirect_uri", "state"]) {
      const page = await ann.browser.get(authorizePath(application, { [name]: "a\0b" }))
      expect(page.status).toBe(400)
      expect(page.text).toContain(name)
    }
    const broken = await getRaw(`${authorizePath(application, { state: undefined })}&state=%FF`)
    expect(broken).toMatchObject({ status: 400, location: undefined })
  })

  it.each([
    "https://client.example/Callback",
    "https://CLIENT.example/callback",
    "HTTPS://client.example/callback",
    "http://client.example/callback",
    "https://client.example:443/callback",
    "https://client.example:8443/callback",
    "https://client.example/callback/",
    "https://client.example/callback?extra=1",
    "https://client.example/callback?",
    "https://client.example/callback#fragment",
    "https://client.example/callback#",
    "https://user@client.example/callback",
    "https://client.example@evil.example/callback",
    "https://client.example/./callback",
    "https://client.example/x/../callback",
    "https://client.example/%63allback",
    "https://client.example/call\u200bback",
    "https://cl\u0456ent.example/callback",
    "https://client.example/callback ",
    " https://client.example/callback",
    "//client.example/callback",
    "/callback",
    "javascript:alert(1)//https://client.example/callback",
    "https://evil.example/?https://client.example/callback",
  ])("answers 403 and leads nowhere for the unregistered %j", async (uri) => {
    for (const browser of [ann.browser, createFormClient(node.url)]) {
      const page = await browser.get(authorizePath(application, { redirect_uri: uri }))
      expect(page).toMatchObject({ status: 403, location: undefined })
    }
    const { browser } = ann
    const form = (await browser.get(authorizePath(application))).form("/oauth/authorize")
    const forced = await browser.send(authorizePath(application, { redirect_uri: uri }), { ...form, decision: "allow" })
    expect(forced).toMatchObject({ status: 403, location: undefined })
  })

  it.each([
    ["code_challenge_method=plain", "plain"],
    ["no code_challenge_method, which would mean plain", undefined],
    ["an unknown method", "S512"],
  ])("tells the application that PKCE with %s is refused", async (_, method) => {
    const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    const reply = await ann.browser.get(
      authorizePath(application, { code_challenge: challenge, code_challenge_method: method }),
    )
    const back = new URL(reply.location ?? "")
    expect(reply.status).toBe(302)
    expect(back.origin + back.pathname).toBe(REDIRECT_URI)
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: "invalid_request", state: "s" })
  })

  it("tells the application of a challenge that is none and of another response_type", async () => {
    const none = await ann.browser.get(
      authorizePath(application, { code_challenge: "short", code_challenge_method: "S256" }),
    )
    expect(new URL(none.location ?? "").searchParams.get("error")).toBe("invalid_request")
    const token = await ann.browser.get(authorizePath(application, { response_type: "token" }))
    expect(new URL(token.location ?? "").searchParams.get("error")).toBe("unsupported_response_type")
  })

  it("shows an application's name as text, whatever it is", async () => {
    const odd = await makeApplication(node, { name: `<script>alert("1")</script>&'` })
    const page = await ann.browser.get(authorizePath(odd))
    expect(page.text).not.toContain("<script")
    expect(page.text).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;")
  })
})

describe("POST /oauth/authorize (§5)", () => {
  it("leads back with a code and the state, and keeps the query that was there", async () => {
    const uri = "https://client.example/callback?keep=a%20b&keep=c"
    const other = await makeApplication(node, { redirectUris: [REDIRECT_URI, uri] })
    const to = await decide(ann, authorizePath(other, { redirect_uri: uri, state: "xyz" }))
    expect(to).toMatch(
      /^https:\/\/client\.example\/callback\?keep=a%20b&keep=c&code=[\w-]{40}&iss=http%3A%2F%2F[\w.%]+&state=xyz$/,
    )
  })

  it("leads back with access_denied and the state when the user does not agree", async () => {
    const to = await decide(ann, authorizePath(application, { state: "xyz" }), "deny")
    expect(to).toBe(`${REDIRECT_URI}?error=access_denied&iss=${encodeURIComponent(node.url)}&state=xyz`)
    const [{ count }] = (await node.database.prisma.$queryRaw`
      select count(*)::int as count from authorization_codes c join applications p on p.id = c.application_id
      where p.client_id = ${application.clientId}`) as [{ count: number }]
    expect(count).toBe(0)
  })

  it.each([
    ["signs", "!\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~ %25"],
    ["letters of many scripts", "état 状態 состояние 🏳️‍🌈 \u202e\u0000".replace("\0", "")],
    ["lines", "a\r\nb\nc\rd\te"],
    ["markup", `"><script>alert(1)</script>`],
    ["a value of 2,000 characters", "s".repeat(2_000)],
    ["another parameter", "x&code=forged&state=other"],
  ])("gives the state back byte by byte: %s", async (_, state) => {
    for (const decision of ["allow", "deny"] as const) {
      const to = await decide(ann, authorizePath(application, { state }), decision)
      expect(new URL(to).searchParams.getAll("state")).toEqual([state])
    }
  })

  it("gives the state back as it was encoded, for clients that compare the text", async () => {
    for (const raw of ["a+b", "a%20b", "%7e~", "a%2fb%2F", "%e2%82%ac"]) {
      const { browser } = ann
      const path = `${authorizePath(application, { state: undefined })}&state=${raw}`
      const to = await decide({ ...ann, browser }, path)
      expect(to.endsWith(`&state=${raw}`)).toBe(true)
    }
  })

  it("is refused without its token, with another's, from another site, and after signing out", async () => {
    const member = await makeMember(node)
    const path = authorizePath(application)
    const form = (await member.browser.get(path)).form("/oauth/authorize")
    const refused = { status: 403, location: undefined }
    const allow = { decision: "allow" }
    expect(await member.browser.send(path, allow)).toMatchObject(refused)
    const others = (await ann.browser.get(path)).form("/oauth/authorize")
    expect(await member.browser.send(path, { ...others, ...allow })).toMatchObject(refused)
    const cross = await member.browser.send(path, { ...form, ...allow }, { "sec-fetch-site": "cross-site" })
    expect(cross).toMatchObject(refused)
    const before = new Map(member.browser.cookies)
    await member.browser.submit(await member.browser.get(path), "/sign-out")
    expect(await member.browser.send(path, { ...form, ...allow })).toMatchObject(refused)
    member.browser.cookies = before
    const replayed = createFormClient(node.url)
    for (const [name, value] of before) replayed.cookies.set(name, value)
    expect(await replayed.send(path, { ...form, ...allow })).toMatchObject(refused)
  })

  it("lets the form lead to the application's host and nowhere else", async () => {
    const page = await ann.browser.get(authorizePath(application))
    expect(page.headers["content-security-policy"]).toContain("form-action 'self' https://client.example;")
    expect(page.headers).toMatchObject({ "x-frame-options": "DENY", "cache-control": "no-store" })
  })
})
