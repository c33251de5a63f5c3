import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Member, makeMember } from "../support/account.js"
import { chromiumPath, startBrowser } from "../support/browser.js"
import { add, clientOf, drag, homePages, openDetail, openTitles, row, SOON } from "../support/home-page.js"
import { startNode, type TestNode } from "../support/node.js"

describe.skipIf(chromiumPath === undefined)("the home page in Chromium", { timeout: 120_000 }, () => {
  let node: TestNode
  let browser: Browser
  let ann: Member
  let bob: Member
  let faults: string[]
  let { open, look, picture } = {} as ReturnType<typeof homePages>

  beforeAll(async () => {
    ;[node, browser] = await Promise.all([startNode(), startBrowser()])
    ;({ faults, open, look, picture } = homePages(node, browser))
    ;[ann, bob] = await Promise.all([makeMember(node, "Ann"), makeMember(node, "Bob")])
  })
  afterAll(async () => {
    await browser.close()
    await node.stop()
  })

  it("tells visitors without a session what runs here and where to go next", async () => {
    const page = await open(undefined, "/")
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("Shared lists")
    expect(await page.locator(".running").textContent()).toMatch(/All systems operational.*Tandem \d+\.\d+\.\d+/)
    const links = await page
      .getByRole("main")
      .getByRole("link")
      .evaluateAll((all) => all.map((one) => one.getAttribute("href")))
    expect(links).toEqual(["/sign-up", "/sign-in", "/docs", "/graphql", "/schema.graphql"])
    await look(page, "home-signed-out")
    await page.emulateMedia({ colorScheme: "dark" })
    await picture(page, "home-signed-out-dark")
    await page.setViewportSize({ width: 360, height: 740 })
    await picture(page, "home-signed-out-phone")
    expect(faults).toEqual([])
  })

  it("shows two people what the other does, as it happens", async () => {
    const [anns, bobs] = await Promise.all([open(ann, "/"), open(bob, "/")])

    // A list of Ann's, to which Bob is invited.
    await anns.getByLabel("New list").fill("Summer house")
    await anns.keyboard.press("Enter")
    await anns.getByRole("heading", { level: 1, name: "Summer house" }).waitFor()
    await anns.getByRole("button", { name: "Share" }).click()
    await anns.getByLabel("Email address").fill(bob.email)
    await anns.keyboard.press("Enter")
    await bobs.getByRole("button", { name: "Accept Summer house" }).click()
    await bobs.getByRole("heading", { level: 1, name: "Summer house" }).waitFor()
    await expect.poll(() => anns.locator("#sharing .tag.waiting").allTextContents(), SOON).toEqual(["you"])
    await anns.keyboard.press("Escape")
    await anns.locator("#sharing").waitFor({ state: "detached" })

    for (const title of ["Buy paint", "Mend the roof", "Call the plumber"]) await add(anns, title)
    await expect.poll(() => openTitles(bobs), SOON).toEqual(["Buy paint", "Mend the roof", "Call the plumber"])
    await expect.poll(() => bobs.locator("#lists a[aria-current] .count").textContent(), SOON).toBe("3 open")

    // By mouse, and by keyboard.
    await drag(bobs, "Call the plumber", "Buy paint")
    await expect.poll(() => openTitles(anns), SOON).toEqual(["Call the plumber", "Buy paint", "Mend the roof"])
    await drag(anns, "Call the plumber", "Buy paint")
    await expect.poll(() => openTitles(bobs), SOON).toEqual(["Buy paint", "Call the plumber", "Mend the roof"])
    await row(anns, "Mend the roof").locator(".grip").focus()
    await anns.keyboard.press("ArrowUp")
    await anns.keyboard.press("Alt+ArrowUp")
    await expect.poll(() => openTitles(bobs), SOON).toEqual(["Mend the roof", "Buy paint", "Call the plumber"])
    expect(await anns.evaluate("document.activeElement.textContent.trim()")).toBe("Move Mend the roof, 1 of 3")

    await bobs.getByLabel("Buy paint is done").click()
    await expect.poll(() => openTitles(anns), SOON).toEqual(["Mend the roof", "Call the plumber"])
    await anns.getByRole("button", { name: "Show 1 completed" }).click()
    await anns.getByLabel("Buy paint is done").click()
    await expect.poll(() => openTitles(bobs), SOON).toEqual(["Mend the roof", "Buy paint", "Call the plumber"])
    await row(bobs, "Mend the roof").getByRole("button", { name: "Star Mend the roof" }).click()
    await expect.poll(() => row(anns, "Mend the roof").locator(".star").getAttribute("aria-pressed"), SOON).toBe("true")

    // What is inside a task: Bob sees it while Ann writes.
    await Promise.all([anns, bobs].map((page) => openDetail(page, "Mend the roof")))
    await anns.getByLabel("Comment", { exact: true }).fill("Slates or tiles?\nI'd take slates.")
    await anns.getByRole("button", { name: "Comment" }).click()
    await expect
      .poll(() => bobs.locator(".said .text").allTextContents(), SOON)
      .toEqual(["Slates or tiles?\nI'd take slates."])
    await anns.getByLabel("Attach files").setInputFiles({
      name: "roof <plan>.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("slates"),
    })
    const file = bobs.getByRole("link", { name: "roof <plan>.txt" })
    await file.waitFor()
    const downloading = bobs.waitForEvent("download")
    await file.click()
    const download = await (await downloading).createReadStream()
    expect(Buffer.concat(await download.toArray()).toString()).toBe("slates")
    await anns.getByLabel("Task", { exact: true }).fill("Mend the whole roof")
    await anns.keyboard.press("Enter")
    await anns.locator("#task-due").fill("2031-05-01")
    await expect.poll(() => row(bobs, "Mend the whole roof").locator(".due").textContent(), SOON).toBe("May 1, 2031")

    await look(anns, "home-signed-in")
    await anns.emulateMedia({ colorScheme: "dark" })
    await look(anns, "home-signed-in-dark", ["color-contrast"])
    await bobs.setViewportSize({ width: 360, height: 740 })
    await look(bobs, "home-phone-task", ["target-size"])
    await bobs.keyboard.press("Escape")
    await bobs.locator("#opened-task").waitFor({ state: "detached" })
    await look(bobs, "home-phone", ["target-size"])
    await bobs.setViewportSize({ width: 320, height: 640 })
    await look(bobs, "home-narrow", ["target-size"])

    await anns.getByRole("button", { name: "Delete task" }).click()
    await expect.poll(() => openTitles(bobs), SOON).toEqual(["Buy paint", "Call the plumber"])
    expect(faults).toEqual([])
    await Promise.all([anns.context().close(), bobs.context().close()])
  })

  it("ends in every window of a session when somebody signs out", async () => {
    const cleo = await makeMember(node, "Cleo")
    const first = await open(cleo, "/")
    const second = await first.context().newPage()
    await second.goto("/")
    await second.locator(".connection.live").waitFor()
    const startedAt = performance.now()
    await first.locator(".account-menu summary").click()
    await first.getByRole("button", { name: "Sign out" }).click()
    await second.getByRole("link", { name: "Sign up" }).waitFor()
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    expect(await second.locator("#home").count()).toBe(0)
    await first.context().close()
  })

  it("can be read without scripts", async () => {
    const list = await listOf(bob, "Books <to> read")
    const client = await clientOf(bob, node.url)
    const [first] = await Promise.all(
      ["Middlemarch", "Ulysses"].map((title) =>
        client.post("/tasks", { list_id: list, title, due_date: "2031-01-02" }),
      ),
    )
    await client.post("/task_comments", { task_id: first?.body.id, text: "</script><b>long</b>" })
    const page = await open(bob, "/", { javaScriptEnabled: false })
    await page.getByRole("link", { name: /Books <to> read/ }).click()
    expect((await openTitles(page)).sort()).toEqual(["Middlemarch", "Ulysses"])
    await page.getByRole("link", { name: "Middlemarch" }).click()
    expect(await page.locator(".said .text").textContent()).toBe("</script><b>long</b>")
    expect(await page.locator("#home").locator("input, button, textarea").count()).toBe(0)
    await picture(page, "home-without-scripts")
    await page.context().close()
  })

  const listOf = async (who: Member, title: string): Promise<number> =>
    (await (await clientOf(who, node.url)).post("/lists", { title })).body.id
})
