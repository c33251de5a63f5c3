// Runs in the pages that are shown to those who are not signed in.
import { clearLeftovers } from "./leftovers.js"

const { pathname } = new URL(import.meta.url)
const isDeleted = new URLSearchParams(location.search).get("done") === "deleted"

void clearLeftovers(pathname.slice(0, pathname.indexOf("/assets/")), undefined, isDeleted).catch(() => {})
