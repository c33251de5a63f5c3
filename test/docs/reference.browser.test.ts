import axe from "axe-core"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chromiumPath, startBrowser } from "../support/browser.js"
import { makeList, makePerson, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"

let node: TestNode
let ann: Person

beforeAll(async () => {
  node = await startNode()
  ann = await makePerson(node)
})
afterAll(() => node.stop())

describe.skipIf(chromiumPath === undefined)("the reference in Chromium (ours)", () => {
  let browser: Browser
  let page: Page
  const faults: string[] = []

  beforeAll(async () => {
    browser = await startBrowser()
    page = await browser.newPage()
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()))
    page.on("pageerror", (error) => faults.push(error.message))
    page.on("request", (request) => request.url().startsWith(node.url) || faults.push(`asks ${request.url()}`))
  })
  afterAll(() => browser?.close())

  it("sends an operation with the two headers and shows what comes", async () => {
    const list = await makeList(ann, "Shown in the reference")
    await page.goto(`${node.url}/docs#list`)
    await page.getByLabel("X-Client-ID").fill(ann.credentials.clientId as string)
    await page.getByLabel("X-Access-Token").fill(ann.credentials.token as string)
    const section = page.locator("#list")
    await section.getByText("Try it").click()
    await section.getByLabel("id", { exact: true }).fill(String(list.id))
    await section.getByRole("button", { name: "Send" }).click()
    await section.getByText('"title": "Shown in the reference"').waitFor()
    expect(await section.getByRole("status").textContent()).toMatch(/^200 OK, \d+ ms, request [\w-]+$/)
  })

  it("sends a body as it was edited, and shows a refusal", async () => {
    const section = page.locator("#createList")
    await section.getByText("Try it").click()
    await section.getByRole("textbox", { name: "Body" }).fill('{"title":""}')
    await section.getByRole("button", { name: "Send" }).click()
    await section.getByText('"type": "validation_error"').waitFor()
    expect(faults.splice(0)).toEqual([expect.stringContaining("422")])
  })

  it("finds operations by words", async () => {
    await page.getByLabel("Find an operation").fill("task comm delete")
    expect(await page.locator(".toc li:visible").allTextContents()).toEqual(["Delete a comment"])
    // By a member of the body, and by another name.
    for (const [words, found] of [
      ["recurrence_count", "Update a task"],
      ["checklist create", "Create a subtask"],
    ] as const) {
      await page.getByLabel("Find an operation").fill(words)
      expect(await page.locator(".toc li:visible").allTextContents()).toContain(found)
    }
    await page.getByLabel("Find an operation").fill("")
  })

  it("marks the operation that is read, and finds those of another page", async () => {
    const current = page.locator('.toc [aria-current="true"]')
    await page.locator("#createList").evaluate((section: any) => section.scrollIntoView())
    await expect.poll(() => current.allTextContents()).toEqual(["Create a list"])
    expect(await page.locator('.toc [aria-current="page"]').allTextContents()).toEqual(["Lists"])
    expect(new URL(page.url()).pathname).toBe("/docs/rest/lists")
  })

  it("opens the counterpart in the explorer, with the headers", async () => {
    await page.locator("#list").getByRole("link", { name: "list", exact: true }).click()
    await page.getByText("query List").first().waitFor()
    await page.getByRole("button", { name: /Execute query/ }).waitFor()
    expect(await page.evaluate("sessionStorage.getItem('graphiql:headers')")).toContain(ann.credentials.token)
  })

  it.each([
    ["light", 1280, ["/docs", "/docs/rest/lists", "/docs/graphql"]],
    ["dark", 390, ["/docs", "/docs/rest/reminders", "/docs/errors", "/docs/errors/conflict"]],
  ] as const)("can be read by everybody, in %s and %d pixels wide", async (colorScheme, width, paths) => {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    for (const path of paths) {
      await page.goto(node.url + path)
      const isWider = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
      expect([path, isWider]).toEqual([path, false])
      // By evaluation: the policy of the page lets no script of elsewhere be added.
      await page.evaluate(axe.source)
      // Operations and rows look alike, and looking at all of them takes long.
      await page.evaluate(`for (const one of document.querySelectorAll(
        ".op:not(#list, #createReminder, #uploadPart), tbody tr:nth-child(n + 5), .toc li:nth-child(n + 3)")) one.remove()`)
      const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as any
      expect([path, violations.map(({ id, nodes }: any) => [id, nodes[0].html])]).toEqual([path, []])
    }
  })

  it("breaks nothing of its policy and asks nothing from elsewhere", () => {
    expect(faults.filter((fault) => !/graphql/.test(fault))).toEqual([])
  })
})
