import { createHash } from "node:crypto"
import { type Html, html } from "../pages/html.js"
import { stylesheetPath } from "../pages/stylesheet.js"

/** What a page of the documents shows. */
export type Sheet = { readonly title: string; readonly body: Html; readonly aside?: Html; readonly script?: string }

const NAVIGATION = [
  ["/docs", "REST"],
  ["/docs/graphql", "GraphQL"],
  ["/docs/errors", "Errors"],
  ["/graphql", "Explorer"],
] as const

/** The styles of these pages, in addition to the stylesheet of all pages. */
export const DOCS_STYLESHEET = `
.bar, nav.docs ul, footer, main.docs { max-width: 84rem; }
nav.docs ul { display: flex; flex-wrap: wrap; gap: .1rem 1.5rem; list-style: none; }
main.docs { display: grid; grid-template-columns: minmax(0, 1fr); gap: 2rem; }
main.docs > .sheet { min-width: 0; }
.toc { font-size: .93rem; } .toc h2 { font-size: 1rem; margin: 1rem 0 .3rem; }
.toc ul { list-style: none; margin: 0; padding: 0; } .toc li a { display: block; padding: .16rem 0; color: var(--quiet); text-decoration: none; }
.toc li a:hover, .toc li a:focus { color: var(--ink); text-decoration: underline; }
.toc h2 a { color: inherit; text-decoration: none; } .toc h2 a:hover { text-decoration: underline; }
.toc li a[aria-current] { color: var(--ink); font-weight: 600; } .toc h2 a[aria-current] { text-decoration: underline; }
.toc input { min-height: 2.4rem; padding: .4rem .7rem; }
.op { scroll-margin-top: 1rem; border-top: 1px solid var(--line); padding: 1.5rem 0; } .op:target { background: var(--card); box-shadow: -1rem 0 var(--card), 1rem 0 var(--card); }
.op h3 { margin: 0 0 .3rem; font-size: 1.1rem; } .op h3 a { color: inherit; text-decoration: none; } .op h3 a:hover { text-decoration: underline; }
.op h4 { margin: 1.1rem 0 .4rem; font-size: .95rem; }
.verb { font: 700 .78rem/1 ui-monospace, monospace; padding: .25rem .5rem; border-radius: 6px; background: var(--code); display: inline-block; min-width: 4.2em; text-align: center; }
.verb.get { background: var(--good-ground); color: var(--good); } .verb.delete { background: var(--bad-ground); color: var(--bad); }
.sheet table { border-collapse: collapse; width: 100%; font-size: .92rem; }
.sheet th, .sheet td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-top: 1px solid var(--line); } .sheet thead th { border-top: 0; color: var(--quiet); font-weight: 500; }
.sheet td:nth-child(2) { color: var(--quiet); }
@media (min-width: 40rem) { .sheet th[scope=row] { white-space: nowrap; } .sheet td:nth-child(2) { min-width: 8rem; } }
@media (max-width: 40rem) {
  .sheet thead { display: none; } .sheet tr { display: block; border-top: 1px solid var(--line); padding: .5rem 0; }
  .sheet tbody th, .sheet td { display: block; border: 0; padding: 0; } .sheet td:empty { display: none; }
}
.required { color: var(--bad); font-weight: 600; font-size: .85em; }
.sheet pre { margin: .4rem 0 1rem; white-space: pre-wrap; }
.sheet > ul { padding-left: 1.2rem; } .sheet > h1 + p { font-size: 1.05rem; }
.try .field { margin-bottom: .7rem; } .try label { font-weight: 600; font-size: .92rem; } .try textarea { min-height: 8rem; }
.try input { min-height: 2.4rem; padding: .4rem .7rem; } .try .grid, .credentials { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 0 1rem; }
.answer-line { margin: .8rem 0 0; font-weight: 600; } [hidden] { display: none !important; }
@media (min-width: 62rem) {
  main.docs.with-aside { grid-template-columns: 17rem minmax(0, 1fr); }
  .toc { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow: auto; padding-right: .5rem; }
}
`

const fingerprint = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16)

/** The address of an asset; another text has another address, so that it can be cached forever. */
export const assetPath = (text: string, extension: string): string => `/docs/assets/${fingerprint(text)}.${extension}`

/** A whole page of the documents at `path`. `at` says where an address of the service is, seen from outside. */
export const frame = (at: (path: string) => string, path: string, { title, body, aside, script }: Sheet): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Reference of Tandem, a task and list service: each operation over REST and GraphQL, with its parameters, answers and errors.">
<title>${title} · Tandem</title>
<link rel="stylesheet" href="${at(stylesheetPath)}">
<link rel="stylesheet" href="${at(assetPath(DOCS_STYLESHEET, "css"))}">
<link rel="icon" href="${at("/favicon.svg")}" type="image/svg+xml">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><div class="bar"><a class="brand" href="${at("/")}">Tandem</a><div class="right"><a href="${at("/docs/openapi.json")}">openapi.json</a><a href="${at("/schema.graphql")}">schema.graphql</a></div></div>
<nav class="docs" aria-label="Documentation"><ul>${NAVIGATION.map(
    ([to, name]) => html`<li><a href="${at(to)}"${to === path && html` aria-current="page"`}>${name}</a></li>`,
  )}</ul></nav></header>
<main id="main" class="${aside === undefined ? "docs" : "docs with-aside"}">${aside}
<div class="sheet"><h1>${title}</h1>
${body}</div></main>
<footer><p>Tandem, tasks and lists</p></footer>
${script !== undefined && html`<script src="${at(script)}"></script>`}
</body>
</html>
`.toString()
