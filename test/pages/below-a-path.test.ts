import { createServer, request as forward, type Server } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { App } from "../../src/app.js"
import { type Member, makeMember } from "../support/account.js"
import { freePort } from "../support/free-port.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"

const PATH = "/tandem"

let node: TestNode
let below: App
let proxy: Server
let origin: string
let ann: Member

beforeAll(async () => {
  node = await startNode()
  const [port, inside] = [await freePort(), await freePort()]
  origin = `http://127.0.0.1:${port}`
  below = await startNodeOn(node.databaseUrl, { port: inside, publicUrl: `${origin}${PATH}` })
  // Takes the path away, and knows nothing outside of it.
  proxy = createServer((incoming, outgoing) => {
    const path = incoming.url ?? ""
    if (!path.startsWith(`${PATH}/`)) return void outgoing.writeHead(410).end()
    const inner = forward(`http://127.0.0.1:${inside}${path.slice(PATH.length)}`, {
      method: incoming.method,
      headers: incoming.headers,
    })
    inner.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode as number, answer.headers)
      answer.pipe(outgoing)
    })
    inner.on("error", () => outgoing.destroy())
    incoming.pipe(inner)
  }).listen(port, "127.0.0.1")
  ann = await makeMember(node)
})
afterAll(async () => {
  proxy.closeAllConnections()
  await new Promise((resolve) => proxy.close(resolve))
  await below.stop()
  await node.stop()
})

const ADDRESSES = /<(a|link|script|img|form|iframe|source)\b[^>]*?\s(?:href|src|action|data-src)="([^"]+)"/g

/** All addresses of a page, a style or a redirect, those that lead out and those of forms marked. */
function addressesIn(text: string, type: string, at: URL): { href: URL; isForm: boolean }[] {
  const found: { href: URL; isForm: boolean }[] = []
  if (type.startsWith("text/html"))
    for (const [, element, address = ""] of text.matchAll(ADDRESSES))
      if (!/^(#|data:|mailto:)/.test(address))
        found.push({ href: new URL(address.replaceAll("&amp;", "&"), at), isForm: element === "form" })
  if (type.startsWith("text/css"))
    for (const [, address = ""] of text.matchAll(/url\(["']?([^"')]+)/g))
      if (!address.startsWith("data:")) found.push({ href: new URL(address, at), isForm: false })
  return found
}

describe("pages below a path (ours)", () => {
  it.each(["somebody signed in", "a stranger"])(
    "lead %s to nothing outside of it, and to nothing that is not there",
    async (who) => {
      const headers: Record<string, string> = { accept: "text/html,*/*;q=0.8" }
      if (who !== "a stranger") headers.cookie = `tandem=${ann.browser.cookies.get("tandem")}`
      const faults: string[] = []
      const queue = ["/", "/graphql", "/graphql/", "/docs", "/account", "/sign-in", "/sign-up"].map((path) => ({
        href: new URL(`${origin}${PATH}${path}`),
        from: "",
      }))
      const seen = new Set<string>()
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const { href, from } = next
        // One page of each kind is enough of those that differ by an id or a query.
        const name = href.pathname.replace(/\d+/g, "1")
        if (href.origin !== origin || seen.has(name)) continue
        seen.add(name)
        if (!href.pathname.startsWith(`${PATH}/`)) {
          faults.push(`${from} leads to ${href.pathname}`)
          continue
        }
        const reply = await fetch(href, { headers, redirect: "manual" })
        const text = await reply.text()
        if (reply.status >= 400) faults.push(`${from} leads to ${href.pathname}: ${reply.status}`)
        const to = reply.headers.get("location")
        if (to !== null) queue.push({ href: new URL(to, href), from: href.pathname })
        for (const { href: found, isForm } of addressesIn(text, reply.headers.get("content-type") ?? "", href)) {
          if (!isForm) queue.push({ href: found, from: href.pathname })
          else if (!found.pathname.startsWith(`${PATH}/`)) faults.push(`${href.pathname} sends to ${found.pathname}`)
        }
      }
      expect(faults).toEqual([])
      expect(seen.size).toBeGreaterThan(who === "a stranger" ? 20 : 30)
    },
  )
})
