import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { packageRoot } from "../../config/package-root.js"
import { html } from "../pages/html.js"
import type { Sheet } from "./frame.js"
import { markdown } from "./markdown.js"
import { samples } from "./problems.js"

// The pages are Markdown, so that they can be read in the repository too.
const FOLDER = join(packageRoot, "docs/errors")

/** The types of errors that have a page. */
export const errorTypes = (): string[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith(".md"))
    .map((name) => name.slice(0, -3))
    .sort()

/** What an error means and what to do; `type` is one of {@link errorTypes}. */
export function errorPage(type: string, at: (path: string) => string): Sheet {
  const text = readFileSync(join(FOLDER, `${type}.md`), "utf8")
  const [, title = type, rest = ""] = /^# (.*)\n([\s\S]*)$/.exec(text) ?? []
  return { title, body: markdown(rest, at) }
}

/** One row for each type; a type that several statuses have names them all. */
export function errorsPage(at: (path: string) => string): Sheet {
  const kinds = Object.values(samples).map(({ problem, when }) => ({ ...problem.kind, when }))
  const rows = errorTypes().map((type) => {
    const ofType = kinds.filter((kind) => kind.type === type)
    const statuses = [...new Set(ofType.map(({ status }) => status))].join(", ")
    return html`<tr><th scope="row"><a href="${at(`/docs/errors/${type}`)}"><code>${type}</code></a></th><td>${statuses}</td><td>${[...new Set(ofType.map(({ when }) => when.replaceAll("`", "")))].join(" ")}</td></tr>`
  })
  return {
    title: "Errors",
    body: html`${markdown(
      "In REST, an error is one object: `type` is for programs, `message` for people, and each invalid field has a member with its name. In GraphQL, `extensions.code` is the type in capitals, and `extensions.fields` has the fields. Every response has an `X-Request-Id`, which also identifies it in the service's log.",
      at,
    )}
<table><thead><tr><th scope="col">Type</th><th scope="col">Status</th><th scope="col">When</th></tr></thead><tbody>${rows}</tbody></table>`,
  }
}
