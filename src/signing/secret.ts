import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

const SECRET_BYTES = 30

/** A new token, code or secret of 240 random bits. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString("base64url")

/** What is stored of a token, code or secret: from it the thing itself cannot be had. Not for passwords, which can be guessed. */
export const hashOf = (secret: string): Buffer<ArrayBuffer> => createHash("sha256").update(secret).digest()

/** Whether a secret is the one whose hash is stored, in a time that does not depend on either. */
export function isSecretOf(secret: string, storedHash: Uint8Array): boolean {
  const hash = hashOf(secret)
  return storedHash.length === hash.length && timingSafeEqual(hash, storedHash)
}
