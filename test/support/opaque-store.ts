import { createHash, randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import type { S3Config } from "../../src/config/s3-config.js"
import { childrenOf, type Node, xml } from "./xml.js"

type Part = { etag: string; bytes: Buffer }

/**
 * A store whose ETags say nothing of the bytes, as AWS's do where it encrypts with keys of its own. Checks no signature but every
 * Content-MD5.
 */
export async function startOpaqueStore(): Promise<{
  s3: S3Config
  objects: Map<string, Buffer>
  stop(): Promise<void>
}> {
  const uploads = new Map<string, Map<number, Part>>()
  const objects = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const { method, headers } = request
    const { searchParams: query, pathname } = new URL(request.url ?? "", "http://store")
    const key = decodeURIComponent(pathname.slice("/opaque/".length))
    const body = await buffer(request)
    const send = (status: number, root: string, node: Node) =>
      response.writeHead(status, { "Content-Type": "application/xml" }).end(xml(root, node))
    const uploadId = query.get("uploadId") ?? ""
    const parts = uploads.get(uploadId)
    if (uploadId !== "" && parts === undefined) send(404, "Error", { Code: "NoSuchUpload" })
    else if (method === "POST" && query.has("uploads")) {
      const UploadId = randomBytes(8).toString("hex")
      uploads.set(UploadId, new Map())
      send(200, "InitiateMultipartUploadResult", { UploadId })
    } else if (method === "PUT") {
      const announced = headers["content-md5"]
      if (announced !== undefined && announced !== createHash("md5").update(body).digest("base64"))
        return void send(400, "Error", { Code: "BadDigest" })
      const etag = randomBytes(16).toString("hex")
      if (parts === undefined) objects.set(key, body)
      else parts.set(Number(query.get("partNumber")), { etag, bytes: body })
      response.writeHead(200, { ETag: `"${etag}"` }).end()
    } else if (method === "DELETE") {
      if (!uploads.delete(uploadId)) objects.delete(key)
      response.writeHead(204).end()
    } else if (method === "GET" && parts !== undefined) {
      const Part = [...parts].map(([PartNumber, { etag, bytes }]) => ({ PartNumber, ETag: `"${etag}"`, Size: bytes.length })) // biome-ignore format: one row
      send(200, "ListPartsResult", { IsTruncated: false, Part })
    } else if (method === "GET" && query.has("list-type"))
      send(200, "ListBucketResult", { IsTruncated: false, Contents: [...objects.keys()].map((Key) => ({ Key })) })
    else if (method === "POST" && parts !== undefined) {
      const named = childrenOf(body.toString(), "Part", "PartNumber")
      objects.set(key, Buffer.concat(named.map(([number]) => parts.get(Number(number))?.bytes ?? Buffer.alloc(0))))
      uploads.delete(uploadId)
      send(200, "CompleteMultipartUploadResult", { ETag: '"whole-1"' })
    } else {
      const object = objects.get(key)
      const head = { "Content-Length": object?.length ?? 0 }
      response.writeHead(object === undefined ? 404 : 200, head).end(method === "HEAD" ? undefined : object)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    s3: { endpoint, region: "us-east-1", bucket: "opaque", accessKeyId: "a", secretAccessKey: "b" },
    objects,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
