import { Unreached } from "./api.js"
import { CREATE_FILE, CREATE_UPLOAD, FINISH_UPLOAD, SIGN_PART } from "./documents.js"

// Stores take no smaller parts but the last, and credentials of a part are good for 15 minutes.
const PART_BYTES = 16 * 1_048_576

/** Sends one part straight to the store. fetch cannot tell how far it is. @type {(part: { url: string, date: string,
 *  authorization: string }, bytes: Blob, onProgress: (sent: number) => void) => Promise<void>} */
const put = ({ url, date, authorization }, bytes, onProgress) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open("PUT", url)
    // Empty where the address itself is signed: stores take only one proof.
    if (authorization !== "") request.setRequestHeader("Authorization", authorization)
    request.setRequestHeader("x-amz-date", date)
    request.upload.onprogress = ({ loaded }) => onProgress(loaded)
    request.onload = () =>
      request.status === 200 ? resolve() : reject(new Unreached(`The store answered ${request.status}.`))
    request.onerror = () => reject(new Unreached("The store cannot be reached."))
    request.send(bytes)
  })

/**
 * Attaches a file to a task: an upload, its parts, its end, then the file.
 * @param {import("./api.js").Ask} ask
 * @param {string} taskId
 * @param {File} file
 * @param {(share: number) => void} onProgress told how much is sent, from 0 to 1
 */
export async function attach(ask, taskId, file, onProgress) {
  const input = { fileName: file.name, fileSize: file.size, contentType: file.type }
  const { createUpload: upload } = await ask(CREATE_UPLOAD, { input })
  for (let number = 1, from = 0; from < file.size; number++, from += PART_BYTES) {
    const part =
      number === 1 ? upload.part : (await ask(SIGN_PART, { id: upload.id, partNumber: number })).uploadPart.part
    // A slice without a type, so that the browser adds no Content-Type, which would be signed.
    await put(part, file.slice(from, from + PART_BYTES, ""), (sent) => onProgress((from + sent) / file.size))
  }
  await ask(FINISH_UPLOAD, { id: upload.id })
  await ask(CREATE_FILE, { input: { uploadId: upload.id, taskId } })
}
