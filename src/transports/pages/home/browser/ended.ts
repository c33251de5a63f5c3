// What becomes of an open page when its viewer signs out, deletes the account or is followed by another in the same browser.
import { render } from "preact"
import { clearLeftovers, forgetTexts } from "./leftovers.js"
import { base, client, ended } from "./session.js"
import { t } from "./texts.js"
import { warn } from "./toast.js"

/** What is refused to a page whose account is deleted elsewhere may be known before the deletion is told. */
const TOLD_WITHIN_MS = 2_000
const OTHER = "done=other-user"

/** Shows and holds nothing any more of a viewer who is not signed in; the page that comes instead says why. */
export function leaveWithViewer(viewer: number, root: Element): void {
  const leave = async () => {
    stop()
    // Fields give what was written in them to the queue.
    render(null, root)
    document.body.replaceChildren()
    await client.stop().catch(() => {})
    if (ended.get()?.viewer === undefined && ended.get()?.deleted === undefined)
      await new Promise((resolve) => setTimeout(resolve, TOLD_WITHIN_MS))
    const { viewer: next, deleted } = ended.get() ?? {}
    // They have signed in again: what is kept here is theirs, and other tabs show it.
    if (next?.id === viewer) return location.replace(`${base}/`)
    const isDeleted = deleted === viewer
    if (next !== undefined) forgetTexts()
    await clearLeftovers(base, next, deleted).catch(() => {})
    location.replace(base + (next ? `/?${OTHER}` : `/sign-in?done=${isDeleted ? "deleted" : "signed-out"}`))
  }
  const stop = ended.subscribe(() => void leave())
  // It may be known since before there was anything to leave.
  if (ended.get() !== undefined) void leave()
}

/** Says whose page came in the place of one that was left so. */
export function sayWhoseItIs(name: string): void {
  if (location.search !== `?${OTHER}`) return
  history.replaceState(null, "", location.pathname)
  warn(t.otherUser(name))
}
