import { type Html, html } from "../pages/html.js"
import { assetPath, type Sheet } from "./frame.js"
import { INTRODUCTION } from "./introduction.js"
import { markdown } from "./markdown.js"
import type { OpenApi } from "./openapi.js"
import type { Operation } from "./operation.js"
import { operationSection, type Place } from "./operation.section.js"
import { REFERENCE_SCRIPT } from "./reference-script.js"

type Tag = { readonly name: string; readonly description: string }

/** The reference: every operation of the document, with a form to try it. It works without a script too. */
export function referencePage(document: OpenApi, at: (path: string) => string): Sheet {
  const places = placesOf(document)
  const tags = document.tags as readonly Tag[]
  const of = ({ name }: Tag) => places.filter(({ operation }) => operation.tags.includes(name))
  return {
    title: "REST reference",
    aside: html`<aside class="toc" aria-label="Operations">
<label for="find">Find an operation</label><input id="find" type="search" autocomplete="off" disabled><p id="none-found" class="quiet" role="status" hidden>No matching operation.</p>
${tags.map(
  (tag) =>
    html`<div><h2>${tag.name}</h2><ul>${of(tag).map(
      ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
    )}</ul></div>`,
)}</aside>`,
    body: html`${markdown(INTRODUCTION, at)}
${credentials(at)}
${tags.map(
  (tag) => html`<h2 id="${slugOf(tag)}">${tag.name}</h2><p>${tag.description}</p>
${of(tag).map((place) => operationSection(document, place, at))}`,
)}`,
    script: assetPath(REFERENCE_SCRIPT, "js"),
  }
}

const slugOf = ({ name }: Tag): string => `tag/${name.replaceAll(" ", "-")}`

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
