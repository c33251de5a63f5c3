import { once } from "node:events"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { sessionToken } from "../../src/accounts/session.js"
import type { App } from "../../src/app.js"
import { listen } from "../live/listener.js"
import { type Member, makeMember, PASSWORD } from "../support/account.js"
import { createClient } from "../support/client.js"
import { createFormClient } from "../support/form-client.js"
import type { Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"

let node: TestNode
let other: App
beforeAll(async () => {
  node = await startNode()
  other = await startNodeOn(node.databaseUrl)
})
afterAll(async () => {
  await other.stop()
  await node.stop()
})

/** What the page gives its scripts. */
async function dataOf({ browser }: Pick<Member, "browser">) {
  const page = await browser.get("/")
  const [, json] = /<script type="application\/json" id="home-data">(.*?)<\/script>/s.exec(page.text) ?? []
  return { page, data: json === undefined ? undefined : JSON.parse(json) }
}
const clientOf = (token: string, url = node.url) => createClient(url, { clientId: "personal", token })
const ELSEWHERE = "https://elsewhere.example"

describe("a page of another site, in a browser where somebody is signed in (ADR 16)", () => {
  const mutation = JSON.stringify({ query: 'mutation { createList(input: { title: "theirs" }) { id } }' })

  it.each([
    ["as a form can send it", { "Content-Type": "text/plain" }],
    ["as JSON, had the browser let it", { "Content-Type": "application/json" }],
    ["without an Origin, as old browsers do", { "Content-Type": "application/json", Origin: "" }],
  ])("opens nothing at /graphql with the cookie: %s", async (_, headers) => {
    const ann = await makeMember(node)
    const Cookie = `tandem=${ann.browser.cookies.get("tandem")}`
    const sent = { Origin: ELSEWHERE, "Sec-Fetch-Site": "cross-site", ...headers, Cookie }
    const response = await fetch(`${node.url}/graphql`, { method: "POST", headers: sent, body: mutation })
    expect([400, 401]).toContain(response.status)
    const asked = await fetch(`${node.url}/api/v1/lists`, { headers: { Cookie } })
    expect(asked.status).toBe(401)
    const lists = await clientOf((await dataOf(ann)).data.token).get("/lists")
    expect(lists.body).toHaveLength(1)
  })

  it("opens no WebSocket with the cookie", async () => {
    const ann = await makeMember(node)
    const headers = { Cookie: `tandem=${ann.browser.cookies.get("tandem")}`, Origin: ELSEWHERE }
    for (const payload of [undefined, {}, { "X-Client-ID": "personal" }]) {
      const socket = new WebSocket(`${node.url.replace("http", "ws")}/graphql`, "graphql-transport-ws", { headers })
      await once(socket, "open")
      socket.send(JSON.stringify({ type: "connection_init", payload }))
      expect((await once(socket, "close"))[0]).toBe(4403)
    }
  })

  it("cannot read the page that holds the token, nor show it in a frame", async () => {
    const ann = await makeMember(node)
    const { headers } = await ann.browser.get("/", { Origin: ELSEWHERE, "Sec-Fetch-Site": "cross-site" })
    expect(headers["access-control-allow-origin"]).toBeUndefined()
    expect(headers["cache-control"]).toBe("no-store")
    expect(headers["cross-origin-resource-policy"]).toBe("same-origin")
    expect(headers["x-frame-options"]).toBe("DENY")
    const policy = String(headers["content-security-policy"])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*|data:/)
  })
})

describe("the access of a session's pages", () => {
  it("is one for all its windows, lasts for hours, and is no token that is shown or makes others", async () => {
    const ann = await makeMember(node)
    const [{ data }, { data: again }] = [await dataOf(ann), await dataOf(ann)]
    expect(again.token).toBe(data.token)
    const rows = await node.database.prisma.accessToken.findMany({ where: { userId: BigInt(ann.id) } })
    expect(rows).toHaveLength(1)
    const hours = (Number(rows[0]?.expiresAt) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(5.99)
    expect(hours).toBeLessThan(12.01)
    expect(JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? Number(value) : value))).not.toContain(
      data.token,
    )

    const cookie = ann.browser.cookies.get("tandem") as string
    const [session] = await node.database.prisma.session.findMany({ where: { userId: BigInt(ann.id) } })
    const later = new Date(Date.now() + 6 * 3_600_000)
    expect(await sessionToken(node.database, cookie, String(session?.id), later)).not.toBe(data.token)

    const client = clientOf(data.token)
    expect((await client.graphql("{ viewer { id lists { title } } }")).data.viewer).toMatchObject({ id: ann.id })
    for (const query of [
      'mutation { createAccessToken(input: { name: "mine for ever" }) { token } }',
      'mutation { createApplication(input: { name: "x" }) { clientSecret } }',
      "{ viewer { accessTokens { id } } }",
    ])
      expect(await client.graphql(query)).toMatchObject({ code: "PERMISSION_ERROR" })
    for (const path of ["/access-tokens", "/authorizations"]) {
      const { text } = await ann.browser.get(path)
      expect(text).not.toMatch(/Revoke|Personal access tokens/)
    }
  })

  it("is another's for another session of the same user", async () => {
    const ann = await makeMember(node)
    const elsewhere = createFormClient(node.url)
    await elsewhere.submit(await elsewhere.get("/sign-in"), "/sign-in", { email: ann.email, password: PASSWORD })
    const [mine, other] = [await dataOf(ann), await dataOf({ browser: elsewhere })]
    expect(other.data.viewer.id).toBe(Number(ann.id))
    expect(other.data.token).not.toBe(mine.data.token)
  })

  /** A second, as promised, and what a machine that does much else at the same time adds to it. */
  const SOON_MS = 30_000

  type Page = Awaited<ReturnType<typeof dataOf>>["page"]
  const ENDS: [string, (ann: Member, page: Page) => Promise<unknown>][] = [
    ["the user signs out", (ann, page) => ann.browser.submit(page, "/sign-out")],
    [
      "the user signs in again in the same browser",
      (ann, page) => {
        const { csrf } = page.form("/sign-out") as { csrf: string }
        return ann.browser.send("/sign-in", { csrf, email: ann.email, password: PASSWORD })
      },
    ],
    [
      "the user signs this browser out from another one",
      async (ann) => {
        const elsewhere = createFormClient(node.url)
        await elsewhere.submit(await elsewhere.get("/sign-in"), "/sign-in", { email: ann.email, password: PASSWORD })
        await elsewhere.submit(await elsewhere.get("/devices"), "/devices/end-others")
      },
    ],
  ]

  it.each(ENDS)("ends on every node within a second when %s, on open sockets too", async (_, end) => {
    const ann = await makeMember(node)
    const { page, data } = await dataOf(ann)
    const clients = [node.url, other.url].map((url) => clientOf(data.token, url))
    const sockets = clients.map((client) => listen(Object.assign(client, { id: 0 }) as unknown as Person, client.url))
    for (const socket of sockets) {
      socket.accountUpdated(undefined, "id") // without one its client closes it
      expect(await socket.run("{ viewer { id } }")).toMatchObject({ data: { viewer: { id: ann.id } } })
    }

    await end(ann, page)
    expect((await clients[0]?.get("/lists"))?.status).toBe(401)
    for (const client of clients)
      await expect.poll(async () => (await client.get("/lists")).status, { timeout: SOON_MS, interval: 20 }).toBe(401)
    expect(await Promise.all(sockets.map((socket) => socket.closed(SOON_MS)))).toEqual([4403, 4403])
  })
})

describe("GET / for signed-in users", () => {
  it("gives a token, and whose it is, without looking at lists when only that is asked for", async () => {
    const ann = await makeMember(node)
    const { data } = await dataOf(ann)
    expect(data).toEqual({
      base: "",
      token: expect.stringMatching(/^[\w-]{40,}$/),
      viewer: { id: Number(ann.id), name: "Ann" },
    })
    const { text } = await ann.browser.get("/?renew=1")
    expect(text).toContain(`"token":"${data.token}"`)
    expect(text).toContain('<div id="home" class="home"></div>')
  })

  it("gives lists with more than 200 open tasks page by page", async () => {
    const ann = await makeMember(node)
    const client = clientOf((await dataOf(ann)).data.token)
    const { body: list } = await client.post("/lists", { title: "Long" })
    const requests = [...Array(210).keys()].map((number) => ({
      id: `t${number}`,
      method: "POST",
      path: "/api/v1/tasks",
      body: { list_id: list.id, title: `task ${number}.` },
    }))
    for (let from = 0; from < requests.length; from += 100)
      expect((await client.post("/batch", { requests: requests.slice(from, from + 100) })).status).toBe(200)
    const titles: string[] = []
    for (let path: string | undefined = `/?list=${list.id}`; path !== undefined; ) {
      const { text } = await ann.browser.get(path)
      titles.push(...[...text.matchAll(/<bdi>(task \d+\.)<\/bdi>/g)].map(([, title]) => title as string))
      path = /href="([^"]+)">Next page</.exec(text)?.[1]?.replaceAll("&amp;", "&").replace(/^/, "/")
    }
    expect(titles).toEqual(requests.map(({ body }) => body.title))
  })

  it("shows the inbox for an address whose list or task does not exist or belongs to another user", async () => {
    const [ann, bob] = [await makeMember(node), await makeMember(node, "Bob")]
    const other = (await clientOf((await dataOf(bob)).data.token).get("/lists")).body[0].id
    for (const query of [
      `list=${other}`,
      "list=x",
      "task=99999",
      "task=0",
      "list=1&list=2",
      `list=${other}&completed=1`,
    ]) {
      const page = await ann.browser.get(`/?${query}`)
      expect(page.status).toBe(200)
      expect(page.text).toContain('<h1 id="list-title"><bdi>Inbox</bdi></h1>')
    }
  })

  it("gives its scripts to browsers for good, and nothing else from there", async () => {
    const ann = await makeMember(node)
    const { text } = (await dataOf(ann)).page
    const paths = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path as string)
    expect(paths).toHaveLength(3)
    for (const path of new Set(paths)) {
      const response = await fetch(node.url + path)
      expect([path, response.status]).toEqual([path, 200])
      expect(response.headers.get("cache-control")).toContain("immutable")
      expect([path, response.headers.get("content-encoding")]).toEqual([path, "gzip"])
      expect(await response.text()).not.toContain("sourceMappingURL")
    }
    const base = (paths.find((path) => path.endsWith("home.js")) as string).replace("home.js", "")
    for (const name of ["first-look.js", "home.tsx", "../../router.js", "%2e%2e/app.js", "service-worker.js"])
      expect((await ann.browser.get(base + name)).status).toBe(404)
  })

  it("can be installed, and opened without a network: with a shell that tells nothing of anybody", async () => {
    const ann = await makeMember(node)
    const manifest: any = await (await fetch(`${node.url}/manifest.webmanifest`)).json()
    expect(manifest).toMatchObject({ name: "Tandem", start_url: "/", scope: "/", display: "standalone" })
    for (const { src, type } of manifest.icons) {
      const icon = await fetch(node.url + src)
      expect([icon.status, icon.headers.get("content-type")]).toEqual([200, type])
      expect((await icon.arrayBuffer()).byteLength).toBeGreaterThan(500)
    }
    const worker = await fetch(`${node.url}/service-worker.js`)
    expect(worker.headers.get("cache-control")).toBe("no-cache")
    const [, shell] = /^const SHELL = (.*)$/m.exec(await worker.text()) ?? []
    const { page, files } = JSON.parse(shell as string)
    for (const path of files) expect([path, (await fetch(node.url + path)).status]).toEqual([path, 200])
    const { text } = await ann.browser.get(page)
    expect(text).toContain('id="home-data">{"base":""}<')
  })
})
