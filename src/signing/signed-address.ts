import { createHmac, timingSafeEqual } from "node:crypto"

/** An address that opens without headers, for a while. */
export type SignedAddress = {
  readonly url: string
  /** When it ends, in ISO 8601. */
  readonly expiresAt: string
}

/** Ends fall on whole half hours, so that an object has one address for as long as its readers compare it. */
const STEP_MS = 1_800_000

const signatureOf = (key: string, path: string, expires: string): string =>
  createHmac("sha256", key).update(`${path}\n${expires}`).digest("base64url")

/** Signs a path below `publicUrl`, which may have no query: good for half an hour to an hour. (§6 Files) */
export function signAddress(key: string, publicUrl: string, path: string, now: Date): SignedAddress {
  const end = Math.floor(now.getTime() / STEP_MS) * STEP_MS + 2 * STEP_MS
  const expires = String(end / 1_000)
  const url = `${publicUrl}${path}?expires=${expires}&signature=${signatureOf(key, path, expires)}`
  return { url, expiresAt: new Date(end).toISOString() }
}

/** Whether an address was signed for exactly this path and has not ended. */
export function isSigned(key: string, path: string, query: ReadonlyMap<string, string>, now: Date): boolean {
  const expires = query.get("expires") ?? ""
  const expected = Buffer.from(signatureOf(key, path, expires))
  const sent = Buffer.from(query.get("signature") ?? "")
  return sent.length === expected.length && timingSafeEqual(sent, expected) && Number(expires) * 1_000 > now.getTime()
}
