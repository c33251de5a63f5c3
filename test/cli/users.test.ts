import { Readable } from "node:stream"
import { Command } from "commander"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { addStats } from "../../src/cli/stats.js"
import { addTokenCreate } from "../../src/cli/token-create.js"
import { addUserCreate } from "../../src/cli/user-create.js"
import { addUserManage } from "../../src/cli/user-manage.js"
import { addUserResetPassword } from "../../src/cli/user-reset-password.js"
import { addUserUnlink } from "../../src/cli/user-unlink.js"
import { quiet } from "../live/listener.js"
import { jsonOf } from "../support/cli.js"
import { createFormClient } from "../support/form-client.js"
import { makeList, makePerson, makeTask } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"

const PASSWORD = "correct horse battery"

let node: TestNode

beforeAll(async () => {
  node = await startNode()
  vi.stubEnv("DATABASE_URL", node.databaseUrl)
  vi.stubEnv("PUBLIC_URL", node.url)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await node.stop()
})

/** Runs a command beside the running node; gives what it prints. */
async function tandem(...words: string[]): Promise<any> {
  const program = new Command().exitOverride()
  const users = program.command("user")
  addUserCreate(users)
  addUserManage(users)
  addUserResetPassword(users)
  addUserUnlink(users)
  addTokenCreate(program.command("token"))
  addStats(program)
  return jsonOf(program, words)
}

const createUser = async (name: string) =>
  (await tandem("user", "create", "--email", `${name}@example.org`, "--name", name, "--password", PASSWORD))
    .email as string

async function signIn(email: string, password = PASSWORD) {
  const browser = createFormClient(node.url)
  return browser.submit(await browser.get("/sign-in"), "/sign-in", { email, password })
}

describe("tandem user list", () => {
  it("shows every user with what they have, and no placeholder of an invitation", async () => {
    const owner = await makePerson(node, "Lister")
    const list = await makeList(owner)
    await owner.post("/memberships", { list_id: list.id, email: "nobody.yet@example.org" })
    await node.database.prisma.accessToken.updateMany({
      where: { userId: BigInt(owner.id) },
      data: { lastUsedAt: new Date() },
    })
    const found = await tandem("user", "list")
    expect(found.find(({ id }: { id: number }) => id === owner.id)).toEqual({
      id: owner.id,
      email: owner.email,
      name: "Lister",
      created_at: expect.any(String),
      last_used_at: expect.any(String),
      disabled_at: null,
      lists: 2,
      files: 0,
    })
    expect(JSON.stringify(found)).not.toContain("nobody.yet@example.org")
  })
})

describe("tandem user disable", () => {
  it("says what would end, and changes nothing, without --yes", async () => {
    const person = await makePerson(node, "Warned")
    await expect(tandem("user", "disable", "--user", person.email)).rejects.toThrow(
      `--yes: is required to disable ${person.email}, which ends 1 tokens, 0 webhooks and 0 calendar feeds`,
    )
    expect((await person.get("/root")).status).toBe(200)
  })

  it("ends tokens and webhooks within a second, and leaves what the user wrote", async () => {
    const [owner, other] = [await makePerson(node, "Gone"), await makePerson(node, "Stays")]
    const list = await makeList(owner)
    const task = await makeTask(owner, list)
    await owner.post("/memberships", { list_id: list.id, user_id: other.id })
    const [membership] = (await other.get("/memberships")).body.filter((one: any) => one.list_id === list.id)
    await other.patch(`/memberships/${membership.id}`, { state: "accepted", revision: membership.revision })
    await owner.post("/webhooks", {
      list_id: list.id,
      url: "https://example.org/",
      processor_type: "generic",
      configuration: "",
    })
    expect(await tandem("user", "disable", "--user", owner.email, "--yes")).toMatchObject({ tokens: 1, webhooks: 1 })
    await expect.poll(async () => (await owner.get("/root")).status, { timeout: 30_000 }).toBe(401)
    expect((await other.get(`/tasks/${task.id}`)).body.title).toBe("Buy milk")
    expect((await other.get(`/webhooks?list_id=${list.id}`)).body).toEqual([])
  })

  it("refuses to sign in with a sentence, to the right password alone, and gives no new token, until user enable", async () => {
    const email = await createUser("locked")
    await tandem("user", "disable", "--user", email, "--yes")
    const refused = await signIn(email)
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("was disabled")])
    const wrong = await signIn(email, "something else entirely")
    expect(wrong.text).not.toContain("was disabled")
    await expect(tandem("token", "create", "--user", email, "--client-id", "personal")).rejects.toThrow("is disabled")
    await expect(tandem("user", "reset-password", "--user", email)).rejects.toThrow("is disabled")
    expect(await tandem("user", "enable", "--user", email)).toMatchObject({ email, enabled: true })
    expect((await signIn(email)).status).toBe(303)
    await expect(tandem("user", "enable", "--user", email)).rejects.toThrow(`--user: ${email} is not disabled`)
  })

  it("ends a session that is being made at the same moment", async () => {
    const email = await createUser("racing")
    await Promise.all([signIn(email), signIn(email), tandem("user", "disable", "--user", email, "--yes")])
    const user = await node.database.prisma.user.findUnique({ where: { email }, include: { sessions: true } })
    expect(user?.sessions).toEqual([])
  })

  it("leaves nothing that was being made at the same moment, or is made by a token that has just ended", async () => {
    const ann = await makePerson(node, "Tireless")
    let isOver = false
    // With pauses, in which this process connects to the database for the command.
    const makers = Array.from({ length: 2 }, async () => {
      for (; !isOver; await quiet(10)) {
        await ann.graphql('mutation { createAccessToken(input: { name: "Spare" }) { token } }')
        await ann.graphql("mutation { createCalendarFeed(input: {}) { url } }")
        await ann.graphql(
          'mutation { createWebhook(input: { url: "https://example.org/", processorType: "generic" }) { id } }',
        )
      }
    })
    try {
      await tandem("user", "disable", "--user", ann.email, "--yes")
      await expect.poll(async () => (await ann.get("/user")).status, { timeout: 30_000 }).toBe(401)
    } finally {
      isOver = true
      await Promise.all(makers)
    }
    const where = { userId: BigInt(ann.id) }
    const { prisma } = node.database
    expect(await prisma.accessToken.count({ where: { ...where, revokedAt: null } })).toBe(0)
    expect(await prisma.calendarFeed.count({ where })).toBe(0)
    expect(await prisma.webhook.count({ where: { createdById: BigInt(ann.id) } })).toBe(0)
  })
})

describe("tandem user reset-password", () => {
  it("refuses with a sentence where passwords are off, with a link and with a password", async () => {
    vi.stubEnv("PASSWORD_SIGN_IN", "off")
    vi.stubEnv("OIDC_ISSUER", "https://id.example.org")
    vi.stubEnv("OIDC_CLIENT_ID", "tandem")
    vi.stubEnv("OIDC_CLIENT_SECRET", "secret of the client")
    try {
      for (const more of [[], ["--password-stdin"]])
        await expect(tandem("user", "reset-password", "--user", "nobody@example.org", ...more)).rejects.toThrow(
          "PASSWORD_SIGN_IN: is off, so no password opens an account here; nothing was changed",
        )
    } finally {
      for (const name of ["PASSWORD_SIGN_IN", "OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"])
        vi.stubEnv(name, "")
    }
  })

  it("prints a link that lets the user choose another password, once", async () => {
    const email = await createUser("forgetful")
    const { link } = await tandem("user", "reset-password", "--user", email)
    const browser = createFormClient(node.url)
    const path = link.slice(node.url.length)
    const page = await browser.get(path)
    const done = await browser.submit(page, "/reset-password/finish", { password: "another horse battery" })
    expect(done.status).toBe(303)
    expect((await signIn(email, "another horse battery")).status).toBe(303)
    expect((await browser.get(path)).status).not.toBe(200)
  })

  it("sets a password from standard input, and refuses a short one", async () => {
    const email = await createUser("piped")
    const stdin = vi.spyOn(process, "stdin", "get")
    try {
      stdin.mockReturnValue(Readable.from(["short\n"]) as unknown as typeof process.stdin)
      await expect(tandem("user", "reset-password", "--user", email, "--password-stdin")).rejects.toThrow()
      stdin.mockReturnValue(Readable.from(["from the file it is\n"]) as unknown as typeof process.stdin)
      await tandem("user", "reset-password", "--user", email, "--password-stdin")
    } finally {
      stdin.mockRestore()
    }
    expect((await signIn(email)).status).toBe(422)
    expect((await signIn(email, "from the file it is")).status).toBe(303)
  })
})

describe("what opens an account at an OpenID provider", () => {
  const issuer = "https://login.example.org"
  const identities = (email: string) => node.database.prisma.identity.count({ where: { user: { email } } })

  async function linked(name: string): Promise<string> {
    const email = await createUser(name)
    const { id: userId } = await node.database.prisma.user.findUniqueOrThrow({ where: { email } })
    await node.database.prisma.identity.create({ data: { issuer, subject: name, userId } })
    return email
  }

  it("is unlinked by user unlink, which ends sessions too and leaves the password", async () => {
    const email = await linked("unlinked")
    await signIn(email)
    expect(await tandem("user", "unlink", "--user", email)).toMatchObject({ email, unlinked: [issuer] })
    expect(await identities(email)).toBe(0)
    expect(await node.database.prisma.session.count({ where: { user: { email } } })).toBe(0)
    expect((await signIn(email)).status).toBe(303)
    await expect(tandem("user", "unlink", "--user", email)).rejects.toThrow(`--user: ${email} is linked to no account`)
  })

  it("is unlinked by user reset-password: at once with a password, else when the link is used", async () => {
    const [piped, mailed] = [await linked("linked-piped"), await linked("linked-mailed")]
    const stdin = vi.spyOn(process, "stdin", "get")
    stdin.mockReturnValue(Readable.from(["from the file it is\n"]) as unknown as typeof process.stdin)
    await tandem("user", "reset-password", "--user", piped, "--password-stdin")
    stdin.mockRestore()
    expect(await identities(piped)).toBe(0)
    const { link } = await tandem("user", "reset-password", "--user", mailed)
    const browser = createFormClient(node.url)
    const page = await browser.get(link.slice(node.url.length))
    await browser.submit(page, "/reset-password/finish", { password: "another horse battery" })
    expect(await identities(mailed)).toBe(0)
  })
})

describe("tandem stats", () => {
  it("counts what is stored and what waits", async () => {
    const before = await tandem("stats")
    const owner = await makePerson(node, "Counted")
    await makeTask(owner, await makeList(owner))
    const after = await tandem("stats")
    expect([after.users - before.users, after.lists - before.lists, after.tasks - before.tasks]).toEqual([1, 1, 1])
    expect(after).toMatchObject({ deleted_lists_waiting: 0, oldest_event: expect.any(String) })
  })
})
