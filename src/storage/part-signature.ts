import { signatureV2 } from "./signature-v2.js"
import { canonicalQuery, compactDate, encode, scopeOf, signatureV4 } from "./signature-v4.js"
import type { PartCredentials, StoredUpload } from "./storage.js"

/** The window in which stores accept a signed date: how long part credentials last. */
export const PART_LIFETIME_MS = 900_000

/** Whom parts are signed for. */
export type PartTarget = {
  /** Where clients reach the store, without a slash at the end. */
  readonly endpoint: string
  /** Before the key in the path: `/bucket`, or nothing. */
  readonly bucketPath: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Makes the credentials of one part. */
export type PartSigner = (upload: StoredUpload, partNumber: number, now: Date) => PartCredentials

/** A key as a path has it: its slashes stay. */
const pathOf = (key: string): string => key.split("/").map(encode).join("/")

const partQuery = (partNumber: number, uploadId: string): [string, string][] => [
  ["partNumber", String(partNumber)],
  ["uploadId", uploadId],
]

/** HTTP dates have whole seconds, and the lifetime begins with the date that is signed. */
function datesOf(now: Date): { date: string; expiresAt: string } {
  const second = Math.floor(now.getTime() / 1_000) * 1_000
  return {
    date: new Date(second).toUTCString(),
    expiresAt: new Date(second + PART_LIFETIME_MS).toISOString(),
  }
}

/**
 * Signs the three-header PUT of §4 by AWS version 2: `Authorization: AWS KEY:SIGNATURE` over the empty Content-Type, the
 * HTTP date in `x-amz-date`, and the part. The only scheme of S3 that needs no fourth header.
 */
export const signPartsV2 =
  (target: () => PartTarget): PartSigner =>
  ({ key, uploadId }, partNumber, now) => {
    const { endpoint, bucketPath, accessKeyId, secretAccessKey } = target()
    const { date, expiresAt } = datesOf(now)
    const path = `${bucketPath}/${pathOf(key)}`
    const query = new URLSearchParams(partQuery(partNumber, uploadId))
    const signature = signatureV2({ method: "PUT", headers: { "x-amz-date": date }, path, query }, secretAccessKey)
    const url = `${endpoint}${path}?${canonicalQuery(query)}`
    return { url, date, authorization: `AWS ${accessKeyId}:${signature}`, expiresAt }
  }

/** Puts the whole signature into the address (AWS version 4); the Authorization header is to be empty. */
export const presignParts =
  (target: () => PartTarget): PartSigner =>
  ({ key, uploadId }, partNumber, now) => {
    const { endpoint, bucketPath, region, accessKeyId, secretAccessKey } = target()
    const { date, expiresAt } = datesOf(now)
    const signed = { date: compactDate(now), region }
    const { host, pathname } = new URL(endpoint)
    const path = `${pathname.replace(/\/$/, "")}${bucketPath}/${pathOf(key)}`
    const query: [string, string][] = [
      ...partQuery(partNumber, uploadId),
      ["X-Amz-Algorithm", "AWS4-HMAC-SHA256"],
      ["X-Amz-Credential", `${accessKeyId}/${scopeOf(signed)}`],
      ["X-Amz-Date", signed.date],
      ["X-Amz-Expires", String(PART_LIFETIME_MS / 1_000)],
      ["X-Amz-SignedHeaders", "host"],
    ]
    const headers = new Map([["host", host]])
    const request = { ...signed, method: "PUT", path, query, headers, payload: "UNSIGNED-PAYLOAD" }
    const signature = signatureV4(request, secretAccessKey)
    const url = `${new URL(endpoint).origin}${path}?${canonicalQuery(query)}&X-Amz-Signature=${signature}`
    return { url, date, authorization: "", expiresAt }
  }
