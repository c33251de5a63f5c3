import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { afterEach, describe, expect, it } from "vitest"
import { type Bucket, openBucket } from "../../src/storage/s3.js"
import { silentLog } from "../support/log.js"

let server: Server
let bucket: Bucket

afterEach(async () => {
  bucket.stop()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** A store that answers everything like this. */
async function openFake(answer: RequestListener): Promise<Bucket> {
  server = createServer((request, response) => {
    request.resume().on("end", () => answer(request, response))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  bucket = openBucket({ endpoint, region: "us-east-1", bucket: "b", accessKeyId: "a", secretAccessKey: "s" }, silentLog)
  return bucket
}

const xml = (body: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n${body}`
async function all(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const list: unknown[] = []
  for await (const item of items) list.push(item)
  return list
}
const upload = { key: "tandem/uploads/1", uploadId: "u" }
const parts = [{ partNumber: 1, sizeBytes: 1, etag: "e" }]

describe("a store that misbehaves", () => {
  it("is not believed when it completes with 200 and an error in the body", async () => {
    const { completeUpload } = await openFake((_request, response) =>
      response
        .writeHead(200, { "Content-Type": "application/xml" })
        .end(xml("<Error><Code>InternalError</Code><Message>We failed.</Message></Error>")),
    )
    await expect(completeUpload(upload, parts)).rejects.toMatchObject({ name: "Unavailable" })
  })

  it("does not keep us for ever with a list that goes nowhere", async () => {
    const page = (root: string, inside: string) => xml(`<${root}><IsTruncated>true</IsTruncated>${inside}</${root}>`)
    const opened = await openFake(({ url = "" }, response) => {
      const body = url.includes("uploadId=")
        ? page("ListPartsResult", "<NextPartNumberMarker>0</NextPartNumberMarker>")
        : url.includes("uploads")
          ? page(
              "ListMultipartUploadsResult",
              "<NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>i</NextUploadIdMarker>",
            )
          : page("ListBucketResult", "<NextContinuationToken>t</NextContinuationToken>")
      response.writeHead(200, { "Content-Type": "application/xml" }).end(body)
    })
    await expect(opened.listParts(upload)).rejects.toMatchObject({ name: "Unavailable" })
    expect(await all(opened.openUploads())).toEqual([])
    expect(await all(opened.keys())).toEqual([])
  })

  it("is unavailable when it answers 500, and not at all when it cannot be reached", async () => {
    const opened = await openFake((_request, response) => response.writeHead(500).end())
    await expect(opened.startUpload("tandem/uploads/2")).rejects.toMatchObject({ name: "Unavailable" })
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    const startedAt = performance.now()
    await expect(opened.startUpload("tandem/uploads/2")).rejects.toMatchObject({ name: "Unavailable" })
    await expect(opened.sizeOf("tandem/uploads/2")).rejects.toMatchObject({ name: "Unavailable" })
    expect(performance.now() - startedAt).toBeLessThan(4_000)
  })

  it("gets a part as a stream of known length, not in a framing of the SDK's", async () => {
    let seen: NodeJS.Dict<string | string[]> = {}
    const { sendPart } = await openFake(({ headers }, response) => {
      seen = headers
      response.writeHead(200, { ETag: '"e"' }).end()
    })
    const body = Readable.from([Buffer.from("hel"), Buffer.from("lo")], { objectMode: false })
    await sendPart(upload, 1, body, { sizeBytes: 5, md5: undefined, signal: new AbortController().signal })
    expect(seen["content-length"]).toBe("5")
    expect(seen["content-encoding"]).toBeUndefined()
    expect(seen["x-amz-content-sha256"]).toBe("UNSIGNED-PAYLOAD")
  })
})
