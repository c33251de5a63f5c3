import { cell } from "./cell.js"
import { client } from "./session.js"

/** A file on its way to a task. */
export type Uploading = {
  readonly key: number
  readonly task: number
  readonly file: File
  /** From 0 to 1. */
  readonly share: number
  readonly isFailed: boolean
}

/** Files that are on their way, or did not get through. */
export const uploads = cell<readonly Uploading[]>([])

// Stores take no smaller parts but the last, and credentials of a part are good for 15 minutes.
const PART_BYTES = 16 * 1_048_576

type Part = { readonly url: string; readonly date: string; readonly authorization: string }
type Upload = { readonly id: number; readonly part: Part }

/** Sends one part straight to the store. fetch cannot tell how far it is. */
const put = ({ url, date, authorization }: Part, bytes: Blob, onProgress: (sent: number) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open("PUT", url)
    // Empty where the address itself is signed: stores take only one proof.
    if (authorization !== "") request.setRequestHeader("Authorization", authorization)
    request.setRequestHeader("x-amz-date", date)
    request.upload.onprogress = ({ loaded }) => onProgress(loaded)
    request.onload = () =>
      request.status === 200 ? resolve() : reject(new Error(`The store answered ${request.status}.`))
    request.onerror = () => reject(new Error("The store cannot be reached."))
    request.send(bytes)
  })

/** @throws where the service does not do it */
async function asked<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await client.request(method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path} was answered with ${answer.status}.`)
  return answer.body as Body
}

/** An upload, its parts, its end, then the file. */
async function send({ task, file }: Uploading, onProgress: (share: number) => void): Promise<void> {
  const id = client.view.get("task", task)?.id ?? task
  if (id < 0) throw new Error("The task has not been sent yet.")
  const details = { file_name: file.name, file_size: file.size, content_type: file.type || "application/octet-stream" }
  const upload = await asked<Upload>("POST", "/uploads", details)
  for (let number = 1, from = 0; from < file.size; number++, from += PART_BYTES) {
    const path = `/uploads/${upload.id}/parts?part_number=${number}`
    const { part } = number === 1 ? upload : await asked<Upload>("GET", path)
    // A slice without a type, so that the browser adds no Content-Type, which would be signed.
    await put(part, file.slice(from, from + PART_BYTES, ""), (sent) => onProgress((from + sent) / file.size))
  }
  await asked("PATCH", `/uploads/${upload.id}`, { state: "finished" })
  await asked("POST", "/files", { upload_id: upload.id, task_id: id, local_created_at: new Date().toISOString() })
}

const change = (key: number, changes: Partial<Uploading>) =>
  uploads.set(uploads.get().map((one) => (one.key === key ? { ...one, ...changes } : one)))

/** Takes one away that did not get through. */
export const dismiss = (key: number): void => uploads.set(uploads.get().filter((one) => one.key !== key))

/** Sends one, for the first time or again. */
export function start(uploading: Uploading): void {
  const { key } = uploading
  change(key, { share: 0, isFailed: false })
  send(uploading, (share) => change(key, { share })).then(
    () => dismiss(key),
    () => change(key, { isFailed: true }),
  )
}

let lastKey = 0

/** Begins one upload for each file, all at once; `uploads` shows how far each one is, and keeps those that failed for another try. */
export function attach(task: number, files: Iterable<File>): void {
  for (const file of files) {
    const uploading = { key: ++lastKey, task, file, share: 0, isFailed: false }
    uploads.set([...uploads.get(), uploading])
    start(uploading)
  }
}

/** Where a file is now: addresses end. @throws where the service cannot be reached */
export const addressOf = async (id: number): Promise<string> =>
  (await asked<{ url: string }>("GET", `/files/${id}`)).url

const previews = new Map<number, Promise<string | undefined>>()

/** Where a small picture of a file is; undefined where there is none. */
export function previewOf(id: number): Promise<string | undefined> {
  const known =
    previews.get(id) ??
    asked<{ url: string }>("GET", `/previews?file_id=${id}`)
      .then(({ url }) => url)
      .catch(() => undefined)
  previews.set(id, known)
  return known
}
