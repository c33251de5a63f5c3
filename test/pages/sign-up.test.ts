import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createMailedLink } from "../../src/accounts/mailed-link.js"
import { authorizePath, makeApplication, makeMember, PASSWORD } from "../support/account.js"
import { createFormClient, type FormClient } from "../support/form-client.js"
import { linkIn, type Mailbox, startMailbox } from "../support/mailbox.js"
import { makeList, makePerson } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"

let node: TestNode
let mailbox: Mailbox

beforeAll(async () => {
  mailbox = await startMailbox()
  node = await startNode({ smtpUrl: mailbox.url, mailFrom: "Tandem <tandem@example.org>" })
})
afterAll(async () => {
  await node.stop()
  await mailbox.stop()
})

const pathOf = (link: string) => link.slice(node.url.length)

async function askToSignUp(email: string, browser: FormClient = createFormClient(node.url), path = "/sign-up") {
  const reply = await browser.submit(await browser.get(path), "/sign-up", { email })
  return { browser, reply }
}

async function signUp(email: string, name = "Ada Lovelace", password = "analytical engine"): Promise<FormClient> {
  const { browser } = await askToSignUp(email)
  const page = await browser.get(pathOf(linkIn(await mailbox.to(email, /Finish/))))
  const reply = await browser.submit(page, "/sign-up/finish", { name, password })
  expect(reply).toMatchObject({ status: 303, location: "/account?done=signed-up" })
  return browser
}

describe("signing up", () => {
  it("takes an address, its mailed link, a name and a password", async () => {
    const browser = await signUp("ada.one@example.org")
    const page = await browser.get("/account")
    expect(page.text).toContain("Ada Lovelace")
    const mail = await mailbox.to("ada.one@example.org")
    expect(mail.from).toBe("tandem@example.org")
    expect(
      await node.database.prisma.user.findUniqueOrThrow({ where: { email: "ada.one@example.org" } }),
    ).toMatchObject({
      name: "Ada Lovelace",
      passwordHash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/),
      verifiedAt: expect.any(Date),
    })
  })

  it("makes nobody before the link is used; the link is good once, and opening it uses nothing up", async () => {
    const { browser } = await askToSignUp("ada.two@example.org")
    const path = pathOf(linkIn(await mailbox.to("ada.two@example.org")))
    expect(await node.database.prisma.user.count({ where: { email: "ada.two@example.org" } })).toBe(0)
    await browser.get(path)
    const page = await browser.get(path)
    const chosen = { name: "Ada", password: "analytical engine" }
    const stranger = createFormClient(node.url)
    const late = await stranger.get(path)
    expect((await browser.submit(page, "/sign-up/finish", chosen)).status).toBe(303)
    expect((await stranger.submit(late, "/sign-up/finish", chosen)).status).toBe(404)
    expect((await browser.get(path)).status).toBe(404)
    expect((await browser.get("/sign-up/finish?token=guess")).status).toBe(404)
    expect((await browser.get("/sign-up/finish")).status).toBe(404)
  })

  it("answers an address that has an account as one that has none, and tells its owner by mail", async () => {
    const { email } = await makeMember(node)
    const known = (await askToSignUp(email.toUpperCase())).reply
    const unknown = (await askToSignUp("ada.three@example.org")).reply
    const plain = (text: string, of: string) =>
      text.replaceAll(of, "ADDRESS").replaceAll(/name="csrf" value="[^"]*"/g, "")
    expect(known.status).toBe(unknown.status)
    expect(plain(known.text, email)).toBe(plain(unknown.text, "ada.three@example.org"))
    expect((await mailbox.to(email)).subject).toBe("You already have an account")
  })

  it.each([
    ["short", "nine char"],
    ["tried first", "password123"],
    ["one sign again and again", "aaaaaaaaaaaa"],
    ["the address", "ada.four@example.org"],
  ])("refuses a password that is %s, and says why", async (_, password) => {
    const { browser } = await askToSignUp("ada.four@example.org")
    const page = await browser.get(pathOf(linkIn(await mailbox.to("ada.four@example.org"))))
    const reply = await browser.submit(page, "/sign-up/finish", { name: "Ada", password })
    expect(reply.status).toBe(422)
    expect(reply.text).toContain('aria-invalid="true"')
    expect(reply.text).not.toMatch(/<input type="password"[^>]* value=/)
  })

  it("refuses what is no address and a blank name", async () => {
    for (const email of ["", "ada", "a b@example.org"]) expect((await askToSignUp(email)).reply.status).toBe(422)
    const { browser } = await askToSignUp("ada.five@example.org")
    const page = await browser.get(pathOf(linkIn(await mailbox.to("ada.five@example.org"))))
    expect((await browser.submit(page, "/sign-up/finish", { name: "  ", password: "analytical engine" })).status).toBe(
      422,
    )
  })

  it("goes on to the consent that it was begun for", async () => {
    const application = await makeApplication(node)
    const path = authorizePath(application, { state: "a b&c" })
    const browser = createFormClient(node.url)
    const signIn = await browser.follow(await browser.get(path))
    const toSignUp = /href="(\/sign-up[^"]*)"/.exec(signIn.text)?.[1] as string
    await askToSignUp("ada.six@example.org", browser, toSignUp.replaceAll("&amp;", "&"))
    const page = await browser.get(pathOf(linkIn(await mailbox.to("ada.six@example.org"))))
    const reply = await browser.submit(page, "/sign-up/finish", { name: "Ada", password: "analytical engine" })
    expect(reply).toMatchObject({ status: 303, location: path })
    expect(await browser.follow(reply)).toMatchObject({ status: 200, title: "Allow Planner?" })
  })

  it("takes over the invitations that were sent to the address, whatever its letters' case", async () => {
    const bob = await makePerson(node, "Bob")
    const list = await makeList(bob, "Trip")
    const invited = await bob.post("/memberships", { list_id: list.id, email: "Ada.Seven@Example.org" })
    expect(invited.status).toBe(201)
    const placeholder = invited.body.user_id
    const refused = createFormClient(node.url)
    const attempt = await refused.submit(await refused.get("/sign-in"), "/sign-in", {
      email: "ada.seven@example.org",
      password: "",
    })
    expect(attempt.status).toBe(422)
    await signUp("ada.seven@example.org")
    const { id } = await node.database.prisma.user.findUniqueOrThrow({ where: { email: "ada.seven@example.org" } })
    expect(Number(id)).toBe(placeholder)
    expect(
      await node.database.prisma.membership.count({ where: { userId: id, listId: list.id, state: "pending" } }),
    ).toBe(1)
  })

  it("does not flood an address with mails", async () => {
    for (let index = 0; index < 8; index++) await askToSignUp("ada.eight@example.org")
    await mailbox.to("ada.eight@example.org")
    await node.database.prisma.$queryRaw`select pg_sleep(0.3)::text`
    expect(mailbox.mails.filter(({ to }) => to === "ada.eight@example.org")).toHaveLength(5)
  })

  it("names the service by its own address, whatever Host says", async () => {
    const browser = createFormClient(node.url)
    const page = await browser.get("/sign-up")
    await browser.send(
      "/sign-up",
      { ...page.form("/sign-up"), email: "ada.nine@example.org" },
      { host: "evil.example" },
    )
    expect(linkIn(await mailbox.to("ada.nine@example.org"))).toContain(`${node.url}/sign-up/finish?token=`)
  })
})

describe("a forgotten password", () => {
  async function askForReset(email: string) {
    const browser = createFormClient(node.url)
    return { browser, reply: await browser.submit(await browser.get("/reset-password"), "/reset-password", { email }) }
  }

  it("is replaced by the mailed link, and every browser is signed out", async () => {
    const member = await makeMember(node, "Grace")
    const { browser } = await askForReset(member.email)
    const path = pathOf(linkIn(await mailbox.to(member.email, /new password/)))
    const page = await browser.get(path)
    expect((await browser.submit(page, "/reset-password/finish", { password: "short" })).status).toBe(422)
    const reply = await browser.submit(page, "/reset-password/finish", { password: "nanoseconds of wire" })
    expect(reply).toMatchObject({ status: 303, location: "/sign-in?done=password-changed" })
    expect((await browser.submit(page, "/reset-password/finish", { password: "nanoseconds of wire" })).status).toBe(404)
    expect((await member.browser.get("/account")).status).toBe(302)
    const signIn = await browser.follow(reply)
    expect((await browser.submit(signIn, "/sign-in", { email: member.email, password: PASSWORD })).status).toBe(422)
    expect(
      (await browser.submit(signIn, "/sign-in", { email: member.email, password: "nanoseconds of wire" })).status,
    ).toBe(303)
    expect((await mailbox.to(member.email, /has changed/)).text).toContain("all other browsers have been signed out")
  })

  it("of an address that nobody has is answered alike, and mails nothing", async () => {
    const member = await makeMember(node)
    const known = (await askForReset(member.email)).reply
    const unknown = (await askForReset("nobody@example.org")).reply
    expect(known.text.replaceAll(member.email, "X")).toBe(unknown.text.replaceAll("nobody@example.org", "X"))
    await mailbox.to(member.email)
    expect(mailbox.mails.some(({ to }) => to === "nobody@example.org")).toBe(false)
  })
})

describe("signing up where SIGN_UP restricts it", () => {
  const askAt = async (url: string, email: string) => {
    const browser = createFormClient(url)
    return browser.submit(await browser.get("/sign-up"), "/sign-up", { email })
  }

  it("invited: mails a link to an invited address alone, and tells nobody which one that is", async () => {
    const invited = await startNodeOn(node.databaseUrl, { smtpUrl: mailbox.url, signUp: "invited" })
    try {
      const bob = await makePerson(node, "Bob")
      const list = await makeList(bob)
      const [email, other] = ["guest@example.org", "no.guest@example.org"]
      const { body } = await bob.post("/memberships", { list_id: list.id, email })
      const [unknown, known] = [await askAt(invited.url, other), await askAt(invited.url, email)]
      expect(known.text.replaceAll(email, "X")).toBe(unknown.text.replaceAll(other, "X"))
      const path = linkIn(await mailbox.to(email, /Finish/)).slice(invited.url.length)
      const browser = createFormClient(invited.url)
      const page = await browser.get(path)
      const chosen = { name: "Guest", password: "analytical engine" }
      expect((await browser.submit(page, "/sign-up/finish", chosen)).status).toBe(303)
      expect(await node.database.prisma.user.count({ where: { id: BigInt(body.user_id), email } })).toBe(1)
      expect(mailbox.mails.some(({ to }) => to === other)).toBe(false)
      // An invitation that was taken back while its link was on the way opens nothing.
      const late = await createMailedLink(node.database, "sign-up", { email: other, userId: null, next: undefined })
      const open = await browser.get(`/sign-up/finish?token=${late}`)
      expect((await browser.submit(open, "/sign-up/finish", chosen)).status).toBe(404)
      expect(await node.database.prisma.user.count({ where: { email: other } })).toBe(0)
    } finally {
      await invited.stop()
    }
  })

  it("closed: has no page for it, no link to one, and takes no link that was mailed before", async () => {
    const closed = await startNodeOn(node.databaseUrl, { smtpUrl: mailbox.url, signUp: "closed" })
    try {
      const browser = createFormClient(closed.url)
      const signIn = await browser.get("/sign-in")
      for (const page of [signIn, await browser.get("/")]) expect(page.text).not.toContain('href="/sign-up')
      const email = "late@example.org"
      const token = await createMailedLink(node.database, "sign-up", { email, userId: null, next: undefined })
      for (const path of ["/sign-up", `/sign-up/finish?token=${token}`])
        expect(await browser.get(path)).toMatchObject({ status: 403, title: "Not allowed" })
      const { csrf = "" } = signIn.form("/sign-in")
      expect((await browser.send("/sign-up", { csrf, email })).status).toBe(403)
      const chosen = { csrf, name: "Late", password: "analytical engine" }
      expect((await browser.send(`/sign-up/finish?token=${token}`, chosen)).status).toBe(403)
      expect(await node.database.prisma.user.count({ where: { email } })).toBe(0)
    } finally {
      await closed.stop()
    }
  })
})
