import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chromiumPath, PLAIN_HOST, startBrowser } from "../support/browser.js"
import { buildServer } from "../support/built-server.js"
import { makeList, makePerson, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

const SOON = { timeout: 40_000, interval: 50 }

/** A page of some other site that has nothing but the client of dist/. */
const PAGE = `<!doctype html><title>client</title><script type="module">
import { createClient, indexedDbStore } from "/client.js"
const { url, headers, list } = JSON.parse(decodeURIComponent(location.hash.slice(1)))
window.list = list
const store = indexedDbStore("tandem-1")
const save = async (entries) => { await store.save(entries); await window.frozen }
window.client = createClient({ url, headers: () => headers, store: { ...store, save } })
await client.start()
document.title = "started"
</script>`

// Over plain http browsers have no locks and no crypto.randomUUID, but for localhost.
describe.skipIf(chromiumPath === undefined).each(["127.0.0.1", PLAIN_HOST])(
  "two windows of %s",
  { timeout: 120_000 },
  (host) => {
    let node: TestNode
    let browser: Browser
    let context: BrowserContext
    let site: Server
    let ann: Person
    let list: { id: number }

    beforeAll(async () => {
      buildServer()
      ;[node, browser] = await Promise.all([sharedNode(), startBrowser()])
      ann = await makePerson(node)
      list = await makeList(ann)
      site = createServer((request, response) => {
        const isScript = request.url === "/client.js"
        response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html")
        response.end(isScript ? readFileSync("dist/client/client.js") : PAGE)
      })
      await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve))
      context = await browser.newContext()
    })
    afterAll(async () => {
      await browser.close()
      site.close()
    })

    async function open(): Promise<Page> {
      const page = await context.newPage()
      const what = encodeURIComponent(JSON.stringify({ url: node.url, headers: ann.headers, list: list.id }))
      await page.goto(`http://${host}:${(site.address() as AddressInfo).port}/#${what}`)
      await page.waitForFunction("document.title === 'started'")
      return page
    }
    const titles = (page: Page) => page.evaluate<string[]>("client.view.tasks(list).map(({ title }) => title)")
    const status = (page: Page) => page.evaluate<any>("client.view.status()")
    const create = (page: Page, title: string) =>
      page.evaluate(`client.create("task", { list_id: list, title: ${JSON.stringify(title)} }).id`)
    const onServer = async () => (await ann.get(`/tasks?list_id=${list.id}`)).body.map(({ title }: any) => title)

    it("share what they know and do: one synchronises for both, and the other takes over when it closes", async () => {
      const first = await open()
      await expect.poll(() => status(first), SOON).toMatchObject({ connection: "online", live: "websocket" })
      const second = await open()
      const asked: string[] = []
      second.on("request", (request) => asked.push(request.url()))
      await create(second, "Of the second")
      await expect.poll(() => titles(first), SOON).toEqual(["Of the second"])
      await expect.poll(onServer, SOON).toEqual(["Of the second"])
      expect(await status(second)).toMatchObject({ connection: "online" })
      await create(first, "Of the first")
      await expect.poll(() => titles(second), SOON).toEqual(["Of the second", "Of the first"])
      expect(asked).toEqual([])
      await first.close()
      await expect.poll(() => status(second), SOON).toMatchObject({ connection: "online", live: "websocket" })
      await create(second, "Taken over")
      await expect.poll(onServer, SOON).toEqual(["Of the second", "Of the first", "Taken over"])
      await second.close()
    })

    it("keep what was done offline until the browser is started again, and send it once", async () => {
      const page = await open()
      await expect.poll(() => status(page), SOON).toMatchObject({ connection: "online" })
      await context.setOffline(true)
      const before = await onServer()
      await create(page, "Offline")
      expect(await titles(page)).toEqual([...before, "Offline"])
      await page.evaluate("client.kept()")
      await page.close()
      await context.setOffline(false)
      const again = await open()
      expect((await titles(again)).filter((title) => title === "Offline")).toHaveLength(1)
      await expect.poll(onServer, SOON).toEqual([...before, "Offline"])
      await expect.poll(() => again.evaluate("client.view.waiting().length"), SOON).toBe(0)
      expect(await titles(again)).toEqual([...before, "Offline"])
      await again.close()
    })

    it("leave what was done as a page closes to a window that is open, or to the next one, and send it once", async () => {
      const leaving = async (title: string, other?: Page) => {
        const page = await open()
        await expect.poll(() => status(page), SOON).toMatchObject({ connection: "online" })
        const act = `client.create("task", { list_id: list, title: "${title}" }); location.href = "about:blank"`
        await page.evaluate(act)
        await page.waitForURL("about:blank")
        const next = other ?? (await open())
        await expect.poll(onServer, SOON).toContain(title)
        await expect.poll(() => next.evaluate("client.view.waiting().length"), SOON).toBe(0)
        expect((await titles(next)).filter((one) => one === title)).toEqual([title])
        expect((await onServer()).filter((one: string) => one === title)).toEqual([title])
        return next
      }
      const next = await leaving("Left to the next")
      await leaving("Left to the other", next)
      await next.close()
    })

    it("have what was done as a page froze sent once, also where the page comes back", async () => {
      const [first, second] = [await open(), await open()]
      await expect.poll(() => status(second), SOON).toMatchObject({ connection: "online" })
      await second.evaluate(`(async () => {
        window.frozen = new Promise((resolve) => { window.thaw = resolve })
        client.create("task", { list_id: list, title: "Being saved" })
        await new Promise((resolve) => setTimeout(resolve))
        client.create("task", { list_id: list, title: "Not saved" })
        dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))
      })()`)
      await expect.poll(onServer, SOON).toEqual(expect.arrayContaining(["Being saved", "Not saved"]))
      await expect.poll(() => first.evaluate("client.view.waiting().length"), SOON).toBe(0)
      await second.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })); thaw()')
      await create(second, "Back again")
      await expect.poll(onServer, SOON).toContain("Back again")
      for (const page of [first, second]) {
        await expect.poll(() => page.evaluate("client.view.waiting().length"), SOON).toBe(0)
        await expect.poll(() => titles(page), SOON).toEqual(await onServer())
      }
      const made = (await onServer()).slice(-3)
      expect(made).toEqual(["Being saved", "Not saved", "Back again"])
      await first.close()
      await second.close()
    })

    it("hear of the network coming back from the browser", async () => {
      const page = await open()
      await expect.poll(() => status(page), SOON).toMatchObject({ connection: "online" })
      await context.setOffline(true)
      await create(page, "While away")
      await expect.poll(() => status(page), SOON).toMatchObject({ connection: "offline" })
      await context.setOffline(false)
      await expect.poll(onServer, SOON).toContain("While away")
      await page.close()
    })
  },
)
