import axe from "axe-core"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chromiumPath, startBrowser } from "../support/browser.js"
import { freePort } from "../support/free-port.js"
import { startIdentityProvider, type TestIdentityProvider } from "../support/identity-provider.js"
import { startNode, type TestNode } from "../support/node.js"

describe.skipIf(chromiumPath === undefined)(
  "signing in with an OpenID provider in Chromium",
  { timeout: 120_000 },
  () => {
    let node: TestNode
    let provider: TestIdentityProvider
    let browser: Browser
    let page: Page

    beforeAll(async () => {
      const port = await freePort()
      provider = await startIdentityProvider([`http://127.0.0.1:${port}`])
      ;[node, browser] = await Promise.all([startNode({ port, identity: provider.config }), startBrowser()])
      page = await browser.newPage()
      provider.subject = "ada"
      provider.people.set("ada", { email: "ada@example.org", email_verified: true, name: "Ada Lovelace" })
    })
    afterAll(async () => {
      await browser.close()
      await node.stop()
      await provider.stop()
    })

    async function expectAccessible(): Promise<void> {
      await page.evaluate(axe.source)
      const { violations } = await page.evaluate<axe.AxeResults>("axe.run()")
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
    }

    it("leads there and back, to the page that was asked for", async () => {
      await page.goto(`${node.url}/devices`)
      await expectAccessible()
      await page.getByRole("link", { name: "Sign in with Example Login" }).click()
      await page.getByRole("heading", { name: "Devices" }).waitFor()
      expect(page.url()).toBe(`${node.url}/devices`)
      expect(await page.locator(".who").textContent()).toBe("Ada Lovelace")
    })

    it("signs out here and there, with no policy of ours in the way", async () => {
      await page.getByRole("button", { name: "Sign out", exact: true }).click()
      await page.getByRole("button", { name: "Yes, sign me out" }).click()
      await page.getByText("You have signed out.").waitFor()
      expect(page.url()).toBe(`${node.url}/sign-in?done=signed-out`)
      await page.goto(`${node.url}/devices`)
      expect(page.url()).toBe(`${node.url}/sign-in?next=%2Fdevices`)
    })

    it("asks for a proof, and shows administrators their pages, without faults of accessibility", async () => {
      provider.subject = "bea"
      provider.people.set("bea", { email: "bea@example.org", name: "Bea" })
      await page.getByRole("link", { name: "Sign in with Example Login" }).click()
      await page.getByRole("heading", { name: "Is this address yours?" }).waitFor()
      await expectAccessible()
      const { prisma } = node.database
      const { id } = await prisma.user.findUniqueOrThrow({ where: { email: "ada@example.org" } })
      await prisma.administrator.create({ data: { userId: id } })
      provider.subject = "ada"
      await page.context().clearCookies()
      await page.goto(`${node.url}/administration`)
      await page.getByRole("link", { name: "Sign in with Example Login" }).click()
      await page.getByRole("heading", { name: "Administration" }).waitFor()
      await expectAccessible()
      await page.getByRole("main").getByRole("link", { name: "Users" }).click()
      await page.getByRole("heading", { name: "Users" }).waitFor()
      await expectAccessible()
    })
  },
)
