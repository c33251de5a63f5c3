import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

/** One message as a push service got it. */
export type Pushed = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly at: number
}

/** A push service that answers what it is told to. */
export type PushService = {
  readonly url: string
  /** Everything that has come, also what was not answered well. */
  readonly pushed: Pushed[]
  /** What has come to one path. */
  at(path: string): Pushed[]
  /** What it answers at a path, one after the other and the last for ever; 201 unless told, 0 for no answer. */
  answers(path: string, ...statuses: number[]): void
  connections(): number
  stop(): Promise<void>
}

/** Starts one on loopback, over HTTP. */
export async function startPushService(headers: Record<string, string> = {}): Promise<PushService> {
  const pushed: Pushed[] = []
  const answers = new Map<string, number[]>()
  let connections = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on("data", (chunk) => chunks.push(chunk))
      .on("end", () => {
        const path = request.url as string
        pushed.push({ path, headers: request.headers, body: Buffer.concat(chunks), at: Date.now() })
        const left = answers.get(path) ?? [201]
        const status = left.length > 1 ? left.shift() : left[0]
        if (status !== 0) response.writeHead(status as number, headers).end()
      })
  }).on("connection", () => connections++)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pushed,
    at: (wanted) => pushed.filter(({ path }) => path === wanted),
    answers: (path, ...statuses) => void answers.set(path, statuses),
    connections: () => connections,
    stop() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** A browser that has subscribed at `endpoint`, and can read what comes. */
export type Browser = {
  readonly subscription: { endpoint: string; expirationTime: null; keys: { p256dh: string; auth: string } }
  /** Decrypts a message by RFC 8291, written anew from its text. */
  read(message: Pushed): any
}

/** Makes one with new keys. */
export function makeBrowser(endpoint: string): Browser {
  const pair = createECDH("prime256v1")
  const publicKey = pair.generateKeys()
  const auth = randomBytes(16)
  const derive = (key: Buffer, salt: Buffer, info: string | Buffer, length: number) =>
    Buffer.from(hkdfSync("sha256", key, salt, info, length))
  return {
    subscription: {
      endpoint,
      expirationTime: null,
      keys: { p256dh: publicKey.toString("base64url"), auth: auth.toString("base64url") },
    },
    read({ body }) {
      const salt = body.subarray(0, 16)
      const keyLength = body.readUInt8(20)
      const sender = body.subarray(21, 21 + keyLength)
      const record = body.subarray(21 + keyLength)
      const info = Buffer.concat([Buffer.from("WebPush: info\0"), publicKey, sender])
      const secret = derive(pair.computeSecret(sender), auth, info, 32)
      const decipher = createDecipheriv(
        "aes-128-gcm",
        derive(secret, salt, "Content-Encoding: aes128gcm\0", 16),
        derive(secret, salt, "Content-Encoding: nonce\0", 12),
      )
      decipher.setAuthTag(record.subarray(-16))
      const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
      return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString())
    },
  }
}

/** What a message says of its sender (RFC 8292), once its signature has been verified by the key that it names. */
export function senderOf({ headers }: Pushed): { key: string; claims: { aud: string; exp: number; sub: string } } {
  const [, token = "", key = ""] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers.authorization ?? "") ?? []
  const [head, claims, signature = ""] = token.split(".")
  const point = Buffer.from(key, "base64url")
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"))
  const publicKey = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y } })
  const isGood = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  )
  if (!isGood) throw new Error("the signature is not good")
  return { key, claims: JSON.parse(Buffer.from(claims as string, "base64url").toString()) }
}
