import { createHash } from "node:crypto"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Member, makeMember } from "../support/account.js"
import { chromiumPath, startBrowser } from "../support/browser.js"
import { sharedNode, type TestNode } from "../support/node.js"

let node: TestNode
let ann: Member
let cookie: string

beforeAll(async () => {
  node = await sharedNode()
  ann = await makeMember(node, "Ann")
  cookie = `tandem=${ann.browser.cookies.get("tandem")}`
})

const ask = (headers: Record<string, string>, method = "POST", body: string | undefined = "of=reference") =>
  fetch(`${node.url}/session-token`, {
    method,
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
    ...(method === "POST" && { body }),
  })
const ours = () => ({ Origin: node.url, cookie })

describe("POST /session-token (ours)", () => {
  it("gives scripts of ours what the viewer's session may do, and nothing without a session", async () => {
    const reply = await ask(ours())
    expect(reply.headers.get("access-control-allow-origin")).toBeNull()
    expect(reply.headers.get("cache-control")).toBe("no-store")
    const given = (await reply.json()) as any
    expect(given).toEqual({
      clientId: "personal",
      token: expect.stringMatching(/^[\w-]{43}$/),
      viewer: { id: Number(ann.id), name: "Ann" },
    })
    const headers = { "X-Client-ID": given.clientId, "X-Access-Token": given.token }
    expect(await (await fetch(`${node.url}/api/v1/user`, { headers })).json()).toMatchObject({ id: Number(ann.id) })
    expect(await (await ask({ Origin: node.url })).json()).toEqual({})
  })

  it("gives the same for hours, and makes it good again where it was revoked while its session goes on", async () => {
    const { token } = (await (await ask(ours())).json()) as any
    const { prisma } = node.database
    const where = { tokenHash: new Uint8Array(createHash("sha256").update(token).digest()) }
    await prisma.accessToken.update({ where, data: { revokedAt: new Date() } })
    const headers = { "X-Client-ID": "personal", "X-Access-Token": token }
    const user = async () => (await fetch(`${node.url}/api/v1/user`, { headers })).status
    await expect.poll(user, { timeout: 20_000 }).toBe(401)
    expect(((await (await ask(ours())).json()) as any).token).toBe(token)
    expect(await user()).toBe(200)
    const bob = await makeMember(node, "Bob")
    const of = { Origin: node.url, cookie: `tandem=${bob.browser.cookies.get("tandem")}` }
    const { token: ended } = (await (await ask(of)).json()) as any
    await prisma.session.deleteMany({ where: { userId: BigInt(bob.id) } })
    expect(await (await ask(of)).json()).toEqual({})
    const closed = { "X-Client-ID": "personal", "X-Access-Token": ended }
    await expect
      .poll(async () => (await fetch(`${node.url}/api/v1/user`, { headers: closed })).status, { timeout: 20_000 })
      .toBe(401)
  })

  it.each([
    ["a page of elsewhere", { Origin: "https://evil.example" }],
    ["a page of elsewhere that a browser names", { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" }],
    ["another host of the same site", { Origin: "http://other.127.0.0.1", "Sec-Fetch-Site": "same-site" }],
    ["a page without an origin", { Origin: "null" }],
    ["a request without an origin", {}],
    ["one that says our origin, and that it is not of it", { Origin: "", "Sec-Fetch-Site": "cross-site" }],
  ])("refuses %s", async (_who, headers: Record<string, string>) => {
    const sent: Record<string, string> = { cookie, ...headers }
    if (headers.Origin === "") sent.Origin = node.url
    const reply = await ask(sent)
    expect(reply.status).toBe(403)
    expect(await reply.text()).not.toContain("personal")
  })

  it("takes no form as plain text, and no GET", async () => {
    expect((await ask({ ...ours(), "Content-Type": "text/plain" })).status).toBe(400)
    expect((await ask(ours(), "GET")).status).toBe(405)
  })
})

describe("the cookie of a session (ours)", () => {
  const query = "{ viewer { id } }"
  it.each([
    ["a POST of JSON from elsewhere", "POST", { "Content-Type": "application/json", Origin: "https://evil.example" }],
    ["a POST of JSON from here", "POST", { "Content-Type": "application/json" }],
    ["a form of plain text without an origin", "POST", { "Content-Type": "text/plain" }],
    ["a GET", "GET", { Accept: "application/json", "apollo-require-preflight": "1" }],
  ])("opens no interface: %s acts for nobody", async (_what, method, headers: Record<string, string>) => {
    const url = `${node.url}/graphql${method === "GET" ? `?query=${encodeURIComponent(query)}` : ""}`
    const body = method === "POST" ? JSON.stringify({ query }) : undefined
    const reply = await fetch(url, { method, headers: { ...headers, cookie }, ...(body !== undefined && { body }) })
    expect(await reply.text()).not.toContain(`"${ann.id}"`)
    expect([400, 401, 415]).toContain(reply.status)
    const rest = await fetch(`${node.url}/api/v1/lists`, { headers: { cookie, Origin: "https://evil.example" } })
    expect(rest.status).toBe(401)
  })
})

describe.skipIf(chromiumPath === undefined)("trying with a session in Chromium (ours)", () => {
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    browser = await startBrowser()
    const context = await browser.newContext()
    await context.addCookies([{ name: "tandem", value: ann.browser.cookies.get("tandem") as string, url: node.url }])
    page = await context.newPage()
  })
  afterAll(() => browser?.close())

  it("works at once in the reference, with the viewer's own ids, and keeps no token", async () => {
    const reply = await (await ask(ours())).json()
    const { clientId, token } = reply as any
    const made = await fetch(`${node.url}/api/v1/lists`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Client-ID": clientId, "X-Access-Token": token },
      body: JSON.stringify({ title: "Mine" }),
    })
    const { id } = (await made.json()) as any
    await fetch(`${node.url}/api/v1/tasks`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Client-ID": clientId, "X-Access-Token": token },
      body: JSON.stringify({ list_id: id, title: "Tried" }),
    })
    await page.goto(`${node.url}/docs#list`)
    await page.getByText("Signed in as Ann").waitFor()
    const section = page.locator("#list")
    await section.getByText("Try it").click()
    await expect.poll(() => section.getByLabel("id", { exact: true }).inputValue()).toBe(String(id))
    await section.getByRole("button", { name: "Send" }).click()
    await section.getByText('"title": "Mine"').waitFor()
    expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain(token)
  })

  it("works at once in the explorer", async () => {
    await page.goto(`${node.url}/graphql`)
    await page.getByText("Signed in as Ann").waitFor()
    await page.getByRole("button", { name: /Execute query/ }).click()
    await page.getByText('"Mine"').first().waitFor()
  })
})
