// Runs in the pages that are shown to those who are not signed in.
import { clearLeftovers, tellTabs } from "./leftovers.js"

const { pathname } = new URL(import.meta.url)
const base = pathname.slice(0, pathname.indexOf("/assets/"))
// What the service notes where an account was deleted: an address says nothing, for anybody may send one.
const [, name, id] = /(?:^|; )((?:__Host-)?tandem-deleted)=(\d+)/.exec(document.cookie) ?? []
const deleted = id === undefined ? undefined : Number(id)
if (name !== undefined)
  // biome-ignore lint/suspicious/noDocumentCookie: cookieStore needs https
  document.cookie = `${name}=; Path=/; Max-Age=0${name.startsWith("__Host-") ? "; Secure" : ""}`

tellTabs(base, { viewer: undefined, deleted })
void clearLeftovers(base, undefined, deleted).catch(() => {})
