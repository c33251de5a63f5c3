import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { promoteUser } from "../../src/accounts/administration.rows.js"
import { countFailure } from "../../src/accounts/attempts.js"
import { insertLink } from "../../src/accounts/invitation-link.commands.js"
import { insertList } from "../../src/resources/list/list.statements.js"
import { type Member, makeMember } from "../support/account.js"
import { runCli } from "../support/cli.js"
import { createFormClient, type FormClient, type LoadedPage } from "../support/form-client.js"
import { freePort } from "../support/free-port.js"
import {
  signInWithProvider,
  startIdentityProvider,
  type TestIdentityProvider,
  throughProvider,
} from "../support/identity-provider.js"
import { linkIn, type Mailbox, startMailbox } from "../support/mailbox.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"

const PATH = "/invitation-links"
const OVER = "This invitation is over"

let node: TestNode
let closed: { url: string; stop(): Promise<void> }
let mailbox: Mailbox
let provider: TestIdentityProvider

// One node where SIGN_UP is invited, and one where it is closed, with an OpenID provider, on the same database.
beforeAll(async () => {
  mailbox = await startMailbox()
  const port = await freePort()
  provider = await startIdentityProvider([`http://127.0.0.1:${port}`])
  node = await startNode({ smtpUrl: mailbox.url, signUp: "invited" })
  closed = await startNodeOn(node.databaseUrl, {
    smtpUrl: mailbox.url,
    signUp: "closed",
    port,
    identity: provider.config,
  })
  vi.stubEnv("DATABASE_URL", node.databaseUrl)
  vi.stubEnv("PUBLIC_URL", node.url)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await closed.stop()
  await node.stop()
  await provider.stop()
  await mailbox.stop()
})

const textOf = ({ text }: LoadedPage) => text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ")
const addressIn = ({ text }: LoadedPage) => /<span class="secret">([^<]*)<\/span>/.exec(text)?.[1]
const FIELDS = { email: "", listId: "", uses: "1", days: "7" }

async function administrator(): Promise<Member> {
  const member = await makeMember(node, "Admin")
  await promoteUser(node.database, String(member.id))
  return member
}

const invite = async (member: Member, fields: Partial<typeof FIELDS> = {}, at = node.url) => {
  const { csrf = "" } = (await member.browser.get(`${at}/account`)).form("/account/name")
  return member.browser.send(`${at}${PATH}`, { csrf, ...FIELDS, ...fields })
}

/** The path of a new link. */
async function invitation(member: Member, fields: Partial<typeof FIELDS> = {}, at = node.url): Promise<string> {
  const reply = await invite(member, fields, at)
  const address = addressIn(reply)
  if (address === undefined) throw new Error(`${reply.status} ${textOf(reply)}`)
  return new URL(address).pathname + new URL(address).search
}

let count = 0
const newAddress = () => `guest.${++count}@example.org`

/** From the link to the page where name and password are chosen; undefined when no mail came that leads there. */
async function askWith(path: string, email: string, at = node.url): Promise<{ browser: FormClient; page: LoadedPage }> {
  const browser = createFormClient(at)
  const asked = await browser.submit(await browser.get(path), "/sign-up", { email })
  expect([asked.status, asked.title]).toEqual([200, "Check your email"])
  return {
    browser,
    page: await browser.get(linkIn(await mailbox.to(email, /Finish/)).replace(/^https?:\/\/[^/]+/, at)),
  }
}
const finish = ({ browser, page }: { browser: FormClient; page: LoadedPage }) =>
  browser.submit(page, "/sign-up/finish", { name: "Guest", password: "analytical engine" })

const userOf = (email: string) =>
  node.database.prisma.user.findUnique({ where: { email }, include: { memberships: { where: { owner: false } } } })

/** A list of a member's. */
async function listOf(member: Member, title = "Trip"): Promise<bigint> {
  const [list] = await node.database.run(insertList, [title, member.id, "r", false, null])
  return BigInt((list as { id: string }).id)
}

describe("an invitation link", () => {
  it("lets somebody sign up whom nobody has invited to a list, once, and is stored as a hash", async () => {
    const ann = await makeMember(node)
    const path = await invitation(ann)
    const token = new URLSearchParams(path.split("?")[1]).get("invitation") as string
    expect(token).toMatch(/^[\w-]{40}$/)
    const rows = await node.database.prisma.$queryRaw`select l::text from invitation_links l`
    expect(JSON.stringify(rows)).not.toContain(token)
    const email = newAddress()
    expect(await finish(await askWith(path, email))).toMatchObject({ status: 303, location: "/account?done=signed-up" })
    expect(await userOf(email)).toMatchObject({ verifiedAt: expect.any(Date), memberships: [] })
    const again = await createFormClient(node.url).get(path)
    expect(again).toMatchObject({ status: 404, title: OVER })
  })

  it("joins its list at once, as an invitation that is accepted, also for a person who was invited there by address", async () => {
    const ann = await makeMember(node)
    const listId = await listOf(ann)
    const path = await invitation(ann, { listId: String(listId), uses: "2" })
    const email = newAddress()
    expect((await finish(await askWith(path, email))).status).toBe(303)
    expect((await userOf(email))?.memberships).toMatchObject([
      { listId, state: "accepted", createdById: BigInt(ann.id) },
    ])
    const known = newAddress()
    await node.database.prisma.$executeRaw`insert into users (name, email) values ('x', ${known})`
    await node.database.prisma.$executeRaw`insert into memberships (list_id, user_id, by_address, created_by_id)
      select ${listId}, id, true, ${BigInt(ann.id)} from users where email = ${known}`
    expect((await finish(await askWith(path, known))).status).toBe(303)
    expect((await userOf(known))?.memberships).toMatchObject([{ listId, state: "accepted" }])
  })

  it("for one address mails no other, and its page answers all alike", async () => {
    const [ann, email, other] = [await makeMember(node), newAddress(), newAddress()]
    const path = await invitation(ann, { email: email.toUpperCase() })
    const browser = createFormClient(node.url)
    const page = await browser.get(path)
    expect(page.text).not.toContain(email)
    const asked = await browser.submit(page, "/sign-up", { email: other })
    const right = await browser.submit(page, "/sign-up", { email })
    const plain = (reply: LoadedPage, of: string) => reply.text.replaceAll(of, "X")
    expect(plain(asked, other)).toBe(plain(right, email))
    expect(await finish({ browser, page: await browser.get(linkIn(await mailbox.to(email))) })).toMatchObject({
      status: 303,
    })
    expect(mailbox.mails.filter(({ to }) => to === other)).toEqual([])
  })

  it("lets exactly one of two through who finish with its last use at the same moment", async () => {
    const path = await invitation(await makeMember(node))
    const emails = [newAddress(), newAddress()]
    const both = [await askWith(path, emails[0] as string), await askWith(path, emails[1] as string)]
    const statuses = (await Promise.all(both.map(finish))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([303, 404])
    expect((await Promise.all(emails.map(userOf))).filter((user) => user !== null)).toHaveLength(1)
  })

  it.each([
    [
      "revoked",
      async (_: string, ann: Member) => {
        const page = await ann.browser.get(PATH)
        const id = /invitation-links\/(\d+)\/revoke/.exec(page.text)?.[1]
        expect(await ann.browser.submit(page, `${PATH}/${id}/revoke`)).toMatchObject({
          location: `${PATH}?done=revoked`,
        })
      },
    ],
    [
      "too old",
      async (_: string, ann: Member) => {
        await node.database.prisma.invitationLink.updateMany({
          where: { makerId: BigInt(ann.id) },
          data: { expiresAt: new Date() },
        })
      },
    ],
    [
      "of a user who is kept out",
      async (_: string, ann: Member) => {
        await node.database.prisma.disabledUser.create({ data: { userId: BigInt(ann.id) } })
      },
    ],
    [
      "of a user who is deleted",
      async (_: string, ann: Member) => {
        expect((await runCli("user", "delete", "--user", ann.email, "--yes")).code).toBe(0)
      },
    ],
  ])("that is %s says that it is over and nothing else, and ends what was begun with it", async (_, end) => {
    const ann = await makeMember(node)
    const path = await invitation(ann, { uses: "5" })
    const begun = await askWith(path, newAddress())
    const before = await createFormClient(node.url).get(path)
    expect(before.status).toBe(200)
    await end(path, ann)
    const browser = createFormClient(node.url)
    const over = await browser.get(path)
    const unknown = await browser.get("/sign-up?invitation=guess")
    expect([over.status, over.title]).toEqual([404, OVER])
    expect(over.text).toBe(unknown.text)
    expect((await finish(begun)).status).toBe(404)
    expect((await browser.submit(before, "/sign-up", { email: newAddress() })).status).toBe(403)
  })

  it("of a list ends with its maker's membership and with the list", async () => {
    const [ann, bob] = [await makeMember(node), await makeMember(node, "Bob")]
    const listId = await listOf(ann)
    await node.database.prisma
      .$executeRaw`insert into memberships (list_id, user_id, state, created_by_id) values (${listId}, ${BigInt(bob.id)}, 'accepted', ${BigInt(ann.id)})`
    const [byBob, byAnn] = [
      await invitation(bob, { listId: String(listId) }),
      await invitation(ann, { listId: String(listId) }),
    ]
    const statusOf = async (path: string) => (await createFormClient(node.url).get(path)).status
    expect(await statusOf(byBob)).toBe(200)
    await node.database.prisma.membership.deleteMany({ where: { listId, userId: BigInt(bob.id) } })
    expect([await statusOf(byBob), await statusOf(byAnn)]).toEqual([404, 200])
    await node.database.prisma.list.update({ where: { id: listId }, data: { deletedAt: new Date() } })
    expect(await statusOf(byAnn)).toBe(404)
  })
})

describe("making invitation links", () => {
  it.each([
    [{ uses: "0" }, "Uses must be a whole number from 1 to 100"],
    [{ uses: "101" }, "Uses must be a whole number from 1 to 100"],
    [{ uses: "x" }, "Uses must be a whole number from 1 to 100"],
    [{ days: "0" }, "Days must be a whole number from 1 to 30"],
    [{ days: "31" }, "Days must be a whole number from 1 to 30"],
    [{ email: "no address" }, "Email address "],
    [{ email: "a@example.org", uses: "2" }, "Uses must be 1 where an address is given"],
    [{ listId: "999999" }, "List must be a list that can be shared"],
  ])("refuses %j", async (fields, words) => {
    const ann = await makeMember(node)
    await listOf(ann)
    const reply = await invite(ann, fields)
    expect([reply.status, textOf(reply)]).toEqual([422, expect.stringContaining(words)])
    expect(await node.database.prisma.invitationLink.count({ where: { makerId: BigInt(ann.id) } })).toBe(0)
  })

  it("takes the largest and smallest values", async () => {
    const ann = await makeMember(node)
    expect(await invitation(ann, { uses: "100", days: "30" })).toMatch("/sign-up?invitation=")
    expect(await invitation(ann, { uses: "1", days: "1" })).toMatch("/sign-up?invitation=")
  })

  it("refuses lists of others, and the inbox", async () => {
    const [ann, bob] = [await makeMember(node), await makeMember(node, "Bob")]
    const theirs = await listOf(bob)
    const inbox = await node.database.prisma.list.findFirstOrThrow({
      where: { ownerId: BigInt(ann.id), listType: "inbox" },
    })
    for (const listId of [theirs, inbox.id]) expect((await invite(ann, { listId: String(listId) })).status).toBe(422)
  })

  it("stops at 20 open ones of a user, also of many at once, and goes on when one is gone", async () => {
    const ann = await makeMember(node)
    for (let made = 0; made < 18; made++)
      await insertLink(node.database, ann.id, { email: undefined, listId: undefined, uses: 1, days: 1 }, new Date())
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => invite(ann)))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 200, 422, 422])
    const page = await ann.browser.get(PATH)
    const id = /invitation-links\/(\d+)\/revoke/.exec(page.text)?.[1]
    await ann.browser.submit(page, `${PATH}/${id}/revoke`)
    expect((await invite(ann)).status).toBe(200)
  })

  it("stops at 60 new ones in a quarter of an hour", async () => {
    const ann = await makeMember(node)
    for (let made = 0; made < 59; made++) await countFailure(node.database, ["invitation links of", ann.id], 60)
    expect((await invite(ann)).status).toBe(200)
    expect((await invite(ann)).status).toBe(429)
  })

  it("is for people who are signed in; members neither see nor revoke those of others, administrators do", async () => {
    const [ann, bob, admin] = [await makeMember(node), await makeMember(node, "Bob"), await administrator()]
    expect((await createFormClient(node.url).get(PATH)).status).toBe(302)
    const listId = await listOf(ann, "Secret plans")
    const path = await invitation(ann, { listId: String(listId) })
    const id = /invitation-links\/(\d+)\/revoke/.exec((await ann.browser.get(PATH)).text)?.[1] as string
    const ofBob = await bob.browser.get(PATH)
    expect(ofBob.text).not.toContain(`/${id}/revoke`)
    const { csrf = "" } = ofBob.form(PATH)
    expect((await bob.browser.send(`${PATH}/${id}/revoke`, { csrf })).status).toBe(404)
    const ofAdmin = await admin.browser.get(PATH)
    expect([textOf(ofAdmin), ofAdmin.text]).toEqual([
      expect.stringContaining(`by ${ann.email}`),
      expect.not.stringContaining("Secret plans"),
    ])
    expect((await admin.browser.submit(ofAdmin, `${PATH}/${id}/revoke`)).status).toBe(303)
    expect((await createFormClient(node.url).get(path)).status).toBe(404)
    const acts = await node.database.prisma.administrativeAct.findMany({ where: { actor: admin.email } })
    expect(acts.map(({ act, subject }) => [act, subject])).toEqual([["revoke invitation", `invitation link ${id}`]])
  })
})

describe("SIGN_UP=closed", () => {
  it("takes links of administrators and operators, and none of members", async () => {
    const [ann, admin] = [await makeMember(node), await administrator()]
    const refused = await invite(ann, {}, closed.url)
    expect([refused.status, textOf(refused)]).toEqual([
      403,
      expect.stringContaining("only administrators invite people"),
    ])
    const before = await invitation(ann)
    const browser = createFormClient(closed.url)
    expect([(await browser.get(before)).status, (await browser.get("/sign-up")).status]).toEqual([404, 403])
    const path = await invitation(admin, {}, closed.url)
    const email = newAddress()
    expect((await finish(await askWith(path, email, closed.url))).status).toBe(303)
    const acts = await node.database.prisma.administrativeAct.findMany({ where: { actor: admin.email } })
    expect(acts.map(({ act, subject }) => [act, subject])).toEqual([
      ["invite", expect.stringMatching(/^invitation link \d+, 1 uses$/)],
    ])
  })

  it("takes those of tandem user invite, which lists and revokes links too, and is written down", async () => {
    const ann = await makeMember(node)
    const listId = await listOf(ann)
    const { json } = await runCli("user", "invite", "--uses", "2", "--list", String(listId), "--json")
    expect(json).toMatchObject({
      link: expect.stringMatching(`^${node.url}/sign-up\\?invitation=[\\w-]{40}$`),
      uses: 2,
      days: 7,
    })
    const path = (json.link as string).slice(node.url.length)
    const email = newAddress()
    expect((await finish(await askWith(path, email, closed.url))).status).toBe(303)
    expect((await userOf(email))?.memberships).toMatchObject([{ listId, state: "accepted" }])
    const shown = (await runCli("user", "invitations", "--json")).json
    expect(shown.find(({ id }: { id: number }) => id === json.id)).toMatchObject({
      made_by: null,
      list_id: Number(listId),
      uses_left: 1,
    })
    expect((await runCli("user", "revoke-invitation", "--id", String(json.id))).code).toBe(0)
    expect((await createFormClient(closed.url).get(path)).status).toBe(404)
    expect((await runCli("user", "revoke-invitation", "--id", String(json.id))).err).toContain(
      `--id: there is no invitation link ${json.id}`,
    )
    for (const words of [
      ["--uses", "101"],
      ["--days", "0"],
      ["--list", "999999"],
      ["--email", "x"],
      ["--email", "x@example.org", "--uses", "2"],
    ])
      expect([words, (await runCli("user", "invite", ...words)).code]).toEqual([words, expect.toBeOneOf([1, 2])])
    const acts = await node.database.prisma.administrativeAct.findMany({
      where: { act: { in: ["user invite", "user revoke-invitation"] } },
    })
    expect(acts.map(({ act }) => act)).toEqual(["user invite", "user revoke-invitation"])
  })

  it("creates the account of somebody who goes on to the OpenID provider with a link, once, and joins its list", async () => {
    const admin = await administrator()
    const listId = await listOf(admin)
    const path = await invitation(admin, { listId: String(listId) }, closed.url)
    const people = [newAddress(), newAddress()]
    for (const email of people) provider.people.set(email, { email, email_verified: true, name: "Guest" })
    const come = async (email: string) => {
      provider.subject = email
      const browser = createFormClient(closed.url)
      const page = await browser.get(path)
      const to = /href="(\/sign-in\/provider\?[^"]*)"/.exec(page.text)?.[1] as string
      return { browser, back: await throughProvider(browser, await browser.get(to), closed.url) }
    }
    const [one, two] = [await come(people[0] as string), await come(people[1] as string)]
    expect(await one.browser.get(one.back)).toMatchObject({ status: 303, location: "/" })
    expect((await userOf(people[0] as string))?.memberships).toMatchObject([{ listId, state: "accepted" }])
    const late = await two.browser.get(two.back)
    expect([late.status, textOf(late)]).toEqual([
      403,
      expect.stringContaining("This invitation is over, or is for another address"),
    ])
    expect(await userOf(people[1] as string)).toBeNull()
    const stranger = createFormClient(closed.url)
    expect((await signInWithProvider(stranger, closed.url)).status).toBe(403)
  })

  it("lets somebody prove by mail an address that the provider does not prove", async () => {
    const admin = await administrator()
    const path = await invitation(admin, {}, closed.url)
    const email = newAddress()
    provider.people.set(email, { email, email_verified: false, name: "Guest" })
    provider.subject = email
    const browser = createFormClient(closed.url)
    const invitationQuery = path.slice(path.indexOf("?"))
    const asked = await browser.get(
      await throughProvider(browser, await browser.get(`/sign-in/provider${invitationQuery}`), closed.url),
    )
    const page = await browser.follow(asked)
    expect((await browser.submit(page, "/sign-in/provider/mail")).status).toBe(200)
    const confirm = await browser.get(linkIn(await mailbox.to(email)))
    expect((await browser.submit(confirm, "/sign-in/provider/confirm")).status).toBe(303)
    expect(await userOf(email)).toMatchObject({ passwordHash: null })
    expect((await createFormClient(closed.url).get(path)).status).toBe(404)
  })
})

describe("somebody who has an account", () => {
  it("uses up no link, and is told by mail that there is an account", async () => {
    const [ann, bob] = [await makeMember(node), await makeMember(node, "Bob")]
    const path = await invitation(ann)
    const browser = createFormClient(node.url)
    await browser.submit(await browser.get(path), "/sign-up", { email: bob.email })
    expect((await mailbox.to(bob.email)).subject).toBe("You already have an account")
    expect((await browser.get(path)).status).toBe(200)
  })
})
