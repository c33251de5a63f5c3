import { createHmac } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"

/** Query parameters that are part of what is signed, in the words of the AWS documentation: subresources. */
const SUBRESOURCES = new Set([
  ...["acl", "cors", "delete", "lifecycle", "location", "logging", "notification", "partNumber", "policy"],
  ...["requestPayment", "response-cache-control", "response-content-disposition", "response-content-encoding"],
  ...["response-content-language", "response-content-type", "response-expires", "tagging", "torrent", "uploadId"],
  ...["uploads", "versionId", "versioning", "versions", "website"],
])

/** What a signature of version 2 is made of. */
export type SignedV2 = {
  readonly method: string
  /** In lower case; those that count are `content-md5`, `content-type`, `date` and all of `x-amz-`. */
  readonly headers: IncomingHttpHeaders
  /** Bucket and key as they stand in the request's path. */
  readonly path: string
  readonly query: URLSearchParams
  /** For a signature in the query: when it ends, in seconds since 1970. */
  readonly expires?: string
}

/** Bucket and key with the subresources of the query, decoded, in alphabetical order. */
function resourceOf({ path, query }: SignedV2): string {
  const parameters = [...query]
    .filter(([name]) => SUBRESOURCES.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => (value === "" ? name : `${name}=${value}`))
  return parameters.length === 0 ? path : `${path}?${parameters.join("&")}`
}

/** The signature of AWS version 2 (HMAC-SHA1 over method, MD5, type, date, `x-amz-` headers and resource), in base64. */
export function signatureV2(signed: SignedV2, secret: string): string {
  const { method, headers, expires } = signed
  const amz = Object.keys(headers)
    .filter((name) => name.startsWith("x-amz-"))
    .sort()
  // The date of x-amz-date stands among the headers, so the line of the Date header stays empty.
  const date = expires ?? (headers["x-amz-date"] === undefined ? (headers.date ?? "") : "")
  const lines = [
    ...[method, headers["content-md5"] ?? "", headers["content-type"] ?? "", date],
    ...amz.map((name) => `${name}:${String(headers[name]).trim()}`),
    resourceOf(signed),
  ]
  return createHmac("sha1", secret).update(lines.join("\n")).digest("base64")
}
