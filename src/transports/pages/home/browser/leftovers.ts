// Makes sure that the next person at a browser finds nothing of those who have signed out of it, also without a network.
import { openDB } from "idb"

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

/** Where a page notes what it gave while it was being left. */
export const leftBy = (base: string, id: number | undefined): string => `tandem-left${base}-${id}`

/** Forgets what was written and not sent. */
function forgetTexts(left: string): void {
  try {
    localStorage.removeItem(left)
    sessionStorage.clear()
  } catch {} // Pages may be denied all storage.
}

const storeOf = (base: string, id: string | number): string => `tandem${base}-${id}`
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
  const isNeeded = !isAll && (await store.count(IDBKeyRange.bound("command/", "command0"))) > 0
  for (const names of isNeeded ? [IDBKeyRange.bound("object/", "object0"), IDBKeyRange.only("cursor")] : [])
    void store.delete(names)
  if (!isNeeded) void store.clear()
  await done
  database.close()
}

/**
 * Leaves nothing in this browser of those who were signed in but what they have not sent.
 * @param base the path at which the service is mounted
 * @param but who is signed in now
 * @param isDeleted whether the user who was signed in last has deleted their account, and so what was not sent goes too
 */
export async function clearLeftovers(base: string, but?: number, isDeleted = false): Promise<void> {
  const last = lastViewer()
  if (last?.id !== but) noteViewer(undefined)
  if (isDeleted && last !== undefined) forgetTexts(leftBy(base, last.id))
  for (const id of await allUsers(base, last?.id)) {
    if (id === but) continue
    const isGone = isDeleted && id === last?.id
    await empty(storeOf(base, id), isGone).catch(() => {})
    if (isGone) await empty(filesOf(base, id), true).catch(() => {})
  }
}
