import { PERSONAL_CLIENT_ID } from "../../access/writer.js"
import { InvalidFields, type Violations } from "../../errors.js"
import type { NewAccessToken } from "../../resources/application/access-token.type.js"
import { createPersonalToken, revokePersonalToken } from "../../resources/application/application.commands.js"
import { applicationsOfUser, personalTokens } from "../../resources/application/application.rows.js"
import { idOf, Name } from "../../scalars/scalars.js"
import { SCOPES, type Scope } from "../../scalars/scope.js"
import { button, field, form, noticeOf, readFields, violationsAbove } from "./form.js"
import { type Html, html } from "./html.js"
import { closedPage, goTo, type Reply, show } from "./page.js"
import type { PageParts } from "./router.js"
import { readScopes, scopesField, scopesInWords, scopesShown } from "./scopes-field.js"
import type { SignedIn } from "./visit.js"
import { ago, day } from "./when.js"

/** What was sent, of a form that is shown again. */
type Typed = { readonly name: string; readonly clientId: string | undefined; readonly scopes: readonly Scope[] }

const NOTICES = { revoked: "Token revoked." }

const made = ({ accessToken, token }: NewAccessToken, publicUrl: string): Html =>
  html`<section class="card" aria-labelledby="made"><h2 id="made">Your new token “<bdi>${accessToken.name}</bdi>”</h2>
<p>Copy it now: it is shown only once. Anyone who has it ${scopesInWords(accessToken.scopes)}.</p>
<p><span class="secret">${token}</span></p>
<p class="quiet">Send it with each request, together with the client ID:</p>
<pre tabindex="0" aria-label="Example">curl -H 'X-Client-ID: ${accessToken.clientId}' \\
     -H 'X-Access-Token: ${token}' \\
     ${publicUrl}/api/v1/lists</pre></section>`

/** A user's personal tokens. */
export function accessTokensPages({ database, now, publicUrl, tokensEnded }: PageParts) {
  async function page(
    visit: SignedIn,
    { typed, ...more }: { made?: NewAccessToken; typed?: Typed; violations?: Violations } = {},
  ): Promise<Reply> {
    const userId = visit.session.user.id
    const [tokens, applications] = await Promise.all([
      personalTokens(database, userId),
      applicationsOfUser(database, userId),
    ])
    const rows = tokens.map(({ id, name, clientId, scopes, createdAt, lastUsedAt }) => {
      const label = html`Revoke<span class="unseen"> ${name}</span>`
      return html`<li><div class="what"><p class="name"><bdi>${name}</bdi></p>
<p class="quiet small">Client ID <code>${clientId}</code>, ${scopesShown(scopes)}, created ${day(createdAt)}, ${lastUsedAt == null ? "not used yet" : html`last used ${ago(lastUsedAt, now())}`}</p></div>
${form(visit, `/access-tokens/${id}/revoke`, button(label, "danger"), { isInline: true })}</li>`
    })
    const chosen = applications.find(({ clientId }) => clientId === typed?.clientId)?.clientId ?? PERSONAL_CLIENT_ID
    const radio = (clientId: string, text: Html | string) =>
      html`<label class="choice"><input type="radio" name="clientId" value="${clientId}"${clientId === chosen && html` checked`}> ${text}</label>`
    const choice = html`<fieldset><legend>For</legend>
${radio(PERSONAL_CLIENT_ID, "my own scripts")}
${applications.map(({ clientId, name }) => radio(clientId, html`my application <bdi>${name}</bdi>`))}</fieldset>`
    const body = html`${more.violations ? violationsAbove(more.violations) : noticeOf(visit, NOTICES)}
${more.made && made(more.made, publicUrl())}
<section class="card" aria-labelledby="tokens"><h2 id="tokens">Your tokens</h2>
${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : html`<p class="quiet">You haven't created any tokens yet. A token lets your scripts use the API on your behalf.</p>`}</section>
<section class="card" aria-labelledby="new"><h2 id="new">New token</h2>
${form(
  visit,
  "/access-tokens",
  html`${field({ name: "name", label: "Name", value: typed?.name, hint: "To recognise it later, such as “backup script”.", violations: more.violations?.name })}
${applications.length > 0 && choice}
${scopesField("The token may", typed?.scopes ?? SCOPES, more.violations?.scopes)}
${button("Create token")}`,
)}</section>`
    return show({ title: "Access tokens", body, isWide: true }, more.violations ? 422 : 200)
  }

  return [
    closedPage({
      path: "/access-tokens",
      get: (visit) => page(visit),
      async post(visit, sent) {
        const { values, violations } = readFields(sent, { name: Name })
        const typed = { ...values, clientId: sent.get("clientId"), scopes: readScopes(sent) }
        if (violations) return page(visit, { typed, violations })
        try {
          return page(visit, {
            made: await createPersonalToken(database, visit.session.user.id, typed),
          })
        } catch (error) {
          if (error instanceof InvalidFields) return page(visit, { typed, violations: error.violations })
          throw error
        }
      },
    }),
    closedPage({
      path: "/access-tokens/:id/revoke",
      async post(visit) {
        tokensEnded(await revokePersonalToken(database, visit.session.user.id, idOf(visit.request.params.id)))
        return goTo(visit.at("/access-tokens?done=revoked"))
      },
    }),
  ]
}
