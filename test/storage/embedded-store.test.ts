process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true"

import { createHash, createHmac } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from "@aws-sdk/client-s3"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type EmbeddedStore, startEmbeddedStore } from "../../src/storage/embedded/embedded-store.js"
import { presignParts, signPartsV2 } from "../../src/storage/part-signature.js"
import { silentLog } from "../support/log.js"
import { sendPart, someBytes, temporaryFolder } from "../support/uploads.js"

const Bucket = "files"
const keys = { accessKeyId: "tandem", secretAccessKey: "s3cret" }
const MEBIBYTE = 1024 ** 2

let folder: string
let store: EmbeddedStore
let strict: EmbeddedStore
let client: S3Client
let clockMs = 0

const clientOf = ({ s3 }: EmbeddedStore, settings: S3ClientConfig = {}) =>
  new S3Client({
    endpoint: s3.endpoint,
    region: s3.region,
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: keys,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...settings,
  })

beforeAll(async () => {
  folder = temporaryFolder()
  const parts = { folder, keys, log: silentLog, now: () => new Date(Date.now() + clockMs) }
  store = await startEmbeddedStore({ ...parts, leastPartBytes: 1, isDurable: false })
  strict = await startEmbeddedStore(parts)
  client = clientOf(store)
  await client.send(new CreateBucketCommand({ Bucket }))
})
afterAll(() => Promise.all([store.stop(), strict.stop()]))

async function start(Key: string): Promise<{ Bucket: string; Key: string; UploadId: string | undefined }> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
  return { Bucket, Key, UploadId }
}
const put = (upload: Awaited<ReturnType<typeof start>>, PartNumber: number, Body: Uint8Array) =>
  client.send(new UploadPartCommand({ ...upload, PartNumber, Body }))
const complete = (upload: Awaited<ReturnType<typeof start>>, etags: (string | undefined)[], by = client) =>
  by.send(
    new CompleteMultipartUploadCommand({
      ...upload,
      MultipartUpload: { Parts: etags.map((ETag, index) => ({ PartNumber: index + 1, ETag })) },
    }),
  )
const get = async (Key: string, Range?: string) => {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, Range }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}
const nameOf = (failing: Promise<unknown>) =>
  failing.then(
    () => "accepted",
    (error: Error) => error.name,
  )

describe("multipart uploads", () => {
  // test/bench/uploads.ts does it with 200, of 5 MiB parts.
  it("gives back random uploads, sent out of order and in part again, byte for byte", async () => {
    for (let index = 0; index < 24; index++) {
      const upload = await start(`random/${index}`)
      const parts = Array.from({ length: 1 + (index % 12) }, (_, part) =>
        someBytes(4_096 + ((index * 37 + part * 101) % 64) - 32, index * 100 + part + 1),
      )
      const etags: (string | undefined)[] = []
      const order = parts.map((_, part) => part).sort((a, b) => ((a * 7 + index) % 5) - ((b * 7 + index) % 5))
      await put(upload, (order[0] as number) + 1, someBytes(100, 9)) // what comes again replaces it
      await Promise.all(
        order.map(async (part) => {
          etags[part] = (await put(upload, part + 1, parts[part] as Buffer)).ETag
        }),
      )
      await complete(upload, etags)
      const whole = Buffer.concat(parts)
      const found = await get(upload.Key)
      if (createHash("sha256").update(found).digest("hex") !== createHash("sha256").update(whole).digest("hex"))
        expect.fail(`upload ${index} of ${parts.length} parts came back as other bytes`)
    }
  })

  it("lists 1,100 parts page by page, and makes one object of them", async () => {
    const upload = await start("many")
    const signer = signPartsV2(() => ({ ...store.s3, bucketPath: `/${Bucket}` }))
    const etags: (string | undefined)[] = []
    for (let first = 1; first <= 1_100; first += 50)
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const number = first + index
          const part = signer({ key: upload.Key, uploadId: upload.UploadId as string }, number, new Date())
          etags[number - 1] = String((await sendPart(part, Buffer.from(`${number},`))).headers.etag)
        }),
      )
    const pages = []
    let marker: string | undefined
    do {
      const page = await client.send(new ListPartsCommand({ ...upload, PartNumberMarker: marker }))
      pages.push(page.Parts?.map(({ PartNumber }) => PartNumber))
      marker = page.IsTruncated ? page.NextPartNumberMarker : undefined
    } while (marker !== undefined)
    expect(pages.map((page) => page?.length)).toEqual([1_000, 100])
    expect(pages.flat()).toEqual(Array.from({ length: 1_100 }, (_, index) => index + 1))
    await complete(upload, etags)
    expect((await get("many")).toString()).toBe(Array.from({ length: 1_100 }, (_, index) => `${index + 1},`).join(""))
  })

  it("forgets an upload that was completed or aborted, and what was sent to it", async () => {
    const [done, given] = [await start("done"), await start("given up")]
    const { ETag } = await put(done, 1, Buffer.from("x"))
    await put(given, 1, Buffer.from("x"))
    await complete(done, [ETag])
    await client.send(new AbortMultipartUploadCommand(given))
    for (const upload of [done, given]) {
      expect(await nameOf(client.send(new ListPartsCommand(upload)))).toBe("NoSuchUpload")
      expect(await nameOf(put(upload, 2, Buffer.from("x")))).toBe("NoSuchUpload")
      expect(await nameOf(complete(upload, [ETag]))).toBe("NoSuchUpload")
    }
    expect(await nameOf(get("given up"))).toBe("NoSuchKey")
  })

  it("refuses parts that are missing, changed, out of order or too small", async () => {
    const upload = await start("refused")
    const etag = (await put(upload, 1, someBytes(5 * MEBIBYTE - 1))).ETag
    const second = (await put(upload, 2, Buffer.from("x"))).ETag
    const order = { Parts: [{ PartNumber: 2, ETag: second }, { PartNumber: 1, ETag: etag }] } // biome-ignore format: as it is sent
    expect(await nameOf(complete(upload, [etag, second, second]))).toBe("InvalidPart")
    expect(await nameOf(complete(upload, [second, etag]))).toBe("InvalidPart")
    expect(await nameOf(complete(upload, []))).toBe("MalformedXML")
    expect(await nameOf(client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: order })))).toBe(
      "InvalidPartOrder",
    )
    expect(await nameOf(complete(upload, [etag, second], clientOf(strict)))).toBe("EntityTooSmall")
    const whole = (await put(upload, 1, someBytes(5 * MEBIBYTE))).ETag
    await complete(upload, [whole, second], clientOf(strict))
    expect((await client.send(new HeadObjectCommand({ Bucket, Key: "refused" }))).ContentLength).toBe(5 * MEBIBYTE + 1)
  })

  it("lists open uploads page by page, below a prefix", async () => {
    const started = await Promise.all(["a", "b", "b", "c"].map((name) => start(`open/${name}`)))
    const pages: (string | undefined)[] = []
    let markers: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}
    while (markers !== undefined) {
      const page: any = await client.send(
        new ListMultipartUploadsCommand({ Bucket, Prefix: "open/", MaxUploads: 1, ...markers }),
      )
      pages.push(...page.Uploads.map(({ UploadId }: { UploadId: string }) => UploadId))
      markers = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined
    }
    expect(pages.sort()).toEqual(started.map(({ UploadId }) => UploadId).sort())
  })

  it("keeps nothing of a part whose connection breaks off", async () => {
    const upload = await start("broken")
    const signer = signPartsV2(() => ({ ...store.s3, bucketPath: `/${Bucket}` }))
    const part = signer({ key: upload.Key, uploadId: upload.UploadId as string }, 1, new Date())
    await new Promise<void>((resolve) => {
      const headers = { "Content-Type": "", Authorization: part.authorization, "x-amz-date": part.date }
      const sending = request(part.url, { method: "PUT", headers: { ...headers, "Content-Length": 10 * MEBIBYTE } })
      sending.on("error", () => resolve())
      sending.write(someBytes(3 * MEBIBYTE), () => sending.destroy(new Error("gone")))
    })
    await expect
      .poll(() => readdirSync(join(folder, Bucket, "uploads", upload.UploadId as string)), { timeout: 3_000 })
      .toEqual(["upload.json"])
    expect((await client.send(new ListPartsCommand(upload))).Parts ?? []).toEqual([])
  })
})

describe("a process that was killed", () => {
  // What is on disk then, whichever write it was in the middle of.
  const dataOf = (upload: { UploadId: string | undefined }, place: "uploads" | "data") =>
    join(folder, Bucket, place, upload.UploadId as string)

  it("leaves of a part that was coming nothing that is listed or becomes part of an object", async () => {
    const upload = await start("killed while a part came")
    writeFileSync(join(dataOf(upload, "uploads"), "tmp.0011223344556677"), someBytes(100))
    expect((await client.send(new ListPartsCommand(upload))).Parts ?? []).toEqual([])
    await complete(upload, [(await put(upload, 1, Buffer.from("whole"))).ETag])
    expect((await get(upload.Key)).toString()).toBe("whole")
    expect(readdirSync(dataOf(upload, "data")).filter((name) => name.startsWith("tmp."))).toEqual([])
  })

  it("leaves an object that was being completed either not there or whole", async () => {
    const upload = await start("killed while it was completed")
    const { ETag } = await put(upload, 1, Buffer.from("whole"))
    const shelf = createHash("sha256").update(upload.Key).digest("hex").slice(0, 2)
    mkdirSync(join(folder, Bucket, "objects", shelf), { recursive: true })
    writeFileSync(join(folder, Bucket, "objects", shelf, "tmp.0011223344556677"), '{"key":"killed')
    expect(await nameOf(get(upload.Key))).toBe("NoSuchKey")
    const listed = await client.send(new ListObjectsV2Command({ Bucket, Prefix: "killed while it was" }))
    expect(listed.Contents ?? []).toEqual([])
    await complete(upload, [ETag])
    // Between the one rename that makes the object and the other that puts its parts away.
    renameSync(dataOf(upload, "data"), dataOf(upload, "uploads"))
    expect((await get(upload.Key)).toString()).toBe("whole")
    const open = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: upload.Key }))
    expect(open.Uploads ?? []).toEqual([])
    expect(await nameOf(client.send(new AbortMultipartUploadCommand(upload)))).toBe("NoSuchUpload")
    expect((await get(upload.Key)).toString()).toBe("whole")
    await client.send(new DeleteObjectCommand({ Bucket, Key: upload.Key }))
    expect([existsSync(dataOf(upload, "uploads")), existsSync(dataOf(upload, "data"))]).toEqual([false, false])
  })
})

describe("objects", () => {
  it("writes, replaces, reads and removes them", async () => {
    await client.send(new PutObjectCommand({ Bucket, Key: "o/ä (1).txt", Body: "first" }))
    await client.send(new PutObjectCommand({ Bucket, Key: "o/ä (1).txt", Body: "second" }))
    expect((await get("o/ä (1).txt")).toString()).toBe("second")
    await client.send(new DeleteObjectCommand({ Bucket, Key: "o/ä (1).txt" }))
    await client.send(new DeleteObjectCommand({ Bucket, Key: "o/ä (1).txt" }))
    expect(await nameOf(get("o/ä (1).txt"))).toBe("NoSuchKey")
    expect(await nameOf(client.send(new HeadObjectCommand({ Bucket, Key: "o/ä (1).txt" })))).toBe("NotFound")
  })

  it("reads spans that cross parts", async () => {
    const upload = await start("ranges")
    const etags = []
    for (const [index, piece] of ["0123", "4567", "89"].entries())
      etags.push((await put(upload, index + 1, Buffer.from(piece))).ETag)
    await complete(upload, etags)
    expect((await get("ranges", "bytes=3-8")).toString()).toBe("345678")
    expect((await get("ranges", "bytes=8-")).toString()).toBe("89")
    expect((await get("ranges", "bytes=-3")).toString()).toBe("789")
    expect((await get("ranges", "bytes=5-100")).toString()).toBe("56789")
    expect(await nameOf(get("ranges", "bytes=10-"))).toBe("InvalidRange")
  })

  it("lists each of them once, page by page", async () => {
    const wanted = Array.from({ length: 7 }, (_, index) => `list/${index}`)
    await Promise.all(wanted.map((Key) => client.send(new PutObjectCommand({ Bucket, Key, Body: "x" }))))
    const found: (string | undefined)[] = []
    let token: string | undefined
    do {
      const page = await client.send(
        new ListObjectsV2Command({ Bucket, Prefix: "list/", MaxKeys: 3, ContinuationToken: token }),
      )
      found.push(...(page.Contents ?? []).map(({ Key }) => Key))
      token = page.NextContinuationToken
    } while (token !== undefined)
    expect(found.sort()).toEqual(wanted)
  })
})

describe("what it refuses", () => {
  it("refuses a wrong secret or key by version 4", async () => {
    const wrong = { ...keys, secretAccessKey: "S3cret" }
    const unknown = { ...keys, accessKeyId: "tandon" }
    const send = (credentials: typeof keys) =>
      nameOf(clientOf(store, { credentials }).send(new PutObjectCommand({ Bucket, Key: "k", Body: "x" })))
    expect(await send(wrong)).toBe("SignatureDoesNotMatch")
    expect(await send(unknown)).toBe("InvalidAccessKeyId")
    expect(await nameOf(get("k"))).toBe("NoSuchKey")
  })

  it("refuses what is not signed, and a date that is 15 minutes off, either way", async () => {
    expect((await fetch(`${store.s3.endpoint}/${Bucket}/many`)).status).toBe(403)
    for (const minutes of [-16, 16]) {
      clockMs = minutes * 60_000
      const name = await nameOf(get("many"))
      clockMs = 0
      expect(name).toBe("RequestTimeTooSkewed")
    }
  })

  it("refuses a body that is not the one that was signed or announced", async () => {
    const upload = await start("digests")
    const signer = signPartsV2(() => ({ ...store.s3, bucketPath: `/${Bucket}` }))
    const part = signer({ key: upload.Key, uploadId: upload.UploadId as string }, 1, new Date())
    const md5 = createHash("md5").update("announced").digest("base64")
    // A Content-MD5 is part of what is signed, so that one which was not signed is refused already.
    expect((await sendPart(part, Buffer.from("announced"), { headers: { "Content-MD5": md5 } })).text).toContain(
      "SignatureDoesNotMatch",
    )
    const send = (ContentMD5: string, Body: string) =>
      nameOf(client.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body, ContentMD5 })))
    expect(await send(md5, "other")).toBe("BadDigest")
    expect(await send("nonsense", "other")).toBe("InvalidDigest")
    expect((await client.send(new ListPartsCommand(upload))).Parts ?? []).toEqual([])
    expect(await send(md5, "announced")).toBe("accepted")
  })

  it("refuses the framing of aws-chunked, which it would store as if it were the body", async () => {
    const chunked = clientOf(store, { requestChecksumCalculation: "WHEN_SUPPORTED" })
    async function* pieces() {
      yield Buffer.from("x".repeat(100_000))
    }
    const { Readable } = await import("node:stream")
    const body = { Body: Readable.from(pieces()), ContentLength: 100_000 }
    expect(await nameOf(chunked.send(new PutObjectCommand({ Bucket, Key: "framed", ...body })))).toBe("NotImplemented")
    expect(await nameOf(get("framed"))).toBe("NoSuchKey")
  })

  it("answers for buckets that do not exist or cannot", async () => {
    const inBucket = (name: string) => nameOf(client.send(new PutObjectCommand({ Bucket: name, Key: "k", Body: "x" })))
    expect(await inBucket("nowhere")).toBe("NoSuchBucket")
    expect(await inBucket("a..b")).toBe("InvalidBucketName")
    expect(await inBucket("UPPER")).toBe("InvalidBucketName")
    expect(readdirSync(folder)).toEqual([Bucket])
  })
})

describe("signatures in the address", () => {
  it("takes a part by one of version 4, for that part only and not for ever", async () => {
    const upload = await start("presigned")
    const signer = presignParts(() => ({ ...store.s3, bucketPath: `/${Bucket}` }))
    const target = { key: upload.Key, uploadId: upload.UploadId as string }
    const part = signer(target, 1, new Date())
    expect((await sendPart(part, Buffer.from("presigned"))).status).toBe(200)
    expect((await sendPart({ ...part, url: part.url.replace("partNumber=1", "partNumber=2") }, Buffer.from("x"))).status).toBe(403) // biome-ignore format: one statement
    expect((await sendPart(signer(target, 2, new Date(Date.now() - 901_000)), Buffer.from("x"))).status).toBe(403)
  })

  it("gives an object by one of version 2 until it ends", async () => {
    await client.send(new PutObjectCommand({ Bucket, Key: "shared", Body: "read me" }))
    const addressUntil = (seconds: number) => {
      const signed = ["GET", "", "", seconds, `/${Bucket}/shared`].join("\n")
      const Signature = createHmac("sha1", keys.secretAccessKey).update(signed).digest("base64")
      const query = new URLSearchParams({ AWSAccessKeyId: keys.accessKeyId, Expires: String(seconds), Signature })
      return `${store.s3.endpoint}/${Bucket}/shared?${query}`
    }
    const now = Math.floor(Date.now() / 1_000)
    const reply = await fetch(addressUntil(now + 60))
    expect([reply.status, await text(reply.body as any)]).toEqual([200, "read me"])
    expect((await fetch(addressUntil(now - 1))).status).toBe(403)
    expect((await fetch(addressUntil(now + 60).replace("shared", "many"))).status).toBe(403)
  })
})
