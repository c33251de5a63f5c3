import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeMember } from "../support/account.js"
import { chromiumPath, startBrowser } from "../support/browser.js"
import { add, clientOf, homePages, live, openTitles } from "../support/home-page.js"
import { startNode, type TestNode } from "../support/node.js"

const TASKS = 20_000

describe.skipIf(chromiumPath === undefined)("the home page with 20,000 tasks", { timeout: 300_000 }, () => {
  let node: TestNode
  let browser: Browser

  beforeAll(async () => {
    ;[node, browser] = await Promise.all([startNode(), startBrowser()])
  })
  afterAll(async () => {
    await browser.close()
    await node.stop()
  })

  it("opens them with the rows that are seen, goes to their end, and takes one more", async () => {
    const ann = await makeMember(node)
    const client = await clientOf(ann, node.url)
    const { body: list } = await client.post("/lists", { title: "Twenty thousand" })
    for (let from = 0; from < TASKS; from += 100) {
      const requests = [...Array(100).keys()].map((number) => ({
        id: `t${number}`,
        method: "POST",
        path: "/api/v1/tasks",
        body: { list_id: list.id, title: `task ${from + number}` },
      }))
      expect((await client.post("/batch", { requests })).status).toBe(200)
    }
    const { open, faults } = homePages(node, browser)
    const page = await open(ann, `/?list=${list.id}`)
    const counted = () => page.locator("#lists a[aria-current] .count").textContent()
    await expect.poll(counted, { timeout: 120_000 }).toBe("20,000 open")
    await page.reload()
    await live(page)
    const figures = await page.evaluate(`({
      firstPaintMs: Math.round(performance.getEntriesByName("first-paint")[0]?.startTime),
      usableMs: Math.round(performance.getEntriesByName("usable")[0]?.startTime),
      requests: performance.getEntriesByType("resource").length + 1,
    })`)
    console.log(`20,000 tasks: ${JSON.stringify(figures)}`)
    expect((await openTitles(page))[0]).toBe("task 0")
    expect(await page.locator(".task").count()).toBeLessThan(60)
    await page.locator(".scroller").evaluate((element: any) => element.scrollTo(0, element.scrollHeight))
    await expect.poll(async () => (await openTitles(page)).at(-1)).toBe("task 19999")
    expect(await page.locator(".task").count()).toBeLessThan(60)
    await add(page, "one more")
    await expect.poll(counted).toBe("20,001 open")
    expect(faults).toEqual([])
  })
})
