import { EventEmitter, once } from "node:events"
import http from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { Secret, TOTP } from "otpauth"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { createMailedLink } from "../../src/accounts/mailed-link.js"
import type { Config } from "../../src/config/config.js"
import type { Transacted } from "../../src/context.js"
import { createUser } from "../../src/resources/user/user.commands.js"
import { makeMember, PASSWORD } from "../support/account.js"
import { createFormClient, type FormClient, type LoadedPage } from "../support/form-client.js"
import { freePort } from "../support/free-port.js"
import {
  separateClocks,
  signInWithProvider,
  startIdentityProvider,
  type TestIdentityProvider,
  type Told,
  throughProvider,
} from "../support/identity-provider.js"
import { listening } from "../support/listening.js"
import { linkIn, type Mailbox, startMailbox } from "../support/mailbox.js"
import { makeList, makePerson } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"

let node: TestNode
let mailbox: Mailbox
let provider: TestIdentityProvider
let settings: Partial<Config>

beforeAll(async () => {
  mailbox = await startMailbox()
  const port = await freePort()
  provider = await startIdentityProvider([`http://127.0.0.1:${port}`])
  settings = { smtpUrl: mailbox.url, mailFrom: "Tandem <tandem@example.org>" }
  node = await startNode({ ...settings, port, identity: provider.config })
})
afterAll(async () => {
  await node.stop()
  await provider.stop()
  await mailbox.stop()
})

let count = 0
/** Somebody new at the provider, who signs in there next. */
function somebody(told: Told = {}, at = provider): { subject: string; email: string } {
  const subject = `subject-${++count}`
  const email = `person.${count}@example.org`
  at.people.set(subject, { email, email_verified: true, name: "Ada Lovelace", ...told })
  at.subject = subject
  return { subject, email }
}

const browserOf = () => createFormClient(node.url)
const userOf = (email: string) =>
  node.database.prisma.user.findUnique({ where: { email }, include: { identities: true } })
const identityOf = (subject: string) => node.database.prisma.identity.findMany({ where: { subject } })

async function emailIn(browser: FormClient, url = node.url): Promise<string | undefined> {
  const page = await browser.get(`${url}/account`)
  return /class="who" title="([^"]*)"/.exec(page.text)?.[1]
}

/** Does something in a transaction that stays open until so many others wait for it. */
async function hold(work: (inside: Transacted) => Promise<unknown>): Promise<(waiting: number) => Promise<void>> {
  const said = new EventEmitter()
  const [begun, ended] = [once(said, "begun"), once(said, "ended")]
  const done = node.database.transaction(async (inside) => {
    await work(inside)
    said.emit("begun")
    await ended
  })
  await begun
  return async (waiting) => {
    const countWaiting = async () =>
      (
        await node.database.prisma.$queryRaw<unknown[]>`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      ).length
    await expect.poll(countWaiting, { timeout: 20_000 }).toBe(waiting)
    said.emit("ended")
    await done
  }
}

const problemOf = ({ text }: LoadedPage) => /<p class="notice bad" role="alert">([^<]*)<\/p>/.exec(text)?.[1]

/** Starts a node of other settings on the same database, which the provider does not need to know. */
async function onOtherNode(more: Partial<Config>, work: (url: string) => Promise<void>): Promise<void> {
  const other = await startNodeOn(node.databaseUrl, { ...settings, ...more })
  try {
    await work(other.url)
  } finally {
    await other.stop()
  }
}

describe("signing in with an OpenID provider", () => {
  it("creates the account of an address that the provider says is theirs, and finds it again by issuer and subject", async () => {
    const { subject, email } = somebody()
    const browser = browserOf()
    const page = await browser.get("/sign-in")
    expect(page.text).toContain('href="/sign-in/provider">Sign in with Example Login</a>')
    const first = await signInWithProvider(browser, node.url)
    expect(first).toMatchObject({ status: 303, location: "/" })
    expect(await emailIn(browser)).toBe(email)
    expect(await userOf(email)).toMatchObject({
      name: "Ada Lovelace",
      passwordHash: null,
      verifiedAt: expect.any(Date),
      identities: [{ issuer: provider.issuer, subject }],
    })
    const again = browserOf()
    await signInWithProvider(again, node.url)
    expect(await emailIn(again)).toBe(email)
    expect(await identityOf(subject)).toHaveLength(1)
  })

  it("asks for a code with PKCE, state and nonce, each of them new", async () => {
    const browser = browserOf()
    const [one, two] = await Promise.all([browser.get("/sign-in/provider"), browser.get("/sign-in/provider")])
    const query = (page: LoadedPage) => Object.fromEntries(new URL(page.location ?? "").searchParams)
    expect(query(one)).toEqual({
      client_id: "tandem",
      redirect_uri: `${node.url}/sign-in/provider/callback`,
      response_type: "code",
      scope: "openid email profile",
      state: expect.stringMatching(/^[\w-]{40}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    })
    for (const name of ["state", "nonce", "code_challenge"]) expect(query(one)[name]).not.toBe(query(two)[name])
  })

  it.each(["client_secret_basic", "client_secret_post"] as const)(
    "sends its secret as %s where that alone is taken",
    async (method) => {
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      const own = await startIdentityProvider([url], "Example Login", undefined, method)
      try {
        await onOtherNode({ port, identity: own.config }, async () => {
          const { email } = somebody({}, own)
          const browser = browserOf()
          await signInWithProvider(browser, url)
          expect(await emailIn(browser, url)).toBe(email)
        })
      } finally {
        await own.stop()
      }
    },
  )

  it("goes on to the page that it was begun for, and to no other site", async () => {
    somebody()
    expect((await signInWithProvider(browserOf(), node.url, "/devices?a=b")).location).toBe("/devices?a=b")
    for (const next of ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"])
      expect((await signInWithProvider(browserOf(), node.url, next)).location).toBe("/")
  })

  it("takes over the invitations that were sent to the address", async () => {
    const { email } = somebody()
    const bob = await makePerson(node, "Bob")
    const list = await makeList(bob, "Trip")
    const invited = await bob.post("/memberships", { list_id: list.id, email })
    await signInWithProvider(browserOf(), node.url)
    expect((await userOf(email))?.id).toBe(BigInt(invited.body.user_id))
  })

  it("keeps the account when the address changes at the provider, and does not change its own", async () => {
    const { subject, email } = somebody()
    await signInWithProvider(browserOf(), node.url)
    const owner = await makeMember(node, "Owner")
    provider.people.set(subject, { email: owner.email, email_verified: true })
    const browser = browserOf()
    await signInWithProvider(browser, node.url)
    expect(await emailIn(browser)).toBe(email)
    provider.people.set(subject, {})
    const again = browserOf()
    await signInWithProvider(again, node.url)
    expect(await emailIn(again)).toBe(email)
  })

  it("keeps nothing secret of a sign-in that is over", async () => {
    somebody()
    await signInWithProvider(browserOf(), node.url)
    expect(await node.database.prisma.pendingIdentity.count()).toBe(0)
  })
})

describe("two tabs at the first sign-in", () => {
  it("both end signed in to the one account that they made", async () => {
    const { email, subject } = somebody()
    const tabs = [browserOf(), browserOf()] as const
    await tabs[0].get("/sign-in")
    tabs[1].cookies.set("tandem", tabs[0].cookies.get("tandem") as string)
    const back: string[] = []
    for (const tab of tabs) back.push(await throughProvider(tab, await tab.get("/sign-in/provider"), node.url))
    const release = await hold((inside) => inside.prisma.$executeRaw`lock table users in share mode`)
    const late = tabs.map((tab, index) => tab.get(back[index] as string))
    await release(2)
    const replies = await Promise.all(late)
    expect(replies.map(({ status, location }) => [status, location])).toEqual([
      [303, "/"],
      [303, "/"],
    ])
    expect(await identityOf(subject)).toHaveLength(1)
    for (const tab of tabs) expect(await emailIn(tab)).toBe(email)
  })

  it("say that there is an account by now, when another identity of the same address was first", async () => {
    const first = somebody()
    const browser = browserOf()
    const back = await throughProvider(browser, await browser.get("/sign-in/provider"), node.url)
    const release = await hold((inside) => createUser(inside, { name: "Other", email: first.email, verified: true }))
    const late = browser.get(back)
    await release(1)
    const page = await late
    expect([page.status, problemOf(page)]).toEqual([
      403,
      `An account for ${first.email} was created a moment ago. Sign in again.`,
    ])
  })
})

describe("an account that exists", () => {
  it("is opened when the provider says that its address is theirs; its owner is told by mail", async () => {
    const owner = await makeMember(node, "Vera")
    somebody({ email: owner.email.toUpperCase(), email_verified: "true" })
    const browser = browserOf()
    await signInWithProvider(browser, node.url)
    expect(await emailIn(browser)).toBe(owner.email)
    expect((await mailbox.to(owner.email)).subject).toBe("There is another way to sign in to your account")
  })

  it("is opened by its password alone when the provider does not say so", async () => {
    const owner = await makeMember(node, "Una")
    const { subject } = somebody({ email: owner.email, email_verified: false })
    const browser = browserOf()
    const page = await browser.follow(await signInWithProvider(browser, node.url, "/devices"))
    expect(page.title).toBe("Is this address yours?")
    expect(await emailIn(browser)).toBeUndefined()
    const wrong = await browser.submit(page, "/sign-in/provider/link", { password: "wrong battery horse" })
    expect(wrong).toMatchObject({ status: 422 })
    expect(problemOf(wrong)).toBe("The password or the code is incorrect.")
    expect(await identityOf(subject)).toEqual([])
    const right = await browser.submit(page, "/sign-in/provider/link", { password: PASSWORD })
    expect(right).toMatchObject({ status: 303, location: "/devices" })
    expect(await emailIn(browser)).toBe(owner.email)
    expect((await browser.get(page.url)).status).toBe(404)
    const again = browserOf()
    await signInWithProvider(again, node.url)
    expect(await emailIn(again)).toBe(owner.email)
  })

  it("is not opened by its password alone when it has a second factor", async () => {
    const owner = await makeMember(node, "Vera")
    const secret = Buffer.from("12345678901234567890")
    const of = { userId: BigInt(owner.id), secret, confirmedAt: new Date() }
    await node.database.prisma.secondFactor.create({ data: of })
    const { subject } = somebody({ email: owner.email, email_verified: false })
    const browser = browserOf()
    const page = await browser.follow(await signInWithProvider(browser, node.url))
    const link = (fields: Record<string, string>) => browser.submit(page, "/sign-in/provider/link", fields)
    for (const code of ["", "000000"]) {
      const refused = await link({ password: PASSWORD, code })
      expect([refused.status, problemOf(refused)]).toEqual([422, "The password or the code is incorrect."])
    }
    expect([await emailIn(browser), await identityOf(subject)]).toEqual([undefined, []])
    const code = new TOTP({ secret: new Secret({ buffer: new Uint8Array(secret).buffer }) }).generate()
    expect((await link({ password: PASSWORD, code })).status).toBe(303)
    expect(await emailIn(browser)).toBe(owner.email)
    const again = browserOf()
    await signInWithProvider(again, node.url)
    expect(await emailIn(again)).toBe(owner.email)
  })

  it("is not opened by another subject of the same issuer, to whom the address may have passed on", async () => {
    const { email } = somebody()
    await signInWithProvider(browserOf(), node.url)
    const { subject } = somebody({ email })
    const browser = browserOf()
    expect((await signInWithProvider(browser, node.url)).location).toMatch(/^\/sign-in\/provider\/link\?/)
    expect(await identityOf(subject)).toEqual([])
  })

  it("is opened by one of two subjects that come at the same moment", async () => {
    const owner = await makeMember(node, "Zoe")
    const { prisma } = node.database
    const waiting = async () => {
      const [row] = await prisma.$queryRaw<{ n: bigint }[]>`
        select count(*) as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      return Number(row?.n)
    }
    const callbacks: [FormClient, string][] = []
    for (let i = 0; i < 2; i++) {
      somebody({ email: owner.email })
      const browser = browserOf()
      const page = await browser.get("/sign-in/provider")
      callbacks.push([browser, await throughProvider(browser, page, node.url)])
    }
    const pages = await prisma.$transaction(async (inside) => {
      await inside.$queryRaw`select id from users where email = ${owner.email} for update`
      const both = callbacks.map(([browser, address]) => browser.get(address))
      for (let tries = 0; tries < 200 && (await waiting()) < 2; tries++) await sleep(10)
      return both
    })
    const locations = (await Promise.all(pages)).map(({ location = "" }) => location.split("?")[0]).sort()
    expect(locations).toEqual(["/", "/sign-in/provider/link"])
    expect((await userOf(owner.email))?.identities).toHaveLength(1)
  })

  it("stays closed while an operator keeps its user out", async () => {
    const { email } = somebody()
    await signInWithProvider(browserOf(), node.url)
    const { id } = (await userOf(email))!
    await node.database.prisma.disabledUser.create({ data: { userId: id } })
    const browser = browserOf()
    const page = await signInWithProvider(browser, node.url)
    expect(page.status).toBe(403)
    expect(problemOf(page)).toBe("This account was disabled. Please ask the people who run this service.")
    expect(await emailIn(browser)).toBeUndefined()
  })

  it("belongs to two providers with one address by issuer: neither's subject stands for the other's", async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const second = await startIdentityProvider([url], "Second Login")
    try {
      const { subject, email } = somebody()
      await signInWithProvider(browserOf(), node.url)
      second.subject = subject
      second.people.set(subject, { email: "another.person@example.org", email_verified: true })
      await onOtherNode({ port, identity: second.config }, async () => {
        const another = browserOf()
        await signInWithProvider(another, url)
        expect(await emailIn(another, url)).toBe("another.person@example.org")
        const told = { email, email_verified: false }
        const { subject: unproved } = somebody(told, second)
        expect((await signInWithProvider(browserOf(), url)).location).toMatch(/^\/sign-in\/provider\/link\?/)
        second.people.set(unproved, { ...told, email_verified: true })
        const browser = browserOf()
        await signInWithProvider(browser, url)
        expect(await emailIn(browser, url)).toBe(email)
      })
      expect((await userOf(email))?.identities.map(({ issuer }) => issuer).sort()).toEqual(
        [provider.issuer, second.issuer].sort(),
      )
    } finally {
      await second.stop()
    }
  })
})

describe("an account that is linked", () => {
  it("is linked no longer after its password was reset, until the provider verifies its address again", async () => {
    const owner = await makeMember(node, "Iris")
    const { subject } = somebody({ email: owner.email })
    await signInWithProvider(browserOf(), node.url)
    const mail = await mailbox.to(owner.email, /another way/)
    expect(linkIn(mail)).toBe(`${node.url}/reset-password`)
    const browser = browserOf()
    await browser.submit(await browser.get("/reset-password"), "/reset-password", { email: owner.email })
    const choose = await browser.get(linkIn(await mailbox.to(owner.email, /new password/)))
    await browser.submit(choose, "/reset-password/finish", { password: "another horse battery" })
    expect(await identityOf(subject)).toEqual([])
    provider.people.set(subject, { email: owner.email, email_verified: false })
    expect((await signInWithProvider(browserOf(), node.url)).location).toMatch(/^\/sign-in\/provider\/link\?/)
    provider.people.set(subject, { email: owner.email, email_verified: true })
    await signInWithProvider(browser, node.url)
    expect(await emailIn(browser)).toBe(owner.email)
  })
})

describe("a password that is reset", () => {
  it("changes nothing at all when a part of it fails, and its link stays good", async () => {
    const { subject, email } = somebody()
    await signInWithProvider(browserOf(), node.url)
    const id = (await userOf(email))?.id as bigint
    const token = await createMailedLink(node.database, "reset-password", {
      email,
      userId: String(id),
      next: undefined,
    })
    const browser = browserOf()
    const page = await browser.get(`/reset-password/finish?token=${token}`)
    const run = (sql: string) => node.database.prisma.$executeRawUnsafe(sql)
    await run("create function test_refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$")
    await run(
      `create trigger test_refuse before update on users for each row when (new.id = ${id}) execute function test_refuse()`,
    )
    const submit = () => browser.submit(page, "/reset-password/finish", { password: "another horse battery" })
    expect((await submit()).status).toBe(500)
    expect(await identityOf(subject)).toHaveLength(1)
    await run("drop trigger test_refuse on users")
    expect((await submit()).status).toBe(303)
    expect(await identityOf(subject)).toHaveLength(0)
  })
})

describe("an account without a password", () => {
  it("gets one by a mailed link, and not from a session", async () => {
    const { email } = somebody()
    const browser = browserOf()
    await signInWithProvider(browser, node.url)
    const page = await browser.get("/account")
    const sent = await browser.submit(page, "/account/password", { newPassword: "correct horse battery" })
    expect(sent).toMatchObject({ status: 200, title: "Check your email" })
    expect(await userOf(email)).toMatchObject({ passwordHash: null })
    const choose = await browser.get(linkIn(await mailbox.to(email, /new password/)))
    expect((await browser.submit(choose, "/reset-password/finish", { password: PASSWORD })).status).toBe(303)
    expect(await userOf(email)).toMatchObject({ passwordHash: expect.any(String) })
  })
})

describe("an address of which the provider does not say that it is theirs", () => {
  /** As far as the page that asks for a proof. */
  async function unproved() {
    const { subject, email } = somebody({ email_verified: undefined })
    const browser = browserOf()
    const page = await browser.follow(await signInWithProvider(browser, node.url, "/devices"))
    return { subject, email, browser, page }
  }

  it("gets an account by a mailed link, opened in the same browser", async () => {
    const { email, browser, page, subject } = await unproved()
    expect((await browser.submit(page, "/sign-in/provider/mail")).title).toBe("Check your email")
    const link = linkIn(await mailbox.to(email, /Confirm/))
    expect(await userOf(email)).toBeNull()
    const elsewhere = browserOf()
    expect((await elsewhere.get(link)).status).toBe(404)
    const confirm = await browser.get(link)
    expect(confirm.title).toBe("Create your account")
    expect(await userOf(email)).toBeNull()
    const created = await browser.submit(confirm, "/sign-in/provider/confirm")
    expect(created).toMatchObject({ status: 303, location: "/devices" })
    expect(await emailIn(browser)).toBe(email)
    expect(await identityOf(subject)).toHaveLength(1)
    expect((await browser.get(link)).status).toBe(404)
  })

  it("is answered alike whether or not there is an account", async () => {
    const owner = await makeMember(node, "Nora")
    const fresh = await unproved()
    somebody({ email: owner.email, email_verified: false })
    const browser = browserOf()
    const page = await browser.follow(await signInWithProvider(browser, node.url))
    const plain = ({ text }: LoadedPage, email: string) =>
      text.replaceAll(email, "ADDRESS").replaceAll(/value="[^"]*"|token=[\w-]*/g, "")
    expect(plain(page, owner.email)).toBe(plain(fresh.page, fresh.email))
    const sent = await browser.submit(page, "/sign-in/provider/mail")
    const other = await fresh.browser.submit(fresh.page, "/sign-in/provider/mail")
    expect(plain(sent, owner.email)).toBe(plain(other, fresh.email))
    expect((await mailbox.to(owner.email)).subject).toBe("You already have an account")
  })

  it("is of no use to another browser", async () => {
    const { page } = await unproved()
    const other = browserOf()
    await other.get("/sign-in")
    expect((await other.get(page.url)).status).toBe(404)
  })
})

describe("who is not let in", () => {
  it.each([
    ["no address", undefined],
    ["what is no address", "ada"],
  ])("is somebody of whom the provider tells %s", async (_, email) => {
    const { subject } = somebody({ email })
    const browser = browserOf()
    const page = await signInWithProvider(browser, node.url)
    expect(page.status).toBe(403)
    expect(problemOf(page)).toMatch(
      /^Example Login does not tell your email address, without which there is no account here\./,
    )
    expect(await identityOf(subject)).toEqual([])
  })

  it("is somebody of none of the groups, each time they sign in", async () => {
    const identity = { ...provider.config, allowedGroups: ["staff", "guests"] }
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const own = await startIdentityProvider([url])
    try {
      await onOtherNode({ port, identity: { ...own.config, allowedGroups: identity.allowedGroups } }, async () => {
        const { subject, email } = somebody({ groups: ["guests", "more"] }, own)
        const browser = browserOf()
        await signInWithProvider(browser, url)
        expect(await emailIn(browser, url)).toBe(email)
        for (const groups of [["more"], [], undefined]) {
          own.people.set(subject, { email, email_verified: true, groups })
          const page = await signInWithProvider(browserOf(), url)
          expect(page.status).toBe(403)
          expect(problemOf(page)).toMatch(/is in none of the groups that may sign in here/)
        }
      })
    } finally {
      await own.stop()
    }
  })

  it.each([
    ["closed", /sign-up is closed/],
    ["invited", /only people who were invited get an account here/],
  ] as const)("is a stranger where SIGN_UP is %s; who has an account is", async (signUp, sentence) => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const own = await startIdentityProvider([url])
    try {
      await onOtherNode({ port, identity: own.config, signUp }, async () => {
        const { email } = somebody({}, own)
        const page = await signInWithProvider(browserOf(), url)
        expect(page.status).toBe(403)
        expect(problemOf(page)).toMatch(sentence)
        expect(await userOf(email)).toBeNull()
        const owner = await makeMember(node, "Olga")
        somebody({ email: owner.email }, own)
        const browser = browserOf()
        await signInWithProvider(browser, url)
        expect(await emailIn(browser, url)).toBe(owner.email)
      })
    } finally {
      await own.stop()
    }
  })

  it("is somebody whom the provider refuses, or who cancels", async () => {
    provider.subject = ""
    const page = await signInWithProvider(browserOf(), node.url)
    expect(page.status).toBe(403)
    expect(problemOf(page)).toBe("Example Login did not sign you in: it refused, or you cancelled.")
  })
})

describe("an answer that was tampered with", () => {
  let browser: FormClient
  let subject: string
  beforeEach(async () => {
    browser = browserOf()
    await browser.get("/sign-in")
    subject = somebody().subject
  })

  const begin = async (by = browser) => throughProvider(by, await by.get("/sign-in/provider"), node.url)
  const changed = (address: string, name: string, value: string) => {
    const url = new URL(address)
    url.searchParams.set(name, value)
    return url.href
  }

  async function expectRefused(address: string, sentence: RegExp, by = browser): Promise<void> {
    const page = await by.get(address)
    expect(page.status).toBe(403)
    expect(problemOf(page)).toMatch(sentence)
    expect(await emailIn(by)).toBeUndefined()
    expect(await identityOf(subject)).toEqual([])
  }

  it("is refused with the state of another sign-in, whose nonce is another", async () => {
    const [one, two] = [await begin(), await begin()]
    const state = new URL(two).searchParams.get("state") as string
    await expectRefused(changed(one, "state", state), /too old/)
  })

  it("is refused with a nonce that was asked for by another sign-in of the same browser", async () => {
    const [one, two] = await Promise.all([browser.get("/sign-in/provider"), browser.get("/sign-in/provider")])
    const nonce = new URL(two.location as string).searchParams.get("nonce") as string
    const mixed = { ...one, location: changed(one.location as string, "nonce", nonce) }
    await expectRefused(await throughProvider(browser, mixed, node.url), /does not belong to this sign-in/)
  })

  it("is refused with a state that nobody has begun, or none", async () => {
    await expectRefused(changed(await begin(), "state", "a".repeat(40)), /begun in another browser/)
    const without = new URL(await begin())
    without.searchParams.delete("state")
    await expectRefused(without.href, /begun in another browser/)
  })

  it("is refused in another browser, to which somebody sent it", async () => {
    const other = browserOf()
    await other.get("/sign-in")
    await expectRefused(await begin(), /begun in another browser/, other)
    await expectRefused(await begin(), /begun in another browser/, browserOf())
  })

  it("is refused with the code of another browser's sign-in", async () => {
    const other = browserOf()
    const code = new URL(await begin(other)).searchParams.get("code") as string
    await expectRefused(changed(await begin(), "code", code), /too old/)
  })

  it("is refused from another issuer than was asked", async () => {
    await expectRefused(changed(await begin(), "iss", "https://evil.example"), /does not belong to this sign-in/)
  })

  it("is refused when it comes again", async () => {
    const address = await begin()
    await browser.get(address)
    expect(await emailIn(browser)).toBeDefined()
    const replayed = await browser.get(address)
    expect(problemOf(replayed)).toMatch(/used already/)
    const other = browserOf()
    const page = await other.get(address)
    expect(problemOf(page)).toMatch(/begun in another browser/)
    expect(await emailIn(other)).toBeUndefined()
  })
})

describe("a provider that is not well", () => {
  it.each([600_000, -600_000])("is refused with a clock that is %i ms off", async (clockOffMs) => {
    const together = separateClocks()
    try {
      const { subject } = somebody()
      provider.clockOffMs = clockOffMs
      const page = await signInWithProvider(browserOf(), node.url)
      expect(page.status).toBe(403)
      expect(problemOf(page)).toMatch(/^The clocks of Example Login and of this service are more than 5 minutes apart/)
      expect(await identityOf(subject)).toEqual([])
    } finally {
      provider.clockOffMs = 0
      together()
    }
  })

  it.each(["closed", "silent"])("leaves passwords as they are while its port is %s", async (how) => {
    const server = http.createServer(() => {})
    const stop = how === "silent" ? await listening(server) : undefined
    const port = how === "silent" ? (server.address() as AddressInfo).port : await freePort()
    const identity = { ...provider.config, issuer: `http://127.0.0.1:${port}` }
    await onOtherNode({ identity }, async (url) => {
      const member = await makeMember(node, "Paul")
      const browser = createFormClient(url)
      const page = await browser.get("/sign-in")
      expect(page.status).toBe(200)
      const refused = await browser.get("/sign-in/provider")
      expect(refused.status).toBe(503)
      expect(problemOf(refused)).toBe("Example Login cannot be reached at the moment. Try again shortly.")
      const signedIn = await browser.submit(refused, "/sign-in", { email: member.email, password: PASSWORD })
      expect(signedIn).toMatchObject({ status: 303, location: "/" })
      expect((await browser.send("/sign-out", (await browser.get("/account")).form("/sign-out"))).location).toBe(
        "/sign-in?done=signed-out",
      )
    })
    await stop?.()
  })

  it("is asked again by the next who signs in, once it is back", async () => {
    const [port, itsPort] = [await freePort(), await freePort()]
    const url = `http://127.0.0.1:${port}`
    const identity = { ...provider.config, issuer: `http://127.0.0.1:${itsPort}` }
    await onOtherNode({ port, identity }, async () => {
      expect((await createFormClient(url).get("/sign-in/provider")).status).toBe(503)
      const back = await startIdentityProvider([url], "Example Login", itsPort)
      const { email } = somebody({}, back)
      const browser = browserOf()
      await signInWithProvider(browser, url)
      expect(await emailIn(browser, url)).toBe(email)
      await back.stop()
      expect((await browser.get(`${url}/devices`)).status).toBe(200)
      expect((await signInWithProvider(browserOf(), url).catch(({ code }) => code)) as string).toBe("ECONNREFUSED")
    })
  })

  it("is refused when it names another issuer than OIDC_ISSUER", async () => {
    const server = http.createServer(async (_request, response) => {
      const itsOwn = await fetch(`${provider.issuer}/.well-known/openid-configuration`)
      response.setHeader("Content-Type", "application/json").end(await itsOwn.text())
    })
    const stop = await listening(server)
    const identity = { ...provider.config, issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    await onOtherNode({ identity }, async (url) => {
      const page = await createFormClient(url).get("/sign-in/provider")
      expect(page.status).toBe(403)
      expect(problemOf(page)).toMatch(/it names another issuer than OIDC_ISSUER/)
    })
    await stop()
  })

  it("is not asked by the page where people sign in", async () => {
    provider.asked.length = 0
    await browserOf().get("/sign-in")
    expect(provider.asked).toEqual([])
  })
})

describe("signing out", () => {
  it("ends the session here, then the one at the provider, and leads back", async () => {
    const { email } = somebody()
    const browser = browserOf()
    await signInWithProvider(browser, node.url)
    expect(await emailIn(browser)).toBe(email)
    const out = await browser.send("/sign-out", (await browser.get("/account")).form("/sign-out"))
    expect(out.title).toBe("You have signed out")
    expect(await emailIn(browser)).toBeUndefined()
    const address = /http-equiv="refresh" content="0; url=([^"]*)"/
      .exec(out.text)?.[1]
      ?.replaceAll("&amp;", "&") as string
    expect(address.startsWith(`${provider.issuer}/session/end?`)).toBe(true)
    const asks = await browser.get(address)
    const confirmed = await browser.send(`${provider.issuer}/session/end/confirm`, {
      xsrf: /name="xsrf" value="([^"]*)"/.exec(asks.text)?.[1] as string,
      logout: "yes",
    })
    expect(confirmed.location).toBe(`${node.url}/sign-out`)
    expect((await browser.follow(confirmed)).location).toBe("/sign-in?done=signed-out")
  })

  it("asks no provider for a session that began with a password", async () => {
    const { browser } = await makeMember(node, "Quin")
    const out = await browser.send("/sign-out", (await browser.get("/account")).form("/sign-out"))
    expect(out).toMatchObject({ status: 303, location: "/sign-in?done=signed-out" })
  })

  it("signs nobody out by a link", async () => {
    const { browser, email } = await makeMember(node, "Rosa")
    expect((await browser.get("/sign-out")).location).toBe("/")
    expect(await emailIn(browser)).toBe(email)
  })
})

describe("PASSWORD_SIGN_IN=off", () => {
  it("takes no password, offers none, and leaves the provider", async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const own = await startIdentityProvider([url])
    try {
      await onOtherNode({ port, identity: own.config, passwordSignIn: false }, async () => {
        const member = await makeMember(node, "Sven")
        const browser = createFormClient(url)
        const page = await browser.get("/sign-in")
        expect(page.text).not.toMatch(/type="password"|\/sign-up|\/reset-password/)
        expect(page.text).toContain("Sign in with Example Login")
        const { csrf } = (await createFormClient(node.url).get("/sign-in")).form("/sign-in")
        expect(csrf).toBeDefined()
        expect((await browser.get("/sign-up?next=%2Fdevices")).location).toBe("/sign-in?next=%2Fdevices")
        expect((await browser.get("/reset-password")).status).toBe(403)
        const { browser: inside } = member
        const ours = (await inside.get(`${url}/devices`)).form("/sign-out")
        const refused = await inside.send(`${url}/sign-in`, { ...ours, email: member.email, password: PASSWORD })
        expect(refused.status).toBe(403)
        expect(problemOf(refused)).toBe("Sign in with Example Login: passwords are not taken.")
        expect((await inside.send(`${url}/sign-up`, { ...ours, email: "new@example.org" })).status).toBe(403)
        expect((await inside.send(`${url}/reset-password`, { ...ours, email: member.email })).status).toBe(403)
        const { id, passwordHash } = (await userOf(member.email))!
        const link = { email: member.email, userId: String(id), next: undefined }
        const token = await createMailedLink(node.database, "reset-password", link)
        const finish = `${url}/reset-password/finish?token=${token}`
        expect((await inside.get(finish)).status).toBe(403)
        expect((await inside.send(finish, { ...ours, password: "another horse battery" })).status).toBe(403)
        const passwords = { oldPassword: PASSWORD, newPassword: "another horse battery" }
        expect((await inside.send(`${url}/account/password`, { ...ours, ...passwords })).status).toBe(403)
        expect((await userOf(member.email))?.passwordHash).toBe(passwordHash)
        const { email } = somebody({}, own)
        const other = browserOf()
        await signInWithProvider(other, url)
        expect(await emailIn(other, url)).toBe(email)
        expect((await other.get(`${url}/account`)).text).not.toMatch(/type="password"/)
        const theirs = (await other.get(`${url}/devices`)).form("/sign-out")
        expect((await other.send(`${url}/account/password`, { ...theirs, ...passwords })).status).toBe(403)
        expect((await userOf(email))?.passwordHash).toBeNull()
      })
    } finally {
      await own.stop()
    }
  })
})

describe("without OIDC_ISSUER", () => {
  it("there is nothing of a provider", async () => {
    await onOtherNode({ identity: undefined }, async (url) => {
      const browser = createFormClient(url)
      expect((await browser.get("/sign-in")).text).not.toContain("/sign-in/provider")
      for (const path of ["/sign-in/provider", "/sign-in/provider/callback?code=a&state=b"])
        expect((await browser.get(path)).status).toBe(404)
    })
  })
})
