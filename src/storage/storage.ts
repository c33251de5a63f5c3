import { randomUUID } from "node:crypto"
import type { Readable } from "node:stream"

/** Every key of ours begins with it, so that what else lies in the bucket is left alone. */
export const KEY_PREFIX = "tandem/"

/** A new key that says nothing of what lies under it: names and types of files never reach the store. */
export const newStorageKey = (kind: "uploads" | "previews"): string => `${KEY_PREFIX}${kind}/${randomUUID()}`

/** A multipart upload at the store: both say which. */
export type StoredUpload = { readonly key: string; readonly uploadId: string }

/** One part of an upload as the store lists it; numbers are 1 to 10,000, in whatever order they came. */
export type StoredPart = {
  readonly partNumber: number
  readonly sizeBytes: number
  /** Without quotes. */
  readonly etag: string
}

/** With what a client sends one part itself. (§4 Uploads) */
export type PartCredentials = {
  readonly url: string
  /** An HTTP date, for the header `x-amz-date`. */
  readonly date: string
  /** For the header `Authorization`. */
  readonly authorization: string
  /** When they end, in ISO 8601. */
  readonly expiresAt: string
}

/** A span of bytes, both ends included. */
export type ByteRange = { readonly start: number; readonly end: number }

/** The store refuses parts for what they are: `code` in the words of S3, `reason` for the client. */
export class PartsRefused extends Error {
  override readonly name = "PartsRefused"
  constructor(
    readonly code: string,
    readonly reason: string,
  ) {
    super(reason)
  }
}

/**
 * Where the bytes of files lie: an S3 store, or the embedded one, through the same code.
 * Every function throws Unavailable when the store cannot be reached or is at fault; trying again is safe then.
 */
export type Storage = {
  /** Starts a multipart upload; gives the store's name for it. */
  startUpload(key: string): Promise<string>
  /** Signs one part for the client to send itself; good for 15 minutes, and for that part only. (§4 Uploads) */
  signPart(upload: StoredUpload, partNumber: number, now: Date): PartCredentials
  /** All parts by number; undefined when the store knows no such upload: never, completed or aborted. */
  listParts(upload: StoredUpload): Promise<StoredPart[] | undefined>
  /** Makes the object of its parts. @throws PartsRefused; it also comes when another has completed it meanwhile */
  completeUpload(upload: StoredUpload, parts: readonly StoredPart[]): Promise<void>
  /** Forgets an upload and its parts; well when there is none. */
  abortUpload(upload: StoredUpload): Promise<void>
  /** Uploads of ours that are neither completed nor aborted. */
  openUploads(): AsyncIterable<StoredUpload & { readonly startedAt: Date }>
  /** An object's bytes, or a span of them; undefined when there is none. The stream must be read or destroyed. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>
  /** An object's size; undefined when there is none. */
  sizeOf(key: string): Promise<number | undefined>
  /** Writes a small object whole. */
  write(key: string, bytes: Buffer): Promise<void>
  /** Removes an object; well when there is none. */
  remove(key: string): Promise<void>
  /** The keys of all objects of ours, in any order. */
  keys(): AsyncIterable<string>
}

/** A part as it arrives at the node. */
export type ArrivingPart = {
  readonly body: Readable
  /** Undefined where its sender does not say. */
  readonly sizeBytes: number | undefined
  /** What it must turn out to be, in hex; undefined where nobody announced one. */
  readonly md5: string | undefined
  /** Aborted when the sender has left. */
  readonly signal: AbortSignal
  /** Told of bytes as they come. @throws TooLarge for those that the upload has no room for */
  take(bytes: number): void
}

/** A store that gets parts from the node: they come to the node's own address. */
export type PartStore = Pick<Storage, "listParts"> & {
  /**
   * Keeps one part in place of one that came before under its number; gives its ETag, without quotes. When it throws, nothing
   * of the part is kept.
   * @throws NotFound for an upload that is not open, BadRequest for a body that is not what was announced, TooLarge, Unavailable
   */
  putPart(upload: StoredUpload, partNumber: number, part: ArrivingPart): Promise<string>
}

/**
 * The first `length` bytes of a stream. What is longer is cut there: behind the length that an answer has announced its bytes
 * would be taken for another answer.
 * @throws Error when there are fewer
 */
export async function* exactBytes(bytes: Readable, length: number): AsyncGenerator<Buffer> {
  let left = length
  for await (const piece of bytes as AsyncIterable<Buffer>) {
    const wanted = piece.subarray(0, left)
    left -= wanted.length
    if (wanted.length > 0) yield wanted
    if (wanted.length < piece.length) return
  }
  if (left > 0) throw new Error(`The object ends ${left} bytes too early.`)
}
