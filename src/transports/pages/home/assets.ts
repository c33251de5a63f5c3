import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { NextFunction, Request, Response } from "express"
import { packageRoot } from "../../../config/package-root.js"
import { cache, FOR_EVER, sendCached } from "../../http/cached.js"
import { HOME_STYLESHEET } from "./home.stylesheet.js"

const require = createRequire(import.meta.url)
const pagesFolder = join(packageRoot, "src/transports/pages")

/** The scripts that browsers load as they stand, under the same paths to each other. */
const MODULES = [
  "html.js",
  ...readdirSync(join(pagesFolder, "home/browser"))
    .filter((name) => name.endsWith(".js"))
    .map((name) => `home/browser/${name}`),
]

const scriptOf = (path: string): string => readFileSync(path, "utf8").replace(/\n\/\/# sourceMappingURL=.*/, "")

const SCRIPT = "text/javascript; charset=utf-8"
const STYLE = "text/css; charset=utf-8"
const texts: readonly (readonly [name: string, type: string, text: string])[] = [
  ["home.css", STYLE, HOME_STYLESHEET],
  [
    "graphql-ws.js",
    SCRIPT,
    scriptOf(join(dirname(require.resolve("graphql-ws/package.json")), "umd/graphql-ws.min.js")),
  ],
  ...MODULES.map((name) => [name, SCRIPT, scriptOf(join(pagesFolder, name))] as const),
]

const version = createHash("sha256")
for (const [name, , text] of texts) version.update(`${name}\0${text}\0`)
const base = `/assets/${version.digest("hex").slice(0, 16)}/`
const files = new Map(texts.map(([name, type, text]) => [base + name, { type, cached: cache(() => text) }]))

/** Where the home page's files are; another text of any has another address, so that they can be cached for ever. */
export const homeFiles = {
  style: `${base}home.css`,
  client: `${base}graphql-ws.js`,
  start: `${base}home/browser/home.js`,
  /** What `start` imports, and what that imports: browsers may ask for all at once. */
  modules: MODULES.map((name) => base + name),
}

/** Middleware that gives browsers the home page's files. */
export function homeAssets(request: Request, response: Response, next: NextFunction): Promise<void> | void {
  const file = files.get(request.path)
  if (file === undefined || (request.method !== "GET" && request.method !== "HEAD")) return next()
  return sendCached(request, response, file.cached, { "Content-Type": file.type, ...FOR_EVER })
}
