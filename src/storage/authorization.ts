import { timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { PART_LIFETIME_MS } from "./part-signature.js"
import { S3Error } from "./s3-error.js"
import { signatureV2 } from "./signature-v2.js"
import { signatureV4 } from "./signature-v4.js"

/** Whose signatures are good. */
export type StoreKeys = { readonly accessKeyId: string; readonly secretAccessKey: string }

/** A request and the addresses under which its client may know it. */
export type Signed = {
  readonly request: IncomingMessage
  /** Bucket and key as they came. */
  readonly path: string
  readonly query: URLSearchParams
  /** What may stand before the path where the client sees it, and its host: a proxy may have changed both. */
  readonly seenAs: readonly { readonly host: string; readonly prefix: string }[]
  readonly now: Date
}

/** Stores accept a date that is off by that much, either way. */
const SKEW_MS = PART_LIFETIME_MS
/** The longest that a presigned address may last: a week. */
const LONGEST_PRESIGNED_S = 604_800

/** Compares in constant time. */
function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function refuseSkewed(date: Date | undefined, now: Date): void {
  if (date === undefined || Number.isNaN(date.getTime()))
    throw new S3Error("AccessDenied", "A valid Date or x-amz-date header is required.")
  if (Math.abs(now.getTime() - date.getTime()) > SKEW_MS)
    throw new S3Error("RequestTimeTooSkewed", "The date of the request is too far from the store's.")
}

function refuseUnknown(accessKeyId: string | null | undefined, keys: StoreKeys): void {
  if (!isSame(accessKeyId ?? "", keys.accessKeyId))
    throw new S3Error("InvalidAccessKeyId", "There is no such access key.")
}

const refuseUnless = (isGood: boolean): void => {
  if (!isGood) throw new S3Error("SignatureDoesNotMatch", "The signature does not match.")
}

/**
 * Lets a request pass that is signed by AWS version 2 or 4, in its headers or in its query.
 * @returns the SHA-256 that the body must have, in hex; undefined when the signature does not cover the body
 * @throws S3Error
 */
export function authorize(signed: Signed, keys: StoreKeys): string | undefined {
  const authorization = signed.request.headers.authorization ?? ""
  const { query } = signed
  if (authorization.startsWith("AWS ")) return byHeaderV2(signed, authorization.slice(4), keys)
  if (authorization.startsWith("AWS4-HMAC-SHA256 ")) return byHeaderV4(signed, authorization.slice(17), keys)
  if (authorization !== "") throw new S3Error("InvalidRequest", "The Authorization header is of no known kind.")
  if (query.has("X-Amz-Signature")) return byQueryV4(signed, keys)
  if (query.has("Signature")) return byQueryV2(signed, keys)
  throw new S3Error("AccessDenied", "The request is not signed.")
}

/** Checks a three-header request against `keys`. @throws S3Error */
export function byHeaderV2({ request, path, query, now }: Signed, credentials: string, keys: StoreKeys): undefined {
  const { method = "", headers } = request
  const colon = credentials.lastIndexOf(":")
  refuseUnknown(credentials.slice(0, Math.max(colon, 0)), keys)
  const date = headers["x-amz-date"] ?? headers.date
  refuseUnless(
    isSame(signatureV2({ method, headers, path, query }, keys.secretAccessKey), credentials.slice(colon + 1)),
  )
  refuseSkewed(date === undefined ? undefined : new Date(String(date)), now)
}

function byQueryV2({ request, path, query, now }: Signed, keys: StoreKeys): undefined {
  const { method = "", headers } = request
  refuseUnknown(query.get("AWSAccessKeyId"), keys)
  const expires = query.get("Expires") ?? ""
  const signature = signatureV2({ method, headers, path, query, expires }, keys.secretAccessKey)
  refuseUnless(isSame(signature, query.get("Signature") ?? ""))
  if (!(Number(expires) * 1_000 >= now.getTime())) throw new S3Error("AccessDenied", "The request has expired.")
}

const COMPACT = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/
const dateOf = (compact: string): Date | undefined =>
  COMPACT.test(compact) ? new Date(compact.replace(COMPACT, "$1-$2-$3T$4:$5:$6Z")) : undefined

type ClaimV4 = { credential: string; signedHeaders: string; signature: string; date: string; payload: string }

function byHeaderV4(signed: Signed, text: string, keys: StoreKeys): string | undefined {
  const pairs = text.split(",").map((pair) => pair.trim().split("=", 2) as [string, string])
  const claimed = new Map(pairs)
  const { headers } = signed.request
  const payload = headers["x-amz-content-sha256"]
  if (typeof payload !== "string")
    throw new S3Error("InvalidRequest", "Missing required header for this request: x-amz-content-sha256")
  const date = String(headers["x-amz-date"] ?? "")
  check(signed, keys, [...signed.query], {
    credential: claimed.get("Credential") ?? "",
    signedHeaders: claimed.get("SignedHeaders") ?? "",
    signature: claimed.get("Signature") ?? "",
    date,
    payload,
  })
  refuseSkewed(dateOf(date), signed.now)
  return /^[0-9a-f]{64}$/.test(payload) ? payload : undefined
}

function byQueryV4(signed: Signed, keys: StoreKeys): undefined {
  const { query, now } = signed
  const date = query.get("X-Amz-Date") ?? ""
  const claim = {
    credential: query.get("X-Amz-Credential") ?? "",
    signedHeaders: query.get("X-Amz-SignedHeaders") ?? "",
    signature: query.get("X-Amz-Signature") ?? "",
    date,
    payload: "UNSIGNED-PAYLOAD",
  }
  const rest = [...query].filter(([name]) => name !== "X-Amz-Signature")
  check(signed, keys, rest, claim)
  const since = dateOf(date)?.getTime() ?? Number.NaN
  const lifetime = Number(query.get("X-Amz-Expires"))
  const isInTime = since - SKEW_MS <= now.getTime() && now.getTime() <= since + lifetime * 1_000
  if (!isInTime || !(lifetime <= LONGEST_PRESIGNED_S)) throw new S3Error("AccessDenied", "The request has expired.")
}

function check(
  { request, path, seenAs }: Signed,
  keys: StoreKeys,
  query: [string, string][],
  { credential, signedHeaders, signature, date, payload }: ClaimV4,
): void {
  const [accessKeyId, day, region = "", service] = credential.split("/")
  refuseUnknown(accessKeyId, keys)
  const names = signedHeaders.split(";")
  // Without the host in it a signature would be good for any store with these keys.
  refuseUnless(day === date.slice(0, 8) && service === "s3" && names.includes("host"))
  const isGood = seenAs.some(({ host, prefix }) => {
    const headers = new Map(
      names.map((name) => [name, name === "host" ? host : String(request.headers[name] ?? "")] as const),
    )
    const signed = { method: request.method ?? "", path: prefix + path, query, headers, payload, date, region }
    return isSame(signatureV4(signed, keys.secretAccessKey), signature)
  })
  refuseUnless(isGood)
}
