import type { AccountParts } from "../../../accounts/account.parts.js"
import { packageVersion } from "../../../config/package-root.js"
import { type Runner, statement } from "../../../statement.js"
import { html } from "../html.js"
import type { Reply } from "../page.js"
import type { Visit } from "../visit.js"
import { homeFiles } from "./assets.js"
import { signedOut } from "./signed-out.js"

const PATIENCE_MS = 1_000
const ping = statement("welcome_ping", "select 1", () => true)

async function isWell(database: Runner): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, false)
  })
  const answered = database.run(ping, []).then(
    () => true,
    () => false,
  )
  return Promise.race([answered, late]).finally(() => clearTimeout(timer))
}

/** For visitors who are not signed in: what runs here, whether it works, and where to go next. */
export async function welcome(
  {
    database,
    signUp,
    passwordSignIn,
    publicUrl,
  }: Pick<AccountParts, "database" | "signUp" | "passwordSignIn" | "publicUrl">,
  visit: Visit,
): Promise<Reply> {
  const { at } = visit
  const state = (await isWell(database))
    ? html`<span class="health">All systems operational</span>`
    : html`<span class="health ill">The database is not responding</span>`
  const body = html`<div class="hero"><h1>Shared lists, updated live</h1>
<p class="lead">Tandem keeps lists, tasks and everything inside them, shared between people, with live events: over REST and over GraphQL.</p>
<div class="actions">${passwordSignIn && signUp !== "closed" && html`<a class="button" href="${at("/sign-up")}">Sign up</a>`}<a class="button plain" href="${at("/sign-in")}">Sign in</a></div>
<p class="running">${state}<span class="quiet">Tandem ${packageVersion}</span></p></div>
<div class="ways">
<a class="card way" href="${at("/docs")}"><h2>REST reference</h2><p>Every route, parameter and response of <code>/api/v1</code>, with examples to try.</p></a>
<a class="card way" href="${at("/graphql")}"><h2>GraphQL explorer</h2><p>Queries, mutations and subscriptions, with what each field means.</p></a>
<a class="card way" href="${at("/schema.graphql")}"><h2>Schema</h2><p>All types in one file, for code generators and editors.</p></a>
</div>
<section class="card" aria-labelledby="first"><h2 id="first">First call</h2>
<p class="quiet">After signing up, create a token under <em>Tokens</em> and send it with each request:</p>
<pre tabindex="0" aria-label="Example">curl -H 'X-Client-ID: personal' -H "X-Access-Token: $TOKEN" ${publicUrl()}/api/v1/lists</pre>
<p class="quiet after-pre">The README continues with GraphQL, subscriptions without gaps, webhooks, and clients in several languages under <code>examples/</code>.</p></section>`
  const head = html`<link rel="stylesheet" href="${at(homeFiles.welcome)}">`
  return signedOut(visit, { title: "Tandem", head, body, isApp: true })
}
