import { createECDH, createPrivateKey, randomBytes } from "node:crypto"
import { type Due, subscriptionOf, type TakenPush } from "./push.statements.js"
import type { VapidKeys } from "./vapid.js"

/** Nobody wants to be reminded of it later than this. */
export const WORTH_TELLING_SECONDS = 3_600

/** Whom a push service may turn to, beside the service's keys: `mailto:` or an https address (RFC 8292). */
export type VapidDetails = VapidKeys & { readonly subject: string }

/** What a push service is sent. */
export type PushMessage = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** What the browser's service worker gets. It is far below the 4,096 bytes that every push service carries. */
const contentOf = ({ id, taskId, listId, date, title }: Due): string =>
  JSON.stringify({
    type: "reminder_due",
    reminder: { id: Number(id), task_id: Number(taskId), date, type: "reminder" },
    task: { id: Number(taskId), list_id: Number(listId), title, type: "task" },
  })

const load = () => Promise.all([import("http_ece"), import("jose")])

/** Loads what encrypts and signs, which the first push would have to wait for; a node answers before. */
export const loadEncryption = (): Promise<unknown> => load()

/** So long a push service may take what was signed for another message to it. RFC 8292 allows a day. */
const SIGNED_FOR = "12 hours"

const CURVE = "prime256v1"

/**
 * Encrypts a reminder for one browser (RFC 8291) and signs for this service (RFC 8292). A push service that holds an earlier
 * attempt of the same reminder replaces it by this one.
 * @throws for a key that is no point of the curve
 */
export async function messageOf(push: TakenPush, due: Due, vapid: VapidDetails): Promise<PushMessage> {
  const [{ default: ece }, { SignJWT }] = await load()
  const { endpoint, keys } = subscriptionOf(push)
  const pair = createECDH(CURVE)
  pair.generateKeys()
  const body = ece.encrypt(Buffer.from(contentOf(due)), {
    version: "aes128gcm",
    dh: keys.p256dh,
    authSecret: keys.auth,
    privateKey: pair,
    salt: randomBytes(16),
  })
  const token = await new SignJWT()
    .setProtectedHeader({ typ: "JWT", alg: "ES256" })
    .setAudience(new URL(endpoint).origin)
    .setExpirationTime(SIGNED_FOR)
    .setSubject(vapid.subject)
    .sign(signingKeyOf(vapid))
  return {
    url: endpoint,
    headers: {
      Authorization: `vapid t=${token}, k=${vapid.publicKey}`,
      "Content-Encoding": "aes128gcm",
      "Content-Type": "application/octet-stream",
      TTL: String(Math.max(60, Math.floor(WORTH_TELLING_SECONDS - push.ageSeconds))),
      Urgency: "high",
      Topic: `reminder-${due.id}`,
    },
    body,
  }
}

function signingKeyOf({ publicKey, privateKey }: VapidKeys) {
  const point = Buffer.from(publicKey, "base64url")
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"))
  return createPrivateKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y, d: privateKey } })
}
