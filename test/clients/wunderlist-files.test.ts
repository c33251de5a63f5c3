import { createRequire } from "node:module"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { sendPart, someBytes } from "../support/uploads.js"

// The official SDK makes uploads and files; it leaves the sending of parts to its user, who here knows the three headers of
// §4 and nothing else.
const Sdk = createRequire(import.meta.url)("wunderlist")

const ANSWER_TIMEOUT_MS = 10_000

let node: TestNode
let ann: Person
let sdk: any

/** What a call of the SDK comes to. */
function settled(call: any): Promise<{ data: any; status: number }> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the SDK got no answer")), ANSWER_TIMEOUT_MS)
    const settle = (data: any, status: number) => {
      clearTimeout(timer)
      resolve({ data, status })
    }
    call.done(settle).fail(settle)
  })
}

beforeAll(async () => {
  node = await sharedNode()
  ann = await makePerson(node, "Ann", "wunderlist")
  sdk = new Sdk({
    accessToken: ann.credentials.token,
    clientID: ann.credentials.clientId,
    checkHealth: false,
    api: { host: `${node.url}/api` },
    realtime: { host: `${node.url.replace("http", "ws")}/api/v1/sync` },
  })
  await new Promise<void>((resolve) => sdk.initialized.done(() => resolve()))
})
afterAll(async () => {
  sdk.restSocket?.close?.()
})

describe("the official SDK", () => {
  it("makes an upload of several parts and a file of it, reads it and deletes it", async () => {
    const { http } = sdk
    const task = await makeTask(ann, await makeList(ann))
    const parts = [someBytes(5 * 1024 ** 2, 1), someBytes(1_000, 2)]
    const file_size = parts.reduce((sum, { length }) => sum + length, 0)
    const created = await settled(http.uploads.create({ file_name: "a.png", content_type: "image/png", file_size }))
    expect(created).toMatchObject({ status: 201, data: { state: "new", part: { authorization: expect.any(String) } } })
    const { id, part } = created.data
    expect((await sendPart(part, parts[0] as Buffer)).status).toBe(200)
    const second = await settled(http.uploads.getPart(id, 2))
    expect((await sendPart(second.data.part, parts[1] as Buffer)).status).toBe(200)
    expect(await settled(http.uploads.finish(id))).toMatchObject({ status: 200, data: { id, state: "finished" } })
    const file = await settled(http.files.create({ upload_id: id, task_id: task.id, file_name: "a.png" }))
    expect(file).toMatchObject({ status: 201, data: { task_id: task.id, file_name: "a.png", file_size } })
    expect((await settled(http.files.forTask(task.id))).data).toHaveLength(1)
    expect((await settled(http.files.forList(task.list_id))).data).toHaveLength(1)
    const bytes = await (await fetch((await settled(http.files.getID(file.data.id))).data.url)).arrayBuffer()
    expect(Buffer.from(bytes).equals(Buffer.concat(parts))).toBe(true)
    expect(await settled(http.previews.getPreview(file.data.id, "web", "retina"))).toMatchObject({
      status: 400,
      data: { errors: ["bad request"] },
    })
    expect((await settled(http.files.deleteID(file.data.id, 7))).status).toBe(400)
    expect((await settled(http.files.deleteID(file.data.id, file.data.revision))).status).toBe(204)
  })
})
