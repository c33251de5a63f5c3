import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { NextFunction, Request, Response } from "express"
import { packageRoot } from "../../../config/package-root.js"
import { MethodNotAllowed } from "../../../errors.js"
import { cache, FOR_EVER, sendCached } from "../../http/cached.js"
import { HOME_STYLESHEET } from "./home.stylesheet.js"
import { TASK_STYLESHEET } from "./task.stylesheet.js"
import { WELCOME_STYLESHEET } from "./welcome.stylesheet.js"

const SCRIPT = "text/javascript; charset=utf-8"
const STYLE = "text/css; charset=utf-8"

/** What the build has made of `browser/`. */
const built = (name: string): string => readFileSync(join(packageRoot, "dist/home", name), "utf8")

const texts: readonly (readonly [name: string, type: string, text: string])[] = [
  ["home.css", STYLE, HOME_STYLESHEET + TASK_STYLESHEET],
  ["welcome.css", STYLE, WELCOME_STYLESHEET],
  ["home.js", SCRIPT, built("home.js").replace(/\n\/\/# sourceMappingURL=.*/, "")],
  ["signed-out.js", SCRIPT, built("signed-out.js")],
]

const version = createHash("sha256")
for (const [name, , text] of texts) version.update(`${name}\0${text}\0`)
const base = `/assets/${version.digest("hex").slice(0, 16)}/`
const files = new Map(texts.map(([name, type, text]) => [base + name, { type, cached: cache(() => text) }]))

/** Where the home page's files are; another text of any has another address, so that they can be cached for ever. */
export const homeFiles = {
  style: `${base}home.css`,
  welcome: `${base}welcome.css`,
  script: `${base}home.js`,
  signedOut: `${base}signed-out.js`,
}

/** The script that keeps the page's shell for times without a network; `SHELL` is what it keeps. */
export const serviceWorker = (shell: Readonly<Record<string, string | readonly string[]>>): string =>
  `const SHELL = ${JSON.stringify(shell)}\n${built("service-worker.js")}`

/** Middleware that gives browsers the home page's files. */
export function homeAssets(request: Request, response: Response, next: NextFunction): Promise<void> | void {
  const file = files.get(request.path)
  if (file === undefined || request.method === "OPTIONS") return next()
  if (request.method !== "GET" && request.method !== "HEAD") throw new MethodNotAllowed(["GET", "HEAD", "OPTIONS"])
  return sendCached(request, response, file.cached, { "Content-Type": file.type, ...FOR_EVER })
}
