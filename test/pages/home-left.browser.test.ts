import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeMember, PASSWORD } from "../support/account.js"
import { chromiumPath, startBrowser } from "../support/browser.js"
import type { Client } from "../support/client.js"
import { add, clientOf, homePages, live, openDetail, openTitles, SOON } from "../support/home-page.js"
import { sharedNode, type TestNode } from "../support/node.js"

describe.skipIf(chromiumPath === undefined)("a home page that is left", { timeout: 120_000 }, () => {
  let node: TestNode
  let browser: Browser
  let { open, watched, faults } = {} as ReturnType<typeof homePages>

  beforeAll(async () => {
    ;[node, browser] = await Promise.all([sharedNode(), startBrowser()])
    ;({ open, watched, faults } = homePages(node, browser))
  })
  afterAll(() => browser.close())

  const AWAY = "location.href = 'about:blank'"
  const titlesIn = async (client: Client, query = ""): Promise<string[]> => {
    const { body: lists } = await client.get("/lists")
    const { body: tasks } = await client.get(`/tasks?list_id=${lists[0].id}${query}`)
    return tasks.map(({ title }: { title: string }) => title).sort()
  }
  const sent = (page: Page) => expect.poll(() => page.locator(".task.waiting").count(), SOON).toBe(0)
  /** Does something, and leaves the page before the browser does anything else. */
  const doAndLeave = (page: Page, act: string) =>
    page.evaluate(`${act}; ${AWAY}`).then(() => page.waitForURL("about:blank"))
  const click = (selector: string) => `document.querySelector(${JSON.stringify(selector)}).click()`
  const requestsOf = (page: Page, method: string): string[] => {
    const found: string[] = []
    page.on("request", (request) => {
      if (request.url().endsWith("/batch"))
        for (const one of request.postDataJSON().requests) if (one.method === method) found.push(one.path)
    })
    return found
  }

  it("at once has its deletions, completions and new tasks sent by the next page, once", async () => {
    const ann = await makeMember(node, "Ann")
    const client = await clientOf(ann, node.url)
    const page = await open(ann, "/")
    await add(page, "Deleted")
    await add(page, "Comes back")
    await sent(page)
    const { body: lists } = await client.get("/lists")
    const { body: tasks } = await client.get(`/tasks?list_id=${lists[0].id}`)
    const back = tasks.find(({ title }: any) => title === "Comes back")
    await client.patch(`/tasks/${back.id}`, {
      ...{ revision: back.revision, due_date: "2026-03-02", recurrence_type: "day", recurrence_count: 1 },
    })
    await page.reload()
    await live(page)
    await openDetail(page, "Deleted")
    const act = `${click("#delete-task")};
      [...document.querySelectorAll(".task")].find((one) => one.textContent.includes("Comes back")).querySelector(".check").click();
      document.querySelector("#new-task").value = "New"; document.querySelector("#new-task").form.requestSubmit()`
    await doAndLeave(page, act)
    const next = await watched(page.context())
    const [deletions, changes] = [requestsOf(next, "DELETE"), requestsOf(next, "PATCH")]
    await next.goto("/")
    await live(next)
    await expect.poll(() => titlesIn(client), SOON).toEqual(["Comes back", "New"])
    await expect.poll(() => titlesIn(client, "&completed=true"), SOON).toEqual(["Comes back"])
    await sent(next)
    expect([deletions.length, changes.length]).toEqual([1, 1])
    expect(await next.evaluate("Object.keys(localStorage).filter((name) => name.includes('left'))")).toEqual([])
    await page.context().close()
  })

  it("at once has them sent by another window that is open, and what was undone stays undone", async () => {
    const bob = await makeMember(node, "Bob")
    const client = await clientOf(bob, node.url)
    const other = await open(bob, "/")
    await add(other, "Deleted")
    await add(other, "Kept")
    await sent(other)
    const page = await watched(other.context())
    await page.goto("/")
    await live(page)
    await openDetail(page, "Kept")
    await page.locator("#delete-task").click()
    await page.locator("#undo").waitFor()
    await openDetail(page, "Deleted")
    await doAndLeave(page, `${click("#undo")}; ${click("#delete-task")}`)
    await expect.poll(() => titlesIn(client), SOON).toEqual(["Kept"])
    await expect.poll(() => openTitles(other), SOON).toEqual(["Kept"])
    await other.context().close()
    expect(faults).toEqual([])
  })

  it("open in another tab forgets what it shows and holds when the account is deleted, and says so", async () => {
    const cleo = await makeMember(node, "Cleo")
    const page = await open(cleo, "/")
    await add(page, "Secret")
    const other = await watched(page.context())
    await other.goto("/")
    await live(other)
    await other.locator("#new-task").fill("Not even given")
    await page.goto("/account/delete")
    await page.locator('[name="password"]').fill(PASSWORD)
    await page.getByRole("button", { name: "Delete my account" }).click()
    await page.getByText("Your account has been deleted.").waitFor()
    await other.getByText("Your account has been deleted.").waitFor()
    expect(await other.evaluate("Object.keys(sessionStorage)")).toEqual([])
    await page.context().close()
  })
  it("open in another tab gives way to the page of another user who signs in, which says so", async () => {
    const [dan, eve] = [await makeMember(node, "Dan"), await makeMember(node, "Eve")]
    const page = await open(dan, "/")
    await add(page, "Secret")
    await sent(page)
    await page.locator("#new-task").fill("Not even given")
    const value = eve.browser.cookies.get("tandem") as string
    await page.context().addCookies([{ name: "tandem", value, url: node.url }])
    const other = await watched(page.context())
    await other.goto("/")
    await page.getByText("Eve has signed in to this browser.").first().waitFor()
    await live(page)
    expect(await page.locator("body").textContent()).not.toContain("Secret")
    expect(await page.evaluate("Object.keys(sessionStorage)")).toEqual([])
    expect(page.url()).toBe(`${node.url}/`)
    await page.context().close()
  })
  it("open in another tab comes again, and passes nothing on, where somebody signs out and in again", async () => {
    const gus = await makeMember(node, "Gus")
    const page = await open(gus, "/")
    await add(page, "Stays")
    await sent(page)
    const other = await watched(page.context())
    await other.goto("/account")
    const comes = page.waitForEvent("framenavigated")
    await other.evaluate(`
      window.heard = []
      const tabs = new BroadcastChannel("tandem-viewer")
      tabs.onmessage = ({ data }) => heard.push(data.viewer?.id)
      for (const viewer of [undefined, { id: ${gus.id}, name: "Gus" }]) tabs.postMessage({ viewer })`)
    await comes
    await live(page)
    expect(await openTitles(page)).toEqual(["Stays"])
    expect(await other.evaluate("heard")).toEqual([Number(gus.id)])
    await page.context().close()
  })
  it("gives way also where it hears of another user while it starts", async () => {
    const hal = await makeMember(node, "Hal")
    const page = await open(hal, "/")
    const next = await watched(page.context())
    await next.addInitScript(`
      const { set } = Object.getOwnPropertyDescriptor(BroadcastChannel.prototype, "onmessage")
      const isFirst = sessionStorage.told === undefined
      sessionStorage.told = "yes"
      Object.defineProperty(BroadcastChannel.prototype, "onmessage", {
        set(listener) {
          set.call(this, listener)
          if (isFirst && this.name === "tandem-viewer")
            new BroadcastChannel(this.name).postMessage({ viewer: { id: 1e9, name: "Another" } })
        },
      })`)
    await page.goto("about:blank")
    await next.goto("/")
    await next.getByText("Hal has signed in to this browser.").first().waitFor()
    await page.context().close()
  })
  it("sends a file for a task that was made offline too, and notes the id of the task before", async () => {
    const fay = await makeMember(node, "Fay")
    const client = await clientOf(fay, node.url)
    const page = await open(fay, "/")
    await page.context().setOffline(true)
    await add(page, "Made offline")
    await openDetail(page, "Made offline")
    const buffer = Buffer.from("Dig, then plant.")
    await page.getByLabel("Attach files").setInputFiles({ name: "plan.txt", mimeType: "text/plain", buffer })
    await page.getByText("Waiting to be sent", { exact: true }).waitFor()
    await page.route("**/api/v1/uploads", (route) => route.abort())
    await page.context().setOffline(false)
    const tasks = () =>
      page.evaluate(`(async () => {
      const { name } = (await indexedDB.databases()).find(({ name }) => name.endsWith("-files"))
      const database = await new Promise((resolve) => {
        const request = indexedDB.open(name)
        request.onsuccess = () => resolve(request.result)
      })
      const request = database.transaction("kept").objectStore("kept").getAll()
      const all = await new Promise((resolve) => { request.onsuccess = () => resolve(request.result) })
      database.close()
      return all.map(({ task }) => task > 0)
    })()`)
    await expect.poll(tasks, SOON).toEqual([true])
    await page.unroute("**/api/v1/uploads")
    await page.locator(".attached a", { hasText: "plan.txt" }).waitFor()
    const { body: lists } = await client.get("/lists")
    expect((await client.get(`/files?list_id=${lists[0].id}`)).body).toHaveLength(1)
    await page.context().close()
  })
})
