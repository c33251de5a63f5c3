import { mkdirSync } from "node:fs"
import { join } from "node:path"
import axe from "axe-core"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { expect } from "vitest"
import type { Member } from "./account.js"
import { createClient } from "./client.js"
import type { TestNode } from "./node.js"

/** A folder to take pictures into. */
const screens = process.env.SCREENS
export const SOON = { timeout: 20_000, interval: 60 }

type Options = Parameters<Browser["newContext"]>[0] & { readonly isLive?: boolean }

/** What a browser's windows of the home page complain of is noted in `faults`. */
export function homePages(node: Pick<TestNode, "url">, browser: Browser) {
  const faults: string[] = []

  /** A page in which faults are noted. */
  async function watched(context: BrowserContext): Promise<Page> {
    const page = await context.newPage()
    page.on("pageerror", (error) => faults.push(`page: ${error.stack}`))
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(`console: ${message.text()} ${message.location().url}`)
    })
    return page
  }

  /** A window in which somebody is signed in, or nobody. */
  async function open(
    who: Member | undefined,
    path: string,
    { baseURL = node.url, isLive = true, ...more }: Options = {},
  ) {
    // Without a graphics card each pixel costs.
    const viewport = screens === undefined ? { width: 1000, height: 600 } : { width: 1280, height: 860 }
    const context = await browser.newContext({ viewport, baseURL, reducedMotion: "reduce", ...more })
    if (who !== undefined)
      await context.addCookies([{ name: "tandem", value: who.browser.cookies.get("tandem") as string, url: baseURL }])
    const page = await watched(context)
    page.setDefaultTimeout(15_000)
    await page.goto(path)
    if (who !== undefined && more.javaScriptEnabled !== false && isLive) await live(page)
    return page
  }

  /** Takes a picture, and notes when the page is wider than its window. */
  async function picture(page: Page, name: string): Promise<void> {
    if (await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
      faults.push(`${name}: is wider than its window`)
    if (screens === undefined) return
    mkdirSync(screens, { recursive: true })
    await page.screenshot({ path: join(screens, `${name}.png`) })
  }

  /** Lets axe look at everything, or at some rules alone. */
  async function look(page: Page, name: string, rules?: readonly string[]): Promise<void> {
    if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
    const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) }
    const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(options)})`)
    for (const { id, nodes } of violations) faults.push(`${name}: ${id}: ${nodes.map(({ html }) => html)}`)
    await picture(page, name)
  }

  return { faults, open, watched, picture, look }
}

export const live = (page: Page): Promise<void> => page.locator(".connection.live").waitFor()

export const openTitles = (page: Page): Promise<string[]> => page.locator("#open-tasks .task .name").allTextContents()
export const row = (page: Page, title: string) => page.locator(".task", { hasText: title })

export async function add(page: Page, title: string): Promise<void> {
  await page.locator("#new-task").fill(title)
  await page.keyboard.press("Enter")
}

/** Opens the details of a task. */
export async function openDetail(page: Page, title: string): Promise<void> {
  await row(page, title).locator(".title").click()
  await page.locator("#opened-task").waitFor()
}

/** Drags by the grip of a row, or a row onto something else. */
export async function drag(page: Page, title: string, onto: string, selector = ".task"): Promise<void> {
  await row(page, title).hover()
  const from = (await row(page, title).locator(".grip").boundingBox())!
  const to = (await page.locator(selector, { hasText: onto }).first().boundingBox())!
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + to.width / 3, to.y + to.height / 2 + (to.y > from.y ? 6 : -6), { steps: 4 })
  await page.mouse.up()
}

/** A client of the token that somebody's page gets. */
export async function clientOf(who: Member, url: string) {
  const { text } = await who.browser.get("/?renew=1")
  const { token } = JSON.parse(/id="home-data">([^<]*)</.exec(text)?.[1] as string)
  return createClient(url, { clientId: "personal", token })
}

/** Shows the same in both windows, soon. */
export async function expectBoth<Value>(pages: readonly Page[], read: (page: Page) => Promise<Value>, value: Value) {
  for (const page of pages) await expect.poll(() => read(page), SOON).toEqual(value)
}
