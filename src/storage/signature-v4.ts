import { createHash, createHmac } from "node:crypto"

/** What a signature of version 4 is made of. */
export type SignedV4 = {
  readonly method: string
  /** As it stands in the request line. */
  readonly path: string
  readonly query: Iterable<readonly [string, string]>
  /** Names in lower case with their values, those that are signed and no others. */
  readonly headers: ReadonlyMap<string, string>
  /** SHA-256 of the body in hex, or `UNSIGNED-PAYLOAD`. */
  readonly payload: string
  /** `YYYYMMDDTHHMMSSZ`. */
  readonly date: string
  readonly region: string
}

/** `YYYYMMDDTHHMMSSZ`, the only form in which version 4 writes an instant. */
export const compactDate = (instant: Date): string => instant.toISOString().replace(/[-:]|\.\d{3}/g, "")

/** Percent-encodes all but the unreserved characters of RFC 3986. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest()

/** The scope of a signature: a day, a region, the service. */
export const scopeOf = ({ date, region }: Pick<SignedV4, "date" | "region">): string =>
  `${date.slice(0, 8)}/${region}/s3/aws4_request`

/** A query as it is signed: encoded, by name and then value. */
export const canonicalQuery = (query: Iterable<readonly [string, string]>): string =>
  [...query]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map((pair) => pair.join("="))
    .join("&")

/** The signature of AWS version 4, in hex. */
export function signatureV4(signed: SignedV4, secret: string): string {
  const { method, path, query, headers, payload, date, region } = signed
  const names = [...headers.keys()].sort()
  const canonical = [
    ...[method, path, canonicalQuery(query)],
    ...names.map((name) => `${name}:${headers.get(name)?.trim().replace(/\s+/g, " ")}`),
    ...["", names.join(";"), payload],
  ].join("\n")
  const hash = createHash("sha256").update(canonical).digest("hex")
  const key = [date.slice(0, 8), region, "s3", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secret}`)
  return hmac(key, ["AWS4-HMAC-SHA256", date, scopeOf(signed), hash].join("\n")).toString("hex")
}
