import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import type { NextFunction, Request, Response } from "express"
import { packageRoot } from "../../package-root.js"
import { HOME_STYLESHEET } from "./home.stylesheet.js"

const require = createRequire(import.meta.url)
const pagesFolder = join(packageRoot, "src/pages")

/** The scripts that browsers load as they stand, under the same paths to each other. */
const MODULES = [
  "html.js",
  ...readdirSync(join(pagesFolder, "home/browser"))
    .filter((name) => name.endsWith(".js"))
    .map((name) => `home/browser/${name}`),
]

const scriptOf = (path: string): string => readFileSync(path, "utf8").replace(/\n\/\/# sourceMappingURL=.*/, "")

const SCRIPT = "text/javascript; charset=utf-8"
const files = new Map<string, { type: string; text: string; packed?: Promise<Buffer> }>([
  ["home.css", { type: "text/css; charset=utf-8", text: HOME_STYLESHEET }],
  [
    "graphql-ws.js",
    {
      type: SCRIPT,
      text: scriptOf(join(dirname(require.resolve("graphql-ws/package.json")), "umd/graphql-ws.min.js")),
    },
  ],
  ...MODULES.map((name) => [name, { type: SCRIPT, text: scriptOf(join(pagesFolder, name)) }] as const),
])

const version = createHash("sha256")
for (const [name, { text }] of files) version.update(`${name}\0${text}\0`)
const base = `/assets/${version.digest("hex").slice(0, 16)}/`

/** Where the home page's files are; another text of any has another address, so that they can be kept for ever. */
export const homeFiles = {
  style: `${base}home.css`,
  client: `${base}graphql-ws.js`,
  start: `${base}home/browser/home.js`,
  /** What `start` imports, and what that imports: browsers may ask for all at once. */
  modules: MODULES.map((name) => base + name),
}

/** Middleware that gives browsers the home page's files. */
export async function homeAssets(request: Request, response: Response, next: NextFunction): Promise<void> {
  const file = request.path.startsWith(base) ? files.get(request.path.slice(base.length)) : undefined
  if (file === undefined || (request.method !== "GET" && request.method !== "HEAD")) return next()
  const isPacked = request.headers["accept-encoding"]?.includes("gzip") ?? false
  if (isPacked) file.packed ??= promisify(gzip)(file.text)
  const bytes = isPacked && file.packed ? await file.packed : Buffer.from(file.text)
  response.writeHead(200, {
    "Content-Type": file.type,
    "Content-Length": bytes.length,
    ...(isPacked && { "Content-Encoding": "gzip" }),
    "Cache-Control": "public, max-age=31536000, immutable",
    "X-Content-Type-Options": "nosniff",
    Vary: "Accept-Encoding",
  })
  response.end(bytes)
}
