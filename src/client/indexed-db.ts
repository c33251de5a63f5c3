import { type IDBPDatabase, openDB } from "idb"
import { type Entry, newUuid, type Patch } from "./command.js"
import type { Store } from "./store.js"

const KEPT = "kept"
const LEASE = "lease"
const MAX_LEASE_MS = 60_000

const platform = globalThis as unknown as { readonly localStorage: Record<string, string> }

/**
 * Keeps everything in the browser's database `name`, for all windows of the origin: what was done offline is there when the
 * browser starts again. Give each user a name of their own, and `clear` it when they sign out.
 */
export function indexedDbStore(name: string): Store {
  let opened: Promise<IDBPDatabase> | undefined
  const forget = () => {
    opened = undefined
  }
  function open(): Promise<IDBPDatabase> {
    opened ??= openDB(name, 1, { upgrade: (made) => void made.createObjectStore(KEPT), terminated: forget })
    opened.catch(forget)
    return opened
  }
  const writing = async () => (await open()).transaction(KEPT, "readwrite")

  return {
    sharedAs: name,
    async load() {
      const { store } = (await open()).transaction(KEPT)
      const [names, values] = await Promise.all([store.getAllKeys(), store.getAll()])
      return names.map((key, index): Entry => [key as string, values[index]])
    },
    async save(entries) {
      const { store, done } = await writing()
      for (const [key, value] of entries)
        void (value === undefined ? store.delete(key) : store.put(value, key)).catch(() => {}) // `done` tells
      await done
    },
    async clear() {
      takeLeft(name)
      await (await open()).clear(KEPT)
    },
    leave(patch) {
      try {
        // Under a name of its own: what others noted may have been taken already.
        platform.localStorage[leftBy(name) + newUuid()] = JSON.stringify(patch)
        return true
      } catch {
        return false // Pages may be denied all storage.
      }
    },
    left: () => takeLeft(name),
    async claim(owner, forMs) {
      const { store, done } = await writing()
      const lease: { owner: string; until: number } | undefined = await store.get(LEASE)
      const leftMs = (lease?.until ?? 0) - Date.now()
      // More than anybody claims: the clock was set back.
      const isMine = lease?.owner === owner || leftMs < 0 || leftMs > MAX_LEASE_MS
      if (isMine) void store.put({ owner, until: Date.now() + forMs }, LEASE)
      await done
      return isMine
    },
  }
}

/** How the names begin under which `localStorage` has what the windows of a store noted while they closed. */
export const leftBy = (name: string): string => `${name}/left/`

/** Takes it. */
function takeLeft(name: string): Patch {
  try {
    const { localStorage } = platform
    const names = Object.keys(localStorage).filter((key) => key.startsWith(leftBy(name)))
    const left: Entry[] = names.flatMap((key) => JSON.parse(localStorage[key] as string))
    for (const key of names) delete localStorage[key]
    // JSON has no undefined.
    return left.map(([key, value, dropped]) => [key, value ?? undefined, dropped ?? undefined])
  } catch {
    return [] // Nobody can read it.
  }
}
