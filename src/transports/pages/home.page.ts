import { sessionToken } from "../../accounts/session.js"
import { homeFiles } from "./home/assets.js"
import { firstLookReader } from "./home/first-look.js"
import { firstLookView } from "./home/first-look.view.js"
import { welcome } from "./home/welcome.js"
import { Html, html } from "./html.js"
import { openPage, type Reply, show } from "./page.js"
import type { PageParts } from "./router.js"
import type { SignedIn, Visit } from "./visit.js"

const isSignedIn = (visit: Visit): visit is SignedIn => visit.session !== undefined

/** JSON in a page: nothing in it ends the element that holds it. */
const dataBlock = (id: string, data: unknown): Html =>
  html`<script type="application/json" id="${id}">${new Html(JSON.stringify(data).replaceAll("<", "\\u003c"))}</script>`

/**
 * The page at `/`: what runs here, and for signed-in users their lists and tasks. The server draws a first look, which can be
 * read without scripts; the script works with the client. (ADR 16, ADR 40)
 */
export function homePages(parts: PageParts) {
  const { database, home, now } = parts
  const read = firstLookReader(home)

  function page(visit: Visit, first: Html, data: Readonly<Record<string, unknown>>): Reply {
    const { origin } = new URL(parts.publicUrl())
    const { storeOrigin } = home
    const head = html`<link rel="stylesheet" href="${visit.at(homeFiles.style)}">
<link rel="manifest" href="${visit.at("/manifest.webmanifest")}">
<link rel="apple-touch-icon" href="${visit.at("/icon-192.png")}">
<script type="module" src="${visit.at(homeFiles.script)}"></script>`
    const body = html`<noscript><p class="notice">Without JavaScript this page only shows your lists. Enable JavaScript to change them and to see changes live.</p></noscript>
<div id="home" class="home">${first}</div>
${dataBlock("home-data", { base: visit.at(""), ...data })}`
    const origins = [origin, origin.replace(/^http/, "ws"), ...(storeOrigin === undefined ? [] : [storeOrigin])]
    return show({ title: "Your lists", head, body, isHome: true, isApp: true, origins })
  }

  async function drawn(visit: SignedIn, token: string): Promise<Html> {
    const { look, held } = await read(visit, token)
    const view = firstLookView(look)
    held.answered(view.markup.length)
    return view
  }

  async function lists(visit: SignedIn): Promise<Reply> {
    const { request, response, session, cookie } = visit
    const { user } = session
    await home.rateLimit?.ofRequest("page", { userId: user.id }, request, response)
    const token = await sessionToken(database, cookie, session.id, now())
    // The script asks for the token alone when the one that it has ends.
    return page(visit, request.query.renew === undefined ? await drawn(visit, token) : html``, {
      token,
      viewer: { id: Number(user.id), name: user.name },
    })
  }

  return [
    openPage({ path: "/", get: (visit) => (isSignedIn(visit) ? lists(visit) : welcome(parts, visit)) }),
    // What browsers keep to open the page without a network. It tells nothing of anybody.
    openPage({ path: "/shell", get: (visit) => page(visit, html``, {}) }),
  ]
}
