// Runs in the pages that are shown to those who are not signed in.
import { clearLeftovers, lastViewer } from "./leftovers.js"

const { pathname } = new URL(import.meta.url)
const isDeleted = new URLSearchParams(location.search).get("done") === "deleted"
const deleted = isDeleted ? lastViewer()?.id : undefined
if (isDeleted) history.replaceState(null, "", location.pathname)

void clearLeftovers(pathname.slice(0, pathname.indexOf("/assets/")), undefined, deleted).catch(() => {})
