import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import type { Request, Response } from "express"
import { hasTag } from "./if-none-match.js"

type Made = { readonly plain: Buffer; readonly packed: Buffer; readonly etag: string }

/** A text or file that is made, and packed, when it is first asked for, and cached. */
export type Cached = { get(): Promise<Made> }

/** For what has another address whenever it is another. */
export const FOR_EVER = { "Cache-Control": "public, max-age=31536000, immutable" }

/** Keeps what `make` gives: most nodes are never asked for it. What fails is made anew for the next. */
export function cache(make: () => string | Promise<Buffer>): Cached {
  let made: Promise<Made> | undefined
  async function build(): Promise<Made> {
    const content = await make()
    const plain = typeof content === "string" ? Buffer.from(content) : content
    // Weak: packed or not, it is the same text.
    const digest = createHash("sha256").update(plain).digest("base64url").slice(0, 16)
    return { plain, packed: await promisify(gzip)(plain), etag: `W/"${digest}"` }
  }
  return {
    get() {
      made ??= build().catch((error: unknown) => {
        made = undefined
        throw error
      })
      return made
    },
  }
}

/** Sends what is cached, or 304 to clients that have it. `headers` has its type, and how long it may be cached. */
export async function sendCached(
  request: Request,
  response: Response,
  cached: Cached,
  headers: Record<string, string>,
): Promise<void> {
  const { plain, packed, etag } = await cached.get()
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
