import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chromiumPath, startBrowser } from "../support/browser.js"
import { makePeople, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { makeFile } from "../support/uploads.js"

// What a stranger could have put into a file, opened by a browser in every way that a page can open it.
describe.skipIf(chromiumPath === undefined)("hostile files in Chromium (§6 Files)", { timeout: 60_000 }, () => {
  let node: TestNode
  let owner: Person
  let task: { id: number }
  let browser: Browser
  let page: Page
  let site: Server
  let siteUrl: string
  let hits: string[] = []

  beforeAll(async () => {
    // Scripts that run tell it to the site; the page that embeds the files is also there.
    site = createServer((request, response) => {
      const url = new URL(request.url ?? "", "http://here")
      if (url.pathname === "/ran") hits.push(url.search)
      response.writeHead(200, { "Content-Type": "text/html", "Access-Control-Allow-Origin": "*" })
      const file = url.searchParams.get("file") ?? ""
      response.end(
        ["iframe", "embed"].map((tag) => `<${tag} src="${file}"></${tag}>`).join("") +
          `<object data="${file}"></object><img src="${file}"><script src="${file}"></script><link rel="stylesheet" href="${file}">`,
      )
    })
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve))
    siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    node = await startNode()
    const people = await makePeople(node)
    owner = people.owner
    task = await makeTask(owner, people.list)
    browser = await startBrowser()
    page = await browser.newPage()
  })
  afterAll(async () => {
    await browser.close()
    await new Promise((resolve) => site.close(resolve))
    await node.stop()
  })

  it.each([
    ["page.html", "text/html"],
    ["a.html.", "text/html; charset=utf-8"],
    ["picture.svg", "image/svg+xml"],
    ["picture.png", "image/png"],
    ["gpj\u202elmth.exe", "application/xhtml+xml"],
    ["script.js", "text/javascript"],
    ["noname", ""],
  ])("runs nothing in %j of type %j: it is saved", async (file_name, content_type) => {
    hits = []
    const ran = `fetch("${siteUrl}/ran?script")`
    const content =
      content_type === "text/javascript"
        ? ran
        : `<svg xmlns="http://www.w3.org/2000/svg" onload='${ran}'><script>${ran}</script></svg><script>${ran}</script>`
    const { url } = await makeFile(owner, task, Buffer.from(content), { file_name, content_type })
    const downloading = page.waitForEvent("download")
    await page.goto(url).catch(() => {}) // it does not become a page
    const download = await downloading
    expect(download.suggestedFilename()).not.toMatch(/[\u202e/\\]|\.$/)
    await download.delete()
    await page.goto(`${siteUrl}/?file=${encodeURIComponent(url)}`)
    await page.waitForTimeout(300)
    expect(hits).toEqual([])
  })

  it("would see a script that runs", async () => {
    hits = []
    await page.goto(`${siteUrl}/`)
    await page.evaluate(`fetch("${siteUrl}/ran?script")`)
    expect(hits).toEqual(["?script"])
  })
})
