import { createHash, randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import type { S3Config } from "../../src/config/config.js"
import { childrenOf, type Node, xml } from "../../src/storage/xml.js"

/**
 * A store whose ETags say nothing of the bytes, as AWS's do where it encrypts with keys of its own. Holds one object,
 * checks no signature but every Content-MD5.
 */
export async function startOpaqueStore(): Promise<{ s3: S3Config; stop(): Promise<void> }> {
  const parts = new Map<number, { etag: string; bytes: Buffer }>()
  let object: Buffer | undefined
  const server = createServer(async (request, response) => {
    const { method, headers } = request
    const query = new URL(request.url ?? "", "http://store").searchParams
    const body = await buffer(request)
    const send = (status: number, root: string, node: Node) =>
      response.writeHead(status, { "Content-Type": "application/xml" }).end(xml(root, node))
    const partNumber = Number(query.get("partNumber"))
    if (method === "POST" && query.has("uploads")) send(200, "InitiateMultipartUploadResult", { UploadId: "1" })
    else if (method === "PUT") {
      const announced = headers["content-md5"]
      if (announced !== undefined && announced !== createHash("md5").update(body).digest("base64"))
        return void send(400, "Error", { Code: "BadDigest" })
      const etag = randomBytes(16).toString("hex")
      parts.set(partNumber, { etag, bytes: body })
      response.writeHead(200, { ETag: `"${etag}"` }).end()
    } else if (method === "GET") {
      const Part = [...parts].map(([PartNumber, { etag, bytes }]) => ({ PartNumber, ETag: `"${etag}"`, Size: bytes.length })) // biome-ignore format: one row
      send(200, "ListPartsResult", { IsTruncated: false, Part })
    } else if (method === "POST") {
      const named = childrenOf(body.toString(), "Part", "PartNumber")
      object = Buffer.concat(named.map(([number]) => parts.get(Number(number))?.bytes ?? Buffer.alloc(0)))
      send(200, "CompleteMultipartUploadResult", { ETag: '"whole-1"' })
    } else response.writeHead(object === undefined ? 404 : 200, { "Content-Length": object?.length ?? 0 }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    s3: { endpoint, region: "us-east-1", bucket: "opaque", accessKeyId: "a", secretAccessKey: "b" },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
