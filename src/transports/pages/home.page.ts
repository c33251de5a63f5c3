import { homeFiles } from "./home/assets.js"
import { stateOf } from "./home/browser/state.js"
import { homeView } from "./home/browser/view.js"
import { homeReader } from "./home/home.data.js"
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
 * The page at `/`: what runs here, and for signed-in users their lists and tasks, updated as events arrive. The server
 * draws them first, so that they can be read without scripts. (ADR 16)
 */
export function homePages(parts: PageParts) {
  const read = homeReader(parts)

  async function lists(visit: SignedIn): Promise<Reply> {
    const data = await read(visit)
    const { origin } = new URL(parts.publicUrl())
    const { storeOrigin } = parts.home
    const head = html`<link rel="stylesheet" href="${visit.at(homeFiles.style)}">
${homeFiles.modules.map((path) => html`<link rel="modulepreload" href="${visit.at(path)}">`)}
<script defer src="${visit.at(homeFiles.client)}"></script>
<script type="module" src="${visit.at(homeFiles.start)}"></script>`
    const body = html`<noscript><p class="notice">Without JavaScript this page only shows your lists. Enable JavaScript to change them and to see changes live.</p></noscript>
<div id="home" class="home" data-graphql="${visit.at("/graphql")}">${homeView(stateOf(data))}</div>
<p id="how-to-move" class="unseen">Drag it, or move it with the arrow keys.</p>
<p id="said" class="unseen" role="status"></p>
<p id="warned" class="notice bad warning" role="alert"></p>
${dataBlock("home-data", data)}`
    const origins = [origin, origin.replace(/^http/, "ws"), ...(storeOrigin === undefined ? [] : [storeOrigin])]
    return show({ title: "Your lists", head, body, isApp: true, origins })
  }

  return [openPage({ path: "/", get: (visit) => (isSignedIn(visit) ? lists(visit) : welcome(parts, visit)) })]
}
