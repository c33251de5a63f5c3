import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { S3Config } from "../../config/config.js"
import type { Log } from "../../log.js"
import { authorize, type StoreKeys } from "../authorization.js"
import { S3Error, sendS3Error } from "../s3-error.js"
import { makeFolder, namesIn } from "./disk.js"
import { type ObjectsOptions, objectsIn } from "./objects.js"
import { answer, type StoreRequest } from "./requests.js"

/** What the embedded store needs of the node. */
export type EmbeddedStoreParts = ObjectsOptions & {
  /** Where its buckets lie; made when something is first written. Nodes may share it. */
  readonly folder: string
  readonly keys: StoreKeys
  readonly log: Log
  /** The MD5 that a part must have, in hex; undefined where nobody announced one. */
  readonly md5OfPart?: StoreRequest["md5OfPart"]
  now?(): Date
}

/** Our own part of S3, in this process: multipart uploads and objects on disk, with signatures of versions 2 and 4. */
export type EmbeddedStore = {
  /** How the node itself reaches it: on a port of the loopback interface. */
  readonly s3: S3Config
  /** Answers a client from outside, below the path `publicUrl` names: the same requests, signed alike. */
  handle(request: IncomingMessage, response: ServerResponse, publicUrl: string): Promise<void>
  stop(): Promise<void>
}

const BUCKET = "files"
const REGION = "us-east-1"
const LONGEST_KEY_BYTES = 1_024

/** Starts the store. */
export async function startEmbeddedStore(parts: EmbeddedStoreParts): Promise<EmbeddedStore> {
  const { folder, keys, log, md5OfPart = async () => undefined, now = () => new Date() } = parts

  type SeenAs = { readonly host: string; readonly prefix: string }
  async function serve(request: IncomingMessage, response: ServerResponse, seenAs: SeenAs[]): Promise<void> {
    try {
      const [path = "", search = ""] = (request.url ?? "").split(/\?(.*)/s)
      const query = new URLSearchParams(search)
      const sha256 = authorize({ request, path, query, seenAs, now: now() }, keys)
      const { bucket, key } = targetOf(path)
      const place = join(folder, bucket)
      const isThere = (await namesIn(place)).length > 0
      if (key === "" && request.method === "PUT") {
        await makeFolder(join(place, "uploads"))
        return void response.writeHead(200, { "Content-Length": 0 }).end()
      }
      if (!isThere) throw new S3Error("NoSuchBucket", "There is no such bucket.")
      const objects = objectsIn(place, parts)
      await answer({ request, response, query, bucket, key, objects, sha256, md5OfPart })
    } catch (error) {
      await sendS3Error(request, response, error, log)
    }
  }

  const server = createServer((request, response) => {
    void serve(request, response, [{ host: request.headers.host ?? "", prefix: "" }])
  })
  server.requestTimeout = 0 // a large part may take long
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    s3: { endpoint: `http://127.0.0.1:${port}`, region: REGION, bucket: BUCKET, ...keys },
    handle(request, response, publicUrl) {
      const { host, pathname } = new URL(publicUrl)
      const hosts = new Set([request.headers.host ?? "", host])
      return serve(
        request,
        response,
        [...hosts].map((one) => ({ host: one, prefix: pathname.replace(/\/$/, "") })),
      )
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** @throws S3Error */
function targetOf(path: string): { bucket: string; key: string } {
  const [, bucket = "", key = ""] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? []
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || bucket.includes(".."))
    throw new S3Error("InvalidBucketName", "A bucket has 3 to 63 of a-z, 0-9, dot and hyphen.")
  try {
    const decoded = decodeURIComponent(key)
    if (Buffer.byteLength(decoded) > LONGEST_KEY_BYTES) throw new S3Error("KeyTooLongError", "The key is too long.")
    return { bucket, key: decoded }
  } catch (error) {
    throw error instanceof URIError ? new S3Error("InvalidURI", "The path cannot be decoded.") : error
  }
}
