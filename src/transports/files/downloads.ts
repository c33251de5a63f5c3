import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import express, { type Request, type Response, type Router } from "express"
import type { Context, Transacted } from "../../context.js"
import { Forbidden, NotFound } from "../../errors.js"
import { storedFile } from "../../resources/file/file.statements.js"
import { downloadPath } from "../../resources/file/file.type.js"
import { bytesOfFile, thumbnailIn } from "../../resources/preview/preview.commands.js"
import { previewPath } from "../../resources/preview/preview.type.js"
import { idOf } from "../../scalars/scalars.js"
import { isSigned } from "../../signing/signed-address.js"
import { instantOf } from "../../statement.js"
import { rangeOf } from "../../storage/byte-range.js"
import { exactBytes } from "../../storage/storage.js"
import { getOnly } from "../http/get-only.js"
import { hasTag } from "../http/if-none-match.js"
import { queryOf } from "../rest/parameters.js"
import { attachment } from "./content-disposition.js"

/** Not longer than an address lasts at least. */
const CACHED = { "Cache-Control": "private, max-age=1800" }

/** What downloads need of the node. */
export type DownloadParts = Pick<Context, "storage" | "now"> & {
  readonly db: Pick<Transacted, "run" | "prisma">
  /** With which addresses were signed. */
  readonly key: string
}

/** No script runs, nothing is loaded, and nobody guesses that the bytes are something else than they are said to be. */
const HARMLESS = {
  "Content-Security-Policy": "sandbox; default-src 'none'",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Referrer-Policy": "no-referrer",
}

/** Types that a browser may run, and whatever is no type at all, go out as plain bytes. */
const typeFor = (contentType: string): string => {
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? ""
  const isPlain = /^(?:image|audio|video|text|application|font|model)\/[a-z0-9][a-z0-9.+-]{0,100}$/.test(type)
  return isPlain && !/html|xml|svg|script|css|multipart/.test(type) ? type : "application/octet-stream"
}

/**
 * Where files and their thumbnails are had without headers, by the signature in their address: `GET /downloads/:id` and
 * `GET /previews/:id/:width`. Bytes come from the store as they are asked for.
 */
export function downloads({ db, storage, now, key }: DownloadParts): Router {
  const router = express.Router()

  function refuseUnsigned(request: Request, path: string): void {
    if (!isSigned(key, path, queryOf(request), now()))
      throw new Forbidden("This address is not valid or has expired. Read the file again to get a new one.")
  }

  router.get("/downloads/:id", async (request, response) => {
    const id = idOf(request.params.id)
    refuseUnsigned(request, downloadPath(id))
    const [file] = await db.run(storedFile, [id])
    if (file === undefined) throw new NotFound()
    const { storageKey, fileName, fileSize, contentType, createdAt } = file
    const tag = `"${id}"`
    const changedAt = new Date(instantOf(createdAt))
    const known = { "Last-Modified": changedAt.toUTCString(), ETag: tag }
    if (hasTag(request, tag) || isSince(request, changedAt))
      return void response.writeHead(304, { ...CACHED, ...known }).end()
    // Of other bytes than these nobody wants a span of these.
    const ofThese = (request.headers["if-range"] ?? tag) === tag
    const range = ofThese ? rangeOf(request.headers.range, fileSize) : undefined
    if (range === "beyond") return void response.status(416).set("Content-Range", `bytes */${fileSize}`).end()
    const { start, end } = range ?? { start: 0, end: fileSize - 1 }
    await sendBytes(request, response, () => storage.read(storageKey, { start, end }), {
      "Content-Type": typeFor(contentType),
      "Content-Disposition": attachment(fileName),
      "Content-Length": String(end - start + 1),
      "Accept-Ranges": "bytes",
      ...known,
      ...(range === undefined ? {} : { "Content-Range": `bytes ${start}-${end}/${fileSize}` }),
    })
  })

  router.get("/previews/:id/:width", async (request, response) => {
    const id = idOf(request.params.id)
    const width = Number(request.params.width)
    refuseUnsigned(request, previewPath(id, width))
    const file = await bytesOfFile(db, id)
    const { storageKey, contentType } = await thumbnailIn({ db, storage }, file, width)
    await sendBytes(request, response, () => storage.read(storageKey), { "Content-Type": contentType })
  })
  for (const path of ["/downloads/:id", "/previews/:id/:width"]) router.all(path, getOnly)
  return router
}

/** Whether the client has these bytes by their time, which counts where it sends no tag (RFC 9110, 13.1.3). */
function isSince({ headers }: Request, changedAt: Date): boolean {
  if (headers["if-none-match"] !== undefined) return false
  return Date.parse(headers["if-modified-since"] ?? "") >= Math.floor(changedAt.getTime() / 1_000) * 1_000
}

/** Sends what can be read as the body of a 200, or of a 206 when the headers name a range. @throws NotFound when there is nothing */
async function sendBytes(
  request: Request,
  response: Response,
  read: () => Promise<Readable | undefined>,
  headers: Record<string, string>,
): Promise<void> {
  const isHead = request.method === "HEAD"
  const bytes = isHead ? undefined : await read()
  if (!isHead && bytes === undefined) throw new NotFound()
  // Not Express's own, which would say of every text that it is UTF-8.
  response.writeHead("Content-Range" in headers ? 206 : 200, { ...HARMLESS, ...CACHED, ...headers })
  if (bytes === undefined) response.end()
  // A client that left, or a store that broke off: the answer is cut, so that nobody takes it for whole.
  else
    await pipeline(
      "Content-Length" in headers ? exactBytes(bytes, Number(headers["Content-Length"])) : bytes,
      response,
    ).catch(() => response.destroy())
}
