import { createHash } from "node:crypto"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Config } from "../../src/config/config.js"
import { signParts } from "../../src/storage/part-signature.js"
import { type CountingProxy, startCountingProxy } from "../support/counting-proxy.js"
import { makePeople, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { describeStores } from "../support/stores.js"
import { sendPart, someBytes } from "../support/uploads.js"

const HELLO = Buffer.from("hello")

// What has to hold whatever the store, and however parts come into it.
describeStores((store) => {
  let proxy: CountingProxy | undefined
  let settings: Partial<Config> = {}

  beforeAll(async () => {
    const { s3 } = store()
    if (s3 === undefined) return
    proxy = await startCountingProxy(s3.endpoint)
    settings = { s3: { ...s3, endpoint: proxy.url } }
  })
  afterAll(() => proxy?.stop())
  const count = (asks: RegExp) => proxy?.count(asks) ?? 0

  it.for(["v2", "relay"] as const)(
    "takes parts by three headers under %s and gives the same bytes back",
    async (s3PartSignature, { skip }) => {
      skip(proxy === undefined && s3PartSignature === "relay", "the embedded store has one way for parts")
      const { owner, task, stop } = await startWith({ ...settings, s3PartSignature })
      try {
        const parts = [someBytes(5 * 1024 ** 2 + 1, 1), someBytes(5 * 1024 ** 2, 2), someBytes(12_345, 3)]
        const whole = Buffer.concat(parts)
        const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
        const { id } = (await owner.post("/uploads", { file_name: "../ä.bin", content_type: "", file_size: whole.length })).body // biome-ignore format: one statement
        const part = async (number: number) => (await owner.get(`/uploads/${id}/parts?part_number=${number}`)).body.part
        expect((await sendPart(await part(3), Buffer.from("replaced below"))).status).toBe(200)
        for (const number of [3, 1, 2]) {
          const sent = await sendPart(await part(number), parts[number - 1] as Buffer, { chunked: number === 2 })
          expect(sent.status).toBe(200)
        }
        const other = (await owner.post("/uploads", { file_name: "b", content_type: "", file_size: 1 })).body
        const one = await part(1)
        const { pathname, search } = new URL(one.url)
        const refused = async (changed: Partial<typeof one>, headers = {}) => {
          const { status } = await sendPart({ ...one, ...changed }, HELLO, { headers })
          expect(
            Math.floor(status / 100) === 4 || status === 501,
            `${status} ${JSON.stringify([changed, headers])}`,
          ).toBe(true) // 501: a store without ACLs
        }
        await refused({ path: pathname + search.replace("=1&", "=2&") })
        await refused({ path: pathname + search.replace("=1&", "=1%26").replace("Id=", "Id%3D") })
        await refused({ path: pathname + search.replace("=1&", "=1%26") })
        await refused({ path: `${pathname}?partNumber=1` })
        await refused({ path: pathname })
        await refused({ path: `${pathname}?acl` })
        await refused({ authorization: other.part.authorization })
        await refused({}, { "x-amz-copy-source": `${pathname}` })
        const before = count(/^POST .*uploadId=/)
        const replies = await Promise.all(
          Array.from({ length: 20 }, () => owner.patch(`/uploads/${id}`, { state: "finished" })),
        )
        expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
        expect(replies[0]?.status).toBe(200)
        if (proxy !== undefined) expect(count(/^POST .*uploadId=/)).toBe(before + 1)
        expect(count(/%C3%A4|\.\./)).toBe(0) // nothing of the name
        const file = (await owner.post("/files", { upload_id: id, task_id: task.id })).body
        for (const path of [
          // Swift takes a part of an upload that is complete; the file's bytes, compared below, are the same.
          ...(proxy === undefined || s3PartSignature === "relay" ? [pathname + search] : []),
          pathname + search.replace("=1&", "=1%26").replace("Id=", "Id%3D"),
          pathname,
        ])
          await refused({ path })
        const reply = await fetch(file.url)
        expect(sha256(Buffer.from(await reply.arrayBuffer()))).toBe(sha256(whole))
        const span = await fetch(file.url, { headers: { Range: `bytes=${5 * 1024 ** 2 - 2}-${5 * 1024 ** 2 + 4}` } })
        expect(Buffer.from(await span.arrayBuffer())).toEqual(whole.subarray(5 * 1024 ** 2 - 2, 5 * 1024 ** 2 + 5))
      } finally {
        await stop()
      }
    },
  )

  it("keeps nothing of parts that are more than the file was to have", async () => {
    const { owner, task, stop } = await startWith(settings)
    try {
      const { id, part } = (await owner.post("/uploads", { file_name: "a", content_type: "", file_size: 5 })).body
      // A store to which clients send themselves cannot know, so there it is judged at the end.
      expect((await sendPart(part, someBytes(5_000_000))).status).toBe(proxy === undefined ? 413 : 200)
      const refused = await owner.patch(`/uploads/${id}`, { state: "finished" })
      const reason = proxy === undefined ? "no parts" : "send all of them again"
      expect(refused).toMatchObject({ status: 400, body: { errors: ["state", expect.stringContaining(reason)] } })
      if (proxy !== undefined) expect((await sendPart(part, HELLO)).status).toBe(404)
      const again = (await owner.get(`/uploads/${id}/parts?part_number=1`)).body.part
      expect((await owner.patch(`/uploads/${id}`, { state: "finished" })).body.errors[1]).toContain("no parts")
      expect((await sendPart(again, HELLO)).status).toBe(200)
      expect((await owner.patch(`/uploads/${id}`, { state: "finished" })).body.state).toBe("finished")
      const file = (await owner.post("/files", { upload_id: id, task_id: task.id })).body
      expect(await (await fetch(file.url)).text()).toBe("hello")
    } finally {
      await stop()
    }
  })

  it("puts more parts together than a store lists at once", async ({ skip }) => {
    skip(proxy === undefined || !process.env.PARTS, "Swift takes a minute for it; PARTS=1500 has it done")
    const { owner, task, stop } = await startWith(settings)
    try {
      const COUNT = Number(process.env.PARTS)
      const parts = Array.from({ length: COUNT }, (_, index) => Buffer.from(`${index + 1},`.padStart(1 + (index % 13))))
      const whole = Buffer.concat(parts)
      const { id } = (await owner.post("/uploads", { file_name: "a", content_type: "", file_size: whole.length })).body
      for (let first = 1; first <= COUNT; first += 50) {
        const numbers = Array.from({ length: 50 }, (_, index) => first + index)
        const sent = await Promise.all(
          numbers.map(async (number) => {
            const { body } = await owner.get(`/uploads/${id}/parts?part_number=${number}`)
            return sendPart(body.part, parts[number - 1] as Buffer)
          }),
        )
        expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]))
      }
      const before = count(/^GET .*uploadId=/)
      expect((await owner.patch(`/uploads/${id}`, { state: "finished" })).body.state).toBe("finished")
      expect(count(/^GET .*uploadId=/)).toBe(before + 2)
      const file = (await owner.post("/files", { upload_id: id, task_id: task.id })).body
      expect(Buffer.from(await (await fetch(file.url)).arrayBuffer()).equals(whole)).toBe(true)
    } finally {
      await stop()
    }
  }, 120_000)

  it("holds a part to its MD5 when it finishes, and refuses a date of more than 15 minutes ago", async ({ skip }) => {
    const { s3 } = settings
    skip(s3 === undefined, "the embedded store judges it when the part comes")
    if (s3 === undefined) return
    const { owner, stop } = await startWith(settings)
    try {
      const md5sum = createHash("md5").update("hello").digest("hex")
      const { id, part } = (await owner.post("/uploads", { file_name: "a", content_type: "", file_size: 5, md5sum })).body // biome-ignore format: one statement
      const url = new URL(part.url)
      const upload = {
        key: url.pathname.slice(`/${s3.bucket}/`.length),
        uploadId: url.searchParams.get("uploadId") ?? "",
      }
      const sign = signParts(() => ({ ...s3, bucketPath: `/${s3.bucket}` }))
      expect(sign(upload, 1, new Date(part.date)).authorization).toBe(part.authorization)
      expect((await sendPart(sign(upload, 1, new Date(Date.now() - 1_000_000)), HELLO)).status).toBe(403)
      expect((await sendPart(part, Buffer.from("olleh"))).status).toBe(200)
      const refused = await owner.patch(`/uploads/${id}`, { state: "finished" })
      expect(refused).toMatchObject({ status: 400, body: { errors: ["state", expect.stringContaining("MD5")] } })
      expect((await sendPart(part, HELLO)).status).toBe(200)
      expect((await owner.patch(`/uploads/${id}`, { state: "finished" })).body.state).toBe("finished")
    } finally {
      await stop()
    }
  })
})

async function startWith(settings: Partial<Config>): Promise<{ owner: Person; task: any; stop: TestNode["stop"] }> {
  const node = await startNode(settings)
  const { owner, list } = await makePeople(node)
  return { owner, task: await makeTask(owner, list), stop: node.stop }
}
