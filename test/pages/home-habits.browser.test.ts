import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Member, makeMember } from "../support/account.js"
import { chromiumPath, startBrowser } from "../support/browser.js"
import type { Client } from "../support/client.js"
import { add, clientOf, expectBoth, homePages, live, openDetail, openTitles, row, SOON } from "../support/home-page.js"
import { startNode, type TestNode } from "../support/node.js"
import { dayIn, NOON_ZONE } from "../support/noon.js"
import { type CuttableWay, startProxy } from "../support/proxy.js"

const EDITS = 200

describe.skipIf(chromiumPath === undefined)("habits of the home page", { timeout: 120_000 }, () => {
  let node: TestNode
  let proxy: CuttableWay
  let browser: Browser
  let ann: Member
  let client: Client
  let { faults, look, open, picture } = {} as ReturnType<typeof homePages>

  beforeAll(async () => {
    ;[node, browser] = await Promise.all([startNode(), startBrowser()])
    proxy = await startProxy(node.url)
    ;({ faults, look, open, picture } = homePages(node, browser))
    ann = await makeMember(node, "Ann")
    client = await clientOf(ann, node.url)
  })
  afterAll(async () => {
    await browser.close()
    await proxy.stop()
    await node.stop()
  })

  const listOf = async (title: string): Promise<number> => (await client.post("/lists", { title })).body.id
  const make = async (list: number, title: string, more = {}) =>
    (await client.post("/tasks", { list_id: list, title, ...more })).body
  const focused = (page: Page) => page.evaluate<string>("document.activeElement.id || document.activeElement.tagName")

  it("shows today, the week, what is starred, assigned, completed or found, with badges, in both schemes and sizes", async () => {
    const list = await listOf("Everything")
    await make(list, "Late", { due_date: dayIn(-2) })
    const now = await make(list, "Now", { due_date: dayIn(0), starred: true })
    await make(list, "Soon", { due_date: dayIn(3), assignee_id: Number(ann.id) })
    await make(list, "Some day")
    const done = await make(list, "Done")
    await client.patch(`/tasks/${done.id}`, { revision: done.revision, completed: true })
    await client.post("/notes", { task_id: now.id, content: "the straße of tea" })
    await client.post("/task_comments", { task_id: now.id, text: "no hurry" })
    const page = await open(ann, "/", { timezoneId: NOON_ZONE })
    const shown = () => page.locator(".scroller .task .name").allTextContents()
    const views: [string, string, string[]][] = [
      ["t", "Today", ["Late", "Now"]],
      ["w", "Week", ["Late", "Now", "Soon"]],
      ["s", "Starred", ["Now"]],
      ["a", "Assigned to me", ["Soon"]],
      ["c", "Completed", ["Done"]],
    ]
    for (const [key, title, titles] of views) {
      await page.keyboard.press("g")
      await page.keyboard.press(key)
      await page.getByRole("heading", { level: 1, name: title }).waitFor()
      await expect.poll(shown, SOON).toEqual(titles)
      if (title !== "Week") continue
      expect(await page.locator(".scroller h2").allTextContents()).toContain("Overdue")
    }
    expect(await page.locator("#view-today .count").textContent()).toBe("2 open")
    // What is added in a view is what it shows.
    await page.keyboard.press("g")
    await page.keyboard.press("s")
    await add(page, "Star at once")
    await expect.poll(shown, SOON).toContain("Star at once")
    await page.keyboard.press("Escape")
    await page.keyboard.press("/")
    await page.keyboard.type("STRASSE")
    await expect.poll(shown, SOON).toEqual(["Now"])
    expect(await row(page, "Now").locator(".badges").textContent()).toMatch(/Everything.*has notes.*1 comment/)
    await page.getByLabel("Search").last().fill("nowhere at all")
    await page.locator("#nothing").waitFor()
    await picture(page, "home-nothing-found")
    for (const [scheme, width] of [
      ["light", 1280],
      ["dark", 1280],
      ["light", 390],
      ["dark", 390],
      ["light", 320],
    ] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width, height: 844 })
      for (const path of ["/?view=week", `/?list=${list}&task=${now.id}`, "/?view=completed"]) {
        await page.goto(path)
        await live(page)
        // Everything once; what another scheme or size can change after that.
        const rules = scheme === "light" && width === 1280 ? undefined : ["color-contrast", "target-size"]
        await look(page, `home-${path.replace(/\W+|\d+/g, "-")}-${scheme}-${width}`, rules)
      }
    }
    await page
      .locator("#close-task")
      .click()
      .catch(() => {})
    await page.getByRole("button", { name: "Show lists" }).click()
    await look(page, "home-drawer", ["target-size", "color-contrast"])
    const small = await page
      .locator("#lists a, #lists button:visible, .task .star, .task .check")
      .evaluateAll((all: any[]) =>
        all
          .filter((one) => one.getBoundingClientRect().height < 43.9 && !one.classList.contains("unseen"))
          .map((one) => one.outerHTML),
      )
    expect(small).toEqual([])
    await page.keyboard.press("Escape")
    expect(await focused(page)).toBe("show-lists")
    expect(faults.splice(0)).toEqual([])
    await page.context().close()
  })

  it("closes what is on top with Escape, and keeps the focus: help, details, selection", async () => {
    const list = await listOf("Keys")
    for (const title of ["one", "two", "three"]) await make(list, title)
    const page = await open(ann, `/?list=${list}`, { viewport: { width: 1280, height: 700 } })
    await expect.poll(() => openTitles(page), SOON).toEqual(["one", "two", "three"])
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await page.locator("#opened-task").waitFor()
    expect(await focused(page)).toBe("opened-title")
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor()
    await look(page, "home-keys")
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    expect(await page.locator("#opened-task").count()).toBe(1)
    await page.keyboard.press("Escape")
    await page.locator("#opened-task").waitFor({ state: "detached" })
    expect(await page.evaluate("document.activeElement.textContent")).toMatch(/^two/)
    await page.keyboard.press("s")
    await expect.poll(() => row(page, "two").locator(".star").getAttribute("aria-pressed"), SOON).toBe("true")
    await page.keyboard.press("Control+a")
    expect(await page.locator(".batch strong").textContent()).toBe("3 selected")
    await page.keyboard.press("Escape")
    expect(await page.locator(".batch").count()).toBe(0)
    await page.keyboard.press("Alt+ArrowUp")
    await expect.poll(() => openTitles(page), SOON).toEqual(["two", "one", "three"])
    expect(await page.evaluate("document.activeElement.textContent")).toMatch(/^two/)
    await page.keyboard.press("Space")
    await expect.poll(() => openTitles(page), SOON).toEqual(["one", "three"])
    expect(await page.evaluate("document.activeElement.textContent")).toMatch(/^one/)
    await page.keyboard.press("m")
    await page.getByRole("searchbox", { name: "List" }).fill("inb")
    await page.keyboard.press("Enter")
    await expect.poll(() => openTitles(page), SOON).toEqual(["three"])
    await page.locator("#undo").click()
    await expect.poll(() => openTitles(page), SOON).toEqual(["one", "three"])
    expect(faults.splice(0)).toEqual([])
    await page.context().close()
  })

  it("gives the focus of what is closed or deleted to what is near, and keeps all tools in a narrow window", async () => {
    const list = await listOf("Focus")
    for (const title of ["one", "two"]) await make(list, title)
    const page = await open(ann, `/?list=${list}`, { viewport: { width: 320, height: 640 } })
    const press = async (selector: string, key = "Enter") => {
      await page.locator(selector).first().focus()
      await page.keyboard.press(key)
    }
    const isLost = () => page.evaluate("document.activeElement === document.body")
    await openDetail(page, "two")
    for (const [field, key] of [
      ["#new-step", "Enter"],
      ["#new-comment", "Control+Enter"],
    ] as const) {
      await page.locator(field).fill("some words")
      await page.keyboard.press(key)
    }
    await press("#add-reminder")
    await press("#add-note")
    await page.keyboard.type("noted")
    await page.keyboard.press("Escape")
    await page.locator(".note button").first().waitFor()
    await expect.poll(isLost, SOON).toBe(false)
    for (const [selector, what] of [
      ["#steps .icon-button", "#steps .step"],
      [`[aria-label="Delete note"]`, ".note"],
      [".said button", ".said li"],
      [`[aria-label="Delete reminder"]`, ".reminder"],
    ] as const) {
      await press(selector)
      await page.locator(what).waitFor({ state: "detached" })
      await expect.poll(isLost, SOON).toBe(false)
      await press("#undo")
      await page.locator(what).waitFor()
      await expect.poll(isLost, SOON).toBe(false)
    }
    await press("#delete-task")
    await page.locator("#opened-task").waitFor({ state: "detached" })
    await expect.poll(() => page.evaluate("document.activeElement.textContent"), SOON).toMatch(/^one/)
    await press("#ask-share")
    await page.locator("#invitee").waitFor()
    await page.keyboard.press("Escape")
    await expect.poll(() => focused(page), SOON).toBe("ask-share")
    await row(page, "one").locator(".title").focus()
    await page.keyboard.press("Control+a")
    const wider = () => page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    expect(await wider()).toBe(0)
    await press("#batch-due")
    await page.locator(".batch [role=menu]").waitFor()
    await look(page, "home-batch-narrow", ["target-size"])
    expect(faults.splice(0)).toEqual([])
    await page.context().close()
  })

  it("undoes a completion before a task comes back, and a single star; a key that is held acts once", async () => {
    const list = await listOf("Again")
    const task = await make(list, "Water", { recurrence_type: "week", recurrence_count: 1, due_date: dayIn(0) })
    const page = await open(ann, `/?list=${list}`)
    const title = row(page, "Water").locator(".title")
    const isStarred = async () => (await client.get(`/tasks/${task.id}`)).body.starred
    await title.focus()
    await page.keyboard.press("Space")
    await expect.poll(() => openTitles(page), SOON).toEqual([])
    await page.locator("#undo").click()
    await expect.poll(() => openTitles(page), SOON).toEqual(["Water"])
    await title.focus()
    for (let times = 0; times < 2; times++) await page.keyboard.down("s")
    await page.keyboard.up("s")
    // Pointed at, it stays.
    await page.locator("#undo").hover()
    await expect.poll(isStarred, SOON).toBe(true)
    await page.keyboard.press("Control+z")
    await expect.poll(isStarred, SOON).toBe(false)
    const tasks = ["false", "true"].map((completed) => client.get(`/tasks?list_id=${list}&completed=${completed}`))
    expect((await Promise.all(tasks)).map(({ body }) => body.length)).toEqual([1, 0])
    expect(faults.splice(0)).toEqual([])
    await page.context().close()
  })

  it("offers no way back from a deletion once there is none, however long what it says is pointed at", async () => {
    const list = await listOf("Gone")
    const task = await make(list, "Rake")
    const page = await open(ann, `/?list=${list}&task=${task.id}`)
    await page.locator("#delete-task").click()
    await page.locator("#undo").hover()
    await page.locator("#undo").waitFor({ state: "detached" })
    expect(await page.locator(".toast").textContent()).toContain("deleted")
    await expect.poll(async () => (await client.get(`/tasks/${task.id}`)).status, SOON).toBe(404)
    expect(faults.splice(0)).toEqual([])
    await page.context().close()
  })

  it("shows a conflict side by side, and does what is decided", async () => {
    const list = await listOf("Both")
    const task = await make(list, "Paint the gate")
    const page = await open(ann, `/?list=${list}&task=${task.id}`, {
      baseURL: proxy.url,
      viewport: { width: 1280, height: 760 },
    })
    await proxy.cut()
    await page.locator(".connection.offline").waitFor()
    await page.getByLabel("Task", { exact: true }).fill("Paint the gate red")
    await page.keyboard.press("Enter")
    await client.patch(`/tasks/${task.id}`, { revision: task.revision, title: "Paint the gate blue" })
    await proxy.restore()
    await page.getByRole("button", { name: "1 change needs your decision" }).click()
    const sides = () => page.locator("#conflicts dd").allTextContents()
    await expect.poll(sides, SOON).toEqual(["Paint the gate red", "Paint the gate blue"])
    await look(page, "home-conflict")
    await page.getByRole("button", { name: "Keep yours" }).click()
    await page.locator("#conflicts").waitFor({ state: "detached" })
    await expect.poll(async () => (await client.get(`/tasks/${task.id}`)).body.title, SOON).toBe("Paint the gate red")
    expect(faults.splice(0).filter((fault) => !/net::ERR_|409/.test(fault))).toEqual([])
    await page.context().close()
  })

  it(`keeps ${EDITS} edits of a day without a network, over a restart too, and levels itself`, async () => {
    const viewport = { width: 1280, height: 3_200 }
    const list = await listOf("A day out")
    const first = await make(list, "Before")
    // High enough for all rows to be there.
    const page = await open(ann, `/?list=${list}`, { viewport })
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
    await page.context().setOffline(true)
    await page.locator(".connection.offline").waitFor()
    for (let number = 0; number < EDITS / 4; number++) await add(page, `edit ${number}`)
    // By its own keys: a row is starred, completed or opened as people do it.
    for (let number = 0; number < EDITS / 2; number++) {
      const last = number < EDITS / 4 ? "s" : "t"
      await row(page, "Before").locator(".title").focus()
      await page.keyboard.press(number % 2 === 0 ? last : "s")
    }
    for (let number = 0; number < EDITS / 4; number++) {
      await page.locator("#open-tasks .task .title").nth(1).focus()
      await page.keyboard.press(number % 5 === 0 ? "Space" : "s")
    }
    const shown = await openTitles(page)
    await client.patch(`/tasks/${first.id}`, { revision: first.revision, title: "Before, renamed elsewhere" })
    expect(await page.locator("#connection").textContent()).toMatch(/Offline, 2\d\d changes waiting/)
    // The window is closed and opened again: the shell is there, and all that was done.
    await page.reload()
    await expect.poll(() => openTitles(page), SOON).toEqual(shown)
    await page.locator(".connection.offline").waitFor()
    await picture(page, "home-offline-shell")
    await page.context().setOffline(false)
    await page
      .getByRole("button", { name: "Try now" })
      .click()
      .catch(() => {})
    await live(page)
    const level = async () =>
      (await client.get(`/tasks?list_id=${list}`)).body
        .map((one: any) => one.title)
        .sort()
        .join()
    await expect.poll(async () => (await openTitles(page)).sort().join(), SOON).toContain("renamed elsewhere")
    await expect.poll(async () => (await openTitles(page)).sort().join() === (await level()), SOON).toBe(true)
    expect((await openTitles(page)).length).toBe(shown.length)
    expect(await page.locator("#to-decide").count()).toBe(0)
    expect(faults.splice(0).filter((fault) => !fault.includes("net::ERR_"))).toEqual([])
    const fresh = await open(ann, `/?list=${list}`, { viewport })
    await expectBoth([fresh], (one) => openTitles(one).then((titles) => titles.length), shown.length)
    await openDetail(fresh, "renamed elsewhere")
    await Promise.all([page.context().close(), fresh.context().close()])
  })

  it("orders tasks by a finger that stays on one, or takes one by its grip", async () => {
    const { body: list } = await client.post("/lists", { title: "By finger" })
    for (const title of ["a", "b", "c"]) await client.post("/tasks", { list_id: list.id, title })
    const page = await open(ann, `/?list=${list.id}`, { hasTouch: true, viewport: { width: 390, height: 700 } })
    await expect.poll(() => openTitles(page), SOON).toEqual(["a", "b", "c"])
    const fingers = await page.context().newCDPSession(page)
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...touchPoints: { x: number; y: number }[]) =>
      fingers.send("Input.dispatchTouchEvent", { type, touchPoints })
    const on = async (title: string) => {
      const { x, y, width, height } = (await row(page, title).locator(".name").boundingBox())!
      return { x: x + width / 2, y: y + height / 2 }
    }
    const [from, to] = [await on("a"), await on("c")]
    await touch("touchStart", from)
    await page.locator("body.is-dragging").waitFor()
    // Android asks for a menu then, and takes the finger away where it gets one.
    const menu = `document.body.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true }))`
    expect(await page.evaluate(menu)).toBe(false)
    for (const share of [0.3, 0.7, 1]) await touch("touchMove", { x: from.x, y: from.y + share * (to.y + 8 - from.y) })
    await page.locator(".drop-line").waitFor()
    await touch("touchEnd")
    await expect.poll(() => openTitles(page), SOON).toEqual(["b", "c", "a"])
    expect(await page.locator("#opened-task").count()).toBe(0)
    await expect
      .poll(async () => (await client.get(`/task_positions?list_id=${list.id}`)).body[0].values.length, SOON)
      .toBe(3)
    expect(await page.evaluate(menu)).toBe(true)

    // On a larger screen there is a grip, which drags at once.
    await page.setViewportSize({ width: 1100, height: 700 })
    const grip = (await row(page, "b").locator(".grip").boundingBox())!
    const end = await on("c")
    await touch("touchStart", { x: grip.x + 8, y: grip.y + 20 })
    for (const y of [grip.y + 30, end.y, end.y + 8]) await touch("touchMove", { x: grip.x + 8, y })
    await page.locator(".drop-line").waitFor()
    await touch("touchEnd")
    await expect.poll(() => openTitles(page), SOON).toEqual(["c", "b", "a"])
    await page.context().close()
    expect(faults.splice(0)).toEqual([])
  })
})
