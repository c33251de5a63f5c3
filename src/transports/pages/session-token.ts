import { PERSONAL_CLIENT_ID } from "../../access/writer.js"
import { sessionToken } from "../../accounts/session.js"
import { Forbidden } from "../../errors.js"
import { openPage, type Reply } from "./page.js"
import type { PageParts } from "./router.js"
import type { Visit } from "./visit.js"

/** Whether a script of ours has sent it: browsers say from where, and no page of elsewhere can say otherwise. */
function isOurScript({ request }: Visit, publicUrl: string): boolean {
  const { origin, host, "sec-fetch-site": site } = request.headers
  if (origin === undefined || !URL.canParse(origin) || (site !== undefined && site !== "same-origin")) return false
  return origin === new URL(publicUrl).origin || new URL(origin).host === host
}

const answer = (content: object): Reply => ({
  headers: { "Content-Type": "application/json; charset=utf-8" },
  write: async (into) => void into.end(JSON.stringify(content)),
})

/**
 * What the reference and the explorer send as their two headers, when somebody is signed in. The interfaces themselves know no
 * cookie: a request that a page of elsewhere makes a browser send acts for nobody, and cannot read this answer.
 */
export const sessionTokenPages = ({ database, publicUrl, now }: PageParts) => [
  openPage({
    path: "/session-token",
    // Browsers prove it by Origin; the documents are the same for all, so they hold no token of a form.
    provesItself: true,
    async post(visit) {
      if (!isOurScript(visit, publicUrl())) throw new Forbidden("Only pages of this service may ask for this.")
      const { session, cookie } = visit
      if (session === undefined) return answer({})
      const { id, name } = session.user
      const token = await sessionToken(database, cookie, session.id, now())
      return answer({ clientId: PERSONAL_CLIENT_ID, token, viewer: { id: Number(id), name } })
    },
  }),
]
