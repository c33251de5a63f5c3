import type { Request, RequestHandler, Response } from "express"
import { BadRequest, Forbidden, MethodNotAllowed, NotFound } from "../../errors.js"
import { PARTS_PATH } from "../../storage/open-storage.js"
import { partRooms } from "../../storage/part-room.js"
import { type PartSigner, partSignedFor } from "../../storage/part-signature.js"
import type { PartStore } from "../../storage/storage.js"
import { allowSlowBody, REQUEST_TIMEOUT_MS } from "../http/slow-body.js"
import { sendProblem } from "../rest/router.js"

/** What an open upload says of one of its parts. */
export type ExpectedPart = { readonly fileSize: number; readonly md5: string | undefined }

/** What taking parts needs of the node. */
export type PartEndpointParts = {
  readonly store: PartStore
  /** Signs for an endpoint that is the empty string. */
  readonly sign: PartSigner
  /** Undefined for an upload that is not open. */
  expected(key: string, uploadId: string, partNumber: number): Promise<ExpectedPart | undefined>
  /** Keeps under which ETag the store took a part that it saw to have that MD5; told where the two are not the same. */
  keepEtag(key: string, partNumber: number, md5: string, etag: string): Promise<unknown>
  now(): Date
  /** A test's own, in place of {@link REQUEST_TIMEOUT_MS}. */
  readonly windowMs?: number
}

/** So much of a body that is refused is still read, so that its sender gets to read why. */
const READ_AWAY_BYTES = 16 * 1024 ** 2

/**
 * Takes parts below {@link PARTS_PATH} by the three headers of §4, each with the credentials that were made for it: the only way
 * in which bytes come into a store through this node.
 */
export function partEndpoint({ store, sign, expected, keepEtag, now, windowMs }: PartEndpointParts): RequestHandler {
  const enter = partRooms(store)

  async function take(request: Request, response: Response): Promise<string> {
    if (request.method !== "PUT") throw new MethodNotAllowed(["PUT", "OPTIONS"])
    const address = request.originalUrl
    const signed =
      address.startsWith(PARTS_PATH) &&
      partSignedFor({ address: address.slice(PARTS_PATH.length), headers: request.headers }, sign, now())
    if (!signed)
      throw new Forbidden(
        "These are not the address and headers that were made for a part, or they have ended. Ask for new ones.",
      )
    const { upload, partNumber } = signed
    const part = await expected(upload.key, upload.uploadId, partNumber)
    if (part === undefined) throw new NotFound("There is no such upload, or it is finished.")
    const length = request.headers["content-length"]
    const sizeBytes = length === undefined ? undefined : Number(length)
    const room = await enter(upload, partNumber, part.fileSize)
    const leaving = new AbortController()
    request.once("close", () => {
      if (!request.complete) leaving.abort()
    })
    const endPace = allowSlowBody(request, () => refuseSlow(request, response), windowMs)
    let isKept = false
    try {
      room.hold(sizeBytes ?? 0)
      const { take } = room
      const arriving = { body: request, sizeBytes, md5: part.md5, signal: leaving.signal, take }
      const etag = await store.putPart(upload, partNumber, arriving)
      isKept = true
      if (part.md5 !== undefined && etag !== part.md5) await keepEtag(upload.key, partNumber, part.md5, etag)
      return etag
    } finally {
      endPace()
      room.leave(isKept)
    }
  }

  return async (request, response) => {
    try {
      const etag = await take(request, response)
      response.writeHead(200, { ETag: `"${etag}"`, "Content-Length": 0 }).end()
    } catch (error) {
      if (!request.complete) readAway(request, windowMs)
      throw error
    }
  }
}

/** A connection that is closed while its sender still sends is reset, and the answer with it. */
function readAway(request: Request, windowMs = REQUEST_TIMEOUT_MS): void {
  let left = READ_AWAY_BYTES
  const timer = setTimeout(() => request.destroy(), windowMs)
  request.on("data", ({ length }: Buffer) => {
    left -= length
    if (left < 0) request.destroy()
  })
  request.once("close", () => clearTimeout(timer))
}

function refuseSlow(request: Request, response: Response): void {
  response.once("finish", () => request.destroy()).setHeader("Connection", "close")
  sendProblem(
    response,
    new BadRequest("The part arrived too slowly: send at least 1 KiB per second. Send it again.", {}, 408),
  )
}
