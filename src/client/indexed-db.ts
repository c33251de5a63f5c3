import { type IDBPDatabase, openDB } from "idb"
import type { Entry, Store } from "./store.js"

const KEPT = "kept"
const LEASE = "lease"
const MAX_LEASE_MS = 60_000

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
    clear: async () => (await open()).clear(KEPT),
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
