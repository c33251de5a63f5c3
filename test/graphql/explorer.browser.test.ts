import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chromiumPath, startBrowser } from "../support/browser.js"
import { type ExplorerServer, startExplorer } from "./explorer-server.js"

describe.skipIf(chromiumPath === undefined)("the explorer in Chromium (ours)", { timeout: 60_000 }, () => {
  let server: ExplorerServer
  let url: string
  let browser: Browser
  let page: Page
  const faults: string[] = []

  beforeAll(async () => {
    server = await startExplorer()
    url = server.url
    browser = await startBrowser()
    page = await browser.newPage()
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text())
    })
    page.on("pageerror", (error) => faults.push(error.message))
    page.on("request", (request) => {
      const isOurs = request.url().startsWith(url.replace(/graphql$/, "")) || request.url().startsWith("data:")
      if (!isOurs) faults.push(`asks ${request.url()}`)
    })
  })
  afterAll(async () => {
    await browser?.close()
    await server.stop()
  })

  const run = async (operation: string) => {
    await page.goto(`${url}?query=${encodeURIComponent(operation)}#X-Client-ID=my-client&X-Access-Token=my-token`)
    await page.getByRole("button", { name: /Execute query/ }).click()
  }

  it("runs a query with the headers that came behind the #", async () => {
    await run("{ hello }")
    await page.getByText("Hello from the server").waitFor()
    expect(server.sent.http.at(-1)).toMatchObject({ "x-client-id": "my-client", "x-access-token": "my-token" })
    expect(page.url()).not.toContain("my-token")
  })

  it("keeps the headers for this tab of the browser and for no other", async () => {
    await page.reload()
    await page.getByText("my-token").first().waitFor()
    const other = await browser.newPage()
    await other.goto(url)
    await other.getByText("X-Access-Token").first().waitFor()
    expect(await other.getByText("my-token").count()).toBe(0)
    await other.close()
  })

  it("subscribes with the headers as payload of connection_init", async () => {
    await run("subscription { count }")
    await page.getByText("42").first().waitFor()
    expect(server.sent.connections.at(-1)).toEqual({ "X-Client-ID": "my-client", "X-Access-Token": "my-token" })
  })

  let fresh: Page

  it("shows operations to begin with, and leads to the documents", async () => {
    fresh = await browser.newPage()
    await fresh.goto(url)
    await fresh.getByText("client ID and access token into the headers").waitFor()
    const tabs = fresh.getByRole("tab")
    expect(await tabs.getByRole("button", { name: /^(?!Close)/ }).allTextContents()).toEqual([
      "Lists",
      "ListWithTasks",
      "SmartLists",
      "AddTask",
      "MoveTasks",
      "CompleteTasks",
      "DeleteTasks",
      "Changes",
    ])
    await tabs.getByText("Changes").click()
    await fresh.getByText("listUpdated").first().waitFor()
    await fresh.getByRole("button", { name: "Variables" }).click()
    await fresh.getByText('"listId"').first().waitFor()
    const links = await fresh
      .locator(".links a")
      .evaluateAll((all: any[]) => all.map(({ href }) => new URL(href).pathname))
    expect(links).toEqual(["/tandem/docs/graphql", "/tandem/docs", "/tandem/schema.graphql"])
  })

  it("keeps headers for each of its own tabs, over a reload too", async () => {
    await fresh.getByRole("tab").getByText("Lists", { exact: true }).click()
    await fresh.getByRole("button", { name: "Headers" }).click()
    const editor = fresh.getByRole("region", { name: "Headers" })
    const write = async (text: string) => {
      await editor.locator(".CodeMirror").filter({ visible: true }).click()
      await fresh.keyboard.press("ControlOrMeta+a")
      await fresh.keyboard.insertText(text)
    }
    const tabs = fresh.getByRole("tab")
    // The page keeps what was typed a moment later; leaving the tab before loses it.
    const isKept = (text: string) =>
      expect.poll(() => fresh.evaluate("sessionStorage.getItem('graphiql:headers')")).toContain(text)
    await write('{"X-Client-ID": "second"}')
    await isKept("second")
    // The page is still drawing itself when it takes the first clicks, so they are repeated until it shows what it should.
    const showsIn = (tab: string, text: string) =>
      expect
        .poll(
          async () => {
            await tabs.getByText(tab, { exact: true }).first().click()
            await fresh.getByRole("button", { name: "Headers" }).click()
            return editor.getByText(text).isVisible()
          },
          { timeout: 20_000, interval: 250 },
        )
        .toBe(true)
    // What has no headers yet begins with those that were typed last.
    await showsIn("AddTask", "second")
    await fresh.getByText("mutation").first().waitFor()
    await write('{"X-Client-ID": "third"}')
    await isKept("third")
    await showsIn("Lists", "second")
    await expect
      .poll(() => fresh.evaluate("sessionStorage.getItem('graphiql:tabState')"))
      .toMatch(/second.*third|third.*second/s)
    await fresh.reload()
    await showsIn("Lists", "second")
    await showsIn("AddTask", "third")
    await fresh.close()
  })

  it("sends what was typed as Authorization, and no session beside it", async () => {
    server.signIn({ clientId: "web", token: "of-the-session", viewer: { name: "Ann" } })
    const typed = await browser.newPage()
    await typed.addInitScript(`sessionStorage.setItem("graphiql:headers", '{"Authorization": "Bearer typed"}')`)
    await typed.goto(`${url}?query=%7Bhello%7D`)
    await typed.getByText("Signed in as").waitFor()
    await typed.getByRole("button", { name: /Execute query/ }).click()
    await typed.getByText("Hello from the server").waitFor()
    const asTyped = server.sent.http.filter(({ authorization }) => authorization === "Bearer typed")
    expect(asTyped).not.toEqual([])
    expect(asTyped.filter((headers) => "x-access-token" in headers)).toEqual([])
    await typed.close()
  })

  it("breaks nothing of its policy and asks nothing from elsewhere", () => {
    expect(faults.filter((fault) => !/Failed to load resource|schema/.test(fault))).toEqual([])
  })
})
