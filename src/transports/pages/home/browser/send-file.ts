// Sends a file to the store and attaches it to a task. What an answer was lost for is not done again.
import { type KeptFile, noteUpload } from "./kept-files.js"
import { client } from "./session.js"

/** The service or the store has answered, and does not do it. */
export class Refused extends Error {}

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
      request.status === 200 ? resolve() : reject(new Refused(`The store answered ${request.status}.`))
    request.onerror = () => reject(new Error("The store cannot be reached."))
    request.send(bytes)
  })

/** @throws Refused; another error where there is no answer */
export async function asked<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await client.request(method, path, body)
  if (answer.status >= 300) throw new Refused(`${method} ${path} was answered with ${answer.status}.`)
  return answer.body as Body
}

const finish = (upload: number) => client.request("PATCH", `/uploads/${upload}`, { state: "finished" })

/**
 * An upload, its parts, its end, then the file.
 * @param task as the service knows it
 * @param isKept whether other windows may send it too
 * @param onUpload is told by which upload it is sent, for the next attempt
 * @throws Refused; another error where there is no answer
 */
export async function sendFile(
  { key, file, upload: before }: KeptFile,
  task: number,
  isKept: boolean,
  onUpload: (upload: number) => void,
  onProgress: (share: number) => void,
): Promise<void> {
  // An earlier attempt may have come that far; an upload that waited for too long is gone.
  const { status } = before === undefined ? { status: 404 } : await finish(before)
  let id = before as number
  if (status >= 300) {
    let part: Part | undefined
    if (status === 404) {
      const content_type = file.type || "application/octet-stream"
      const details = { file_name: file.name, file_size: file.size, content_type }
      const made = await asked<Upload>("POST", "/uploads", details)
      const counts = isKept ? await noteUpload(key, made.id, before) : made.id
      if (counts === undefined) return
      id = counts
      if (id === made.id) part = made.part
      onUpload(id)
    }
    for (let number = 1, from = 0; from < file.size; number++, from += PART_BYTES) {
      part ??= (await asked<Upload>("GET", `/uploads/${id}/parts?part_number=${number}`)).part
      // A slice without a type, so that the browser adds no Content-Type, which would be signed.
      await put(part, file.slice(from, from + PART_BYTES, ""), (sent) => onProgress((from + sent) / file.size))
      part = undefined
    }
    const finished = await finish(id)
    if (finished.status >= 300) throw new Refused(`The upload was answered with ${finished.status}.`)
  }
  const values = { upload_id: id, task_id: task, local_created_at: new Date().toISOString() }
  const answer = await client.request("POST", "/files", values)
  // The upload is finished and the viewer's: where it is refused, a file has it, and the answer to that was lost.
  const { error } = (answer.body ?? {}) as { error?: object }
  if (answer.status >= 300 && !("upload_id" in (error ?? {})))
    throw new Refused(`The file was answered with ${answer.status}.`)
}
