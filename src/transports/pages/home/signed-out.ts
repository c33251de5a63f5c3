import { html } from "../html.js"
import { type Content, type Reply, show } from "../page.js"
import type { Visit } from "../visit.js"
import { homeFiles } from "./assets.js"

/** A page for somebody who is not signed in: its script leaves nothing of the last user in the browser. (ADR 40) */
export function signedOut(visit: Visit, content: Content, status = 200): Reply {
  // Somebody may fail to sign in as another user, and is still who they were.
  if (visit.session !== undefined) return show(content, status)
  const head = html`${content.head}<script type="module" src="${visit.at(homeFiles.signedOut)}"></script>`
  return show({ ...content, head, origins: [] }, status)
}
