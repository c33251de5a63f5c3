import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import axe from "axe-core"
import { Secret, TOTP } from "otpauth"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createApplication } from "../../src/resources/application/application.commands.js"
import { makeApplication, makeMember, PASSWORD, tokenFor } from "../support/account.js"
import { chromiumPath, startBrowser } from "../support/browser.js"
import { linkIn, type Mailbox, startMailbox } from "../support/mailbox.js"
import { startNode, type TestNode } from "../support/node.js"

/** A folder to take pictures of each page into. */
const screens = process.env.SCREENS

describe.skipIf(chromiumPath === undefined)("the account pages in Chromium", { timeout: 120_000 }, () => {
  let node: TestNode
  let mailbox: Mailbox
  let browser: Browser
  let client: { origin: string; server: Server }

  beforeAll(async () => {
    mailbox = await startMailbox()
    node = await startNode({ smtpUrl: mailbox.url })
    browser = await startBrowser()
    client = await startClientPage()
  })
  afterAll(async () => {
    await browser.close()
    client.server.close()
    await node.stop()
    await mailbox.stop()
  })

  /** A page of a tiny application: it asks for consent, and shows what comes back. */
  async function startClientPage() {
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? "", "http://here")
      response.setHeader("Content-Type", "text/html; charset=utf-8")
      if (url.pathname === "/frame")
        response.end(`<!doctype html><iframe src="${node.url}/sign-in" width="800" height="600"></iframe>`)
      else
        response.end(
          `<!doctype html><title>client</title><p id="came">${url.searchParams.get("code") ?? url.searchParams.get("error")}</p>`,
        )
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }

  const faults: string[] = []

  /** Lets axe look at a page, at everything or at its colours alone, and takes a picture of it when they are asked for. */
  async function look(page: Page, name: string, rules?: readonly string[]): Promise<void> {
    if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
    const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) }
    const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(options)})`)
    for (const { id, impact, nodes } of violations)
      if (impact === "serious" || impact === "critical") faults.push(`${name}: ${id}: ${nodes.map(({ html }) => html)}`)
    await picture(page, name)
  }

  async function picture(page: Page, name: string): Promise<void> {
    if (await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
      faults.push(`${name}: is wider than its window`)
    if (screens === undefined) return
    mkdirSync(screens, { recursive: true })
    await page.screenshot({ path: join(screens, `${name}.png`), fullPage: true })
  }

  const openContext = (more: Parameters<Browser["newContext"]>[0] = {}): Promise<BrowserContext> =>
    browser.newContext({ javaScriptEnabled: true, viewport: { width: 1100, height: 800 }, baseURL: node.url, ...more })

  it("lead from signing up over an application and its first call to the end of its access", async () => {
    const context = await openContext()
    const page = await context.newPage()
    await page.goto("/sign-up")
    await picture(page, "sign-up")
    await page.getByLabel("Email address").fill("ada@example.org")
    await page.getByRole("button", { name: "Continue" }).click()
    await look(page, "sign-up-mailed")
    await page.goto(linkIn(await mailbox.to("ada@example.org")))
    await look(page, "sign-up-finish")
    await page.getByLabel("Your name").fill("Ada Lovelace")
    await page.getByLabel("Password").fill("analytical engine")
    await page.getByRole("button", { name: "Create account" }).click()
    await expect.poll(() => page.getByRole("heading", { level: 1 }).textContent()).toBe("Account")
    await picture(page, "account-welcome")

    await page.getByRole("link", { name: "My apps" }).click()
    await picture(page, "applications-none")
    await page.getByRole("link", { name: "Register an application" }).click()
    await page.getByLabel("Name").fill("Garden planner")
    await page.getByLabel("Redirect URIs").fill("http://example.org/plain")
    await page.getByRole("button", { name: "Register" }).click()
    await look(page, "application-new-fault")
    await page.getByLabel("Redirect URIs").fill(`${client.origin}/back`)
    await page.getByRole("button", { name: "Register" }).click()
    await look(page, "application-secret")
    const clientId = (await page.locator("code").first().textContent()) as string
    const clientSecret = (await page.locator(".secret").textContent()) as string

    const query = new URLSearchParams({ client_id: clientId, redirect_uri: `${client.origin}/back`, state: "xyz" })
    await page.goto(`/oauth/authorize?${query}`)
    await picture(page, "consent")
    await page.getByRole("button", { name: "Allow" }).click()
    await page.waitForURL(`${client.origin}/back?**`)
    expect(new URL(page.url()).searchParams.get("state")).toBe("xyz")
    const code = await page.locator("#came").textContent()
    const exchanged = await fetch(`${node.url}/oauth/access_token`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ client_id: clientId, client_secret: clientSecret, code }),
    })
    const { access_token } = (await exchanged.json()) as { access_token: string }
    const call = () =>
      fetch(`${node.url}/api/v1/user`, { headers: { "X-Client-ID": clientId, "X-Access-Token": access_token } })
    expect(await (await call()).json()).toMatchObject({ name: "Ada Lovelace", email: "ada@example.org" })

    await page.goto("/authorizations")
    await picture(page, "authorizations")
    await page.getByRole("button", { name: /Revoke/ }).click()
    expect(await page.getByRole("status").textContent()).toContain("Access revoked")
    expect((await call()).status).toBe(401)
    await picture(page, "authorizations-none")
    expect(faults).toEqual([])
    await context.close()
  })

  it("set up a second factor, and sign in with it", async () => {
    const { email } = await makeMember(node, "Tess")
    const context = await openContext()
    const page = await context.newPage()
    const heading = () => page.getByRole("heading", { level: 1 }).textContent()
    const givePassword = async () => {
      await page.goto("/sign-in?next=/account/second-factor")
      await page.getByLabel("Email address").fill(email)
      await page.getByLabel("Password").fill(PASSWORD)
      await page.getByRole("button", { name: "Sign in" }).click()
    }
    await givePassword()
    await look(page, "second-factor-off")
    await page.getByLabel("Current password").fill(PASSWORD)
    await page.getByRole("button", { name: "Set up" }).click()
    await look(page, "second-factor-secret")
    const secret = ((await page.locator("span.secret").textContent()) as string).replaceAll(" ", "")
    const codes = new TOTP({ secret: Secret.fromBase32(secret) })
    await page.getByRole("textbox", { name: "Code" }).fill(codes.generate())
    await page.getByRole("button", { name: "Turn on" }).click()
    await expect.poll(heading).toBe("Your recovery codes")
    await look(page, "second-factor-codes")
    await page.getByRole("link", { name: "I have kept them" }).click()
    await page.getByRole("button", { name: "Sign out" }).click()
    await expect.poll(heading).toBe("Sign in")
    await givePassword()
    await expect.poll(heading).toBe("Second factor")
    await page.getByRole("textbox", { name: "Code" }).fill("000000")
    await page.getByRole("button", { name: "Sign in" }).click()
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("Please fix")
    await look(page, "sign-in-code")
    // The next one: that of now was used for setting it up.
    await page.getByRole("textbox", { name: "Code" }).fill(codes.generate({ timestamp: Date.now() + 30_000 }))
    await page.getByRole("button", { name: "Sign in" }).click()
    await expect.poll(() => page.getByRole("heading", { name: "Turn it off" }).count()).toBe(1)
    await look(page, "second-factor-on")
    expect(faults).toEqual([])
    await context.close()
  })

  it("work without scripts, on a phone, in the dark, and by keyboard alone", async () => {
    const { email } = await makeMember(node, "Grace")
    const application = await makeApplication(node, { name: "Night reader", redirectUris: [`${client.origin}/back`] })
    const context = await openContext({
      javaScriptEnabled: false,
      colorScheme: "dark",
      viewport: { width: 360, height: 740 },
    })
    const page = await context.newPage()
    await page.goto(
      `/oauth/authorize?client_id=${application.clientId}&redirect_uri=${encodeURIComponent(`${client.origin}/back`)}&state=s`,
    )
    await picture(page, "phone-sign-in")
    await page.keyboard.type(email)
    await page.keyboard.press("Tab")
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press("Enter")
    await page.waitForURL("**/oauth/authorize?**")
    await picture(page, "phone-consent")
    for (let tabs = 0; tabs < 20; tabs++) {
      await page.keyboard.press("Tab")
      if ((await page.locator(":focus").textContent()) === "Deny") break
    }
    await page.keyboard.press("Enter")
    await page.waitForURL(`${client.origin}/back?**`)
    expect(await page.locator("#came").textContent()).toBe("access_denied")
    await page.goto("/account")
    await picture(page, "phone-account")
    await page.goto("/access-tokens")
    await page.getByLabel("Name").fill("backup script")
    await page.getByRole("button", { name: "Create token" }).click()
    expect(await page.locator(".secret").textContent()).toMatch(/^[\w-]{40}$/)
    await picture(page, "phone-token")
    await page.goto("/devices")
    await picture(page, "phone-devices")
    await context.close()
  })

  it("have nothing that axe finds serious, light and wide, dark and narrow", async () => {
    faults.length = 0
    const member = await makeMember(node, "Margaret")
    const { application } = await createApplication(node.database, member.id, {
      name: "Garden planner",
      redirectUris: [`${client.origin}/back`],
      dialect: "spec",
    })
    await tokenFor(node, member, await makeApplication(node))
    const context = await openContext()
    await context.addCookies([{ name: "tandem", value: member.browser.cookies.get("tandem") as string, url: node.url }])
    const page = await context.newPage()
    const see = async (name: string, path?: string) => {
      if (path !== undefined) await page.goto(path)
      await look(page, `${name}-light`)
      await page.emulateMedia({ colorScheme: "dark" })
      await page.setViewportSize({ width: 360, height: 800 })
      await look(page, `${name}-dark`, ["color-contrast", "target-size"])
      await page.emulateMedia({ colorScheme: "light" })
      await page.setViewportSize({ width: 1100, height: 800 })
    }
    await see("account", "/account")
    await page.goto("/account/data")
    const download = page.waitForEvent("download")
    await page.getByRole("link", { name: "Download JSON" }).click()
    const backup = (await (await download).path()) as string
    await page.getByLabel("File").setInputFiles(backup)
    await page.getByRole("button", { name: "Check what would be imported" }).click()
    await page.getByRole("heading", { name: "What would be imported" }).waitFor()
    await see("data")
    await page.getByRole("link", { name: "Delete my account…" }).click()
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Cancel")
    await see("delete-account")
    await see("second-factor", "/account/second-factor")
    await page.goto("/invitation-links")
    await page.getByLabel("Days").fill("31")
    await page.getByRole("button", { name: "Create link" }).click()
    await see("invitation-links-fault")
    await page.getByLabel("Days").fill("30")
    await page.getByRole("button", { name: "Create link" }).click()
    const invitation = (await page.locator(".secret").textContent()) as string
    await see("invitation-links-made")
    await see("invitation", invitation)
    await see("invitation-over", "/sign-up?invitation=x")
    await see("devices", "/devices")
    await see("authorizations", "/authorizations")
    await see("webhooks", "/webhooks")
    await page.goto("/webhooks/new")
    await page.getByText("Events", { exact: true }).click()
    await see("webhook-new")
    await page.getByLabel("Address").fill("https://hooks.example.org/tandem")
    await page.getByRole("group", { name: "task", exact: true }).getByLabel("completed").check()
    await page.getByRole("button", { name: "Create" }).click()
    await page.getByText("Change the webhook").click()
    await see("webhook")
    await see("applications", "/applications")
    await see("application-new", "/applications/new")
    await see("application", `/applications/${application.id}`)
    const back = encodeURIComponent(`${client.origin}/back`)
    await see("consent", `/oauth/authorize?client_id=${application.clientId}&redirect_uri=${back}&state=s`)
    await see("error", "/oauth/authorize?client_id=x")
    await page.goto("/access-tokens")
    await page.getByLabel("Name").fill("backup script")
    await page.getByRole("button", { name: "Create token" }).click()
    await see("access-tokens-made")
    await page.getByRole("button", { name: "Sign out" }).click()
    await see("sign-in")
    await page.getByLabel("Email address").fill("ada@example.org")
    await page.getByLabel("Password").fill("wrong")
    await page.getByRole("button", { name: "Sign in" }).click()
    await see("sign-in-wrong")
    await see("reset-password", "/reset-password")
    await see("sign-up", "/sign-up")
    expect(faults).toEqual([])
    await context.close()
  })

  it("do not show themselves in a frame of another site", async () => {
    const context = await openContext()
    const page = await context.newPage()
    await page.goto(`${client.origin}/frame`)
    await expect.poll(() => page.frames().length).toBe(2)
    const inner = page.frames()[1]
    expect(await inner?.getByLabel("Password").count()).toBe(0)
    await context.close()
  })
})
