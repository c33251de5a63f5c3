import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { beforeAll, describe, expect, it } from "vitest"
import { createClient } from "../support/client.js"
import { addMember, makeList, makePeople, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { makeFile, makeUpload, someBytes } from "../support/uploads.js"

const HELLO = Buffer.from("hello")
const UNKNOWN = 9_007_199_254_740_991
const FIELDS = "id url taskId listId userId fileName contentType fileSize localCreatedAt createdAt updatedAt revision"
const CREATE = `mutation ($input: CreateFileInput!) { createFile(input: $input) { ${FIELDS} } }`

let node: TestNode
let owner: Person
let member: Person
let invitee: Person
let stranger: Person
let list: { id: number }
let task: { id: number }

beforeAll(async () => {
  node = await sharedNode()
  ;({ owner, member, invitee, stranger, list } = await makePeople(node))
  task = await makeTask(owner, list)
})

describe("POST /api/v1/files (§4 Files)", () => {
  it("answers 201 with the whole file, as GET by id and in lists", async () => {
    const upload = await makeUpload(owner, HELLO, { file_name: "Résumé 😀.pdf", content_type: "application/pdf" })
    const local_created_at = "2013-08-02T11:58:55.123Z"
    const { status, body } = await owner.post("/files", { upload_id: upload.id, task_id: task.id, local_created_at })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      url: expect.stringMatching(/^http/),
      task_id: task.id,
      list_id: list.id,
      user_id: owner.id,
      file_name: "Résumé 😀.pdf",
      content_type: "application/pdf",
      file_size: 5,
      local_created_at,
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.created_at,
      type: "file",
      revision: 1,
    })
    const [byId, ofTask, ofList] = await Promise.all(
      [`/files/${body.id}`, `/files?task_id=${task.id}`, `/files?list_id=${list.id}`].map((path) => member.get(path)),
    )
    expect(byId?.body).toEqual(body)
    expect([ofTask?.body.at(-1), ofList?.body.at(-1)]).toEqual([body, body])
    expect((await owner.get(`/tasks/${task.id}`)).body.revision).toBeGreaterThan(1)
  })

  it("does the same over GraphQL", async () => {
    const upload = await makeUpload(owner, HELLO)
    const input = { uploadId: upload.id, taskId: task.id }
    const { data } = await owner.graphql(CREATE, { input })
    const { body } = await owner.get(`/files/${data.createFile.id}`)
    expect(data.createFile).toMatchObject({ id: String(body.id), url: body.url, fileSize: 5, listId: String(list.id) })
    const query = `query ($id: ID!) { task(id: $id) { files { id task { id } previewUrl(width: 100) } } file(id: "${body.id}") { fileName } }`
    const asked = await member.graphql(query, { id: task.id })
    expect(asked.data.file.fileName).toBe("photo.png")
    expect(asked.data.task.files.at(-1)).toEqual({
      id: String(body.id),
      task: { id: String(task.id) },
      previewUrl: expect.stringContaining(`/previews/${body.id}/128?`),
    })
  })

  it("makes one file of one upload, however many ask at once", async () => {
    const upload = await makeUpload(owner, HELLO)
    const before = (await owner.get(`/files?task_id=${task.id}`)).body.length
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => owner.post("/files", { upload_id: upload.id, task_id: task.id })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(422)])
    expect((await owner.get(`/files?task_id=${task.id}`)).body).toHaveLength(before + 1)
    const made = replies.find(({ status }) => status === 201)?.body
    expect((await owner.delete(`/files/${made.id}?revision=1`)).status).toBe(204)
    expect((await owner.post("/files", { upload_id: upload.id, task_id: task.id })).status).toBe(422)
  })

  it("gives the same answer to a request that is repeated", async () => {
    const requestId = randomUUID()
    const upload = await makeUpload(owner, HELLO)
    const body = { upload_id: upload.id, task_id: task.id }
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => owner.post("/files", body, { "X-Client-Request-Id": requestId })),
    )
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(replies[0]?.body.created_by_request_id).toBe(requestId)
  })

  it("refuses an upload that is not ready, another's or unknown with 422, and writes nothing", async () => {
    const fresh = (await owner.post("/uploads", { file_name: "a", content_type: "", file_size: 1 })).body
    const foreign = await makeUpload(stranger, HELLO)
    const before = (await owner.get(`/tasks/${task.id}`)).body.revision
    for (const upload_id of [fresh.id, foreign.id, UNKNOWN]) {
      const reply = await owner.post("/files", { upload_id, task_id: task.id })
      expect(reply).toMatchObject({ status: 422, body: { error: { upload_id: [expect.any(String)] } } })
      const { code } = await owner.graphql(CREATE, { input: { uploadId: upload_id, taskId: task.id } })
      expect(code).toBe("VALIDATION_ERROR")
    }
    expect((await owner.get(`/tasks/${task.id}`)).body.revision).toBe(before)
    const own = await makeList(stranger, "Own")
    const ownTask = await makeTask(stranger, own)
    expect((await stranger.post("/files", { upload_id: foreign.id, task_id: ownTask.id })).status).toBe(201)
  })

  it("answers users who are no members as for a task that does not exist", async () => {
    for (const person of [stranger, invitee]) {
      const upload = await makeUpload(person, HELLO)
      const [closed, unknown] = await Promise.all(
        [task.id, UNKNOWN].map((task_id) => person.post("/files", { upload_id: upload.id, task_id })),
      )
      expect(closed).toMatchObject({ status: 404, body: { error: { type: "permission_error" } } })
      expect(closed?.text).toBe(unknown?.text)
    }
  })

  it("needs upload_id, task_id and, where there is one, a real instant", async () => {
    expect(await owner.post("/files", {})).toMatchObject({
      status: 400,
      body: { error: { upload_id: ["required"], task_id: ["required"] } },
    })
    const upload = await makeUpload(owner, HELLO)
    const body = { upload_id: upload.id, task_id: task.id, local_created_at: "0001-01-01T00:00:00+14:00" }
    expect((await owner.post("/files", body)).status).toBe(422)
  })
})

describe("GET /api/v1/files (§4 Files)", () => {
  it("needs a task or a list that is open, and tells nobody else that there are files", async () => {
    const file = await makeFile(owner, task, HELLO)
    expect((await owner.get("/files")).status).toBe(400)
    for (const person of [stranger, invitee])
      for (const path of [`/files/${file.id}`, `/files?task_id=${task.id}`, `/files?list_id=${list.id}`])
        expect((await person.get(path)).status).toBe(404)
  })

  it("is answered under /api/v2 as well, which the official SDK asks", async () => {
    const file = await makeFile(owner, task, HELLO)
    expect((await owner.get(`/api/v2/files/${file.id}`)).body).toEqual(file)
    expect((await owner.get(`/api/v2/files?task_id=${task.id}`)).status).toBe(200)
    expect((await owner.delete(`/api/v2/files/${file.id}?revision=1`)).status).toBe(204)
    expect((await owner.get("/api/v2/tasks?list_id=1")).status).toBe(404)
    expect((await createClient(node.url).get(`/api/v2/files/${file.id}`)).status).toBe(401)
  })

  it("follows a task that moves", async () => {
    const other = await makeList(owner, "Other")
    const moving = await makeTask(owner, list)
    const file = await makeFile(owner, moving, HELLO)
    const { revision } = (await owner.get(`/tasks/${moving.id}`)).body
    await owner.patch(`/tasks/${moving.id}`, { revision, list_id: other.id })
    expect((await owner.get(`/files/${file.id}`)).body.list_id).toBe(other.id)
    expect((await owner.get(`/files?list_id=${other.id}`)).body).toHaveLength(1)
    expect((await member.get(`/files/${file.id}`)).status).toBe(404)
    await addMember(node, other, stranger)
    expect((await stranger.get(`/files/${file.id}`)).status).toBe(200)
  })
})

describe("DELETE /api/v1/files/:id (§4 Files, §7)", () => {
  it("answers 204, and its address opens no more", async () => {
    const file = await makeFile(owner, task, HELLO)
    expect((await member.delete(`/files/${file.id}`, { revision: 1 })).status).toBe(204)
    expect((await owner.get(`/files/${file.id}`)).status).toBe(404)
    expect((await fetch(file.url)).status).toBe(404)
  })

  it("answers §7's body for a stale, missing or mistyped revision, and 404 for what is not there", async () => {
    const file = await makeFile(owner, task, HELLO)
    const refusal = { status: 400, body: { errors: ["bad request"] } }
    for (const query of ["?revision=7", "", "?revision=x", "?revision=1&revision=1"])
      expect(await owner.delete(`/files/${file.id}${query}`)).toMatchObject(refusal)
    expect((await owner.delete(`/files/${UNKNOWN}?revision=1`)).body.error.type).toBe("not_found")
    for (const person of [stranger, invitee])
      expect((await person.delete(`/files/${file.id}?revision=1`)).status).toBe(404)
    const stale = await owner.graphql(`mutation { deleteFile(id: "${file.id}", revision: 7) }`)
    expect(stale.code).toBe("BAD_REQUEST")
    const missing = await stranger.graphql(`mutation { deleteFile(id: "${file.id}", revision: 1) }`)
    expect(missing.code).toBe("NOT_FOUND")
    expect((await owner.get(`/files/${file.id}`)).status).toBe(200)
  })
})

describe("the url of a file (§6 Files)", () => {
  const decodedName = (header: string | null) =>
    decodeURIComponent(/filename\*=UTF-8''(\S+)$/.exec(header ?? "")?.[1] ?? "")

  it("opens without headers, as a download that nothing in it can escape from", async () => {
    const bytes = someBytes(300_000)
    const file = await makeFile(owner, task, bytes)
    const reply = await fetch(file.url)
    expect(Buffer.from(await reply.arrayBuffer()).equals(bytes)).toBe(true)
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "image/png",
      "content-length": "300000",
      "content-disposition": `attachment; filename="photo.png"; filename*=UTF-8''photo.png`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
    })
    const lifetime = Number(new URL(file.url).searchParams.get("expires")) * 1_000 - Date.now()
    expect(lifetime).toBeGreaterThan(1_790_000)
    expect(lifetime).toBeLessThanOrEqual(3_600_000)
  })

  it("opens for what was signed only", async () => {
    const [file, other] = [await makeFile(owner, task, HELLO), await makeFile(owner, task, HELLO)]
    const url = new URL(file.url)
    const expires = url.searchParams.get("expires") as string
    const changed = (from: string, to: string) => fetch(file.url.replace(from, to)).then(({ status }) => status)
    expect(await changed(`/downloads/${file.id}?`, `/downloads/${other.id}?`)).toBe(403)
    expect(await changed(expires, String(Number(expires) + 3_600))).toBe(403)
    expect(await changed(/signature=.+$/.exec(file.url)?.[0] as string, "signature=x")).toBe(403)
    expect(await changed(url.search, "")).toBe(403)
    const refused = await fetch(`${node.url}/downloads/${file.id}`)
    expect(refused.headers.get("content-type")).toBe("application/json; charset=utf-8")
  })

  it("is not sent again to clients that have it, by tag or by time", async () => {
    const file = await makeFile(owner, task, HELLO)
    const { headers: first } = await fetch(file.url)
    const [tag, time] = [first.get("etag") as string, first.get("last-modified") as string]
    const ask = async (headers: Record<string, string>, method = "GET") => {
      const reply = await fetch(file.url, { method, headers })
      return [reply.status, reply.headers.get("etag"), await reply.text()]
    }
    const text = HELLO.toString()
    expect(await ask({ "If-None-Match": tag })).toEqual([304, tag, ""])
    expect(await ask({ "If-None-Match": `"0", W/${tag}` }, "HEAD")).toEqual([304, tag, ""])
    expect(await ask({ "If-None-Match": tag, Range: "bytes=0-1" })).toEqual([304, tag, ""])
    expect(await ask({ "If-Modified-Since": time })).toEqual([304, tag, ""])
    expect(await ask({ "If-None-Match": '"0"', "If-Modified-Since": time })).toEqual([200, tag, text])
    expect(await ask({ "If-Modified-Since": "Tue, 01 Dec 2020 00:00:00 GMT" })).toEqual([200, tag, text])
  })

  it("gives a span to clients that have the rest of it, and all to others", async () => {
    const { url } = await makeFile(owner, task, Buffer.from("0123456789"))
    const tag = (await fetch(url)).headers.get("etag") as string
    const ask = async (ifRange: string) => {
      const reply = await fetch(url, { headers: { Range: "bytes=2-4", "If-Range": ifRange } })
      return [reply.status, await reply.text()]
    }
    expect(await ask(tag)).toEqual([206, "234"])
    for (const other of ['"other"', `W/${tag}`]) expect(await ask(other)).toEqual([200, "0123456789"])
  })

  it("gives spans, and the headers alone", async () => {
    const { url } = await makeFile(owner, task, Buffer.from("0123456789"))
    const span = async (Range: string) => {
      const reply = await fetch(url, { headers: { Range } })
      return [reply.status, reply.headers.get("content-range"), await reply.text()]
    }
    expect(await span("bytes=2-4")).toEqual([206, "bytes 2-4/10", "234"])
    expect(await span("bytes=-3")).toEqual([206, "bytes 7-9/10", "789"])
    expect(await span("bytes=10-")).toEqual([416, "bytes */10", ""])
    expect(await span("bytes=0-1,3-4")).toEqual([200, null, "0123456789"])
    expect(await span(`bytes=8-${"9".repeat(400)}`)).toEqual([206, "bytes 8-9/10", "89"])
    expect(await span(`bytes=-${"9".repeat(17)}`)).toEqual([206, "bytes 0-9/10", "0123456789"])
    expect(await span(`bytes=${"9".repeat(17)}-`)).toEqual([416, "bytes */10", ""])
    const head = await fetch(url, { method: "HEAD" })
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""])
  })

  it.each([
    "Résumé 😀.pdf",
    "名前.txt",
    '"q".txt',
    "a;b=c.txt",
    "100%.txt",
    "it's (1)*.txt",
    ".env",
    "x".repeat(255),
    "名".repeat(100),
  ])("is saved under the name %s", async (file_name) => {
    const { url } = await makeFile(owner, task, HELLO, { file_name })
    const { headers } = await fetch(url)
    const disposition = headers.get("content-disposition")
    expect(decodedName(disposition)).toBe(file_name)
    expect(disposition).toMatch(/^attachment; filename="[^"%\\]*"; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]+$/)
  })

  it.each([
    ["../../etc/passwd", ".._.._etc_passwd"],
    ["..\\boot.ini", ".._boot.ini"],
    ["photo\u202egnp.exe", "photo_gnp.exe"],
    ["a.html.", "a.html_"],
    ["a\u2028b.txt", "a_b.txt"],
    [".. ", "___"],
  ])("keeps what is treacherous in %j out of the header and the key", async (file_name, saved) => {
    const file = await makeFile(owner, task, HELLO, { file_name })
    expect(file.file_name).toBe(file_name)
    expect(decodedName((await fetch(file.url)).headers.get("content-disposition"))).toBe(saved)
  })

  it.each([
    ["text/html", "application/octet-stream"],
    ["TEXT/HTML; charset=utf-8", "application/octet-stream"],
    ["image/svg+xml", "application/octet-stream"],
    ["application/xhtml+xml", "application/octet-stream"],
    ["text/javascript", "application/octet-stream"],
    ["", "application/octet-stream"],
    ["nonsense", "application/octet-stream"],
    ["multipart/x-mixed-replace", "application/octet-stream"],
    ["application/pdf", "application/pdf"],
    ["Text/Plain; charset=utf-16", "text/plain"],
  ])("says of a file of type %j that it is %s", async (content_type, said) => {
    const file = await makeFile(owner, task, Buffer.from("<script>alert(1)</script>"), { content_type })
    expect(file.content_type).toBe(content_type)
    const { headers } = await fetch(file.url)
    expect(headers.get("content-type")).toBe(said)
    expect(headers.get("content-disposition")).toMatch(/^attachment/)
  })

  it("breaks off rather than ending early when the client leaves, and serves others meanwhile", async () => {
    const { url } = await makeFile(owner, task, someBytes(4_000_000))
    const leaving = new AbortController()
    const reply = await fetch(url, { signal: leaving.signal })
    await reply.body?.getReader().read()
    leaving.abort()
    await sleep(50)
    expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(4_000_000)
  })
})
