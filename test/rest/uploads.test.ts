import { createHash } from "node:crypto"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { releaseUpload, restartUpload } from "../../src/resources/upload/upload.rows.js"
import { claimUpload } from "../../src/resources/upload/upload.statements.js"
import { statement } from "../../src/statement.js"
import { signParts } from "../../src/storage/part-signature.js"
import { createClient } from "../support/client.js"
import { makePeople, makeTask, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { startOpaqueStore } from "../support/opaque-store.js"
import { makeFile, makeUpload, type Part, sendPart, someBytes, temporaryFolder } from "../support/uploads.js"

const NEW = { file_name: "photo.png", content_type: "image/png", file_size: 5 }
const CREATE = `mutation ($input: CreateUploadInput!) { createUpload(input: $input) { id userId state expiresAt part { url date authorization } } }`
const FINISH = "mutation ($id: ID!) { finishUpload(id: $id) { id userId state } }"
const PART = "query ($id: ID!, $n: Int!) { uploadPart(uploadId: $id, partNumber: $n) { id state part { url } } }"
const HELLO = Buffer.from("hello")
const GONE = {
  endpoint: "http://127.0.0.1:1",
  region: "us-east-1",
  bucket: "gone",
  accessKeyId: "a",
  secretAccessKey: "b",
}

const countUploads = statement("test_count_uploads", "select count(*) from uploads", ([count]) => Number(count))
const secretOfStore = statement(
  "test_secret_of_store",
  "select encode(value, 'hex') from signing_keys where name = 'parts'",
  ([value]) => value as string,
)

let node: TestNode
let folder: string
let owner: Person
let stranger: Person

beforeAll(async () => {
  folder = temporaryFolder()
  node = await startNode({ dataDir: folder })
  ;({ owner, stranger } = await makePeople(node))
})
afterAll(() => node.stop())

const create = async (members: Record<string, unknown> = {}): Promise<any> =>
  (await owner.post("/uploads", { ...NEW, ...members })).body
const count = async () => (await node.database.run(countUploads, []))[0]
const partOf = async (id: number, number: number, query = ""): Promise<Part> =>
  (await owner.get(`/uploads/${id}/parts?part_number=${number}${query}`)).body.part
const finish = (id: number) => owner.patch(`/uploads/${id}`, { state: "finished" })
const bytesOnDisk = (path: string) =>
  readdirSync(path, { recursive: true }).reduce((sum, name) => {
    const { size, isFile } = { size: 0, isFile: false, ...sizeAt(join(path, String(name))) }
    return isFile ? sum + size : sum
  }, 0)
function sizeAt(path: string) {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && { size: found.size, isFile: found.isFile() }
}
const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes)

describe("POST /api/v1/uploads (§4 Uploads)", () => {
  it("answers 201 with the credentials of the first part, which last 15 minutes from their date", async () => {
    const { status, body } = await owner.post("/uploads", NEW)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      user_id: owner.id,
      state: "new",
      type: "upload",
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
      part: {
        url: expect.stringMatching(/\?partNumber=1&uploadId=[^&]+$/),
        date: new Date(body.part.date).toUTCString(),
        authorization: expect.stringMatching(/^AWS [^:]+:[A-Za-z0-9+/]{27}=$/),
      },
    })
    expect(Date.parse(body.expires_at) - Date.parse(body.part.date)).toBe(900_000)
    expect(Math.abs(Date.parse(body.part.date) - Date.now())).toBeLessThan(10_000)
  })

  it("gives the credentials of the part that is named", async () => {
    expect((await create({ part_number: 7 })).part.url).toContain("?partNumber=7&")
  })

  it("does the same over GraphQL", async () => {
    const input = { fileName: "photo.png", contentType: "image/png", fileSize: 5 }
    const { data } = await owner.graphql(CREATE, { input })
    expect(data.createUpload).toMatchObject({ userId: String(owner.id), state: "new" })
    expect((await sendPart(data.createUpload.part, HELLO)).status).toBe(200)
    const finished = await owner.graphql(FINISH, { id: data.createUpload.id })
    expect(finished.data.finishUpload).toEqual({
      id: data.createUpload.id,
      userId: String(owner.id),
      state: "finished",
    })
  })

  it.each([
    ["file_size", 0, 422],
    ["file_size", -1, 422],
    ["file_size", 5 * 1024 ** 3 + 1, 422],
    ["file_size", 1.5, 400],
    ["file_size", "5", 400],
    ["file_size", undefined, 400],
    ["file_name", "", 422],
    ["file_name", "x".repeat(256), 422],
    ["file_name", "a\r\nSet-Cookie: x=1.txt", 422],
    ["file_name", "a\u0000b", 422],
    ["file_name", "\ud800", 422],
    ["file_name", 5, 400],
    ["file_name", undefined, 400],
    ["content_type", "text/plain\r\nX: y", 422],
    ["content_type", undefined, 400],
    ["part_number", 0, 422],
    ["part_number", 10_001, 422],
    ["part_number", "1", 400],
    ["md5sum", "abc", 422],
  ])("refuses %s %j with %i and makes nothing", async (member, value, status) => {
    const before = await count()
    const reply = await owner.post("/uploads", { ...NEW, [member]: value })
    expect(reply).toMatchObject({ status, body: { error: { [member]: [expect.any(String)] } } })
    expect(await count()).toBe(before)
  })

  it("takes the largest file, the longest name, and a client that does not say what the bytes are", async () => {
    const members = { file_size: 5 * 1024 ** 3, file_name: "😀".repeat(255), content_type: "", part_number: 10_000 }
    expect((await owner.post("/uploads", { ...NEW, ...members })).status).toBe(201)
  })

  it("makes one upload however often it is repeated at once, and no transaction is open while the store is asked", async () => {
    const before = (await count()) as number
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => owner.post("/uploads", NEW, { "Idempotency-Key": "upload-once" })),
    )
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(await count()).toBe(before + 1)
    const other = await owner.post("/uploads", { ...NEW, file_size: 6 }, { "Idempotency-Key": "upload-once" })
    expect(other.status).toBe(409)
  })

  it("needs a token", async () => {
    expect((await createClient(node.url).post("/uploads", NEW)).status).toBe(401)
  })
})

describe("the PUT of a part (§4 Uploads)", () => {
  it("takes exactly the three headers, chunked or not, and the Content-Type may be left out", async () => {
    const { id, part } = await create()
    expect((await sendPart(part, HELLO)).status).toBe(200)
    expect((await sendPart(part, HELLO, { chunked: true })).status).toBe(200)
    const headers = { Authorization: part.authorization, "x-amz-date": part.date }
    expect((await fetch(part.url, { method: "PUT", headers, body: HELLO })).status).toBe(200)
    expect((await finish(id)).status).toBe(200)
  })

  it("refuses credentials for another part, another upload, with another type or after their end, with 403", async () => {
    const [one, two] = [await create(), await create()]
    const { part } = one
    const target = new URL(two.part.url)
    const refused = async (changed: Partial<Part>, headers = {}) =>
      (await sendPart({ ...part, ...changed }, HELLO, { headers })).status
    expect(await refused({ url: part.url.replace("partNumber=1", "partNumber=2") })).toBe(403)
    expect(await refused({ url: target.href })).toBe(403)
    expect(await refused({ url: part.url.replace(/uploadId=.*/, target.search.slice(target.search.indexOf("uploadId"))) })).toBe(403) // biome-ignore format: one check
    expect(await refused({ date: new Date(Date.now() - 60_000).toUTCString() })).toBe(403)
    expect(await refused({ authorization: part.authorization.replace(/.=$/, "x=") })).toBe(403)
    expect(await refused({ authorization: "" })).toBe(403)
    expect(await refused({}, { "Content-Type": "image/png" })).toBe(403)
    // One who sends much gets to read why it is refused, too.
    const much = await sendPart({ ...part, authorization: "AWS tandem:x" }, someBytes(8 * 1024 ** 2))
    expect(JSON.parse(much.text).error).toMatchObject({ type: "permission_error", permissions: "failed" })
    const [secret] = await node.database.run(secretOfStore, [])
    const keys = { accessKeyId: "tandem", secretAccessKey: secret as string }
    const signer = signParts(() => ({ ...keys, endpoint: `${node.url}/storage`, bucketPath: "" }))
    const path = new URL(part.url)
    const upload = {
      key: path.pathname.replace("/storage/", ""),
      uploadId: path.searchParams.get("uploadId") as string,
    }
    expect(signer(upload, 1, new Date(part.date))).toMatchObject(part)
    expect((await sendPart(signer(upload, 1, new Date()), HELLO)).status).toBe(200)
    for (const lateMs of [-901_000, 902_000])
      expect((await sendPart(signer(upload, 1, new Date(Date.now() + lateMs)), HELLO)).status).toBe(403)
    expect((await finish(two.id)).status).toBe(400)
  })

  it("is taken at the address that was given out alone, in no other spelling of it, and by no other method", async () => {
    const { id, part } = await create()
    const { pathname, searchParams, origin } = new URL(part.url)
    const uploadId = searchParams.get("uploadId")
    const [one, name] = ["partNumber=1", `uploadId=${uploadId}`]
    const key = pathname.slice("/storage/".length)
    const others = [
      ...[`${pathname}?partNumber=1%26uploadId%3D${uploadId}`, `${pathname}?partNumber=1%26${name}`, pathname],
      ...[`${pathname}?${name}&${one}`, `${pathname}?${one}&${name}&`, `${pathname}?&${one}&${name}`],
      ...[
        `${pathname}?${one}&${one}&${name}`,
        `${pathname}?${one}&${name}&${name}`,
        `${pathname}?${one}&${name}&uploads`,
      ],
      ...[
        `${pathname}?partNumber=01&${name}`,
        `${pathname}?partNumber=%31&${name}`,
        `${pathname}?partNumber=+1&${name}`,
      ],
      ...[
        `${pathname}?partNumber=1.0&${name}`,
        `${pathname}?partnumber=1&${name}`,
        `${pathname}?partNumber[]=1&${name}`,
      ],
      ...[
        `${pathname}?${one}&upload%49d=${uploadId}`,
        `${pathname}?${one}&uploadId=%${uploadId?.charCodeAt(0).toString(16)}${uploadId?.slice(1)}`,
      ],
      ...[`${pathname}/?${one}&${name}`, `/storage//${key}?${one}&${name}`, `/Storage/${key}?${one}&${name}`],
      ...[
        `/storage/${key.replace("/", "%2F")}?${one}&${name}`,
        `/storage/x/../${key}?${one}&${name}`,
        `/storage/./${key}?${one}&${name}`,
      ],
      ...[
        `/storage/files/${key}?${one}&${name}`,
        `/storage/${key}%00?${one}&${name}`,
        `/storage/../storage/${key}?${one}&${name}`,
      ],
    ]
    for (const path of others) {
      const { status } = await sendPart({ ...part, path }, HELLO)
      expect([path, status]).toEqual([path, 403])
    }
    expect((await sendPart(part, HELLO, { headers: { "x-amz-copy-source": "/files/other" } })).status).toBe(403)
    expect((await sendPart(part, HELLO, { headers: { "Content-MD5": "x" } })).status).toBe(403)
    const headers = { Authorization: part.authorization, "x-amz-date": part.date }
    for (const method of ["GET", "HEAD", "POST", "DELETE", "PATCH"])
      expect([method, (await fetch(part.url, { method, headers })).status]).toEqual([method, 405])
    expect((await fetch(`${origin}/storage/files`, { method: "PUT", headers })).status).toBe(403)
    expect((await finish(id)).body.errors).toEqual(["state", "there are no parts uploaded to finish it"])
  })

  it("changes nothing of a file that is attached already", async () => {
    const { id, part } = await create()
    await sendPart(part, HELLO)
    expect((await finish(id)).status).toBe(200)
    const task = await makeTask(owner, { id: owner.inboxId })
    const file = (await owner.post("/files", { upload_id: id, task_id: task.id })).body
    expect((await sendPart(part, Buffer.from("other"))).status).toBe(404)
    const whole = new URL(part.url).search.replace("=1&", "=1%26").replace("Id=", "Id%3D")
    expect((await sendPart({ ...part, path: new URL(part.url).pathname + whole }, Buffer.from("other"))).status).toBe(
      403,
    )
    expect(await (await fetch(file.url)).text()).toBe("hello")
  })

  it.each([false, true])(
    "refuses a part that is larger than file_size leaves and keeps nothing, chunked: %s",
    async (chunked) => {
      const before = bytesOnDisk(folder)
      const { id, part } = await create({ file_size: 1_000 })
      expect((await sendPart(part, someBytes(1_001), { chunked })).status).toBe(413)
      expect((await sendPart(part, someBytes(3 * 1024 ** 2), { chunked })).status).toBe(413)
      expect((await sendPart(part, someBytes(600), { chunked })).status).toBe(200)
      const second = await partOf(id, 2)
      const refused = await sendPart(second, someBytes(401), { chunked })
      expect([refused.status, JSON.parse(refused.text).error.message]).toEqual([
        413,
        "The body is too large: at most 400 bytes.",
      ])
      expect((await finish(id)).body.errors[1]).toBe("the parts have 600 bytes together and file_size is 1000")
      // One that comes again takes the place of the one before.
      expect((await sendPart(part, someBytes(1_000, 2), { chunked })).status).toBe(200)
      expect((await sendPart(second, someBytes(1), { chunked })).status).toBe(413)
      expect(bytesOnDisk(folder) - before).toBeLessThan(1_000 + 500) // with the upload's own file
      expect((await finish(id)).status).toBe(200)
    },
  )

  it("lets parts that come at the same time not exceed file_size together", async () => {
    const { id } = await create({ file_size: 1_000_000 })
    const before = bytesOnDisk(folder)
    const parts = await Promise.all(Array.from({ length: 8 }, (_, index) => partOf(id, index + 1)))
    const replies = await Promise.all(parts.map((part) => sendPart(part, someBytes(900_000))))
    const statuses = replies.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1)
    expect(statuses.every((status) => status === 200 || status === 413)).toBe(true)
    expect(bytesOnDisk(folder) - before).toBeLessThanOrEqual(900_000)
  })

  it("may be done by a page of another origin", async () => {
    const { part } = await create()
    const asked = await fetch(part.url, {
      method: "OPTIONS",
      headers: { Origin: "https://app.example", "Access-Control-Request-Method": "PUT" },
    })
    expect(asked.headers.get("access-control-allow-origin")).toBe("*")
    expect(asked.headers.get("access-control-allow-headers")?.toLowerCase()).toMatch(/authorization.*x-amz-date/)
  })

  it("holds a part to the MD5 that was announced, in hex or base64", async () => {
    const good = md5(HELLO)
    const upload = await create({ md5sum: good.copy().digest("hex").toUpperCase(), file_size: 10 })
    expect((await sendPart(upload.part, Buffer.from("olleh"))).status).toBe(400)
    expect((await sendPart(upload.part, HELLO)).status).toBe(200)
    const base64 = encodeURIComponent(good.digest("base64"))
    const second = await partOf(upload.id, 2, `&md5sum=${base64}`)
    expect((await sendPart(second, Buffer.from("olleh"))).text).toContain("MD5")
    expect((await finish(upload.id)).body.errors[0]).toBe("state")
  })
})

describe("GET /api/v1/uploads/:id/parts (§4 Uploads)", () => {
  it("gives the credentials of any part, to its owner alone", async () => {
    const { id } = await create()
    const { status, body } = await owner.get(`/uploads/${id}/parts?part_number=10000`)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(["id", "user_id", "state", "type", "expires_at", "part"])
    expect((await stranger.get(`/uploads/${id}/parts?part_number=1`)).status).toBe(404)
    expect((await stranger.graphql(PART, { id, n: 1 })).code).toBe("NOT_FOUND")
    expect((await owner.graphql(PART, { id, n: 1 })).data.uploadPart.part.url).toContain("partNumber=1&")
  })

  it("names the limit of part numbers, however large one is", async () => {
    const { id } = await create()
    for (const number of [10_001, "99999999999", "9".repeat(400)]) {
      const { status, body } = await owner.get(`/uploads/${id}/parts?part_number=${number}`)
      expect([status, body.error.part_number]).toEqual([422, [expect.stringMatching(/1 .*10000$/)]])
    }
  })

  it.each([
    ["part_number=0", 422],
    ["part_number=10001", 422],
    ["part_number=1e3", 400],
    ["part_number=-1", 400],
    ["part_number=", 400],
    ["", 400],
    ["part_number=1&md5sum=zz", 422],
  ])("refuses ?%s with %i", async (query, status) => {
    const { id } = await create()
    expect((await owner.get(`/uploads/${id}/parts?${query}`)).status).toBe(status)
  })

  it("refuses more parts when it is finished", async () => {
    const { id } = await makeUpload(owner, HELLO)
    expect((await owner.get(`/uploads/${id}/parts?part_number=2`)).status).toBe(422)
  })
})

describe("PATCH /api/v1/uploads/:id (§4 Uploads)", () => {
  it("puts parts together that came in any order and in part again", async () => {
    const parts = [someBytes(5 * 1024 ** 2, 1), someBytes(5 * 1024 ** 2 + 3, 2), someBytes(7, 3)] as const
    const { id } = await create({ file_size: parts.reduce((sum, { length }) => sum + length, 0) })
    await sendPart(await partOf(id, 2), Buffer.from("replaced below"))
    for (const index of [2, 0, 1])
      expect((await sendPart(await partOf(id, index + 1), parts[index] as Buffer)).status).toBe(200)
    const { status, body } = await finish(id)
    expect([status, body]).toEqual([200, { id, user_id: owner.id, state: "finished", type: "upload" }])
  })

  it("answers §7's body while no part is there, and stays new", async () => {
    const { id, part } = await create()
    const reply = await finish(id)
    expect([reply.status, reply.body]).toEqual([400, { errors: ["state", "there are no parts uploaded to finish it"] }])
    expect((await owner.graphql(FINISH, { id })).code).toBe("BAD_REQUEST")
    await sendPart(part, HELLO)
    expect((await finish(id)).body.state).toBe("finished")
  })

  it("refuses parts of another sum than file_size, and stays new", async () => {
    const { id, part } = await create({ file_size: 6 })
    await sendPart(part, HELLO)
    expect(await finish(id)).toMatchObject({
      status: 400,
      body: { errors: ["state", expect.stringContaining("5 bytes")] },
    })
    await sendPart(part, Buffer.from("hello!"))
    expect((await finish(id)).status).toBe(200)
  })

  it("refuses a part before the last that has less than 5 MiB, and stays new", async () => {
    const { id, part } = await create({ file_size: 10 })
    await sendPart(part, HELLO)
    await sendPart(await partOf(id, 2), HELLO)
    expect(await finish(id)).toMatchObject({
      status: 400,
      body: { errors: ["state", expect.stringContaining("5 MiB")] },
    })
  })

  it("answers the same when it is sent again, also 20 at once", async () => {
    const { id, part } = await create()
    await sendPart(part, HELLO)
    const replies = await Promise.all(Array.from({ length: 20 }, () => finish(id)))
    replies.push(await finish(id))
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set([`200 {"id":${id},"user_id":${owner.id},"state":"finished","type":"upload"}`]),
    )
  })

  it("stays with the request that begins it anew until that gives it back", async () => {
    const { id } = await create()
    const claim = () => node.database.run(claimUpload, [String(id), String(owner.id)])
    expect(await claim()).toHaveLength(1)
    await restartUpload(node.database, String(id), "another")
    expect(await claim()).toEqual([])
    await releaseUpload(node.database, String(id))
    expect(await claim()).toMatchObject([{ row: { storageUploadId: "another" } }])
  })

  it("finds what a request completed that did not live to say so", async () => {
    const { id } = await makeUpload(owner, HELLO)
    const undo = statement(
      "test_undo_finish",
      "update uploads set state = 'new', finished_at = null, finishing_until = now() + interval '300 ms' where id = $1::bigint returning 1",
      () => true,
    )
    await node.database.run(undo, [id])
    expect((await finish(id)).body.state).toBe("finished")
  })

  it.each([
    [{ state: "new" }, 422],
    [{ state: "done" }, 422],
    [{ state: 1 }, 400],
    [{}, 400],
  ])("refuses %j with %i", async (body, status) => {
    const { id, part } = await create()
    await sendPart(part, HELLO)
    expect((await owner.patch(`/uploads/${id}`, body)).status).toBe(status)
    expect((await owner.get(`/uploads/${id}/parts?part_number=1`)).body.state).toBe("new")
  })

  it("is not there for anybody else", async () => {
    const { id } = await create()
    const [another, unknown] = [
      await stranger.patch(`/uploads/${id}`, { state: "finished" }),
      await stranger.patch("/uploads/9007199254740991", { state: "finished" }),
    ]
    expect([another.status, another.text]).toEqual([404, unknown.text])
  })
})

describe("a store that cannot be reached", () => {
  it("answers 503 within seconds, makes nothing, and serves again as soon as it is there", async () => {
    const away = await startNodeOn(node.databaseUrl, { s3: GONE })
    const file = await makeFile(owner, await makeTask(owner, { id: owner.inboxId }), HELLO)
    const { previewUrl: preview } = (await owner.graphql(`{ file(id: ${file.id}) { previewUrl(width: 64) } }`)).data
      .file
    try {
      const client = createClient(away.url, owner.credentials)
      const { id, part } = await create()
      const before = await count()
      const startedAt = performance.now()
      const made = await client.post("/uploads", NEW, { "Idempotency-Key": "away" })
      const finished = await client.patch(`/uploads/${id}`, { state: "finished" })
      expect(performance.now() - startedAt).toBeLessThan(5_000)
      for (const reply of [made, finished])
        expect(reply).toMatchObject({ status: 503, body: { error: { type: "unavailable" } } })
      expect(made.headers.get("retry-after")).toBe("1")
      expect(await count()).toBe(before)
      // What lies there cannot be read meanwhile, which is not the same as that it is gone.
      for (const address of [(await owner.get(`/files/${file.id}`)).body.url, preview]) {
        const reply = await fetch(address.replace(node.url, away.url))
        expect([reply.status, await reply.json()]).toMatchObject([503, { error: { type: "unavailable" } }])
      }
      expect((await client.get(`/files/${file.id}`)).body.file_name).toBe("photo.png")
      await sendPart(part, HELLO)
      expect((await finish(id)).status).toBe(200)
      expect((await owner.post("/uploads", NEW, { "Idempotency-Key": "away" })).status).toBe(201)
    } finally {
      await away.stop()
    }
  })
})

describe("relay (S3_PART_SIGNATURE)", () => {
  let opaque: Awaited<ReturnType<typeof startOpaqueStore>>
  let relay: Awaited<ReturnType<typeof startNodeOn>>
  let client: ReturnType<typeof createClient>

  beforeAll(async () => {
    opaque = await startOpaqueStore()
    relay = await startNodeOn(node.databaseUrl, { s3: opaque.s3, s3PartSignature: "relay" })
    client = createClient(relay.url, owner.credentials)
  })
  afterAll(async () => {
    await relay.stop()
    await opaque.stop()
  })

  it("takes parts at an address of its own and passes them on, chunked or not, held to their MD5 and to file_size", async () => {
    const members = { file_size: 10, md5sum: md5(HELLO).digest("hex") }
    const { id, part } = (await client.post("/uploads", { ...NEW, ...members })).body
    expect(part.url.startsWith(`${relay.url}/storage/tandem/uploads/`)).toBe(true)
    for (const chunked of [false, true]) {
      expect((await sendPart(part, Buffer.from("olleh"), { chunked })).text).toContain("MD5")
      expect((await sendPart(part, HELLO, { chunked })).status).toBe(200)
      expect((await sendPart(part, someBytes(11), { chunked })).status).toBe(413)
      const second = (await client.get(`/uploads/${id}/parts?part_number=2`)).body.part
      expect((await sendPart(second, someBytes(6), { chunked })).status).toBe(413)
      expect((await sendPart(second, HELLO, { chunked })).status).toBe(200)
      const other = new URL(second.url).search.replace("=2&", "=2%26").replace("Id=", "Id%3D")
      expect(
        (await sendPart({ ...second, path: new URL(second.url).pathname + other }, HELLO, { chunked })).status,
      ).toBe(403)
      expect((await sendPart({ ...part, url: second.url }, HELLO, { chunked })).status).toBe(403)
      expect((await sendPart({ ...part, authorization: "AWS tandem:none" }, HELLO, { chunked })).status).toBe(403)
    }
    expect((await client.patch(`/uploads/${id}`, { state: "finished" })).status).toBe(200)
    expect([...opaque.objects.values()].map(String)).toContain("hellohello")
    expect((await sendPart(part, HELLO)).status).toBe(404)
  })

  it("holds a part to an MD5 that is announced after it was sent, also at a store whose ETags are no MD5s", async () => {
    for (const { url } of [node, relay]) {
      const client = createClient(url, owner.credentials)
      const { id, part } = (await client.post("/uploads", NEW)).body
      const announce = async (bytes: Buffer): Promise<Part> =>
        (await client.get(`/uploads/${id}/parts?part_number=1&md5sum=${md5(bytes).digest("hex")}`)).body.part
      const finished = () => client.patch(`/uploads/${id}`, { state: "finished" })
      const refusal = { status: 400, body: { errors: ["state", expect.stringContaining("MD5")] } }
      expect((await sendPart(part, Buffer.from("olleh"))).status).toBe(200)
      await announce(HELLO)
      expect(await finished()).toMatchObject(refusal)
      expect((await sendPart(await announce(HELLO), HELLO)).status).toBe(200)
      await announce(Buffer.from("other"))
      expect(await finished()).toMatchObject(refusal)
      // What was seen to be other bytes is not taken for these because they are announced again.
      const again = await announce(HELLO)
      if (url === relay.url) expect(await finished()).toMatchObject(refusal)
      expect((await sendPart(again, HELLO)).status).toBe(200)
      await announce(HELLO)
      expect(await finished()).toMatchObject({ status: 200, body: { state: "finished" } })
    }
  })

  it("tells the client with 503 that the store behind it is away, and lets it come again", async () => {
    const away = await startNodeOn(node.databaseUrl, { s3: GONE, s3PartSignature: "relay" })
    const { id, part } = (await client.post("/uploads", NEW)).body
    expect((await sendPart({ ...part, url: part.url.replace(relay.url, away.url) }, HELLO)).status).toBe(503)
    await away.stop()
    expect((await client.patch(`/uploads/${id}`, { state: "finished" })).body.errors[0]).toBe("state")
    expect((await sendPart(part, HELLO)).status).toBe(200)
    expect((await client.patch(`/uploads/${id}`, { state: "finished" })).status).toBe(200)
  })
})
