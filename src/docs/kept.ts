import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import type { Request, Response } from "express"
import { hasTag } from "../rest/etag.js"

type Made = { readonly plain: Buffer; readonly packed: Buffer; readonly etag: string }

/** A text that is made when it is first asked for, and kept. */
export type Kept = { readonly get: () => Made }

/** Keeps what `make` gives: most nodes are never asked for it. */
export function keep(make: () => string): Kept {
  let made: Made | undefined
  return {
    get() {
      if (made === undefined) {
        const plain = Buffer.from(make())
        // Weak: packed or not, it is the same text.
        const digest = createHash("sha256").update(plain).digest("base64url").slice(0, 16)
        made = { plain, packed: gzipSync(plain), etag: `W/"${digest}"` }
      }
      return made
    },
  }
}

/** Sends a kept text, or 304 to who has it. `headers` says its type, and how long it may be used without asking again. */
export function sendKept(request: Request, response: Response, kept: Kept, headers: Record<string, string>): void {
  const { plain, packed, etag } = kept.get()
  response.set({
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
    Vary: "Accept-Encoding",
    ETag: etag,
  })
  response.set(headers)
  if (hasTag(request, etag)) return void response.writeHead(304).end()
  const isPacked = request.headers["accept-encoding"]?.includes("gzip") ?? false
  const bytes = isPacked ? packed : plain
  response.writeHead(200, { "Content-Length": bytes.length, ...(isPacked && { "Content-Encoding": "gzip" }) })
  response.end(request.method === "HEAD" ? undefined : bytes)
}
