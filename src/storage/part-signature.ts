import { createHmac, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { PartCredentials, StoredUpload } from "./storage.js"

/** The window in which stores accept a signed date: how long part credentials last. */
const PART_LIFETIME_MS = 900_000

/** Whom parts are signed for. */
export type PartTarget = {
  /** Where clients reach the store, without a slash at the end. */
  readonly endpoint: string
  /** Before the key in the path: `/bucket`, or nothing. */
  readonly bucketPath: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Makes the credentials of one part. */
export type PartSigner = (upload: StoredUpload, partNumber: number, now: Date) => PartCredentials

/** Percent-encodes all but the unreserved characters of RFC 3986. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * Signs the three-header PUT of §4 by AWS version 2: `Authorization: AWS KEY:SIGNATURE` is an HMAC-SHA1 over the method, the
 * empty Content-MD5, Content-Type and Date, the HTTP date in `x-amz-date`, and the part. The only scheme of S3 that needs no
 * fourth header.
 */
export const signParts =
  (target: () => PartTarget): PartSigner =>
  ({ key, uploadId }, partNumber, now) => {
    const { endpoint, bucketPath, accessKeyId, secretAccessKey } = target()
    // HTTP dates have whole seconds, and the lifetime begins with the date that is signed.
    const second = Math.floor(now.getTime() / 1_000) * 1_000
    const date = new Date(second).toUTCString()
    const path = `${bucketPath}/${key.split("/").map(encode).join("/")}`
    const signed = ["PUT", "", "", "", `x-amz-date:${date}`, `${path}?partNumber=${partNumber}&uploadId=${uploadId}`]
    const signature = createHmac("sha1", secretAccessKey).update(signed.join("\n")).digest("base64")
    return {
      url: `${endpoint}${path}?partNumber=${partNumber}&uploadId=${encode(uploadId)}`,
      date,
      authorization: `AWS ${accessKeyId}:${signature}`,
      expiresAt: new Date(second + PART_LIFETIME_MS).toISOString(),
    }
  }

/** A PUT of a part as it arrives at an address of ours. */
export type SentPart = {
  /** Path and query as they came, below the endpoint of the signer. */
  readonly address: string
  readonly headers: IncomingHttpHeaders
}

const ADDRESS = /^\/([^?]{1,1024})\?partNumber=([1-9]\d{0,4})&uploadId=([^&]{1,1024})$/

/**
 * The part that a PUT has the credentials of, by making them again: address and headers must be those that were given out,
 * character by character, so that no other spelling of them is ever read. Undefined when they are not, or have ended.
 * @param sign signs for an endpoint that is the empty string
 */
export function partSignedFor(
  { address, headers }: SentPart,
  sign: PartSigner,
  now: Date,
): { upload: StoredUpload; partNumber: number } | undefined {
  const [, path, number, id] = ADDRESS.exec(address) ?? []
  const date = headers["x-amz-date"]
  const signedAt = typeof date === "string" ? new Date(date) : undefined
  if (path === undefined || id === undefined || signedAt === undefined || hasMoreThanIsSigned(headers)) return undefined
  if (!(Math.abs(now.getTime() - signedAt.getTime()) <= PART_LIFETIME_MS)) return undefined
  const [key, uploadId] = [decoded(path), decoded(id)]
  if (key === undefined || uploadId === undefined) return undefined
  const upload = { key, uploadId }
  const partNumber = Number(number)
  const made = sign(upload, partNumber, signedAt)
  const isMade = made.url === address && made.date === date && isSame(made.authorization, headers.authorization ?? "")
  return isMade ? { upload, partNumber } : undefined
}

/** A store with these signatures would have them signed, so that here too they do not go with the credentials. */
const hasMoreThanIsSigned = (headers: IncomingHttpHeaders): boolean =>
  Object.keys(headers).some((name) => name.startsWith("x-amz-") && name !== "x-amz-date") ||
  Boolean(headers["content-type"]) ||
  headers["content-md5"] !== undefined

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Compares in constant time. */
function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
