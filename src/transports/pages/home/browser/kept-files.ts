// Keeps files on their way to a task, so that neither a closed window nor a network that is not there loses them.
import { type IDBPDatabase, openDB } from "idb"
import { filesOf } from "./leftovers.js"
import { base, isKept, viewer } from "./session.js"

/** A file, the task that gets it, and the upload by which it is sent once there is one. */
export type KeptFile = {
  readonly key: string
  readonly task: number
  readonly file: File
  readonly upload?: number
}

/** Of all files of an account together. */
const MAX_BYTES = 100 * 1_048_576

const name = filesOf(base, viewer?.id ?? 0)
let opened: Promise<IDBPDatabase> | undefined
async function writing() {
  opened ??= openDB(name, 1, { upgrade: (made) => void made.createObjectStore("kept", { keyPath: "key" }) })
  return (await opened).transaction("kept", "readwrite")
}

/** Keeps one; gives whether it does: there may be too many, or a browser that keeps nothing. */
export async function keepFile(kept: KeptFile): Promise<boolean> {
  if (!isKept) return false
  try {
    const { store, done } = await writing()
    const others: KeptFile[] = await store.getAll()
    if (others.reduce((bytes, { file }) => bytes + file.size, kept.file.size) > MAX_BYTES) return false
    void store.put(kept).catch(() => {}) // `done` tells
    await done
    return true
  } catch {
    return false
  }
}

/** All that are kept, those of closed windows among them. */
export const keptFiles = async (): Promise<readonly KeptFile[]> => (isKept ? (await writing()).store.getAll() : [])

/**
 * Notes by which upload a kept file is sent, unless another window did before: gives the upload that counts.
 * @param before the one that is to be replaced
 * @returns undefined when the file is kept no more, since another window has sent it
 */
export async function noteUpload(key: string, upload: number, before: number | undefined): Promise<number | undefined> {
  const { store, done } = await writing()
  const kept: KeptFile | undefined = await store.get(key)
  const counts = kept && (kept.upload === before ? upload : kept.upload)
  if (kept !== undefined) void store.put({ ...kept, upload: counts }).catch(() => {})
  await done
  return counts
}

/** Notes by which id the service knows the task of a kept file. */
export async function noteTask(key: string, task: number): Promise<void> {
  const { store, done } = await writing()
  const kept: KeptFile | undefined = await store.get(key)
  if (kept !== undefined) void store.put({ ...kept, task }).catch(() => {})
  await done
}

/** Keeps one no more. */
export async function dropFile(key: string): Promise<void> {
  const { store, done } = await writing()
  void store.delete(key).catch(() => {})
  await done
}

/** Keeps none of the viewer's any more. */
export async function forgetFiles(): Promise<void> {
  if (!isKept) return
  const { store, done } = await writing()
  void store.clear().catch(() => {})
  await done
}

/** Does the work of a kept file in one window at a time, where browsers know locks; else both send it, by one upload. */
export async function alone(key: string, work: () => Promise<void>): Promise<void> {
  await (navigator.locks === undefined ? work() : navigator.locks.request(`${name}/${key}`, work))
}
