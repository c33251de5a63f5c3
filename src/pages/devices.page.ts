import { endOtherSessions, endSessionOf, listSessions } from "../accounts/session.js"
import { idOf } from "../scalars.js"
import { noticeOf } from "./account.page.js"
import { browserName } from "./browser-name.js"
import { button, form } from "./form.js"
import { html } from "./html.js"
import { closedPage, goTo, show } from "./page.js"
import type { PageParts } from "./router.js"
import { ago } from "./when.js"

const NOTICES = { ended: "It is signed out.", others: "Every other browser is signed out." }

/** Where somebody is signed in. */
export const devicesPages = ({ database, now }: PageParts) => [
  closedPage({
    path: "/devices",
    async get(visit) {
      const sessions = await listSessions(database, visit.session.user.id)
      const rows = sessions.map(({ id, userAgent, createdAt, seenAt }) => {
        const isHere = id === visit.session.id
        const end = form(
          visit,
          `/devices/${id}/end`,
          button(html`Sign out<span class="unseen"> ${browserName(userAgent)}</span>`, "plain"),
          { isInline: true },
        )
        return html`<li><div class="what"><p class="name">${browserName(userAgent)}${isHere && html` <span class="tag">this one</span>`}</p>
<p class="quiet small">Signed in ${ago(createdAt, now())}, last seen ${isHere ? "just now" : ago(seenAt, now())}</p></div>${!isHere && end}</li>`
      })
      const body = html`${noticeOf(visit, NOTICES)}
<section class="card" aria-labelledby="browsers"><h2 id="browsers">Browsers</h2>
<p class="quiet">Where you are signed in to these pages. One that is not used for 30 days is signed out by itself.</p>
<ul class="rows">${rows}</ul></section>
${sessions.length > 1 && form(visit, "/devices/end-others", button("Sign out every other browser", "danger"))}
<p class="quiet">Programs that use your account are among the <a href="${visit.at("/authorizations")}">authorised applications</a>.</p>`
      return show({ title: "Devices", body, isWide: true })
    },
  }),
  closedPage({
    path: "/devices/:id/end",
    async post(visit) {
      await endSessionOf(database, visit.session.user.id, idOf(visit.request.params.id))
      return goTo(visit.at("/devices?done=ended"))
    },
  }),
  closedPage({
    path: "/devices/end-others",
    async post(visit) {
      await endOtherSessions(database, visit.session.user.id, visit.session.id)
      return goTo(visit.at("/devices?done=others"))
    },
  }),
]
