import { button, form } from "./form.js"
import { type Html, html } from "./html.js"
import type { Content } from "./page.js"
import { stylesheetPath } from "./stylesheet.js"
import type { Visit } from "./visit.js"

const NAVIGATION = [
  ["/", "Lists"],
  ["/account", "Account"],
  ["/invitation-links", "Invite"],
  ["/devices", "Devices"],
  ["/webhooks", "Webhooks"],
  ["/authorizations", "Authorised apps"],
  ["/access-tokens", "Tokens"],
  ["/applications", "My apps"],
] as const

const MARK = html`<svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" focusable="false"><rect width="32" height="32" rx="8"/><path d="M8.5 12.5l3 3 5-6M15.5 21.5l3 3 5-6" fill="none" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`

function navigation(visit: Visit): Html | undefined {
  if (visit.session === undefined) return undefined
  const path = visit.request.path
  const { isAdministrator } = visit.session.user
  const places = isAdministrator ? [...NAVIGATION, ["/administration", "Administration"] as const] : NAVIGATION
  const links = places.map(([to, name]) => {
    const isHere = path === to || path.startsWith(`${to}/`)
    return html`<li><a href="${visit.at(to)}"${isHere && html` aria-current="page"`}>${name}</a></li>`
  })
  return html`<nav aria-label="Account"><ul>${links}</ul></nav>`
}

const who = (visit: Visit): Html =>
  visit.session === undefined
    ? html`${visit.request.path !== "/sign-in" && html`<a href="${visit.at("/sign-in")}">Sign in</a>`}`
    : html`<span class="who" title="${visit.session.user.email}"><bdi>${visit.session.user.name}</bdi></span>${form(visit, "/sign-out", button("Sign out", "plain"), { isInline: true })}`

const menu = (visit: Visit): Html | undefined =>
  visit.session &&
  html`<details class="account-menu"><summary><img src="${visit.at(`/api/v1/avatar?user_id=${visit.session.user.id}&size=64`)}" alt="" width="32" height="32"><span class="who"><bdi>${visit.session.user.name}</bdi></span></summary><div class="menu">${navigation(visit)}${form(visit, "/sign-out", button("Sign out", "plain"))}</div></details>`

/** A whole page. Nothing in it comes from elsewhere, and nothing runs but what the page itself brings. */
export const layout = (
  visit: Visit,
  { title, body, head, isWide = false, isApp = false, isHome = false }: Content,
): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="description" content="Tandem: tasks and lists, shared between people and updated live.">
<title>${title} · Tandem</title>
<link rel="stylesheet" href="${visit.at(stylesheetPath)}">
<link rel="icon" href="${visit.at("/favicon.svg")}" type="image/svg+xml">
${head}
</head>
<body${isApp && html` class="app${isHome && " fixed"}"`}>
<a class="skip" href="#main">Skip to content</a>
<header><div class="bar"><a class="brand" href="${visit.at("/")}">${MARK}Tandem</a><div class="right">${isHome ? menu(visit) : who(visit)}</div></div>${(isWide || isApp) && !isHome && navigation(visit)}</header>
<main id="main" class="${isWide || isApp ? "wide" : "narrow"}">
${!isApp && html`<h1>${title}</h1>`}
${body}
</main>
${!isHome && html`<footer><p>Tandem, tasks and lists · <a href="${visit.at("/docs")}">REST reference</a> · <a href="${visit.at("/graphql")}">GraphQL explorer</a></p></footer>`}
</body>
</html>
`.toString()

/** The mark as a picture of its own. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2456c8"/><path d="M8.5 12.5l3 3 5-6M15.5 21.5l3 3 5-6" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`
