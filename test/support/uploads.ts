import { mkdtempSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import type { Person } from "./make.js"

/** The credentials of a part, as an upload's answer has them. */
export type Part = {
  url: string
  date: string
  authorization: string /** In place of the one of `url`, as it stands. */
  path?: string
}
export type PartReply = { status: number; headers: NodeJS.Dict<string | string[]>; text: string }

/** A folder for what a node keeps, removed when the tests of the file are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tandem-files-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Sends a part as a client of the interface does: a plain PUT with exactly the three headers of §4. */
export function sendPart(
  { url, date, authorization, path }: Part,
  bytes: Uint8Array,
  { chunked = false, headers = {} }: { chunked?: boolean; headers?: Record<string, string> } = {},
): Promise<PartReply> {
  const three = { "Content-Type": "", Authorization: authorization, "x-amz-date": date, ...headers }
  const length = chunked ? { "Transfer-Encoding": "chunked" } : { "Content-Length": String(bytes.length) }
  return new Promise((resolve, reject) => {
    // A connection of its own: one that was kept might be closed by the store in the moment in which it is used again.
    const put = request(
      url,
      { method: "PUT", headers: { ...three, ...length }, agent: false, ...(path && { path }) },
      (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (piece: string) => {
          text += piece
        })
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      },
    )
    put.on("error", reject)
    put.end(bytes)
  })
}

/** Bytes that compress to nothing less and are the same for the same seed. */
export function someBytes(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length)
  let state = seed * 2_654_435_761
  for (let index = 0; index + 4 <= length; index += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes.writeUInt32LE(state, index)
  }
  return bytes
}

export type UploadMembers = { file_name?: string; content_type?: string; file_size?: number; [member: string]: unknown }

/** Makes an upload of these bytes in one part and finishes it, by REST. */
export async function makeUpload(person: Person, bytes: Uint8Array, members: UploadMembers = {}): Promise<any> {
  const { body } = await person.post("/uploads", {
    file_name: "photo.png",
    content_type: "image/png",
    file_size: bytes.length,
    ...members,
  })
  const sent = await sendPart(body.part, bytes)
  if (sent.status !== 200) throw new Error(`The part was answered ${sent.status}: ${sent.text}`)
  return (await person.patch(`/uploads/${body.id}`, { state: "finished" })).body
}

/** Makes a file of these bytes, by REST. */
export async function makeFile(
  person: Person,
  task: { id: number },
  bytes: Uint8Array,
  members: UploadMembers = {},
): Promise<any> {
  const upload = await makeUpload(person, bytes, members)
  return (await person.post("/files", { upload_id: upload.id, task_id: task.id })).body
}
