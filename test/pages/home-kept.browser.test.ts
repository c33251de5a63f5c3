import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { disableUser } from "../../src/accounts/administration.rows.js"
import { startSession } from "../../src/accounts/session.js"
import { makeMember, PASSWORD } from "../support/account.js"
import { chromiumPath, startBrowser } from "../support/browser.js"
import type { Client } from "../support/client.js"
import { add, clientOf, homePages, live, openDetail, openTitles, SOON } from "../support/home-page.js"
import { sharedNode, type TestNode } from "../support/node.js"

describe.skipIf(chromiumPath === undefined)("what the home page keeps in a browser", { timeout: 120_000 }, () => {
  let node: TestNode
  let browser: Browser
  let { open } = {} as ReturnType<typeof homePages>

  beforeAll(async () => {
    ;[node, browser] = await Promise.all([sharedNode(), startBrowser()])
    ;({ open } = homePages(node, browser))
  })
  afterAll(() => browser.close())

  /** The names under which the browser keeps anything for the home page of anybody. */
  const keptIn = (page: Page): Promise<string[]> =>
    page.evaluate(`(async () => {
      const names = [...Object.keys(localStorage), ...Object.keys(sessionStorage)]
      for (const { name } of await indexedDB.databases()) {
        const database = await new Promise((resolve) => {
          const request = indexedDB.open(name)
          request.onsuccess = () => resolve(request.result)
        })
        const request = database.transaction("kept").objectStore("kept").getAllKeys()
        names.push(...await new Promise((resolve) => { request.onsuccess = () => resolve(request.result) }))
        database.close()
      }
      return names
    })()`)
  const signOutElsewhere = async (page: Page) => {
    await page.goto("/account")
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByText("You have signed out.").waitFor()
  }

  it("leaves nothing of somebody who signs out on another page, offline or to the next person", async () => {
    const [dora, emil] = [await makeMember(node, "Dora"), await makeMember(node, "Emil")]
    const page = await open(dora, "/")
    await add(page, "Dora's secret")
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
    await expect.poll(() => keptIn(page), SOON).toContain("cursor")
    await signOutElsewhere(page)
    await expect.poll(() => keptIn(page), SOON).toEqual([])
    await page.context().setOffline(true)
    await page.goto("/")
    await page.getByText("Open this page once with a network.").waitFor()
    await page.context().setOffline(false)
    const value = emil.browser.cookies.get("tandem") as string
    await page.context().addCookies([{ name: "tandem", value, url: node.url }])
    await page.goto("/")
    await live(page)
    expect(await page.locator("body").textContent()).not.toContain("Dora")
    await page.context().close()
  })

  it("keeps of them what was not sent, and sends it when they sign in again", async () => {
    const fred = await makeMember(node, "Fred")
    const page = await open(fred, "/")
    await page.route("**/api/v1/batch", (route) => route.abort())
    await add(page, "Not sent")
    await expect
      .poll(async () => (await keptIn(page)).filter((name) => name.startsWith("command/")), SOON)
      .toHaveLength(1)
    await signOutElsewhere(page)
    const isNeeded = (name: string) => /^(command\/|name\/|flight|lease)/.test(name)
    await expect.poll(async () => (await keptIn(page)).filter((name) => !isNeeded(name)), SOON).toEqual([])
    expect((await keptIn(page)).some((name) => name.startsWith("command/"))).toBe(true)
    await page.unroute("**/api/v1/batch")
    const again = await startSession(node.database, fred.id, "Mozilla/5.0")
    await page.context().addCookies([{ name: "tandem", value: again, url: node.url }])
    await page.goto("/")
    await live(page)
    await expect.poll(() => openTitles(page), SOON).toEqual(["Not sent"])
    await expect.poll(async () => (await keptIn(page)).filter((name) => name.startsWith("command/")), SOON).toEqual([])
    await page.context().close()
  })

  it("keeps nothing at all of an account that is deleted, or of a user who is disabled", async () => {
    const [gina, hugo] = [await makeMember(node, "Gina"), await makeMember(node, "Hugo")]
    const page = await open(gina, "/")
    await page.route("**/api/v1/batch", (route) => route.abort())
    await add(page, "Not sent")
    await expect.poll(() => keptIn(page), SOON).toContainEqual(expect.stringMatching(/^command\//))
    await page.locator("#new-task").fill("Not even given")
    await expect.poll(() => keptIn(page), SOON).toContainEqual(expect.stringMatching(/^tandem-unsent/))
    await page.goto("/account/delete")
    await page.locator('[name="password"]').fill(PASSWORD)
    await page.getByRole("button", { name: "Delete my account" }).click()
    await page.getByText("Your account has been deleted.").waitFor()
    await expect.poll(() => keptIn(page), SOON).toEqual([])
    expect(await page.evaluate("document.cookie")).toBe("")
    await page.context().close()

    const other = await open(hugo, "/")
    await expect.poll(() => keptIn(other), SOON).toContain("cursor")
    await disableUser(node.database, String(hugo.id))
    await other.reload()
    await expect.poll(() => keptIn(other), SOON).toEqual([])
    await other.context().close()
  })

  it("keeps what was not sent, whatever the address says of a deletion", async () => {
    const kim = await makeMember(node, "Kim")
    const page = await open(kim, "/")
    await page.route("**/api/v1/batch", (route) => route.abort())
    await add(page, "Not sent")
    await expect.poll(() => keptIn(page), SOON).toContainEqual(expect.stringMatching(/^command\//))
    await page.goto("about:blank")
    await page.context().clearCookies()
    await page.goto("/sign-in?done=deleted")
    await expect.poll(() => keptIn(page), SOON).not.toContain("tandem-viewer")
    await expect.poll(() => keptIn(page), SOON).not.toContain("cursor")
    expect(await keptIn(page)).toContainEqual(expect.stringMatching(/^command\//))
    await page.context().close()
  })

  it("takes nothing that a network says in the service's place for a sign-out", async () => {
    const jane = await makeMember(node, "Jane")
    const page = await open(jane, "/")
    await page.addInitScript(`
      const ours = window.fetch
      window.renewals = 0
      window.fetch = (...request) => {
        if (!String(request[0]).endsWith("?renew=1") || window.isThrough) return ours(...request)
        window.renewals++
        return Promise.resolve(new Response("<h1>Accept our terms</h1>", { headers: { "Content-Type": "text/html" } }))
      }`)
    await page.reload()
    await live(page)
    await expect.poll(() => keptIn(page), SOON).toContain("cursor")
    await node.database.prisma.accessToken.updateMany({
      where: { userId: BigInt(jane.id), revokedAt: null },
      data: { revokedAt: new Date() },
    })
    await add(page, "Still mine")
    await expect.poll(() => page.evaluate("window.renewals"), SOON).toBeGreaterThan(0)
    expect(await keptIn(page)).toContain("cursor")
    expect(await openTitles(page)).toEqual(["Still mine"])
    await page.evaluate("window.isThrough = true; dispatchEvent(new Event('online'))")
    await expect.poll(() => page.locator(".task.waiting").count(), SOON).toBe(0)
    await page.context().close()
  })

  it("works, and says that it keeps nothing, where the browser denies it all storage", async () => {
    const page = await open(await makeMember(node, "Ida"), "/")
    await page.addInitScript(`for (const name of ["indexedDB", "localStorage"])
      Object.defineProperty(window, name, { get() { throw new DOMException("Denied.", "SecurityError") } })`)
    await page.reload()
    await live(page)
    await page.locator(".toast.bad", { hasText: "This browser keeps nothing for this page" }).waitFor()
    await add(page, "Still works")
    await expect.poll(() => openTitles(page), SOON).toEqual(["Still works"])
    await expect.poll(() => page.locator(".task.waiting").count(), SOON).toBe(0)
    await page.context().close()
  })

  it("keeps a file that was attached without a network until it is sent, by another window too", async () => {
    const jan = await makeMember(node, "Jan")
    const client = await clientOf(jan, node.url)
    const page = await open(jan, "/")
    await add(page, "Plan")
    await openDetail(page, "Plan")
    await expect.poll(() => page.locator(".task.waiting").count(), SOON).toBe(0)
    const path = new URL(page.url()).search
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
    const context = page.context()
    await context.setOffline(true)
    await page.getByLabel("Attach files").setInputFiles({ name: "plan.txt", mimeType: "text/plain", buffer })
    await page.getByText("Waiting to be sent", { exact: true }).waitFor()
    const next = await context.newPage()
    await page.close()
    await next.goto(`/${path}`)
    await next.getByText("Waiting to be sent", { exact: true }).waitFor()
    await context.setOffline(false)
    await next.locator(".attached a", { hasText: "plan.txt" }).waitFor()
    expect(await filesIn(client)).toEqual(["plan.txt"])
    await expect.poll(() => filesKept(next), SOON).toBe(0)
    await context.close()
  })

  it("attaches a file once, though the answers to its end and to the file itself are lost", async () => {
    const kim = await makeMember(node, "Kim")
    const client = await clientOf(kim, node.url)
    const page = await open(kim, "/")
    await add(page, "Plan")
    await openDetail(page, "Plan")
    const lost: string[] = []
    for (const place of [/\/api\/v1\/uploads\/\d+$/, /\/api\/v1\/files$/])
      await page.route(
        place,
        async (route) => {
          await route.fetch()
          lost.push(route.request().method())
          await route.abort()
        },
        { times: 1 },
      )
    await page.getByLabel("Attach files").setInputFiles({ name: "plan.txt", mimeType: "text/plain", buffer })
    await page.locator(".attached a", { hasText: "plan.txt" }).waitFor()
    await expect.poll(() => filesKept(page), SOON).toBe(0)
    expect(lost).toEqual(["PATCH", "POST"])
    expect(await filesIn(client)).toEqual(["plan.txt"])
    await page.context().close()
  })

  const buffer = Buffer.from("Dig, then plant.")
  const filesIn = async (client: Client): Promise<string[]> => {
    const { body: lists } = await client.get("/lists")
    const { body: files } = await client.get(`/files?list_id=${lists[0].id}`)
    return files.map(({ file_name }: { file_name: string }) => file_name)
  }
  const filesKept = async (page: Page): Promise<number> =>
    (await keptIn(page)).filter((name) => /^\d+-0\.\d+-\d+$/.test(name)).length
})
