import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import { BadRequest, RateLimited, TooLarge } from "../../errors.js"
import { networkOf } from "../../operations/network.js"
import type { Id } from "../../statement.js"

/** The largest body that is read of a user, and of a request that nobody answers for. */
const BODY_LIMIT_BYTES = 1_048_576
const ANONYMOUS_LIMIT_BYTES = 65_536
/** So much of bodies that are not complete is kept for one sender at a time, in all requests together. */
const HELD_LIMIT_BYTES = 32 * 1024 ** 2

const heldBytes = new Map<string, number>()

/**
 * Reads the body of a request as JSON; undefined when it has none. Members of objects come as they were sent, `__proto__` too,
 * as members of their own. (§1)
 * @param userId who answers for it; undefined where the headers do not tell, and then less is read
 * @throws BadRequest: no JSON, another content type (400) or encoding (415) · TooLarge · RateLimited
 */
export async function readJson(request: IncomingMessage, userId: Id | undefined): Promise<unknown> {
  if (request.headers["content-length"] === undefined && request.headers["transfer-encoding"] === undefined)
    return undefined
  refuseEncoded(request)
  const bytes = await (userId === undefined
    ? readBytes(request, ANONYMOUS_LIMIT_BYTES)
    : readBytes(request, BODY_LIMIT_BYTES, `user ${userId}`))
  if (bytes.length === 0) return undefined
  if (!isJson(request.headers["content-type"]))
    throw new BadRequest("Send the body as JSON: Content-Type: application/json, in UTF-8.")
  if (!isUtf8(bytes)) throw new BadRequest("The body is not valid UTF-8.")
  try {
    // A byte order mark is no JSON, so it is refused here.
    return JSON.parse(bytes.toString())
  } catch {
    throw new BadRequest("The body is not valid JSON.")
  }
}

/** @throws BadRequest (415) for a body that is compressed; some clients name its characters instead, which means nothing */
export function refuseEncoded({ headers }: IncomingMessage): void {
  if (!/^(identity|utf-?8)?$/i.test(headers["content-encoding"]?.trim() ?? ""))
    throw new BadRequest("Send the body as it is: no Content-Encoding is supported.", {}, 415)
}

/** In any case, with or without the only character set that JSON has. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === "application/json") return true
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";")
  if (type.trim() !== "application/json") return false
  return parameters.every((parameter) => !/^\s*charset\s*=/.test(parameter) || /=\s*"?utf-?8"?\s*$/.test(parameter))
}

/**
 * Reads a body. Past the limit it keeps nothing more; Node reads the rest away after the answer, so that the connection can be
 * used again.
 * @param sender whose share of the memory it takes; by default that of the network from which it comes
 * @throws TooLarge, BadRequest when it ends too early, RateLimited when its sender has too much on its way
 */
export function readBytes(
  request: IncomingMessage,
  limitBytes: number,
  sender: string = `network ${networkOf((request as IncomingMessage & { ip?: string }).ip)}`,
): Promise<Buffer> {
  if (Number(request.headers["content-length"]) > limitBytes) return Promise.reject(new TooLarge(limitBytes))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const settle = (error: Error | undefined) => {
      request.off("data", take).off("end", end).off("error", cut).off("close", cut)
      const held = (heldBytes.get(sender) ?? 0) - length
      if (held > 0) heldBytes.set(sender, held)
      else heldBytes.delete(sender)
      if (error) reject(error)
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    }
    const take = (chunk: Buffer) => {
      length += chunk.length
      const held = (heldBytes.get(sender) ?? 0) + chunk.length
      heldBytes.set(sender, held)
      if (length > limitBytes) settle(new TooLarge(limitBytes))
      else if (held > HELD_LIMIT_BYTES) settle(new RateLimited(1))
      else chunks.push(chunk)
    }
    const end = () => settle(undefined)
    const cut = () => settle(new BadRequest("The body ended too early."))
    request.on("data", take).on("end", end).on("error", cut).on("close", cut)
  })
}
