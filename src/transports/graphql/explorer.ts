import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { RequestHandler, Response } from "express"
import { type Cached, cache, FOR_EVER, sendCached } from "../http/cached.js"
import { explorerPage, explorerScript } from "./explorer-page.js"
import { FIRST_TABS } from "./first-tabs.js"

const require = createRequire(import.meta.url)

type Asset = { readonly type: string; readonly cached: Cached }

const SCRIPT = "text/javascript; charset=utf-8"
const STYLE = "text/css; charset=utf-8"

// The editor makes style elements as it runs; scripts come from here alone, and connections go here alone.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

/**
 * Shows the explorer to browsers that open the path where it is mounted, and gives them its parts below `assets/`. It needs
 * nothing from elsewhere. All other requests go on.
 */
export function createExplorer(): RequestHandler {
  return async (request, response, next) => {
    if (request.method !== "GET" && request.method !== "HEAD") return next()
    const part = /^\/assets\/([^/]+)$/.exec(request.path)?.[1]
    const asset = part === undefined ? undefined : parts().assets.get(part)
    if (asset) return sendCached(request, response, asset.cached, { "Content-Type": asset.type, ...FOR_EVER })
    if (request.path !== "/" || !request.headers.accept?.includes("text/html")) return next()
    // From where the page is, whatever a proxy has taken away in front of it; so it has to be at the address without a slash.
    const [address = "", query] = request.originalUrl.split("?", 2)
    const name = request.baseUrl.slice(request.baseUrl.lastIndexOf("/") + 1)
    if (address.endsWith("/")) return void response.redirect(`../${name}${query === undefined ? "" : `?${query}`}`)
    const path = (file: string) => `${name}/assets/${file}`
    const { style, scripts } = parts()
    sendPage(response, explorerPage(path(style), scripts.map(path)))
  }
}

type Parts = {
  readonly assets: ReadonlyMap<string, Asset>
  readonly style: string
  readonly scripts: readonly string[]
}

let found: Parts | undefined

/** Looked for when somebody opens the explorer first. */
function parts(): Parts {
  if (found === undefined) {
    const assets = new Map<string, Asset>()
    found = {
      assets,
      style: packaged(assets, "graphiql", "graphiql.min.css", STYLE),
      scripts: [
        packaged(assets, "react", "umd/react.production.min.js", SCRIPT),
        packaged(assets, "react-dom", "umd/react-dom.production.min.js", SCRIPT),
        packaged(assets, "graphql-ws", "umd/graphql-ws.min.js", SCRIPT),
        packaged(assets, "graphiql", "graphiql.min.js", SCRIPT),
        own(assets, explorerScript(FIRST_TABS)),
      ],
    }
  }
  return found
}

/** Makes a file of a package an asset; its name has the version, so that browsers may keep it for good. */
function packaged(assets: Map<string, Asset>, name: string, file: string, type: string): string {
  const manifest = require.resolve(`${name}/package.json`)
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string }
  const asset = `${name}-${version}${file.slice(file.lastIndexOf("."))}`
  assets.set(asset, { type, cached: cache(() => readFile(join(dirname(manifest), file))) })
  return asset
}

function own(assets: Map<string, Asset>, text: string): string {
  const asset = `explorer-${createHash("sha256").update(text).digest("hex").slice(0, 12)}.js`
  assets.set(asset, { type: SCRIPT, cached: cache(() => text) })
  return asset
}

function sendPage(response: Response, page: string): void {
  response.writeHead(200, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(page),
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-cache",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    Vary: "Accept",
  })
  response.end(page)
}
