import { createReadStream } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import type { IncomingMessage, ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { Problem } from "../errors.js"
import type { Log } from "../log.js"
import { byHeaderV2, type StoreKeys } from "./authorization.js"
import { PART_LIMIT_BYTES, writePart } from "./embedded/part-file.js"
import type { Bucket } from "./s3.js"
import { S3Error, sendS3Error } from "./s3-error.js"
import { PartsRefused, type StoredUpload } from "./storage.js"

/** What passing parts on needs. */
export type RelayParts = {
  readonly bucket: Bucket
  /** With which the part credentials were signed; the store's own never leave the node. */
  readonly keys: StoreKeys
  readonly log: Log
  /** The MD5 that somebody announced for a part, in hex. */
  md5OfPart(key: string, partNumber: number): Promise<string | undefined>
  /** Keeps under which ETag the store took a part that it saw to have that MD5; told where the two are not the same. */
  keepEtag(key: string, partNumber: number, md5: string, etag: string): Promise<unknown>
  now?(): Date
}

/**
 * Takes parts at an address of ours, by the same three headers as a store with signatures of version 2, and streams them on
 * to a store that need not know those. One megabyte of a part is in memory at a time, whatever its size.
 * The request's path is the key, its query names the part.
 */
export const relayTo =
  ({ bucket, keys, log, md5OfPart, keepEtag, now = () => new Date() }: RelayParts) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const [path = "", search = ""] = (request.url ?? "").split(/\?(.*)/s)
      const query = new URLSearchParams(search)
      if (request.method !== "PUT") throw new S3Error("MethodNotAllowed", "Parts are sent by PUT.")
      const authorization = request.headers.authorization ?? ""
      if (!authorization.startsWith("AWS ")) throw new S3Error("AccessDenied", "The request is not signed.")
      byHeaderV2({ request, path, query, seenAs: [], now: now() }, authorization.slice(4), keys)
      // What is signed was made by us, so it can be read as it stands.
      const upload = { key: decodeURIComponent(path.slice(1)), uploadId: query.get("uploadId") ?? "" }
      const partNumber = Number(query.get("partNumber"))
      const md5 = await md5OfPart(upload.key, partNumber)
      const { etag } = await pass(bucket, request, upload, partNumber, md5)
      const bare = etag.replaceAll('"', "")
      if (md5 !== undefined && bare !== md5) await keepEtag(upload.key, partNumber, md5, bare)
      response.writeHead(200, { ETag: etag, "Content-Length": 0 }).end()
    } catch (error) {
      await sendS3Error(request, response, asS3Error(error), log)
    }
  }

function asS3Error(error: unknown): unknown {
  if (error instanceof PartsRefused) return S3Error.of(error.code, error.reason)
  // The store's own trouble is in the log already.
  return error instanceof Problem ? new S3Error("SlowDown", error.message) : error
}

async function pass(
  bucket: Bucket,
  request: IncomingMessage,
  upload: StoredUpload,
  partNumber: number,
  md5: string | undefined,
): Promise<{ etag: string }> {
  const leaving = new AbortController()
  request.once("close", () => {
    if (!request.complete) leaving.abort()
  })
  const send = (body: Readable, sizeBytes: number) =>
    bucket.sendPart(upload, partNumber, body, {
      sizeBytes,
      md5: md5 === undefined ? undefined : Buffer.from(md5, "hex").toString("base64"),
      signal: leaving.signal,
    })
  const length = request.headers["content-length"]
  if (Number(length) > PART_LIMIT_BYTES) throw new S3Error("EntityTooLarge", "A part has at most 5 GiB.")
  if (length !== undefined) return send(request, Number(length))
  // No store takes a body whose length it is not told first, so a chunked one waits on disk until it is known.
  const folder = await mkdtemp(join(tmpdir(), "tandem-part-"))
  try {
    const { name, sizeBytes } = await writePart(folder, partNumber, request, {})
    return await send(createReadStream(join(folder, name)), sizeBytes)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
