import type { IncomingMessage, ServerResponse } from "node:http"
import { pipeline } from "node:stream/promises"
import { rangeOf } from "../byte-range.js"
import { S3Error } from "../s3-error.js"
import { childrenOf, type Node, xml } from "../xml.js"
import type { Objects } from "./objects.js"
import { type Expected, PART_LIMIT_BYTES } from "./part-file.js"

/** An authorised request to a bucket that exists. */
export type StoreRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly query: URLSearchParams
  readonly bucket: string
  /** Empty for the bucket itself. */
  readonly key: string
  readonly objects: Objects
  /** What the signature says of the body, in hex. */
  readonly sha256: string | undefined
  /** The MD5 that somebody announced for a part of an upload, in hex. */
  md5OfPart(key: string, partNumber: number): Promise<string | undefined>
}

const PAGE = 1_000
const XML_LIMIT_BYTES = 2 * 1024 ** 2

function sendXml(response: ServerResponse, root: string, node: Node): void {
  const body = xml(root, node)
  response.writeHead(200, { "Content-Type": "application/xml", "Content-Length": Buffer.byteLength(body) }).end(body)
}

/** A whole number in the query, or what stands for it when it is left out. @throws S3Error */
function numberIn(query: URLSearchParams, name: string, least: number, most: number, fallback?: number): number {
  const text = query.get(name)
  if (text === null && fallback !== undefined) return fallback
  const value = Number(text)
  if (text === null || !/^\d{1,9}$/.test(text) || value < least || value > most)
    throw new S3Error("InvalidArgument", `${name} must be a whole number from ${least} to ${most}.`)
  return value
}

/** What a body must be, by its headers. @throws S3Error */
function announced({ headers }: IncomingMessage, sha256: string | undefined): Expected {
  const payload = String(headers["x-amz-content-sha256"] ?? "")
  if (payload.startsWith("STREAMING-") || String(headers["content-encoding"] ?? "").includes("aws-chunked"))
    throw new S3Error("NotImplemented", "Send the body as it is: aws-chunked framing is not supported.")
  const sizeBytes = headers["content-length"] === undefined ? undefined : Number(headers["content-length"])
  if (sizeBytes !== undefined && sizeBytes > PART_LIMIT_BYTES)
    throw new S3Error("EntityTooLarge", "A part or object has at most 5 GiB.")
  const md5 = headers["content-md5"]
  if (md5 === undefined) return { sizeBytes, sha256 }
  const digest = Buffer.from(String(md5), "base64")
  if (digest.length !== 16) throw new S3Error("InvalidDigest", "Content-MD5 must be 16 bytes in base64.")
  return { sizeBytes, sha256, md5: digest.toString("hex") }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > XML_LIMIT_BYTES) throw new S3Error("MalformedXML", "The document is too long.")
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

async function putPart({ request, response, query, key, objects, sha256, md5OfPart }: StoreRequest): Promise<void> {
  const partNumber = numberIn(query, "partNumber", 1, 10_000)
  const expected = announced(request, sha256)
  const md5 = expected.md5 ?? (await md5OfPart(key, partNumber))
  const part = await objects.putPart(query.get("uploadId") ?? "", key, partNumber, request, { ...expected, md5 })
  response.writeHead(200, { ETag: `"${part.md5}"`, "Content-Length": 0 }).end()
}

async function listParts({ response, query, bucket, key, objects }: StoreRequest): Promise<void> {
  const uploadId = query.get("uploadId") ?? ""
  const marker = numberIn(query, "part-number-marker", 0, 10_000, 0)
  const most = Math.min(numberIn(query, "max-parts", 0, 2_147_483_647, PAGE), PAGE)
  const rest = (await objects.partsOf(uploadId, key)).filter(({ partNumber }) => partNumber > marker)
  const page = rest.slice(0, most)
  sendXml(response, "ListPartsResult", {
    Bucket: bucket,
    Key: key,
    UploadId: uploadId,
    PartNumberMarker: marker,
    NextPartNumberMarker: page.at(-1)?.partNumber ?? marker,
    MaxParts: most,
    IsTruncated: rest.length > page.length,
    Part: page.map(({ partNumber, sizeBytes, md5 }) => ({ PartNumber: partNumber, ETag: `"${md5}"`, Size: sizeBytes })),
  })
}

async function complete({ request, response, query, bucket, key, objects }: StoreRequest): Promise<void> {
  const named = childrenOf(await textOf(request), "Part", "PartNumber", "ETag").map(([partNumber, etag]) => ({
    partNumber: Number(partNumber),
    etag: (etag ?? "").replaceAll('"', ""),
  }))
  if (named.length === 0) throw new S3Error("MalformedXML", "The document names no parts.")
  const object = await objects.complete(query.get("uploadId") ?? "", key, named)
  sendXml(response, "CompleteMultipartUploadResult", { Bucket: bucket, Key: key, ETag: `"${object.etag}"` })
}

async function listUploads({ response, query, bucket, objects }: StoreRequest): Promise<void> {
  const prefix = query.get("prefix") ?? ""
  const [keyMarker, idMarker] = [query.get("key-marker") ?? "", query.get("upload-id-marker") ?? ""]
  const most = Math.min(numberIn(query, "max-uploads", 1, 2_147_483_647, PAGE), PAGE)
  const rest = (await objects.openUploads()).filter(
    ({ key, id }) =>
      key.startsWith(prefix) && (key > keyMarker || (key === keyMarker && id > idMarker && idMarker !== "")),
  )
  const page = rest.slice(0, most)
  sendXml(response, "ListMultipartUploadsResult", {
    Bucket: bucket,
    Prefix: prefix,
    KeyMarker: keyMarker,
    UploadIdMarker: idMarker,
    NextKeyMarker: page.at(-1)?.key,
    NextUploadIdMarker: page.at(-1)?.id,
    MaxUploads: most,
    IsTruncated: rest.length > page.length,
    Upload: page.map(({ key, id, startedAt }) => ({ Key: key, UploadId: id, Initiated: startedAt })),
  })
}

/** ListObjectsV2. Keys come in the order of their hashes, as in stores that say so of themselves. */
async function listObjects({ response, query, bucket, objects }: StoreRequest): Promise<void> {
  const prefix = query.get("prefix") ?? ""
  const most = Math.min(numberIn(query, "max-keys", 1, 2_147_483_647, PAGE), PAGE)
  const page: { name: string; node: Node }[] = []
  let isTruncated = false
  for await (const { name, object } of objects.objects(query.get("continuation-token") ?? "")) {
    if (!object.key.startsWith(prefix)) continue
    isTruncated = page.length === most
    if (isTruncated) break
    const { key, etag, sizeBytes, modifiedAt } = object
    page.push({ name, node: { Key: key, LastModified: modifiedAt, ETag: `"${etag}"`, Size: sizeBytes } })
  }
  sendXml(response, "ListBucketResult", {
    Name: bucket,
    Prefix: prefix,
    KeyCount: page.length,
    MaxKeys: most,
    IsTruncated: isTruncated,
    NextContinuationToken: isTruncated ? page.at(-1)?.name : undefined,
    Contents: page.map(({ node }) => node),
  })
}

async function read({ request, response, key, objects }: StoreRequest): Promise<void> {
  const object = await objects.find(key)
  if (object === undefined) throw new S3Error("NoSuchKey", "There is no such object.")
  const { sizeBytes, etag, contentType, modifiedAt } = object
  const range = rangeOf(request.headers.range, sizeBytes)
  if (range === "beyond") throw new S3Error("InvalidRange", "The range lies behind the end.")
  const { start, end } = range ?? { start: 0, end: sizeBytes - 1 }
  response.writeHead(range === undefined ? 200 : 206, {
    "Content-Type": contentType,
    "Content-Length": end - start + 1,
    "Accept-Ranges": "bytes",
    ETag: `"${etag}"`,
    "Last-Modified": new Date(modifiedAt).toUTCString(),
    ...(range === undefined ? {} : { "Content-Range": `bytes ${start}-${end}/${sizeBytes}` }),
  })
  if (request.method === "HEAD") response.end()
  else await pipeline(objects.read(object, start, end), response)
}

async function startUpload({ request, response, bucket, key, objects }: StoreRequest): Promise<void> {
  const id = await objects.start(key, contentTypeOf(request))
  sendXml(response, "InitiateMultipartUploadResult", { Bucket: bucket, Key: key, UploadId: id })
}

const contentTypeOf = ({ headers }: IncomingMessage) => headers["content-type"] ?? "application/octet-stream"

async function write({ request, response, key, objects, sha256 }: StoreRequest): Promise<void> {
  const object = await objects.put(key, contentTypeOf(request), request, announced(request, sha256))
  response.writeHead(200, { ETag: `"${object.etag}"`, "Content-Length": 0 }).end()
}

async function abort({ response, query, key, objects }: StoreRequest): Promise<void> {
  await objects.abort(query.get("uploadId") ?? "", key)
  response.writeHead(204).end()
}

async function remove({ response, key, objects }: StoreRequest): Promise<void> {
  await objects.remove(key)
  response.writeHead(204).end()
}

/** Answers a request to a bucket that exists, or to what is in it. @throws S3Error */
export async function answer(asked: StoreRequest): Promise<void> {
  const { request, response, query, key } = asked
  const { method = "" } = request
  if (key === "") {
    if (method === "HEAD") return void response.writeHead(200, { "Content-Length": 0 }).end()
    if (method === "GET" && query.has("uploads")) return listUploads(asked)
    if (method === "GET" && query.get("list-type") === "2") return listObjects(asked)
  } else if (query.has("uploadId")) {
    if (method === "PUT") return putPart(asked)
    if (method === "GET") return listParts(asked)
    if (method === "POST") return complete(asked)
    if (method === "DELETE") return abort(asked)
  } else if (method === "POST" && query.has("uploads")) return startUpload(asked)
  else if (method === "GET" || method === "HEAD") return read(asked)
  else if (method === "PUT") return write(asked)
  else if (method === "DELETE") return remove(asked)
  throw new S3Error("MethodNotAllowed", "The store has no such request.")
}
