import type { Readable } from "node:stream"
import type { S3ServiceException } from "@aws-sdk/client-s3"
import type { S3Config } from "../config/s3-config.js"
import { BadRequest, NotFound, Unavailable } from "../errors.js"
import type { Log } from "../log.js"
import {
  type ByteRange,
  KEY_PREFIX,
  PartsRefused,
  type Storage,
  type StoredPart,
  type StoredUpload,
} from "./storage.js"

/** An S3 bucket without what clients sign for themselves. */
export type Bucket = Omit<Storage, "signPart"> & {
  /** Sends one part on, unbuffered; gives its ETag, without quotes. @throws NotFound, BadRequest for what the store says against it */
  sendPart(upload: StoredUpload, partNumber: number, body: Readable, options: OutgoingPart): Promise<string>
  stop(): void
}

/** What must be known of a part before its first byte is sent. */
type OutgoingPart = {
  readonly sizeBytes: number
  /** In hex; the store refuses other bytes. */
  readonly md5: string | undefined
  readonly signal: AbortSignal
}

const CONNECT_TIMEOUT_MS = 1_200
/** Between two signs of life; a store may think for long about completing an upload of thousands of parts. */
const SILENCE_TIMEOUT_MS = 120_000
/** For what a client waits for and no store needs long. */
const SHORT_TIMEOUT_MS = 4_000
const MAX_SOCKETS = 100

const isGone = (error: unknown): boolean =>
  ["NoSuchKey", "NotFound", "NoSuchUpload", "NoSuchBucket"].includes((error as S3ServiceException).name)

/** What the store finds wrong with the parts themselves; the texts are for the client. */
const REFUSALS: Readonly<Record<string, string>> = {
  EntityTooSmall: "every part but the last must have at least 5 MiB",
  InvalidPart: "a part has changed while the upload was being finished",
  InvalidPartOrder: "the parts are not in order",
  BadDigest: "the part does not have the MD5 that was announced",
  InvalidDigest: "the part does not have the MD5 that was announced",
  EntityTooLarge: "the part is too large",
}

const unquoted = (etag: string): string => etag.replaceAll('"', "")

const noSuchUpload = () => new PartsRefused("NoSuchUpload", "there is no such upload")

/** Opens a bucket of an S3 store. Nothing is connected before it is needed, and the SDK is not loaded before. */
export function openBucket({ endpoint, region, bucket: Bucket, ...keys }: S3Config, log: Log): Bucket {
  let opened: ReturnType<typeof load> | undefined
  const open = () => {
    opened ??= load()
    return opened
  }

  const tell = (...said: unknown[]) => log.trace({ said }, "the S3 SDK says")

  async function load() {
    // It would warn on standard error, at every start, of what a version to come needs.
    // biome-ignore lint/style/noProcessEnv: the SDK takes this by no other way
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true"
    const sdk = await import("@aws-sdk/client-s3")
    const client = new sdk.S3Client({
      endpoint,
      region,
      credentials: { accessKeyId: keys.accessKeyId, secretAccessKey: keys.secretAccessKey },
      forcePathStyle: true,
      // By default it sends bodies in a framing of its own (aws-chunked), which few stores but AWS understand.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      // By default it writes to the console.
      logger: { trace: tell, debug: tell, info: tell, warn: tell, error: tell },
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: SILENCE_TIMEOUT_MS,
        httpAgent: { maxSockets: MAX_SOCKETS },
        httpsAgent: { maxSockets: MAX_SOCKETS },
      },
    })
    return { client, sdk }
  }

  /** Runs one exchange; what is neither an answer about a thing that is not there nor a refusal is a fault of the store. */
  async function ask<Result>(what: string, exchange: (on: Awaited<ReturnType<typeof load>>) => Promise<Result>) {
    try {
      return await exchange(await open())
    } catch (error) {
      const { name } = error as Error
      if (isGone(error)) throw error
      const reason = REFUSALS[name]
      if (reason !== undefined) throw new PartsRefused(name, reason)
      log.error({ err: error, storage: what }, "the object store failed")
      throw Object.assign(new Unavailable("The object store is currently not available. Try again shortly."), {
        cause: error,
      })
    }
  }

  /** The same with undefined for what is not there. */
  const askFor = <Result>(what: string, exchange: (on: Awaited<ReturnType<typeof load>>) => Promise<Result>) =>
    ask(what, exchange).catch((error: unknown) => {
      if (isGone(error)) return undefined
      throw error
    })

  const short = () => ({ abortSignal: AbortSignal.timeout(SHORT_TIMEOUT_MS) })

  return {
    async startUpload(Key) {
      return ask("start an upload", async ({ client, sdk }) => {
        const start = () => client.send(new sdk.CreateMultipartUploadCommand({ Bucket, Key }), short())
        const { UploadId } = await start().catch(async (error: Error) => {
          if (error.name !== "NoSuchBucket") throw error
          await client.send(new sdk.CreateBucketCommand({ Bucket }), short())
          return start()
        })
        if (UploadId === undefined) throw new Error("The store started an upload without an id.")
        return UploadId
      })
    },

    listParts: ({ key: Key, uploadId: UploadId }) =>
      askFor("list parts", async ({ client, sdk }) => {
        const parts: StoredPart[] = []
        for (let marker: number | undefined; ; ) {
          const command = { Bucket, Key, UploadId, PartNumberMarker: marker === undefined ? undefined : String(marker) }
          const page = await client.send(new sdk.ListPartsCommand(command))
          for (const { PartNumber = 0, Size = 0, ETag = "" } of page.Parts ?? [])
            parts.push({ partNumber: PartNumber, sizeBytes: Size, etag: unquoted(ETag) })
          if (!page.IsTruncated) return parts
          const next = Number(page.NextPartNumberMarker)
          // A store that leads us in a circle would keep us here for ever.
          if (!(next > (marker ?? 0))) throw new Error(`The store's list of parts does not continue after ${marker}.`)
          marker = next
        }
      }),

    async completeUpload({ key: Key, uploadId: UploadId }, parts) {
      const Parts = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: `"${etag}"` }))
      try {
        await ask("complete an upload", ({ client, sdk }) =>
          client.send(new sdk.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } })),
        )
      } catch (error) {
        throw isGone(error) ? noSuchUpload() : error
      }
    },

    async abortUpload({ key: Key, uploadId: UploadId }) {
      await askFor("abort an upload", ({ client, sdk }) =>
        client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId })),
      )
    },

    async *openUploads() {
      for (let markers: { KeyMarker?: string; UploadIdMarker?: string } = {}; ; ) {
        const page = await ask("list uploads", ({ client, sdk }) =>
          client
            .send(new sdk.ListMultipartUploadsCommand({ Bucket, Prefix: KEY_PREFIX, ...markers }))
            .catch(emptyWithoutBucket),
        )
        for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
          if (Key?.startsWith(KEY_PREFIX) && UploadId !== undefined && Initiated !== undefined)
            yield { key: Key, uploadId: UploadId, startedAt: Initiated }
        const next = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        const isStuck = next.KeyMarker === markers.KeyMarker && next.UploadIdMarker === markers.UploadIdMarker
        if (!page.IsTruncated || next.KeyMarker === undefined || isStuck) return
        markers = next as typeof markers
      }
    },

    read: (Key, range?: ByteRange) =>
      askFor("read", async ({ client, sdk }) => {
        const Range = range === undefined ? undefined : `bytes=${range.start}-${range.end}`
        const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key, Range }))
        return Body as Readable | undefined
      }),

    sizeOf: (Key) =>
      askFor("look for an object", async ({ client, sdk }) => {
        const { ContentLength } = await client.send(new sdk.HeadObjectCommand({ Bucket, Key }))
        return ContentLength
      }),

    async write(Key, Body) {
      await ask("write", ({ client, sdk }) => client.send(new sdk.PutObjectCommand({ Bucket, Key, Body })))
    },

    async remove(Key) {
      await askFor("remove", ({ client, sdk }) => client.send(new sdk.DeleteObjectCommand({ Bucket, Key })))
    },

    async *keys() {
      for (let token: string | undefined; ; ) {
        const page = await ask("list objects", ({ client, sdk }) =>
          client
            .send(new sdk.ListObjectsV2Command({ Bucket, Prefix: KEY_PREFIX, ContinuationToken: token }))
            .catch(emptyWithoutBucket),
        )
        for (const { Key } of page.Contents ?? []) if (Key?.startsWith(KEY_PREFIX)) yield Key
        if (!page.IsTruncated || page.NextContinuationToken === undefined || page.NextContinuationToken === token)
          return
        token = page.NextContinuationToken
      }
    },

    async sendPart({ key: Key, uploadId: UploadId }, PartNumber, Body, { sizeBytes, md5, signal }) {
      const ContentMD5 = md5 && Buffer.from(md5, "hex").toString("base64")
      const part = { Bucket, Key, UploadId, PartNumber, Body, ContentLength: sizeBytes, ContentMD5 }
      try {
        const { ETag = "" } = await ask("send a part", ({ client, sdk }) =>
          client.send(new sdk.UploadPartCommand(part), { abortSignal: signal }),
        )
        return unquoted(ETag)
      } catch (error) {
        if (isGone(error)) throw new NotFound("There is no such upload, or it is finished.")
        throw error instanceof PartsRefused ? new BadRequest(`The store refused it: ${error.reason}.`) : error
      }
    },

    stop() {
      opened?.then(({ client }) => client.destroy()).catch(() => {})
    },
  }
}

type EmptyPage = {
  Uploads?: undefined
  Contents?: undefined
  IsTruncated?: boolean
  NextKeyMarker?: undefined
  NextUploadIdMarker?: undefined
  NextContinuationToken?: undefined
}

/** A bucket that nobody has written to yet may not exist. */
function emptyWithoutBucket(error: Error): EmptyPage {
  if (error.name !== "NoSuchBucket") throw error
  return {}
}
