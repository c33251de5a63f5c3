// Makes sure that the next person at a browser finds nothing of those who have signed out of it, also without a network.
import { openDB } from "idb"
import { leftBy } from "../../../../client/indexed-db.js"
import { keepText, keptNames } from "./kept-text.js"

/** Whose page it is. */
export type Viewer = { readonly id: number; readonly name: string }

const VIEWER = "tandem-viewer"

/** Who was signed in here last, for a page without a network; undefined too where the browser keeps nothing. */
export function lastViewer(): Viewer | undefined {
  try {
    return JSON.parse(localStorage.getItem(VIEWER) ?? "null") ?? undefined
  } catch {
    return undefined
  }
}

/** Notes who is signed in, or that nobody is, where the browser keeps anything. */
export function noteViewer(viewer: Viewer | undefined): void {
  try {
    if (viewer === undefined) localStorage.removeItem(VIEWER)
    else localStorage.setItem(VIEWER, JSON.stringify(viewer))
  } catch {} // Pages may be denied all storage.
}

/** Forgets what was written in this tab and not sent. @param but how the names begin that stay */
export function forgetTexts(but?: string): void {
  for (const name of keptNames("sessionStorage", "tandem-unsent"))
    if (but === undefined || !name.startsWith(but)) keepText("sessionStorage", name, undefined)
}

/** The client's store of a user. */
export const storeOf = (base: string, id: string | number): string => `tandem${base}-${id}`
/** The database of a user's files that are not sent. */
export const filesOf = (base: string, id: number): string => `${storeOf(base, id)}-files`

/** The stores of everybody who was signed in here. A browser that does not list them has at least the last one. */
async function allUsers(base: string, last: number | undefined): Promise<number[]> {
  const found = (await indexedDB.databases?.()) ?? (last === undefined ? [] : [{ name: storeOf(base, last) }])
  return found.flatMap(({ name }) => {
    const id = name?.slice(storeOf(base, "").length) ?? ""
    return /^\d+$/.test(id) && name === storeOf(base, id) ? Number(id) : []
  })
}

/** Takes out what the service has anyway; what was not sent stays, unless `isAll`, for when they sign in again. */
async function empty(name: string, isAll: boolean): Promise<void> {
  // Without one of that name, none is made.
  const database = await openDB(name, undefined, { upgrade: (_made, _from, _to, change) => change.abort() })
  const { store, done } = database.transaction("kept", "readwrite")
  const isLeft = keptNames("localStorage", leftBy(name)).length > 0
  const isNeeded = !isAll && (isLeft || (await store.count(IDBKeyRange.bound("command/", "command0"))) > 0)
  for (const names of isNeeded ? [IDBKeyRange.bound("object/", "object0"), IDBKeyRange.only("cursor")] : [])
    void store.delete(names)
  if (!isNeeded) void store.clear()
  await done
  database.close()
}

/** What tabs of a browser tell each other: who is signed in now, and whose account has just been deleted. */
export type News = { readonly viewer: Viewer | undefined; readonly deleted?: number | undefined }

/** The channel of a browser's tabs, to be closed. @param base the path at which the service is mounted */
export const tabs = (base: string): BroadcastChannel => new BroadcastChannel(`tandem${base}-viewer`)

/** Tells a browser's other tabs what this page was told by the service: what a tab has only heard it does not pass on. */
export function tellTabs(base: string, news: News): void {
  const others = tabs(base)
  others.postMessage(news)
  others.close()
}

/**
 * Leaves nothing in this browser of those who were signed in but what they have not sent.
 * @param viewer who is signed in now
 * @param deleted the user who has deleted their account, and of whom what was not sent goes too
 */
export async function clearLeftovers(base: string, viewer?: Viewer, deleted?: number): Promise<void> {
  const last = lastViewer()?.id
  if (last !== viewer?.id) noteViewer(undefined)
  if (deleted !== undefined) forgetTexts()
  for (const id of await allUsers(base, last)) {
    if (id === viewer?.id) continue
    const [name, isGone] = [storeOf(base, id), id === deleted]
    if (isGone) for (const left of keptNames("localStorage", leftBy(name))) keepText("localStorage", left, undefined)
    await empty(name, isGone).catch(() => {})
    if (isGone) await empty(filesOf(base, id), true).catch(() => {})
  }
}
