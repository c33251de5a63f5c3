import { beforeAll, describe, expect, it } from "vitest"
import { type Member, makeApplication, makeMember, type TestApplication, tokenFor } from "../support/account.js"
import { createFormClient } from "../support/form-client.js"
import { sharedNode, type TestNode } from "../support/node.js"

let node: TestNode
let ann: Member
let application: TestApplication
let token: string
let other: TestApplication

beforeAll(async () => {
  node = await sharedNode()
  ann = await makeMember(node)
  application = await makeApplication(node)
  other = await makeApplication(node, { name: "Other" })
  token = await tokenFor(node, ann, application)
})

const TRANSPORTS: [string, RequestInit & { path: string }][] = [
  ["REST", { path: "/api/v1/lists" }],
  ["GraphQL", { path: "/graphql", method: "POST", body: '{"query":"{ viewer { id } }"}' }],
]

const ask = async ({ path, ...init }: RequestInit & { path: string }, headers: Record<string, string | undefined>) => {
  const sent = Object.entries({ "Content-Type": "application/json", ...headers }).filter(
    ([, value]) => value !== undefined,
  )
  return (await fetch(node.url + path, { ...init, headers: sent as [string, string][] })).status
}

describe.each(TRANSPORTS)("the pair of headers over %s (§5)", (_, transport) => {
  it.each([
    ["both right", "right", "right", 200],
    ["no client ID", undefined, "right", 401],
    ["no token", "right", undefined, 401],
    ["neither", undefined, undefined, 401],
    ["an unknown client ID", "unknown", "right", 401],
    ["another client's ID", "other", "right", 401],
    ["an unknown token", "right", "unknown", 401],
    ["the two changed for each other", "token", "client", 401],
  ])("with %s", async (_, client, secret, status) => {
    const values: Record<string, string> = {
      right: application.clientId,
      other: other.clientId,
      unknown: "f".repeat(20),
      token,
    }
    const tokens: Record<string, string> = { right: token, unknown: "A".repeat(40), client: application.clientId }
    const headers = { "X-Client-ID": client && values[client], "X-Access-Token": secret && tokens[secret] }
    expect(await ask(transport, headers)).toBe(status)
  })

  it("with letters in another case, and not with what is sent elsewhere", async () => {
    expect(await ask(transport, { "x-client-id": application.clientId, "X-ACCESS-TOKEN": token })).toBe(200)
    expect(await ask(transport, { Authorization: `Token ${token}`, "X-Client-ID": application.clientId })).toBe(401)
    expect(await ask(transport, { "X-Client-ID": application.clientId, "X-Access-Token": `${token} ` })).toBe(200)
    expect(await ask(transport, { "X-Client-ID": application.clientId, "X-Access-Token": token.toUpperCase() })).toBe(
      401,
    )
  })

  it("is not replaced by the cookie of somebody who is signed in", async () => {
    const cookie = `tandem=${ann.browser.cookies.get("tandem")}`
    expect(await ask(transport, { Cookie: cookie })).toBe(401)
    expect(await ask(transport, { Cookie: cookie, "X-Client-ID": application.clientId })).toBe(401)
    expect(
      await ask(transport, { "X-Client-ID": "personal", "X-Access-Token": ann.browser.cookies.get("tandem") }),
    ).toBe(401)
  })
})

describe("a page", () => {
  it("is not opened by an API token, in its headers or as its cookie", async () => {
    const stranger = createFormClient(node.url)
    const page = await stranger.get("/account", { "x-client-id": application.clientId, "x-access-token": token })
    expect(page).toMatchObject({ status: 302, location: "/sign-in?next=%2Faccount" })
    stranger.cookies.set("tandem", token)
    expect(await stranger.get("/account")).toMatchObject({ status: 302 })
  })
})
