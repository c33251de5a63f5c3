import { revokeAuthorization } from "../../resources/application/application.commands.js"
import { authorizedApplications } from "../../resources/application/application.statements.js"
import { idOf } from "../../scalars/scalars.js"
import { button, form, noticeOf } from "./form.js"
import { html } from "./html.js"
import { closedPage, goTo, show } from "./page.js"
import type { PageParts } from "./router.js"
import { scopesShown } from "./scopes-field.js"
import { ago, day } from "./when.js"

const NOTICES = { revoked: "Access revoked." }

/** The applications that have access to a user's account. */
export const authorizationsPages = ({ database, now, tokensEnded }: PageParts) => [
  closedPage({
    path: "/authorizations",
    async get(visit) {
      const applications = await database.run(authorizedApplications, [visit.session.user.id])
      const rows = applications.map(({ id, name, scopes, authorizedAt, lastUsedAt }) => {
        const label = html`Revoke<span class="unseen"> the access of ${name}</span>`
        return html`<li><div class="what"><p class="name"><bdi>${name}</bdi></p>
<p class="quiet small">${scopesShown(scopes)}, since ${day(authorizedAt)}, ${lastUsedAt == null ? "not used yet" : html`last used ${ago(lastUsedAt, now())}`}</p></div>
${form(visit, `/authorizations/${id}/revoke`, button(label, "danger"), { isInline: true })}</li>`
      })
      const body = html`${noticeOf(visit, NOTICES)}
<div class="card">${
        rows.length > 0
          ? html`<p class="quiet">These applications can use your account as you have agreed. Revoking their access takes effect at once.</p><ul class="rows">${rows}</ul>`
          : html`<p>No application has access to your account.</p><p class="quiet">Applications that you allow to use your account appear here.</p>`
      }</div>`
      return show({ title: "Authorised applications", body, isWide: true })
    },
  }),
  closedPage({
    path: "/authorizations/:id/revoke",
    async post(visit) {
      tokensEnded(await revokeAuthorization(database, visit.session.user.id, idOf(visit.request.params.id)))
      return goTo(visit.at("/authorizations?done=revoked"))
    },
  }),
]
