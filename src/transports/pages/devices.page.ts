import { endOtherSessions, endSessionOf, listSessions } from "../../accounts/session.js"
import { undefinedIfNotFound } from "../../errors.js"
import { deleteDevice, devicesOf } from "../../resources/device/device.commands.js"
import { idOf } from "../../scalars/scalars.js"
import { browserName } from "./browser-name.js"
import { button, form, noticeOf } from "./form.js"
import { html } from "./html.js"
import { closedPage, goTo, type Reply, show } from "./page.js"
import type { PageParts } from "./router.js"
import type { SignedIn } from "./visit.js"
import { ago } from "./when.js"

const NOTICES = {
  ended: "Browser signed out.",
  others: "All other browsers have been signed out.",
  removed: "Device removed. It gets no more reminders.",
}

/** The browsers that a user is signed in with, and the devices that their reminders are pushed to. */
export function devicesPages({ database, tokensEnded, now }: PageParts) {
  async function page(visit: SignedIn): Promise<Reply> {
    const [sessions, devices] = await Promise.all([
      listSessions(database, visit.session.user.id),
      devicesOf(database, visit.session.user.id),
    ])
    const end = (action: string, text: string, of: string) =>
      form(visit, action, button(html`${text}<span class="unseen"> ${of}</span>`, "plain"), { isInline: true })
    const browsers = sessions.map(({ id, userAgent, createdAt, seenAt }) => {
      const [isHere, name] = [id === visit.session.id, browserName(userAgent)]
      return html`<li><div class="what"><p class="name">${name}${isHere && html` <span class="tag">this browser</span>`}</p>
<p class="quiet small">Signed in ${ago(createdAt, now())}, last seen ${isHere ? "just now" : ago(seenAt, now())}</p></div>
${!isHere && end(`/devices/${id}/end`, "Sign out", name)}</li>`
    })
    const pushed = devices.map(
      ({ id, udid, createdAt }) => html`<li><div class="what"><p class="name"><bdi>${udid}</bdi></p>
<p class="quiet small">Registered ${ago(createdAt, now())}</p></div>${end(`/devices/push/${id}/remove`, "Remove", udid)}</li>`,
    )
    const body = html`${noticeOf(visit, NOTICES)}
<section class="card" aria-labelledby="browsers"><h2 id="browsers">Browsers</h2>
<p class="quiet">The browsers that you are signed in with. After 30 days without use they are signed out automatically.</p>
<ul class="rows">${browsers}</ul></section>
${sessions.length > 1 && html`<div class="after">${form(visit, "/devices/end-others", button("Sign out all other browsers", "danger"))}</div>`}
<section class="card" aria-labelledby="pushed"><h2 id="pushed">Reminders</h2>
<p class="quiet">The devices that your reminders are pushed to.</p>
${pushed.length > 0 ? html`<ul class="rows">${pushed}</ul>` : html`<p>None yet.</p>`}</section>
<p class="quiet">Applications that use your account are listed under <a href="${visit.at("/authorizations")}">authorised apps</a>.</p>`
    return show({ title: "Devices", body, isWide: true })
  }

  return [
    closedPage({ path: "/devices", get: page }),
    closedPage({
      path: "/devices/:id/end",
      async post(visit) {
        tokensEnded(await endSessionOf(database, visit.session.user.id, idOf(visit.request.params.id)))
        return goTo(visit.at("/devices?done=ended"))
      },
    }),
    closedPage({
      path: "/devices/end-others",
      async post(visit) {
        tokensEnded(await endOtherSessions(database, visit.session.user.id, visit.session.id))
        return goTo(visit.at("/devices?done=others"))
      },
    }),
    closedPage({
      path: "/devices/push/:id/remove",
      async post(visit) {
        // It may be gone already.
        await deleteDevice(database, visit.session.user.id, idOf(visit.request.params.id)).catch(undefinedIfNotFound)
        return goTo(visit.at("/devices?done=removed"))
      },
    }),
  ]
}
