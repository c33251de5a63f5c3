import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Member, makeMember } from "../support/account.js"
import { chromiumPath, PLAIN_HOST, startBrowser } from "../support/browser.js"
import { add, clientOf, drag, homePages, live, openDetail, openTitles, row, SOON } from "../support/home-page.js"
import { startNode, type TestNode } from "../support/node.js"
import { startProxy } from "../support/proxy.js"

describe.skipIf(chromiumPath === undefined)("the home page on other ways and keyboards", { timeout: 120_000 }, () => {
  let node: TestNode
  let browser: Browser
  let ann: Member
  let faults: string[]
  let { open, picture } = {} as ReturnType<typeof homePages>

  beforeAll(async () => {
    ;[node, browser] = await Promise.all([startNode(), startBrowser()])
    ;({ faults, open, picture } = homePages(node, browser))
    ann = await makeMember(node, "Ann")
  })
  afterAll(async () => {
    await browser.close()
    await node.stop()
  })

  it("adds tasks also where it comes over plain http", async () => {
    const page = await open(ann, "/", { baseURL: node.url.replace("127.0.0.1", PLAIN_HOST) })
    expect(await page.evaluate("isSecureContext")).toBe(false)
    await add(page, "Over plain http")
    await expect.poll(() => openTitles(page), SOON).toContain("Over plain http")
    await row(page, "Over plain http").getByRole("checkbox").click()
    await expect.poll(() => openTitles(page), SOON).not.toContain("Over plain http")
    expect(faults).toEqual([])
  })

  it("leaves keys alone by which a character is being composed", async () => {
    const page = await open(ann, "/")
    for (const title of ["Compose", "Second"]) await add(page, title)
    await expect.poll(() => openTitles(page), SOON).toEqual(["Compose", "Second"])
    await openDetail(page, "Compose")
    await page.locator("#new-comment").fill("half a word")
    await page.locator("#new-task").fill("half a task")
    type Key = { key: string; ctrlKey?: boolean; altKey?: boolean; isComposing?: boolean; keyCode?: number }
    const press = (field: string, key: Key) =>
      page
        .locator(field)
        .first()
        .evaluate((element: any, init) => {
          element.focus()
          const { KeyboardEvent } = element.ownerDocument.defaultView
          element.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init }))
          return element.ownerDocument.activeElement === element
        }, key)
    const grip = ".task .grip"
    const keys: [string, Key][] = [
      ["#new-comment", { key: "Escape" }],
      ["#new-task", { key: "Escape" }],
      ["#task-title", { key: "Enter" }],
      ["#new-comment", { key: "Enter", ctrlKey: true }],
      [grip, { key: "ArrowDown", altKey: true }],
    ]
    // The last key of a composition comes behind its end in Safari, and has only its number.
    for (const composing of [
      { isComposing: true, keyCode: 229 },
      { isComposing: false, keyCode: 229 },
    ])
      for (const [field, key] of keys)
        expect([field, await press(field, { ...key, ...composing })]).toEqual([field, true])
    expect(await page.locator("#new-comment").inputValue()).toBe("half a word")
    expect(await page.locator("#new-task").inputValue()).toBe("half a task")
    expect(await openTitles(page)).toEqual(["Compose", "Second"])
    expect(new URL(page.url()).searchParams.has("task")).toBe(true)

    expect(await press("#task-title", { key: "Enter" })).toBe(false)
    await press(grip, { key: "ArrowDown", altKey: true })
    await expect.poll(() => openTitles(page), SOON).toEqual(["Second", "Compose"])
    await press("#new-comment", { key: "Enter", ctrlKey: true })
    await expect.poll(() => page.locator("#new-comment").inputValue(), SOON).toBe("")
    await press("#new-comment", { key: "Escape" })
    await expect.poll(() => page.locator("#new-comment").count(), SOON).toBe(0)
    expect(faults).toEqual([])
  })

  it("goes on after a cut where it was, and loses no move when two users move at once", async () => {
    const proxy = await startProxy(node.url)
    const list = await listOf(ann, "Moving out")
    const path = `/?list=${list}`
    const [anns, anns2] = await Promise.all([open(ann, path), open(ann, path, { baseURL: proxy.url })])
    for (const title of ["one", "two", "three"]) await add(anns, title)
    await expect.poll(() => openTitles(anns2), SOON).toEqual(["one", "two", "three"])

    await proxy.cut()
    await anns2.locator(".connection.offline").waitFor()
    await add(anns, "four")
    await anns.getByLabel("two is done").click()
    await expect.poll(() => openTitles(anns), SOON).toEqual(["one", "three", "four"])
    // What is done meanwhile shows at once, is told as waiting, and is done when the network is back.
    await anns2.getByLabel("one is done").click()
    await expect.poll(() => openTitles(anns2), SOON).toEqual(["two", "three"])
    await expect.poll(() => anns2.locator("#connection").textContent(), SOON).toContain("Offline, 1 change waiting")
    await picture(anns2, "home-offline")
    expect(faults.splice(0).filter((fault) => !fault.includes("net::ERR_"))).toEqual([])
    await proxy.restore()
    await live(anns2)
    for (const page of [anns, anns2]) await expect.poll(() => openTitles(page), SOON).toEqual(["three", "four"])
    await anns2.getByRole("button", { name: "Show 2 completed" }).click()
    await anns2.getByLabel("one is done").click()
    for (const page of [anns, anns2]) await expect.poll(() => openTitles(page), SOON).toEqual(["one", "three", "four"])
    await anns2.getByRole("button", { name: "Hide 1 completed" }).click()

    // Both write with the same revision: one of them reads the other's order and makes its move in it.
    for (const page of [anns, anns2]) await page.locator(".grip").last().focus()
    await Promise.all([anns.keyboard.press("ArrowUp"), anns2.keyboard.press("ArrowUp")])
    await anns.locator(".grip").first().focus()
    await Promise.all([anns.keyboard.press("ArrowDown"), drag(anns2, "three", "one")])
    const agreed = async () => {
      const { data } = await (await clientOf(ann, node.url)).graphql(`{ list(id: "${list}") { tasks { title } } }`)
      const titles = data.list.tasks.map(({ title }: { title: string }) => title)
      const shown = await Promise.all([openTitles(anns), openTitles(anns2)])
      return shown.every((one) => one.join() === titles.join()) && titles.length === 3
    }
    await expect.poll(agreed, SOON).toBe(true)
    expect(faults.splice(0).filter((fault) => !/net::ERR_|409/.test(fault))).toEqual([])
    // Where no event tells any more what was missed, it reads everything again; and when its access is over, it gets another.
    await proxy.cut()
    await anns2.locator(".connection.offline").waitFor()
    await add(anns, "five")
    await expect.poll(() => openTitles(anns), SOON).toContain("five")
    await node.database.prisma.event.deleteMany()
    await proxy.restore()
    await expect.poll(() => openTitles(anns2), SOON).toContain("five")
    await node.database.prisma.accessToken.deleteMany({ where: { userId: BigInt(ann.id) } })
    await add(anns, "six")
    for (const page of [anns, anns2]) await expect.poll(() => openTitles(page), SOON).toContain("six")
    expect(faults.splice(0).filter((fault) => !/net::ERR_|401|410/.test(fault))).toEqual([])
    await Promise.all([anns.context().close(), anns2.context().close()])
    await proxy.stop()
  })

  const listOf = async (who: Member, title: string): Promise<number> =>
    (await (await clientOf(who, node.url)).post("/lists", { title })).body.id
})
