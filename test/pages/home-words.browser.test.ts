import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Member, makeMember } from "../support/account.js"
import { chromiumPath, startBrowser } from "../support/browser.js"
import type { Client } from "../support/client.js"
import { add, clientOf, homePages, live, openDetail, row, SOON } from "../support/home-page.js"
import { startNode, type TestNode } from "../support/node.js"

describe.skipIf(chromiumPath === undefined)("what is written on the home page", { timeout: 120_000 }, () => {
  let node: TestNode
  let browser: Browser
  let ann: Member
  let client: Client
  let list: number
  let page: Page
  let { faults, open } = {} as ReturnType<typeof homePages>

  beforeAll(async () => {
    ;[node, browser] = await Promise.all([startNode(), startBrowser()])
    ;({ faults, open } = homePages(node, browser))
    ann = await makeMember(node, "Ann")
    client = await clientOf(ann, node.url)
    list = (await client.post("/lists", { title: "Words" })).body.id
    page = await open(ann, `/?list=${list}`, { viewport: { width: 1280, height: 760 } })
  })
  afterAll(async () => {
    await browser.close()
    await node.stop()
  })

  const taskOf = async (title: string) => {
    const found = async () =>
      (await client.get(`/tasks?list_id=${list}`)).body.find((task: any) => task.title === title)?.id
    await expect.poll(found, SOON).toBeGreaterThan(0)
    return found()
  }
  const titleOf = async (id: number) => (await client.get(`/tasks/${id}`)).body.title
  const clean = () =>
    expect(faults.splice(0).filter((fault) => !/409|ERR_INTERNET_DISCONNECTED/.test(fault))).toEqual([])

  it("stays in the field while another member changes the same, and waits with theirs for a decision", async () => {
    await add(page, "Order seeds")
    await openDetail(page, "Order seeds")
    const id = await taskOf("Order seeds")
    const field = page.locator("#task-title")
    await field.press("End")
    await page.context().setOffline(true)
    await field.pressSequentially(" and many bulbs")
    const { body: task } = await client.get(`/tasks/${id}`)
    expect((await client.patch(`/tasks/${id}`, { revision: task.revision, title: "Order nothing" })).status).toBe(200)
    await page.context().setOffline(false)
    // Theirs arrives while somebody is in the field: what they see is their own.
    await page.locator("#to-decide").waitFor()
    await field.pressSequentially(" for spring")
    expect(await field.inputValue()).toBe("Order seeds and many bulbs for spring")
    await page.locator("#to-decide").click()
    const sides = () => page.locator("#conflicts dd").allTextContents()
    await expect.poll(sides, SOON).toEqual(["Order seeds and many bulbs for spring", "Order nothing"])
    await page.getByRole("button", { name: "Keep theirs" }).click()
    await expect.poll(() => field.inputValue(), SOON).toBe("Order nothing")
    clean()
  })

  it("is saved when the details close, another task opens, the page is left or loaded anew at once", async () => {
    await add(page, "Close")
    await openDetail(page, "Close")
    const close = await taskOf("Close")
    const field = page.locator("#task-title")
    const write = async (text: string) => {
      await field.press("End")
      await field.pressSequentially(text)
    }
    await write("d by Esc")
    await page.keyboard.press("Escape")
    await expect.poll(() => titleOf(close), SOON).toBe("Closed by Esc")
    await add(page, "Another")
    const another = await taskOf("Another")
    await openDetail(page, "Another")
    await write(" one")
    await row(page, "Closed by Esc").locator(".title").click()
    await expect.poll(() => titleOf(another), SOON).toBe("Another one")
    // Nothing comes between the last letter and the end of the page.
    await page.evaluate(`for (const text of [" and", " anew"]) {
      document.querySelector("#task-title").value += text
      document.querySelector("#task-title").dispatchEvent(new InputEvent("input", { bubbles: true }))
    }
    location.reload()`)
    await live(page)
    await expect.poll(() => titleOf(close), SOON).toBe("Closed by Esc and anew")
    expect(await field.inputValue()).toBe("Closed by Esc and anew")
    clean()
  })

  it("is shown as far as it is looked at: the last comments, the first notes, and more when asked for", async () => {
    await add(page, "Talk")
    const id = await taskOf("Talk")
    const make = (path: string, count: number, values: object) =>
      client.post("/batch", {
        requests: Array.from({ length: count }, (_, index) => ({
          ...{ id: `r${index}`, method: "POST", path: `/api/v1${path}`, body: { task_id: id, ...values } },
        })),
      })
    for (const count of [60, 45]) expect((await make("/task_comments", count, { text: "Said" })).status).toBe(200)
    expect((await make("/notes", 22, { content: "Noted" })).status).toBe(200)
    await openDetail(page, "Talk")
    const shown = async () => [await page.locator(".said li").count(), await page.locator(".note").count()]
    await expect.poll(shown, SOON).toEqual([100, 20])
    await page.locator("#earlier-comments").click()
    await page.locator("#more-notes").click()
    await expect.poll(shown, SOON).toEqual([105, 22])
    clean()
  })

  it("is there again in the fields whose words are sent by hand", async () => {
    await add(page, "Think")
    await openDetail(page, "Think")
    await page.locator("#new-comment").fill("Not said yet")
    await page.locator("#new-step").fill("Not a step yet")
    await page.locator("#close-task").click()
    await page.locator("#opened-task").waitFor({ state: "detached" })
    await taskOf("Think")
    await openDetail(page, "Think")
    const both = async () => [
      await page.locator("#new-comment").inputValue(),
      await page.locator("#new-step").inputValue(),
    ]
    expect(await both()).toEqual(["Not said yet", "Not a step yet"])
    await page.locator("details.account-menu summary").click()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByText("2 changes made here did not reach the service yet.").waitFor()
    await page.getByRole("button", { name: "Cancel" }).click()
    // What another program left under a name of ours stops nothing.
    await page.evaluate(`localStorage.setItem("tandem-${ann.id}/left/1", "{")`)
    await page.reload()
    await live(page)
    await expect.poll(both, SOON).toEqual(["Not said yet", "Not a step yet"])
    await page.locator("#new-step").press("Enter")
    await page.locator("#new-comment").press("Control+Enter")
    await expect.poll(() => page.locator(".said .text").allTextContents(), SOON).toEqual(["Not said yet"])
    await page.reload()
    await live(page)
    expect(await both()).toEqual(["", ""])
    clean()
  })
})
