import { createECDH } from "node:crypto"
import { signingKey } from "../../database/signing-key.js"
import type { Runner } from "../../statement.js"

/** Who this service is to push services (RFC 8292): both keys in base64url. */
export type VapidKeys = { readonly publicKey: string; readonly privateKey: string }

/** The keys of all nodes of the database. Made at the first start and kept: browsers are subscribed to the public one. */
export async function vapidKeys(db: Runner): Promise<VapidKeys> {
  const secret = Buffer.from(await signingKey(db, "vapid"), "hex")
  const pair = createECDH("prime256v1")
  pair.setPrivateKey(secret)
  return { publicKey: pair.getPublicKey("base64url"), privateKey: secret.toString("base64url") }
}
