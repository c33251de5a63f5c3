import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Member, makeMember, PASSWORD } from "../support/account.js"
import { createFormClient, type LoadedPage } from "../support/form-client.js"
import { freePort } from "../support/free-port.js"
import { linkIn, type Mailbox, startMailbox } from "../support/mailbox.js"
import { makeList, makePerson } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"

let node: TestNode
let mailbox: Mailbox
let ann: Member

beforeAll(async () => {
  mailbox = await startMailbox()
  node = await startNode({ smtpUrl: mailbox.url })
  ann = await makeMember(node)
})
afterAll(async () => {
  await node.stop()
  await mailbox.stop()
})

async function signIn(email: string, password: string, path = "/sign-in") {
  const browser = createFormClient(node.url)
  const page = await browser.get(path)
  const before = browser.cookies.get("tandem")
  return { browser, before, page, reply: await browser.submit(page, "/sign-in", { email, password }) }
}

describe("signing in and out", () => {
  it("gives a new cookie that no script and no other site gets, and goes on where it was begun", async () => {
    const { browser, before, reply } = await signIn(
      ` ${ann.email.toUpperCase()} `,
      PASSWORD,
      "/sign-in?next=%2Fdevices",
    )
    expect(reply).toMatchObject({ status: 303, location: "/devices" })
    const [cookie] = reply.headers["set-cookie"] as string[]
    expect(cookie).toMatch(/^tandem=[\w-]{40}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/)
    expect(browser.cookies.get("tandem")).not.toBe(before)
    expect(await browser.get("/devices")).toMatchObject({ status: 200, title: "Devices" })
  })

  it("sets the cookie for TLS alone where the service is reached by https", async () => {
    const port = await freePort()
    const secure = await startNodeOn(node.databaseUrl, { publicUrl: "https://tandem.example.org/base", port })
    try {
      const reply = await new Promise<{ cookie: string | undefined; text: string }>((resolve) =>
        request(`http://127.0.0.1:${port}/sign-in`, (response) => {
          let text = ""
          response.on("data", (chunk) => {
            text += chunk
          })
          response.on("end", () => resolve({ cookie: response.headers["set-cookie"]?.[0], text }))
        }).end(),
      )
      expect(reply.cookie).toMatch(/^__Host-tandem=[\w-]{40}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
      expect(reply.text).toContain('action="/base/sign-in"')
      expect(reply.text).toContain('href="/base/assets/')
    } finally {
      await secure.stop()
    }
  })

  it.each(["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "/x\r\ny", ""])(
    "does not go on to %j",
    async (next) => {
      const { reply } = await signIn(ann.email, PASSWORD, `/sign-in?next=${encodeURIComponent(next)}`)
      expect(reply).toMatchObject({ status: 303, location: "/" })
    },
  )

  it("says the same of a wrong password and of an address that nobody has", async () => {
    const wrong = (await signIn(ann.email, "wrong")).reply
    const unknown = (await signIn("nobody@example.org", "wrong")).reply
    const plain = ({ text }: LoadedPage, email: string) =>
      text.replaceAll(email, "X").replaceAll(/value="[\w-]{43}"/g, "")
    expect([wrong.status, unknown.status]).toEqual([422, 422])
    expect(plain(wrong, ann.email)).toBe(plain(unknown, "nobody@example.org"))
  })

  it("ends the session: its cookie, its pages and its forms are good for nothing", async () => {
    const { browser } = await signIn(ann.email, PASSWORD)
    const account = await browser.get("/account")
    const stolen = createFormClient(node.url)
    stolen.cookies.set("tandem", browser.cookies.get("tandem") as string)
    expect((await stolen.get("/account")).status).toBe(200)
    const out = await browser.submit(account, "/sign-out")
    expect(out).toMatchObject({ status: 303, location: "/sign-in?done=signed-out" })
    for (const each of [browser, stolen]) {
      expect((await each.get("/account")).status).toBe(302)
      expect((await each.submit(account, "/account/name", { name: "Eve" })).status).toBe(403)
    }
    expect((await ann.browser.get("/account")).text).not.toContain("Eve")
  })
})

const FORMS: [string, Record<string, string>][] = [
  ["/sign-in", { email: "x@example.org", password: "x" }],
  ["/sign-up", { email: "x@example.org" }],
  ["/reset-password", { email: "x@example.org" }],
  ["/sign-out", {}],
  ["/account/name", { name: "Eve" }],
  ["/account/email", { email: "x@example.org", password: PASSWORD }],
  ["/account/password", { oldPassword: PASSWORD, newPassword: "another password" }],
  ["/account/picture/remove", {}],
  ["/account/second-factor/begin", { password: PASSWORD }],
  ["/account/second-factor/confirm", { code: "000000" }],
  ["/account/second-factor/codes", { password: PASSWORD, code: "000000" }],
  ["/account/second-factor/off", { password: PASSWORD, code: "000000" }],
  ["/sign-in/code", { code: "000000" }],
  ["/invitation-links", { email: "", listId: "", uses: "1", days: "1" }],
  ["/invitation-links/1/revoke", {}],
  ["/devices/1/end", {}],
  ["/devices/end-others", {}],
  ["/access-tokens", { name: "x" }],
  ["/access-tokens/1/revoke", {}],
  ["/authorizations/1/revoke", {}],
  ["/applications/new", { name: "x" }],
  ["/applications/1", { name: "x" }],
  ["/applications/1/secret", {}],
  ["/applications/1/delete", {}],
]

describe("every form", () => {
  it.each(FORMS)(
    "%s is refused without its token, with another session's, and from another site",
    async (path, fields) => {
      const { csrf = "" } = (await ann.browser.get("/account")).form("/account/name")
      const others = (await (await makeMember(node)).browser.get("/account")).form("/account/name").csrf as string
      for (const token of [undefined, "", others, csrf.slice(1)])
        expect((await ann.browser.send(path, token === undefined ? fields : { ...fields, csrf: token })).status).toBe(
          403,
        )
      for (const site of ["cross-site", "same-site"])
        expect((await ann.browser.send(path, { ...fields, csrf }, { "sec-fetch-site": site })).status).toBe(403)
      const page = await ann.browser.get("/account")
      expect(page.status).toBe(200)
      expect(page.text).toContain(ann.name)
    },
  )

  it("is refused as another kind of body, with a field twice, and by another method", async () => {
    const { csrf = "" } = (await ann.browser.get("/account")).form("/account/name")
    const json = await ann.browser.send("/account/name", { csrf, name: "Eve" }, { "content-type": "application/json" })
    expect(json.status).toBe(400)
    const twice = await ann.browser.send("/account/name?x", { csrf, name: "Eve" }, { "content-type": "text/plain" })
    expect(twice.status).toBe(400)
    expect(await ann.browser.get("/account/name")).toMatchObject({ status: 405, headers: { allow: "POST" } })
  })
})

describe("every page", () => {
  it.each([
    "/sign-in",
    "/sign-up",
    "/reset-password",
    "/account",
    "/devices",
    "/authorizations",
    "/access-tokens",
    "/webhooks",
    "/webhooks/new",
    "/applications",
    "/applications/new",
    "/oauth/authorize",
  ])("%s cannot be framed, runs nothing, is kept nowhere and is read by no other site", async (path) => {
    const { headers, text } = await ann.browser.get(path)
    expect(headers).toMatchObject({
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cache-control": "no-store",
    })
    if (text !== "") {
      expect(headers["content-security-policy"]).toContain("default-src 'none'; style-src 'self'")
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'")
      expect(text).not.toMatch(/<script|\son\w+=|\sstyle=/)
    }
    expect(headers["access-control-allow-origin"]).toBeUndefined()
  })
})

describe("an address that was tampered with", () => {
  it.each(["__proto__", "toString", "constructor", "<b>", "%00"])("does no harm: done=%s", async (done) => {
    for (const path of ["/sign-in", "/account", "/devices"]) {
      const browser = path === "/sign-in" ? createFormClient(node.url) : ann.browser
      const page = await browser.get(`${path}?done=${done}`)
      expect(page.status).toBe(200)
      expect(page.text).not.toContain('role="status"')
    }
  })

  it.each(["/devices/x/end", "/applications/x", "/applications/9007199254740993"])("is not found: %s", async (path) => {
    const { csrf = "" } = (await ann.browser.get("/account")).form("/account/name")
    expect([303, 404]).toContain((await ann.browser.send(path, { csrf, name: "x" })).status)
    if (path.startsWith("/applications")) expect((await ann.browser.get(path)).status).toBe(404)
  })
})

describe("the account", () => {
  it("changes the name, which the API shows, and refuses a blank one", async () => {
    const member = await makeMember(node)
    const page = await member.browser.get("/account")
    expect((await member.browser.submit(page, "/account/name", { name: `<b>"Ann" & Co</b>` })).status).toBe(303)
    const user = await node.database.prisma.user.findUniqueOrThrow({ where: { id: BigInt(member.id) } })
    expect(user).toMatchObject({ name: `<b>"Ann" & Co</b>`, revision: 2n })
    expect((await member.browser.get("/account")).text).toContain("&lt;b&gt;&quot;Ann&quot; &amp; Co&lt;/b&gt;")
    expect((await member.browser.submit(page, "/account/name", { name: " " })).status).toBe(422)
    expect((await member.browser.submit(page, "/account/name", { name: "n".repeat(256) })).status).toBe(422)
  })

  it("changes the password for users who know the current one, and signs out all other browsers", async () => {
    const member = await makeMember(node)
    const { browser: other } = await signIn(member.email, PASSWORD)
    const page = await member.browser.get("/account")
    const change = (oldPassword: string, newPassword: string) =>
      member.browser.submit(page, "/account/password", { oldPassword, newPassword })
    expect((await change("wrong", "another password")).status).toBe(422)
    expect((await change(PASSWORD, "short")).status).toBe(422)
    expect(await change(PASSWORD, "another password")).toMatchObject({ status: 303 })
    expect((await member.browser.get("/account")).status).toBe(200)
    expect((await other.get("/account")).status).toBe(302)
    expect((await signIn(member.email, "another password")).reply.status).toBe(303)
  })

  it("changes the address by a link mailed to the new one, for signed-in users, with the invitations sent there", async () => {
    const member = await makeMember(node)
    const bob = await makePerson(node, "Bob")
    const [list, both] = [await makeList(bob, "Trip"), await makeList(bob, "Both")]
    for (const { id } of [list, both]) await bob.post("/memberships", { list_id: id, email: "new@example.org" })
    await bob.post("/memberships", { list_id: both.id, email: member.email })
    const page = await member.browser.get("/account")
    const ask = (password: string) =>
      member.browser.submit(page, "/account/email", { email: "New@Example.org", password })
    expect((await ask("wrong")).status).toBe(422)
    expect(await ask(PASSWORD)).toMatchObject({ status: 200, title: "Check your email" })
    const path = linkIn(await mailbox.to("new@example.org", /Confirm/)).slice(node.url.length)
    const stranger = await makeMember(node)
    const theirs = await stranger.browser.get(path)
    expect((await stranger.browser.submit(theirs, "/account/email/finish")).status).toBe(404)
    expect((await createFormClient(node.url).get(path)).status).toBe(302)
    const confirm = await member.browser.get(path)
    expect(await member.browser.submit(confirm, "/account/email/finish")).toMatchObject({
      status: 303,
      location: "/account?done=email",
    })
    expect(await node.database.prisma.user.findMany({ where: { email: "new@example.org" } })).toMatchObject([
      { id: BigInt(member.id) },
    ])
    const memberships = await node.database.prisma.membership.findMany({
      where: { userId: BigInt(member.id), owner: false },
    })
    expect(memberships.map(({ listId }) => Number(listId)).sort()).toEqual([list.id, both.id].sort())
    expect((await mailbox.to(member.email, /has changed/)).text).toContain("no longer sign in with this one")
    expect((await signIn("new@example.org", PASSWORD)).reply.status).toBe(303)
  })

  it("ends what was mailed about the account before its address or its password changed", async () => {
    const member = await makeMember(node)
    const stranger = createFormClient(node.url)
    const askForReset = async (email: string) => {
      await stranger.submit(await stranger.get("/reset-password"), "/reset-password", { email })
      return linkIn(await mailbox.to(email, /new password/)).slice(node.url.length)
    }
    const askForAddress = async (email: string, password: string) => {
      await member.browser.submit(await member.browser.get("/account"), "/account/email", { email, password })
      return linkIn(await mailbox.to(email, /Confirm/)).slice(node.url.length)
    }
    const reset = await askForReset(member.email)
    const open = await stranger.get(reset)
    expect(open.status).toBe(200)
    const confirm = await member.browser.get(await askForAddress("moved@example.org", PASSWORD))
    expect((await member.browser.submit(confirm, "/account/email/finish")).status).toBe(303)
    expect((await stranger.get(reset)).status).toBe(404)
    expect((await stranger.submit(open, "/reset-password/finish", { password: "nanoseconds of wire" })).status).toBe(
      404,
    )
    expect((await signIn("moved@example.org", PASSWORD)).reply.status).toBe(303)

    const again = await askForReset("moved@example.org")
    const further = await askForAddress("further@example.org", PASSWORD)
    const change = { oldPassword: PASSWORD, newPassword: "another password" }
    await member.browser.submit(await member.browser.get("/account"), "/account/password", change)
    expect((await stranger.get(again)).status).toBe(404)
    const late = await member.browser.get(further)
    expect((await member.browser.submit(late, "/account/email/finish")).status).toBe(404)
  })

  it("does not let a link that was mailed to another address reset the password, however the address changed", async () => {
    const member = await makeMember(node)
    const stranger = createFormClient(node.url)
    await stranger.submit(await stranger.get("/reset-password"), "/reset-password", { email: member.email })
    const path = linkIn(await mailbox.to(member.email, /new password/)).slice(node.url.length)
    await node.database.prisma.user.update({ where: { id: BigInt(member.id) }, data: { email: "by.hand@example.org" } })
    expect((await stranger.get(path)).status).toBe(404)
  })

  it("does not take an address that is somebody's, and does not tell that it is", async () => {
    const [member, other] = [await makeMember(node), await makeMember(node)]
    const page = await member.browser.get("/account")
    const reply = await member.browser.submit(page, "/account/email", { email: other.email, password: PASSWORD })
    expect(reply).toMatchObject({ status: 200, title: "Check your email" })
    expect((await mailbox.to(other.email)).subject).toBe("You already have an account")
  })

  it("takes a picture by what it is, shows it to everybody, and takes it away", async () => {
    const member = await makeMember(node)
    const { csrf } = (await member.browser.get("/account")).form("/account/picture")
    const send = async (bytes: Uint8Array, token = csrf) => {
      const body = new FormData()
      body.set("csrf", token as string)
      body.set("picture", new Blob([bytes], { type: "image/png" }), "me.png")
      return fetch(`${node.url}/account/picture`, {
        method: "POST",
        body,
        redirect: "manual",
        headers: { Cookie: `tandem=${member.browser.cookies.get("tandem")}` },
      })
    }
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    )
    expect((await send(png, "")).status).toBe(403)
    expect((await send(Buffer.from("<svg onload=alert(1)>"))).status).toBe(422)
    expect((await send(Buffer.concat([png, Buffer.alloc(1_100_000)]))).status).toBe(413)
    expect((await send(png)).status).toBe(303)
    const shown = await fetch(`${node.url}/api/v1/avatar?user_id=${member.id}`)
    expect(shown.status).toBe(200)
    expect([shown.headers.get("content-type"), shown.headers.get("x-content-type-options")]).toEqual([
      "image/png",
      "nosniff",
    ])
    expect(Buffer.from(await shown.arrayBuffer()).equals(png)).toBe(true)
    const page = await member.browser.get("/account")
    expect(page.text).toContain(`<img class="portrait" src="${shown.url.slice(node.url.length)}"`)
    for (const name of ["%00.png", "x.png", `${"a".repeat(20)}.png`])
      expect((await fetch(`${node.url}/pictures/${name}`)).status).toBe(404)
    await member.browser.submit(page, "/account/picture/remove")
    expect((await fetch(shown.url)).status).toBe(404)
    const drawn = await fetch(`${node.url}/api/v1/avatar?user_id=${member.id}`)
    expect([drawn.status, drawn.url]).toEqual([200, expect.stringMatching(/\/avatars\/\d+\.png\?initials=[A-Z]+$/)])
  })

  it("shows where one is signed in, and ends one of those or all others", async () => {
    const member = await makeMember(node)
    const others = await Promise.all([1, 2, 3].map(async () => (await signIn(member.email, PASSWORD)).browser))
    const page = await member.browser.get("/devices")
    expect(page.text.match(/Firefox on Linux/g)).toHaveLength(4 + 3)
    expect(page.text.match(/\/devices\/\d+\/end/g)).toHaveLength(3)
    const action = /action="(\/devices\/\d+\/end)"/.exec(page.text)?.[1] as string
    const stranger = await makeMember(node)
    const { csrf = "" } = (await stranger.browser.get("/account")).form("/account/name")
    await stranger.browser.send(action, { csrf })
    const statuses = async () =>
      (await Promise.all(others.map((browser) => browser.get("/account")))).map(({ status }) => status).sort()
    expect(await statuses()).toEqual([200, 200, 200])
    await member.browser.submit(page, action)
    expect(await statuses()).toEqual([200, 200, 302])
    await member.browser.submit(page, "/devices/end-others")
    expect(await statuses()).toEqual([302, 302, 302])
    expect((await member.browser.get("/account")).status).toBe(200)
  })

  it("shows the 100 browsers that were seen last, of however many, and ends them all", async () => {
    const member = await makeMember(node)
    await runSql(
      node.databaseUrl,
      `insert into sessions (token_hash, user_id, user_agent, expires_at, seen_at)
       select sha256(convert_to('${member.id} ' || n, 'UTF8')), ${member.id}, 'Browser', now() + interval '1 day', now() - interval '1 hour'
       from generate_series(1, 101) n`,
    )
    const page = await member.browser.get("/devices")
    expect(page.text).toContain("this browser")
    expect(page.text.match(/\/devices\/\d+\/end/g)).toHaveLength(99)
    const left = () => node.database.prisma.session.count({ where: { userId: BigInt(member.id) } })
    expect(await left()).toBe(102)
    await member.browser.submit(page, "/devices/end-others")
    expect(await left()).toBe(1)
  })
})

it("an address where nothing is answers a browser with a page, and programs with the contract's error", async () => {
  const ask = (path: string, Accept: string) => fetch(node.url + path, { headers: { Accept } })
  const page = await ask("/nothing", "text/html,*/*;q=0.8")
  expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"])
  expect(await page.text()).toContain("This page does not exist, or no longer exists.")
  for (const [path, accept] of [
    ["/nothing", "*/*"],
    ["/api/v3/tasks", "text/html"],
  ] as const) {
    const reply = await ask(path, accept)
    expect([reply.status, ((await reply.json()) as any).error.type]).toEqual([404, "not_found"])
  }
})
