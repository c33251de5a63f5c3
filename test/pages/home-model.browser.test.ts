import type { Browser, Page } from "playwright-core"
import sharp from "sharp"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Member, makeMember } from "../support/account.js"
import { chromiumPath, startBrowser } from "../support/browser.js"
import type { Client } from "../support/client.js"
import { add, clientOf, drag, expectBoth, homePages, openDetail, openTitles, row, SOON } from "../support/home-page.js"
import { startNode, type TestNode } from "../support/node.js"
import { dayIn, NOON_ZONE } from "../support/noon.js"

/** Two people and three windows look at one list: what is done in one shows in the others. */
describe.skipIf(chromiumPath === undefined)("each part of the model on the home page", { timeout: 120_000 }, () => {
  let node: TestNode
  let browser: Browser
  let ann: Member
  let bob: Member
  let client: Client
  let list: number
  /** A window of Ann's, another one with a store of its own, and Bob's. */
  let anns: Page
  let anns2: Page
  let bobs: Page
  let { faults, look, picture } = {} as ReturnType<typeof homePages>

  beforeAll(async () => {
    ;[node, browser] = await Promise.all([startNode(), startBrowser()])
    const pages = homePages(node, browser)
    ;({ faults, look, picture } = pages)
    ;[ann, bob] = await Promise.all([makeMember(node, "Ann"), makeMember(node, "Bob")])
    client = await clientOf(ann, node.url)
    const { body } = await client.post("/lists", { title: "Garden" })
    list = body.id
    const { body: membership } = await client.post("/memberships", { list_id: list, email: bob.email })
    const bobsClient = await clientOf(bob, node.url)
    await bobsClient.patch(`/memberships/${membership.id}`, { revision: membership.revision, state: "accepted" })
    const path = `/?list=${list}`
    // Wide enough for the details beside the list.
    const viewport = { width: 1280, height: 760 }
    ;[anns, anns2, bobs] = (await Promise.all([
      pages.open(ann, path, { viewport, timezoneId: NOON_ZONE }),
      pages.open(ann, path, { viewport, timezoneId: NOON_ZONE }),
      pages.open(bob, path, { viewport, timezoneId: NOON_ZONE }),
    ])) as [Page, Page, Page]
  })
  afterAll(async () => {
    await browser.close()
    await node.stop()
  })

  /** A task whose details are open in some windows. */
  async function opened(title: string, ...pages: Page[]): Promise<void> {
    await add(anns, title)
    for (const page of pages) await openDetail(page, title)
  }
  const both = () => [anns, bobs]
  const clean = () => expect(faults.splice(0)).toEqual([])

  it("steps: added, ticked, renamed, reordered, deleted and taken back", async () => {
    await opened("Plant trees", anns, bobs)
    for (const title of ["Dig", "Plant", "Water"]) {
      await anns.getByLabel("Add a step").fill(title)
      await anns.keyboard.press("Enter")
    }
    const steps = (page: Page) =>
      page
        .locator("#steps .step-title")
        .evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value))
    await expectBoth(both(), steps, ["Dig", "Plant", "Water"])
    await bobs.getByLabel("Dig is done").click()
    await expect.poll(() => anns.getByLabel("Dig is done").isChecked(), SOON).toBe(true)
    await expect.poll(() => row(anns, "Plant trees").locator(".badge").first().textContent(), SOON).toContain("1/3")
    await anns.getByRole("button", { name: "Move Water" }).focus()
    await anns.keyboard.press("ArrowUp")
    await expectBoth(both(), steps, ["Dig", "Water", "Plant"])
    await bobs.locator(".step-title").nth(1).fill("Water well")
    await bobs.keyboard.press("Enter")
    await expectBoth(both(), steps, ["Dig", "Water well", "Plant"])
    await anns.getByRole("button", { name: "Delete Plant", exact: true }).click()
    await expect.poll(() => steps(anns), SOON).toEqual(["Dig", "Water well"])
    await anns.getByRole("button", { name: "Undo" }).click()
    await expectBoth(both(), steps, ["Dig", "Water well", "Plant"])
    clean()
  })

  it("notes: Markdown that is shown without any markup of theirs, and merged while both write", async () => {
    await opened("Read up", anns, bobs)
    const text =
      "# Soil\n- **loam** & sand\n- [x] pH <img src=x onerror=alert(1)>\n\n[bad](javascript:alert(1)) [good](https://example.org/a)"
    await anns.getByRole("button", { name: "Add a note" }).click()
    await anns.locator(".note-text").fill(text)
    await anns.getByRole("button", { name: "Done" }).click()
    const shown = bobs.locator(".markdown")
    await expect.poll(() => shown.textContent(), SOON).toContain("loam & sand")
    expect(await shown.locator("strong").textContent()).toBe("loam")
    expect(await shown.locator("img").count()).toBe(0)
    expect(await shown.getByRole("link").evaluateAll((all) => all.map((one) => one.getAttribute("href")))).toEqual([
      "https://example.org/a",
    ])
    const { body } = await client.get(`/notes?task_id=${await idOf("Read up")}`)
    expect(body[0].content).toBe(text)
    await bobs.getByRole("button", { name: "Edit note" }).click()
    await bobs.locator(".note-text").pressSequentially(" end")
    await bobs.keyboard.press("Escape")
    expect(await bobs.locator("#opened-task").count()).toBe(1)
    await expect.poll(() => anns.locator(".markdown").textContent(), SOON).toMatch(/end/)
    clean()
  })

  it("reminders and due dates: with quick choices, in both windows of one person", async () => {
    await opened("Sow", anns, anns2)
    await anns.getByRole("button", { name: "Add reminder" }).click()
    await anns.locator("input.reminder").fill("2031-05-01T07:30")
    await expectBoth([anns, anns2], (page) => page.locator("input.reminder").inputValue(), "2031-05-01T07:30")
    const due = (page: Page) => page.locator("#task-due").inputValue()
    for (const [choice, days] of [
      ["Tomorrow", 1],
      ["Today", 0],
    ] as const) {
      await anns.locator(".detail").getByRole("button", { name: choice, exact: true }).click()
      await expectBoth([anns2], due, dayIn(days))
    }
    expect(await row(anns2, "Sow").locator(".due").textContent()).toBe("Today")
    await anns2.getByRole("button", { name: "No date" }).click()
    await expectBoth([anns], due, "")
    await anns2.getByRole("button", { name: "Delete reminder" }).click()
    await expectBoth([anns], (page) => page.locator("input.reminder").count(), 0)
    clean()
  })

  it("recurrence: a task that is completed comes back", async () => {
    await opened("Mow the lawn", anns, bobs)
    await anns.locator("#task-repeats").selectOption("week")
    await anns.locator("#task-every").fill("2")
    await anns.keyboard.press("Tab")
    await expect
      .poll(
        () =>
          bobs
            .locator("#task-every")
            .inputValue()
            .catch(() => ""),
        SOON,
      )
      .toBe("2")
    await bobs.locator(".detail").getByRole("button", { name: "Today", exact: true }).click()
    await expect.poll(() => row(anns, "Mow the lawn").locator(".due").textContent(), SOON).toBe("Today")
    await bobs.keyboard.press("Escape")
    await row(bobs, "Mow the lawn").getByRole("checkbox").click()
    await expect.poll(() => row(bobs, "Mow the lawn").locator(".due").getAttribute("datetime"), SOON).toBe(dayIn(14))
    clean()
  })

  it("assignees: members of the list, in the view of those", async () => {
    await opened("Prune", anns)
    await anns.locator("#task-assignee").selectOption({ label: "Bob" })
    await bobs.goto("/?view=assigned")
    await expect.poll(() => openTitles(bobs), SOON).toEqual(["Prune"])
    await expect.poll(() => row(anns, "Prune").locator("img.face").getAttribute("alt"), SOON).toBe("Assigned to Bob")
    await bobs.goto(`/?list=${list}`)
    clean()
  })

  it("comments: unread until they are looked at", async () => {
    await opened("Ask", anns)
    await anns.locator("#new-comment").fill("Which roses?")
    await anns.keyboard.press("Control+Enter")
    const badge = row(bobs, "Ask").locator(".badge.unread")
    await badge.waitFor()
    expect(await badge.textContent()).toContain("1 comment, unread")
    const [inbox, link] = [bobs.locator("#lists a", { hasText: "Inbox" }), bobs.locator(`#list-${list}`)]
    expect(await link.locator(".news").count()).toBe(0)
    await inbox.click()
    await link.locator(".news").waitFor()
    expect(await inbox.locator(".news").count()).toBe(0)
    await link.click()
    await openDetail(bobs, "Ask")
    await badge.waitFor({ state: "detached" })
    await inbox.click()
    await link.locator(".news").waitFor({ state: "detached" })
    await link.click()
    const { body } = await (await clientOf(bob, node.url)).get(`/task_comments?task_id=${await idOf("Ask")}`)
    await expect.poll(() => body[0].text).toBe("Which roses?")
    await openDetail(bobs, "Ask")
    await anns.getByRole("button", { name: "Delete comment" }).click()
    await expect.poll(() => bobs.locator(".said li").count(), SOON).toBe(0)
    clean()
  })

  it("files: sent with their progress, shown small, opened and deleted", async () => {
    await opened("Draw", anns, bobs)
    const buffer = await sharp({ create: { width: 640, height: 400, channels: 3, background: "#2456c8" } })
      .png()
      .toBuffer()
    await anns.getByLabel("Attach files").setInputFiles({ name: "plan.png", mimeType: "image/png", buffer })
    await bobs.locator(".thumbnail img").waitFor()
    await expect
      .poll(() => bobs.locator(".thumbnail img").evaluate((image: any) => image.naturalWidth), SOON)
      .toBeGreaterThan(0)
    await expect.poll(() => row(bobs, "Draw").locator(".badges").textContent(), SOON).toContain("1 file")
    await look(bobs, "home-detail")
    await bobs.getByRole("button", { name: "Delete plan.png" }).click()
    await expect.poll(() => anns.locator(".attached li").count(), SOON).toBe(0)
    clean()
  })

  it("folders, and the order of lists by keys", async () => {
    const lists = (page: Page) => page.locator("#all-lists li[data-id] .name").allTextContents()
    await client.post("/lists", { title: "Attic" })
    await expectBoth([anns, anns2], lists, ["Garden", "Attic"])
    await anns.getByRole("link", { name: /^Attic/ }).focus()
    await anns.keyboard.press("Alt+ArrowUp")
    await expectBoth([anns, anns2], lists, ["Attic", "Garden"])
    expect(await anns.evaluate("document.activeElement.textContent")).toBe("Attic")
    await anns.getByRole("button", { name: "New folder" }).click()
    await anns.getByLabel("Folder name").fill("Outside")
    await anns.keyboard.press("Enter")
    await anns2.getByRole("button", { name: "Outside", exact: true }).waitFor()
    await anns.locator("#list-options").click()
    await anns.getByRole("menuitem", { name: "Move to folder" }).click()
    await anns.getByRole("button", { name: "Outside", exact: true }).last().click()
    await expectBoth(
      [anns, anns2],
      (page) => page.getByRole("list", { name: "Folder Outside" }).locator(".name").allTextContents(),
      ["Garden"],
    )
    await anns2.getByRole("button", { name: "Options of Outside" }).click()
    await anns2.getByRole("menuitem", { name: "Delete folder" }).click()
    await expectBoth([anns, anns2], (page) => page.locator(".folder").count(), 0)
    await expectBoth([anns, anns2], lists, ["Attic", "Garden"])
    clean()
  })

  it("many tasks at once: selected by keys, completed, dragged to another list, and taken back", async () => {
    await bobs.keyboard.press("Escape")
    await bobs.locator("#opened-task").waitFor({ state: "detached" })
    const before = await openTitles(bobs)
    await row(bobs, before[0] as string)
      .locator(".title")
      .focus()
    await bobs.keyboard.press("Shift+ArrowDown")
    await bobs.keyboard.press("Shift+ArrowDown")
    expect(await bobs.locator(".batch strong").textContent()).toBe("3 selected")
    await look(bobs, "home-selected")
    await bobs.getByRole("toolbar").getByRole("button", { name: "Complete" }).click()
    await expectBoth(both(), openTitles, before.slice(3))
    await bobs.getByRole("button", { name: "Undo" }).click()
    await expectBoth(both(), openTitles, before)

    await anns.keyboard.press("Escape")
    await anns.locator("#opened-task").waitFor({ state: "detached" })
    for (const title of before.slice(0, 2))
      await row(anns, title)
        .locator(".title")
        .click({ modifiers: ["Control"] })
    await drag(anns, before[0] as string, "Attic", "#all-lists li")
    await expectBoth(both(), openTitles, before.slice(2))
    const attic = async () =>
      (await client.get(`/tasks?list_id=${(await listNamed("Attic")).id}`)).body.map((one: any) => one.title)
    await expect.poll(attic, SOON).toEqual(before.slice(0, 2))
    await anns.keyboard.press("Control+z")
    await expectBoth(both(), openTitles, before)
    await expect.poll(attic, SOON).toEqual([])
    clean()
  })

  it("a deletion is taken back within five seconds, and the focus goes on to the next row", async () => {
    const before = await openTitles(anns)
    await row(anns, before[1] as string)
      .locator(".title")
      .focus()
    await anns.keyboard.press("Delete")
    await expect.poll(() => openTitles(anns), SOON).toEqual(before.filter((_, place) => place !== 1))
    expect(await anns.evaluate("document.activeElement.querySelector('.name').textContent")).toBe(before[2])
    await anns.keyboard.press("Control+z")
    await expect.poll(() => openTitles(anns), SOON).toEqual(before)
    expect(await openTitles(bobs)).toEqual(before)
    clean()
  })

  it("members: invited with state and address, muted, removed and gone", async () => {
    await anns.getByRole("button", { name: "Share" }).click()
    await anns.getByLabel("Email address").fill("new.friend@example.org")
    await anns.keyboard.press("Enter")
    const people = anns.locator("#sharing .people li")
    await expect.poll(() => people.count(), SOON).toBe(3)
    await expect.poll(() => people.last().textContent(), SOON).toMatch(/^new\.friend@example\.org.*invited/)
    // Another time too, when it is no longer this browser that has just written it.
    await anns.reload()
    await anns.getByRole("button", { name: "Share" }).click()
    await expect.poll(() => people.last().textContent(), SOON).toMatch(/^new\.friend@example\.org.*invited/)
    await look(anns, "home-members")
    await anns.locator("#sharing .people li").last().getByRole("button", { name: "Remove" }).click()
    await expect.poll(() => people.count(), SOON).toBe(2)
    await anns.keyboard.press("Escape")
    await bobs.locator("#list-options").click()
    await bobs.getByRole("menuitem", { name: "Mute", exact: true }).click()
    await expect.poll(() => bobs.locator("#lists a[aria-current] .badge").getAttribute("title"), SOON).toBe("Muted")
    await bobs.locator("#list-options").click()
    await bobs.getByRole("menuitem", { name: "Leave list" }).click()
    expect(await bobs.evaluate("document.activeElement.textContent")).toBe("Cancel")
    await picture(bobs, "home-leave-list")
    await bobs.getByRole("button", { name: "Leave list" }).click()
    await expect.poll(() => bobs.locator("#all-lists li").count(), SOON).toBe(0)
    await anns.getByRole("button", { name: "Share" }).click()
    await expect.poll(() => people.count(), SOON).toBe(1)
    await anns.keyboard.press("Escape")
    clean()
  })

  const idOf = async (title: string) =>
    (await client.get(`/tasks?list_id=${list}`)).body.find((one: any) => one.title === title).id
  const listNamed = async (title: string) => (await client.get("/lists")).body.find((one: any) => one.title === title)
})
