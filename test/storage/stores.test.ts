import { createHash } from "node:crypto"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Config, S3Config } from "../../src/config/config.js"
import { startEmbeddedStore } from "../../src/storage/embedded/embedded-store.js"
import { signPartsV2 } from "../../src/storage/part-signature.js"
import { type CountingProxy, startCountingProxy } from "../support/counting-proxy.js"
import { silentLog } from "../support/log.js"
import { makePeople, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { describeStores } from "../support/stores.js"
import { sendPart, someBytes, temporaryFolder } from "../support/uploads.js"

const HELLO = Buffer.from("hello")

// What has to hold whatever the store, through a node that knows it by S3_* alone. The embedded one is given to it like that
// here too, so that both are asked by the same requests.
describeStores((store) => {
  let s3: S3Config
  let proxy: CountingProxy
  const stops: (() => Promise<void>)[] = []

  beforeAll(async () => {
    let real = store().s3
    if (real === undefined) {
      const keys = { accessKeyId: "test:tester", secretAccessKey: "testing" }
      const folder = temporaryFolder()
      // As Swift here: parts may be small, so that many of them fit into a test.
      const embedded = await startEmbeddedStore({ folder, keys, log: silentLog, leastPartBytes: 1, isDurable: false })
      stops.push(embedded.stop)
      real = embedded.s3
    }
    proxy = await startCountingProxy(real.endpoint)
    stops.push(proxy.stop)
    s3 = { ...real, endpoint: proxy.url }
  })
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  it.each(["v2", "presigned", "relay"] as const)(
    "takes parts by three headers under the signature %s and gives the same bytes back",
    async (s3PartSignature) => {
      const { owner, task, stop } = await startWith({ s3, s3PartSignature })
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
        const { url, ...one } = await part(1)
        expect((await sendPart({ ...one, url: url.replace("partNumber=1", "partNumber=2") }, HELLO)).status).toBe(403)
        if (s3PartSignature !== "presigned") expect((await sendPart({ ...other.part, url }, HELLO)).status).toBe(403)
        const before = proxy.count(/^POST .*uploadId=/)
        const replies = await Promise.all(
          Array.from({ length: 20 }, () => owner.patch(`/uploads/${id}`, { state: "finished" })),
        )
        expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
        expect(replies[0]?.status).toBe(200)
        expect(proxy.count(/^POST .*uploadId=/)).toBe(before + 1)
        expect(proxy.count(/%C3%A4|\.\./)).toBe(0) // nothing of the name
        const file = (await owner.post("/files", { upload_id: id, task_id: task.id })).body
        const reply = await fetch(file.url)
        expect(sha256(Buffer.from(await reply.arrayBuffer()))).toBe(sha256(whole))
        const span = await fetch(file.url, { headers: { Range: `bytes=${5 * 1024 ** 2 - 2}-${5 * 1024 ** 2 + 4}` } })
        expect(Buffer.from(await span.arrayBuffer())).toEqual(whole.subarray(5 * 1024 ** 2 - 2, 5 * 1024 ** 2 + 5))
      } finally {
        await stop()
      }
    },
  )

  it("puts more parts together than the store lists at once", async ({ skip }) => {
    skip(store().s3 !== undefined && !process.env.PARTS, "Swift takes a minute for it; PARTS=1500 has it done")
    const { owner, task, stop } = await startWith({ s3 })
    try {
      const COUNT = Number(process.env.PARTS ?? 1_050)
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
      const before = proxy.count(/^GET .*uploadId=/)
      expect((await owner.patch(`/uploads/${id}`, { state: "finished" })).body.state).toBe("finished")
      expect(proxy.count(/^GET .*uploadId=/)).toBe(before + 2)
      const file = (await owner.post("/files", { upload_id: id, task_id: task.id })).body
      expect(Buffer.from(await (await fetch(file.url)).arrayBuffer()).equals(whole)).toBe(true)
    } finally {
      await stop()
    }
  }, 120_000)

  it("holds a part to its MD5 when it finishes, and refuses a date of more than 15 minutes ago", async () => {
    const { owner, stop } = await startWith({ s3 })
    try {
      const md5sum = createHash("md5").update("hello").digest("hex")
      const { id, part } = (await owner.post("/uploads", { file_name: "a", content_type: "", file_size: 5, md5sum })).body // biome-ignore format: one statement
      const url = new URL(part.url)
      const upload = {
        key: url.pathname.slice(`/${s3.bucket}/`.length),
        uploadId: url.searchParams.get("uploadId") ?? "",
      }
      const sign = signPartsV2(() => ({ ...s3, bucketPath: `/${s3.bucket}` }))
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
