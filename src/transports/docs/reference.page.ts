import { type Html, html } from "../pages/html.js"
import type { OpenApi } from "./document.js"
import { assetPath, type Sheet } from "./frame.js"
import { markdown } from "./markdown.js"
import type { Operation } from "./operation.js"
import { operationSection, type Place } from "./operation.section.js"
import { REFERENCE_SCRIPT } from "./reference-script.js"
import { searchWords } from "./search-words.js"

type Tag = { readonly name: string; readonly description: string }

/** Where the pages of the reference are. */
export const REFERENCE_PATH = "/docs/rest"

/** The parts of the reference, each a page of its own, by the ends of their addresses. */
export const partsOf = ({ tags }: OpenApi): ReadonlyMap<string, Tag> =>
  new Map((tags as readonly Tag[]).map((tag) => [slugOf(tag), tag]))

/** Every operation of the document, with the words that find it; those of `current` are on this page. */
function contents(document: OpenApi, at: (path: string) => string, current?: Tag): Html {
  const places = placesOf(document)
  const groups = [...partsOf(document)].map(([slug, tag]) => {
    const page = at(`${REFERENCE_PATH}/${slug}`)
    const links = places
      .filter(({ operation }) => operation.tags.includes(tag.name))
      .map(
        (place) =>
          html`<li><a href="${page}#${place.operation.operationId}" data-words="${searchWords(document, place)}">${place.operation.summary}</a></li>`,
      )
    return html`<div><h2><a href="${page}"${tag.name === current?.name && html` aria-current="page"`}>${tag.name}</a></h2><ul>${links}</ul></div>`
  })
  return html`<aside class="toc" aria-label="Operations">
<label for="find">Find an operation</label><input id="find" type="search" autocomplete="off" disabled><p id="none-found" class="quiet" role="status" hidden>No matching operation.</p>
${groups}</aside>`
}

/** Where the reference begins: what all operations have in common, and where each is. */
export const referencePage = (document: OpenApi, at: (path: string) => string): Sheet => ({
  title: "REST reference",
  aside: contents(document, at),
  body: html`${markdown(document.info.description, at)}
${credentials(at)}
<h2>Operations</h2>
<table><tbody>${[...partsOf(document)].map(
    ([slug, { name, description }]) =>
      html`<tr><th scope="row"><a href="${at(`${REFERENCE_PATH}/${slug}`)}">${name}</a></th><td>${description}</td></tr>`,
  )}</tbody></table>`,
  script: assetPath(REFERENCE_SCRIPT, "js"),
})

/** One part of the reference: its operations, with forms to try them. It works without a script too. */
export function partPage(document: OpenApi, tag: Tag, at: (path: string) => string): Sheet {
  const places = placesOf(document).filter(({ operation }) => operation.tags.includes(tag.name))
  return {
    title: tag.name,
    aside: contents(document, at, tag),
    body: html`<p>${tag.description}</p>
${credentials(at)}
${places.map((place) => operationSection(document, place, at))}`,
    script: assetPath(REFERENCE_SCRIPT, "js"),
  }
}

const slugOf = ({ name }: Tag): string => name.toLowerCase().replaceAll(" ", "-")

/** Aliases are listed with the operation that they stand for. */
function placesOf({ paths, webhooks }: OpenApi): Place[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]: [string, Operation]) => ({ path, method, operation })),
  )
  const posted = Object.values(webhooks).map(({ post }) => ({
    path: "url",
    method: "post",
    operation: post,
    aliases: [],
  }))
  const asked = all
    .filter(({ operation }) => operation["x-alias-of"] === undefined)
    .map((place) => ({
      ...place,
      aliases: all
        .filter(({ operation }) => operation["x-alias-of"] === place.operation.operationId)
        .map(({ method, path }) => `${method.toUpperCase()} ${path}`),
    }))
  return [...asked, ...posted]
}

const credentials = (
  at: (path: string) => string,
): Html => html`<div class="card" id="credentials"><h2>Credentials for trying</h2>
<p id="signed-in" class="notice good" role="status" hidden>Signed in as <bdi></bdi>: leave both fields empty, and what you try is yours.</p>
<p class="quiet">Stored in this browser tab until you close it. <code>npm run --silent cli -- demo --json</code> creates both for the demo account; create one of your own under <a href="${at("/access-tokens")}">Tokens</a>.</p>
<div class="credentials"><div class="field"><label for="client-id">X-Client-ID</label><input id="client-id" autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="access-token">X-Access-Token</label><input id="access-token" type="password" autocomplete="off" spellcheck="false"></div></div>
<noscript><p>Trying operations requires JavaScript. The rest of this page does not.</p></noscript></div>`
