import { existsSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import express from "express"
import { GraphQLInt, GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString } from "graphql"
import { useServer } from "graphql-ws/use/ws"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocketServer } from "ws"
import { createExplorer } from "../../src/transports/graphql/explorer.js"

/** As of a member who is signed in; without one at first. */
let session: Record<string, unknown> = {}
const sent: { http: Record<string, unknown>[]; connections: unknown[] } = { http: [], connections: [] }

const schema = new GraphQLSchema({
  query: new GraphQLObjectType({ name: "Query", fields: { hello: { type: GraphQLString } } }),
  subscription: new GraphQLObjectType({
    name: "Subscription",
    fields: {
      count: {
        type: new GraphQLNonNull(GraphQLInt),
        subscribe: async function* () {
          yield { count: 41 }
          yield { count: 42 }
        },
      },
    },
  }),
})

let server: Server
let url: string
const sockets = new WebSocketServer({ noServer: true })

beforeAll(async () => {
  useServer(
    {
      schema,
      onConnect: ({ connectionParams }) => {
        sent.connections.push(connectionParams)
      },
    },
    sockets,
  )
  const app = express()
  app.use("/graphql", createExplorer())
  app.post("/graphql", (request, response) => {
    sent.http.push(request.headers)
    response.json({ data: { hello: "Hello from the server" } })
  })
  app.post("/session-token", (_request, response) => void response.json(session))
  app.use((_request, response) => void response.status(404).json({}))
  // As behind a proxy that takes a path away.
  server = createServer((request, response) => {
    request.url = request.url?.replace(/^\/tandem/, "")
    app(request, response)
  }).listen(0, "127.0.0.1")
  server.on("upgrade", (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (open) => void sockets.emit("connection", open, request)),
  )
  await new Promise((resolve) => server.once("listening", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tandem/graphql`
})

afterAll(async () => {
  for (const socket of sockets.clients) socket.terminate()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const HTML = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } }

describe("GET /graphql in a browser (ours)", () => {
  it("is a page whose parts all come from here and may be kept", async () => {
    const response = await fetch(url, HTML)
    const page = await response.text()
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8")
    const parts = [...page.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map(([, part]) => part ?? "")
      .filter((part) => part !== "data:,")
    expect(parts).toHaveLength(6)
    for (const part of parts) {
      expect(part).toMatch(/^graphql\/assets\/[\w.-]+\.(js|css)$/)
      const asset = await fetch(new URL(part, url))
      expect([part, asset.status]).toEqual([part, 200])
      expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
      const plain = await fetch(new URL(part, url), { headers: { "accept-encoding": "identity" } })
      expect(await asset.text()).toBe(await plain.text())
    }
  })

  it("is at one address, from which its parts are found below any path", async () => {
    const response = await fetch(`${url}/?query=%7Bhello%7D`, { ...HTML, redirect: "manual" })
    expect([response.status, response.headers.get("location")]).toEqual([302, "../graphql?query=%7Bhello%7D"])
  })

  it("lets scripts and connections be of this address only", async () => {
    const policy = (await fetch(url, HTML)).headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("connect-src 'self';")
  })

  it("is not in the way of other requests", async () => {
    expect((await fetch(url, { headers: { accept: "application/json" } })).status).toBe(404)
    expect((await fetch(url)).status).toBe(404)
    expect((await fetch(url, { ...HTML, method: "POST" })).status).toBe(200)
  })

  it("gives no file but its parts", async () => {
    for (const path of [
      "/assets/nope.js",
      "/assets/..%2fpackage.json",
      "/assets/%2e%2e/%2e%2e/package.json",
      "/assets/constructor",
    ])
      expect((await fetch(url + path, HTML)).status).toBe(404)
  })
})

const BROWSER = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
)

describe.skipIf(BROWSER === undefined)("the explorer in Chromium (ours)", { timeout: 60_000 }, () => {
  let browser: Browser
  let page: Page
  const faults: string[] = []

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] })
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
  afterAll(() => browser?.close())

  const run = async (operation: string) => {
    await page.goto(`${url}?query=${encodeURIComponent(operation)}#X-Client-ID=my-client&X-Access-Token=my-token`)
    await page.getByRole("button", { name: /Execute query/ }).click()
  }

  it("runs a query with the headers that came behind the #", async () => {
    await run("{ hello }")
    await page.getByText("Hello from the server").waitFor()
    expect(sent.http.at(-1)).toMatchObject({ "x-client-id": "my-client", "x-access-token": "my-token" })
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
    expect(sent.connections.at(-1)).toEqual({ "X-Client-ID": "my-client", "X-Access-Token": "my-token" })
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
    session = { clientId: "web", token: "of-the-session", viewer: { name: "Ann" } }
    const typed = await browser.newPage()
    await typed.addInitScript(`sessionStorage.setItem("graphiql:headers", '{"Authorization": "Bearer typed"}')`)
    await typed.goto(`${url}?query=%7Bhello%7D`)
    await typed.getByText("Signed in as").waitFor()
    await typed.getByRole("button", { name: /Execute query/ }).click()
    await typed.getByText("Hello from the server").waitFor()
    const asTyped = sent.http.filter(({ authorization }) => authorization === "Bearer typed")
    expect(asTyped).not.toEqual([])
    expect(asTyped.filter((headers) => "x-access-token" in headers)).toEqual([])
    await typed.close()
  })

  it("breaks nothing of its policy and asks nothing from elsewhere", () => {
    expect(faults.filter((fault) => !/Failed to load resource|schema/.test(fault))).toEqual([])
  })
})
