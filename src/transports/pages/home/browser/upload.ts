import { cell } from "./cell.js"
import { alone, dropFile, type KeptFile, keepFile, keptFiles, noteTask } from "./kept-files.js"
import { asked, Refused, sendFile } from "./send-file.js"
import { client } from "./session.js"

/** A file on its way to a task. */
export type Uploading = KeptFile & {
  /** From 0 to 1. */
  readonly share: number
  /** `waiting`: for a network, or until the task is sent. `failed`: it is refused, and tried again when somebody asks for it. */
  readonly state: "sending" | "waiting" | "failed"
  /** Whether it outlives the window. */
  readonly isKept: boolean
}

/** Files that are on their way, or did not get through. */
export const uploads = cell<readonly Uploading[]>([])

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 60_000

/** What ends the pause of a file. */
const wakes = new Map<string, () => void>()
/** Those that wait for the client to be online, or for their task. */
const unready = new Set<string>()

const find = (key: string) => uploads.get().find((one) => one.key === key)
const change = (key: string, changes: Partial<Uploading>) =>
  uploads.set(uploads.get().map((one) => (one.key === key ? { ...one, ...changes } : one)))

/** Tries one again at once. */
export const retry = (key: string): void => wakes.get(key)?.()

/** Takes one away that did not get through. */
export function dismiss(key: string): void {
  uploads.set(uploads.get().filter((one) => one.key !== key))
  retry(key)
}

/** @param ms left out: until somebody or something wakes it */
const pause = (key: string, ms?: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms)
    wakes.set(key, () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** The task as the service knows it; undefined while nothing can be sent. */
function readyTask({ task }: Uploading): number | undefined {
  const id = client.view.get("task", task)?.id ?? task
  return id > 0 && client.view.status().connection === "online" ? id : undefined
}

/** Sends one, again and again, until it is sent or taken away. */
async function run(key: string): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS, one = find(key); one !== undefined; one = find(key)) {
    const task = readyTask(one)
    if (task === undefined) {
      change(key, { state: "waiting" })
      unready.add(key)
      await pause(key)
      unready.delete(key)
      continue
    }
    try {
      // What a temporary id stood for may be forgotten before the file is sent.
      if (task !== one.task && one.isKept) await noteTask(key, task)
      change(key, { state: "sending", share: 0, task })
      const onUpload = (upload: number) => change(key, { upload })
      await sendFile(one, task, one.isKept, onUpload, (share) => change(key, { share }))
      dismiss(key)
    } catch (error) {
      const isRefused = error instanceof Refused
      change(key, { state: isRefused ? "failed" : "waiting" })
      await pause(key, isRefused ? undefined : pauseMs)
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
    }
  }
  wakes.delete(key)
  await dropFile(key).catch(() => {})
}

client.subscribe(
  (view) => [view.status().connection, view.waiting()],
  () => {
    for (const key of unready) retry(key)
  },
)
addEventListener("online", () => {
  for (const { key, state } of uploads.get()) if (state === "waiting") retry(key)
})

let made = 0

/** Attaches files to a task. */
export function attach(task: number, files: Iterable<File>): void {
  for (const file of files) {
    // Another window never has the same.
    const key = `${Date.now()}-${Math.random()}-${++made}`
    uploads.set([...uploads.get(), { key, task, file, share: 0, state: "sending", isKept: false }])
    // Nobody knows of it before it is kept, so this window is the one that sends it.
    void alone(key, async () => {
      change(key, { isKept: await keepFile({ key, task, file }) })
      await run(key)
    })
  }
}

/** Goes on with the files of windows that were closed before they were sent, once nobody else does. */
export async function resumeUploads(): Promise<void> {
  for (const { key } of await keptFiles())
    void alone(key, async () => {
      const kept = (await keptFiles()).find((one) => one.key === key)
      if (kept === undefined) return
      if (client.view.status().isComplete && client.view.get("task", kept.task) === undefined) return dropFile(key)
      uploads.set([...uploads.get(), { ...kept, share: 0, state: "waiting", isKept: true }])
      await run(key)
    })
}

/** Where a file is now: addresses end. @throws where the service cannot be reached */
export const addressOf = async (id: number): Promise<string> =>
  (await asked<{ url: string }>("GET", `/files/${id}`)).url

const previews = new Map<number, Promise<string | undefined>>()

/** Where a small picture of a file is; undefined where there is none now. */
export function previewOf(id: number): Promise<string | undefined> {
  const known =
    previews.get(id) ??
    asked<{ url: string }>("GET", `/previews?file_id=${id}`)
      .then(({ url }) => url)
      .catch(() => forgetPreview(id))
  previews.set(id, known)
  return known
}

/** Asks again next time: addresses end, and there may be a network then. */
export function forgetPreview(id: number): undefined {
  previews.delete(id)
}
