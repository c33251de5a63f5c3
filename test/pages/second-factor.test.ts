import { Secret, TOTP } from "otpauth"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { countFailure, forgetFailures, takeFailureBack } from "../../src/accounts/attempts.js"
import { createMailedLink } from "../../src/accounts/mailed-link.js"
import { deleteLeftovers } from "../../src/jobs/expired-access.js"
import { type Member, makeMember, PASSWORD } from "../support/account.js"
import { runCli } from "../support/cli.js"
import { createFormClient, type FormClient, type LoadedPage } from "../support/form-client.js"
import { type Mailbox, startMailbox } from "../support/mailbox.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"

const PATH = "/account/second-factor"

let node: TestNode
let mailbox: Mailbox
beforeAll(async () => {
  mailbox = await startMailbox()
  node = await startNode({ smtpUrl: mailbox.url })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await node.stop()
  await mailbox.stop()
})

/** The code that an application shows so many steps of 30 seconds from now. */
const codeOf = (secret: string, stepsFromNow = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + stepsFromNow * 30_000 })

const secretIn = ({ text }: LoadedPage): string =>
  (/<span class="secret">([A-Z2-7 ]+)<\/span>/.exec(text)?.[1] ?? "").replaceAll(" ", "")
const recoveryCodesIn = ({ text }: LoadedPage): string[] => text.match(/\b[A-Z2-9]{4}(-[A-Z2-9]{4}){3}\b/g) ?? []
const textOf = ({ text }: LoadedPage) => text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ")

/** As if the codes so far had been used long ago. */
const forgetSteps = (member: Member) =>
  node.database.prisma.secondFactor.update({ where: { userId: BigInt(member.id) }, data: { lastStep: 0n } })

/** A member whose second factor is on. */
async function withFactor(): Promise<{ member: Member; secret: string; codes: string[] }> {
  const member = await makeMember(node)
  return { member, ...(await turnOn(member)) }
}

async function turnOn(member: Member): Promise<{ secret: string; codes: string[] }> {
  const { browser } = member
  const begun = await browser.submit(await browser.get(PATH), `${PATH}/begin`, { password: PASSWORD })
  const secret = secretIn(begun)
  const done = await browser.submit(begun, `${PATH}/confirm`, { code: codeOf(secret) })
  expect(done).toMatchObject({ status: 200, title: "Your recovery codes" })
  await forgetSteps(member)
  return { secret, codes: recoveryCodesIn(done) }
}

async function givePassword(email: string, path = "/sign-in", browser = createFormClient(node.url)) {
  const reply = await browser.submit(await browser.get(path), "/sign-in", { email, password: PASSWORD })
  return { browser, reply }
}

async function giveCode(browser: FormClient, code: string, path = "/sign-in/code"): Promise<LoadedPage> {
  return browser.submit(await browser.get(path), "/sign-in/code", { code })
}

/** As if somebody had guessed all day. */
async function guessAllDay({ id }: Member): Promise<void> {
  for (let wrong = 1; wrong <= 11; wrong++) await countFailure(node.database, ["codes of", id], 11)
  for (let wrong = 1; wrong <= 51; wrong++) await countFailure(node.database, ["codes of a day", id], 51)
}

const isSignedIn = async (browser: FormClient) => (await browser.get("/account")).status === 200

describe("setting up a second factor", () => {
  it("asks for the password, shows the secret as text, address and QR code, and is in force with its first code", async () => {
    const member = await makeMember(node)
    const { browser } = member
    const start = await browser.get(PATH)
    const wrong = await browser.submit(start, `${PATH}/begin`, { password: "wrong" })
    expect([wrong.status, secretIn(wrong)]).toEqual([422, ""])
    const begun = await browser.submit(start, `${PATH}/begin`, { password: PASSWORD })
    const secret = secretIn(begun)
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(begun.text).toContain(
      `otpauth://totp/Tandem:${encodeURIComponent(member.email)}?issuer=Tandem&amp;secret=${secret}`,
    )
    expect(begun.text).toMatch(/<svg role="img" aria-label="QR code[^>]*>/)
    expect(begun.headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'self'/)
    expect((await givePassword(member.email)).reply.location).toBe("/")
    const refused = await browser.submit(begun, `${PATH}/confirm`, { code: "000000" })
    expect([refused.status, secretIn(refused)]).toEqual([422, secret])
    const done = await browser.submit(begun, `${PATH}/confirm`, { code: codeOf(secret) })
    expect(new Set(recoveryCodesIn(done)).size).toBe(10)
    expect((await mailbox.to(member.email)).subject).toBe("Your second factor is on")
    expect((await givePassword(member.email)).reply.location).toBe("/sign-in/code")
    expect(textOf(await browser.get(PATH))).toContain("10 of 10 are left")
  })

  it("keeps no recovery code as it is, and shows neither codes nor secret again", async () => {
    const { member, secret, codes } = await withFactor()
    const kept = await node.database.prisma.recoveryCode.findMany({ where: { userId: BigInt(member.id) } })
    expect(kept.map(({ codeHash }) => codeHash.length)).toEqual(Array(10).fill(32))
    const page = await member.browser.get(PATH)
    for (const word of [secret, ...codes]) expect(page.text.replaceAll(" ", "")).not.toContain(word)
    const events = await node.database.prisma.$queryRaw<
      unknown[]
    >`select before, after from events where user_id = ${BigInt(member.id)}`
    expect(JSON.stringify(events)).not.toMatch(/secret|recovery/)
  })

  it("does not change the secret of one that is on", async () => {
    const { member, secret } = await withFactor()
    const page = await member.browser.get(PATH)
    const { csrf = "" } = page.form(`${PATH}/off`)
    expect(await member.browser.send(`${PATH}/begin`, { csrf, password: PASSWORD })).toMatchObject({
      status: 303,
      location: PATH,
    })
    const { browser } = await givePassword(member.email)
    expect((await giveCode(browser, codeOf(secret))).status).toBe(303)
  })

  it("that was never finished is found by an index when its time is over", async () => {
    const plan = await node.database.prisma.$transaction(async (inside) => {
      await inside.$executeRaw`set local enable_seqscan = off`
      return inside.$queryRawUnsafe(`explain ${deleteLeftovers.text}`)
    })
    expect(JSON.stringify(plan)).toContain("second_factors_waiting_idx")
  })

  it("is not offered to users without a password", async () => {
    const member = await makeMember(node)
    await node.database.prisma.user.update({ where: { id: BigInt(member.id) }, data: { passwordHash: null } })
    expect(textOf(await member.browser.get(PATH))).toContain("You sign in without a password here")
  })
})

describe("signing in with a second factor", () => {
  it("asks for a code after the password, and goes on where it was begun", async () => {
    const { member, secret } = await withFactor()
    const { browser, reply } = await givePassword(member.email, "/sign-in?next=%2Fdevices")
    expect(reply).toMatchObject({ status: 303, location: "/sign-in/code?next=%2Fdevices" })
    expect(await isSignedIn(browser)).toBe(false)
    const wrong = await giveCode(browser, "000000", reply.location)
    expect([wrong.status, textOf(wrong)]).toEqual([422, expect.stringContaining("Code is wrong, or was used before")])
    expect(await isSignedIn(browser)).toBe(false)
    const code = codeOf(secret)
    expect(await giveCode(browser, ` ${code.slice(0, 3)} ${code.slice(3)} `, reply.location)).toMatchObject({
      status: 303,
      location: "/devices",
    })
    expect(await isSignedIn(browser)).toBe(true)
  })

  it.each([
    [-3, 422],
    [0, 303],
    [1, 303],
    [3, 422],
  ])("takes the code of a clock that is off by %i steps: %i", async (steps, status) => {
    const { member, secret } = await withFactor()
    const { browser } = await givePassword(member.email)
    expect((await giveCode(browser, codeOf(secret, steps))).status).toBe(status)
  })

  it("takes a code once, also of two at the same moment, and none of a step before", async () => {
    const { member, secret } = await withFactor()
    const tabs = await Promise.all([1, 2, 3].map(() => givePassword(member.email)))
    const [one, two, three] = tabs.map(({ browser }) => browser) as [FormClient, FormClient, FormClient]
    const code = codeOf(secret)
    const statuses = (await Promise.all([giveCode(one, code), giveCode(two, code)])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([303, 422])
    expect((await giveCode(three, codeOf(secret, -1))).status).toBe(422)
    expect((await giveCode(three, codeOf(secret, 1))).status).toBe(303)
  })

  it("lets no browser go on but the one that gave the password, nor after ten minutes, nor twice", async () => {
    const { member, secret } = await withFactor()
    const { browser } = await givePassword(member.email)
    const page = await browser.get("/sign-in/code")
    const stranger = createFormClient(node.url)
    const { csrf = "" } = (await stranger.get("/sign-in")).form("/sign-in")
    expect(await stranger.send("/sign-in/code", { csrf, code: codeOf(secret) })).toMatchObject({
      status: 404,
      title: "Start again",
    })
    await node.database.prisma.halfSignIn.updateMany({
      where: { userId: BigInt(member.id) },
      data: { expiresAt: new Date() },
    })
    expect((await browser.submit(page, "/sign-in/code", { code: codeOf(secret) })).status).toBe(404)
    expect((await browser.get("/sign-in/code")).status).toBe(404)
    expect(await isSignedIn(browser)).toBe(false)
    const cookie = (await givePassword(member.email, "/sign-in", browser)).browser.cookies.get("tandem") as string
    const { csrf: own = "" } = (await browser.get("/sign-in/code")).form("/sign-in/code")
    expect((await giveCode(browser, codeOf(secret))).status).toBe(303)
    const replayed = createFormClient(node.url)
    replayed.cookies.set("tandem", cookie)
    const code = codeOf(secret, 1)
    expect((await replayed.send("/sign-in/code", { csrf: own, code })).status).toBe(404)
  })

  it("refuses an eleventh wrong code in a quarter of an hour, in every browser, and right ones with it", async () => {
    const { member, secret } = await withFactor()
    const { browser } = await givePassword(member.email)
    const page = await browser.get("/sign-in/code")
    for (let wrong = 1; wrong <= 10; wrong++)
      expect((await browser.submit(page, "/sign-in/code", { code: "000000" })).status).toBe(422)
    expect((await browser.submit(page, "/sign-in/code", { code: "000000" })).status).toBe(429)
    const other = (await givePassword(member.email)).browser
    expect((await giveCode(other, codeOf(secret))).status).toBe(429)
  })

  it("refuses codes behind 50 wrong ones of a day, right ones between them or not, and tells the owner of five", async () => {
    const { member, secret, codes } = await withFactor()
    const { browser } = await givePassword(member.email)
    const page = await browser.get("/sign-in/code")
    const give = (code: string) => browser.submit(page, "/sign-in/code", { code })
    for (let wrong = 1; wrong <= 5; wrong++) expect((await give("000000")).status).toBe(422)
    expect((await mailbox.to(member.email, /^Wrong codes/)).text).toContain("5 wrong codes within a day")
    for (let wrong = 6; wrong <= 50; wrong++) {
      await forgetFailures(node.database, ["codes of", member.id])
      expect((await give("000000")).status).toBe(422)
    }
    await forgetFailures(node.database, ["codes of", member.id])
    expect((await give(codes[0] as string)).status).toBe(303)
    const other = (await givePassword(member.email)).browser
    const late = await giveCode(other, "000000")
    expect([late.status, textOf(late)]).toEqual([429, expect.stringContaining("Please wait 24 hours")])
    expect(Number(late.headers["retry-after"])).toBeGreaterThan(80_000)
    await forgetFailures(node.database, ["codes of", member.id])
    expect((await giveCode(other, codeOf(secret))).status).toBe(429)
    await node.database.prisma.attempt.updateMany({ data: { expiresAt: new Date(0) } })
    expect((await giveCode(other, codeOf(secret))).status).toBe(303)
  })

  it("takes recovery codes of an owner for whom others have guessed all day, to sign in and to choose another password", async () => {
    const { member, secret, codes } = await withFactor()
    await guessAllDay(member)
    const { browser } = await givePassword(member.email)
    const refused = await giveCode(browser, codeOf(secret))
    expect([refused.status, textOf(refused)]).toEqual([
      429,
      expect.stringContaining("A recovery code is taken at once."),
    ])
    // A wrong one is refused, and takes nothing from the owner.
    for (let wrong = 1; wrong <= 12; wrong++)
      expect((await browser.submit(refused, "/sign-in/code", { code: "AAAA-BBBB-CCCC-DDDD" })).status).toBe(422)
    expect((await browser.submit(refused, "/sign-in/code", { code: codes[0] as string })).status).toBe(303)
    expect(await isSignedIn(browser)).toBe(true)

    expect(await isSignedIn(member.browser)).toBe(true) // who was signed in before still is
    const change = (code: string) =>
      member.browser.get("/account").then((page) =>
        member.browser.submit(page, "/account/password", {
          ...{ oldPassword: PASSWORD, newPassword: "another long one", code },
        }),
      )
    const late = await change(codeOf(secret))
    expect([late.status, textOf(late)]).toEqual([429, expect.stringContaining("A recovery code is taken at once.")])
    expect((await change(codes[1] as string)).status).toBe(303)
    // The guesses count as before.
    const another = createFormClient(node.url)
    const fields = { email: member.email, password: "another long one" }
    await another.submit(await another.get("/sign-in"), "/sign-in", fields)
    expect((await giveCode(another, codeOf(secret))).status).toBe(429)
  })

  it("refuses a network behind 100 failures, of any accounts, and no other network", async () => {
    const { member, secret } = await withFactor()
    const away = createFormClient(node.url, "127.0.0.2")
    await givePassword(member.email, "/sign-in", away)
    for (let failed = 0; failed < 100; failed++) await countFailure(node.database, ["codes", "127.0.0.2"], 100)
    expect((await giveCode(away, codeOf(secret))).status).toBe(303)
    await countFailure(node.database, ["codes", "127.0.0.2"], 101)
    const other = createFormClient(node.url, "127.0.0.2")
    await givePassword(member.email, "/sign-in", other)
    expect((await giveCode(other, codeOf(secret, 1))).status).toBe(429)
    const { browser } = await givePassword(member.email)
    expect((await giveCode(browser, codeOf(secret, 1))).status).toBe(303)
  })

  it("is refused to a user whom an operator keeps out meanwhile", async () => {
    const { member, secret } = await withFactor()
    const { browser } = await givePassword(member.email)
    await node.database.prisma.disabledUser.create({ data: { userId: BigInt(member.id) } })
    const stranger = createFormClient(node.url)
    stranger.cookies.set("tandem", browser.cookies.get("tandem") as string)
    const { csrf = "" } = (await stranger.get("/sign-in")).form("/sign-in")
    expect((await stranger.send("/sign-in/code", { csrf, code: codeOf(secret) })).status).toBe(404)
  })

  it("is asked for after a password that was reset by mail, which ends what was half done", async () => {
    const { member, secret } = await withFactor()
    const half = await givePassword(member.email)
    const link = { email: member.email, userId: member.id, next: undefined }
    const token = await createMailedLink(node.database, "reset-password", link)
    const browser = createFormClient(node.url)
    const choose = await browser.get(`/reset-password/finish?token=${token}`)
    expect((await browser.submit(choose, "/reset-password/finish", { password: PASSWORD })).status).toBe(303)
    expect(await isSignedIn(browser)).toBe(false)
    expect((await half.browser.get("/sign-in/code")).status).toBe(404)
    await givePassword(member.email, "/sign-in", browser)
    expect(await isSignedIn(browser)).toBe(false)
    expect((await giveCode(browser, codeOf(secret))).status).toBe(303)
  })

  it("leaves access tokens as they are", async () => {
    const { member } = await withFactor()
    const page = await member.browser.submit(await member.browser.get("/access-tokens"), "/access-tokens", {
      name: "x",
    })
    const token = /<span class="secret">([\w-]{40})<\/span>/.exec(page.text)?.[1] as string
    const reply = await fetch(`${node.url}/api/v1/user`, {
      headers: { "X-Client-ID": "personal", "X-Access-Token": token },
    })
    expect(reply.status).toBe(200)
  })
})

describe("recovery codes", () => {
  it("sign in once each, however they are typed, and their owner is told", async () => {
    const { member, codes } = await withFactor()
    const { browser } = await givePassword(member.email)
    expect((await giveCode(browser, (codes[0] as string).toLowerCase().replaceAll("-", " "))).status).toBe(303)
    expect((await mailbox.to(member.email, /recovery/)).text).toContain("9 are left")
    const again = (await givePassword(member.email)).browser
    expect((await giveCode(again, codes[0] as string)).status).toBe(422)
    expect((await giveCode(again, codes[1] as string)).status).toBe(303)
    expect(textOf(await browser.get(PATH))).toContain("8 of 10 are left")
  })

  it("of another user are worth nothing", async () => {
    const [one, other] = [await withFactor(), await withFactor()]
    const { browser } = await givePassword(one.member.email)
    expect((await giveCode(browser, other.codes[0] as string)).status).toBe(422)
  })

  it("are replaced by new ones for password and code, and the old ones are worth nothing then", async () => {
    const { member, secret, codes } = await withFactor()
    const page = await member.browser.get(PATH)
    const renew = (fields: Record<string, string>) => member.browser.submit(page, `${PATH}/codes`, fields)
    expect((await renew({ password: "wrong", code: codeOf(secret) })).status).toBe(422)
    expect((await renew({ password: PASSWORD, code: "000000" })).status).toBe(422)
    const renewed = recoveryCodesIn(await renew({ password: PASSWORD, code: codeOf(secret) }))
    expect(renewed).toHaveLength(10)
    const { browser } = await givePassword(member.email)
    expect((await giveCode(browser, codes[0] as string)).status).toBe(422)
    expect((await giveCode(browser, renewed[0] as string)).status).toBe(303)
  })
})

describe("what asks for the password again", () => {
  it("asks for a code too: another password, another address, deleting the account", async () => {
    const { member, secret, codes } = await withFactor()
    const { browser } = member
    const another = { oldPassword: PASSWORD, newPassword: "another password" }
    const address = { email: "ann.new@example.org", password: PASSWORD }
    const send = async (page: string, path: string, fields: Record<string, string>) =>
      (await browser.submit(await browser.get(page), path, fields)).status
    for (const code of ["000000", ""]) {
      expect(await send("/account", "/account/email", { ...address, code })).toBe(422)
      expect(await send("/account", "/account/password", { ...another, code })).toBe(422)
      expect(await send("/account/delete", "/account/delete", { password: PASSWORD, code })).toBe(422)
    }
    expect(await send("/account", "/account/email", { ...address, code: codeOf(secret) })).toBe(200)
    expect(await send("/account", "/account/password", { ...another, code: codes[0] as string })).toBe(303)
    const proof = { password: another.newPassword, code: codes[1] as string }
    expect(await send("/account/delete", "/account/delete", proof)).toBe(303)
  })

  it("takes no code for what it refuses anyhow", async () => {
    const { member, secret, codes } = await withFactor()
    const { email } = member
    const browser = createFormClient(node.url, "127.0.0.3")
    await givePassword(email, "/sign-in", browser)
    expect((await giveCode(browser, codes[0] as string)).status).toBe(303)
    const page = await browser.get("/account")
    const choose = (newPassword: string) =>
      browser.submit(page, "/account/password", { oldPassword: PASSWORD, newPassword, code: codeOf(secret) })
    for (const unfit of ["short", email]) {
      const refused = await choose(unfit)
      expect([refused.status, textOf(refused)]).toEqual([422, expect.stringContaining("New password must")])
    }
    expect((await choose(PASSWORD)).status).toBe(303)
    const address = { email: `new.${email}`, password: PASSWORD, code: codes[1] as string }
    const askForMail = () => browser.submit(page, "/account/email", address)
    for (let mails = 0; mails < 30; mails++) await countFailure(node.database, ["mails from", "127.0.0.3"], 30)
    expect((await askForMail()).status).toBe(429)
    await takeFailureBack(node.database, ["mails from", "127.0.0.3"])
    expect((await askForMail()).status).toBe(200)
  })

  it("does not where no passwords are taken: a sign-in of just now deletes, and no second factor is offered", async () => {
    const off = await startNodeOn(node.databaseUrl, { passwordSignIn: false })
    try {
      const { browser, email } = await makeMember(node)
      const here = createFormClient(off.url)
      for (const [name, value] of browser.cookies) here.cookies.set(name, value)
      const offered = await here.get(PATH)
      expect(textOf(offered)).toContain("You sign in without a password here")
      const question = await here.get("/account/delete")
      const { csrf = "" } = question.form("/account/delete")
      expect((await here.send(`${PATH}/begin`, { csrf, password: PASSWORD })).status).toBe(403)
      expect(question.text).not.toContain('type="password"')
      expect((await here.submit(question, "/account/delete")).location).toBe("/sign-in?done=deleted")
      expect(await node.database.prisma.user.count({ where: { email } })).toBe(0)
    } finally {
      await off.stop()
    }
  })
})

describe("turning a second factor off", () => {
  it("takes password and code, and needs both", async () => {
    const { member, secret } = await withFactor()
    const page = await member.browser.get(PATH)
    const turnOff = (fields: Record<string, string>) => member.browser.submit(page, `${PATH}/off`, fields)
    expect((await turnOff({ password: PASSWORD, code: "" })).status).toBe(422)
    expect((await turnOff({ password: "wrong", code: codeOf(secret) })).status).toBe(422)
    expect((await givePassword(member.email)).reply.location).toBe("/sign-in/code")
    expect(await turnOff({ password: PASSWORD, code: codeOf(secret) })).toMatchObject({
      status: 303,
      location: `${PATH}?done=off`,
    })
    expect((await givePassword(member.email)).reply.location).toBe("/")
    expect((await mailbox.to(member.email, /off/)).subject).toBe("Your second factor is off")
    expect(await node.database.prisma.recoveryCode.count({ where: { userId: BigInt(member.id) } })).toBe(0)
  })

  it("is done by tandem user reset-second-factor too, which is written down", async () => {
    vi.stubEnv("DATABASE_URL", node.databaseUrl)
    const { member } = await withFactor()
    const reset = () => runCli("user", "reset-second-factor", "--user", member.email, "--json")
    expect((await reset()).json).toEqual({ id: Number(member.id), email: member.email, second_factor: "off" })
    expect((await givePassword(member.email)).reply.location).toBe("/")
    const { code, err } = await reset()
    expect([code, err]).toEqual([1, expect.stringContaining(`--user: ${member.email} has no second factor`)])
    const acts = await node.database.prisma.administrativeAct.findMany({ where: { act: "user reset-second-factor" } })
    expect(acts.map(({ subject }) => subject)).toEqual([`user ${member.id}, ${member.email}`])
  })

  it("by an operator lets in again whose codes were guessed at all day", async () => {
    vi.stubEnv("DATABASE_URL", node.databaseUrl)
    const { member, secret } = await withFactor()
    await guessAllDay(member)
    const { browser } = await givePassword(member.email)
    expect((await giveCode(browser, codeOf(secret))).status).toBe(429)
    expect((await runCli("user", "reset-second-factor", "--user", member.email)).code).toBe(0)
    const renewed = await turnOn(member)
    const again = (await givePassword(member.email)).browser
    expect((await giveCode(again, codeOf(renewed.secret))).status).toBe(303)
  })

  it("and on again begins to count anew: old guesses were at another secret", async () => {
    const { member, secret } = await withFactor()
    const page = await member.browser.get(PATH)
    const off = { password: PASSWORD, code: codeOf(secret) }
    expect((await member.browser.submit(page, `${PATH}/off`, off)).status).toBe(303)
    for (let wrong = 1; wrong <= 51; wrong++) await countFailure(node.database, ["codes of a day", member.id], 51)
    const renewed = await turnOn(member)
    const { browser } = await givePassword(member.email)
    expect((await giveCode(browser, codeOf(renewed.secret))).status).toBe(303)
  })
})
