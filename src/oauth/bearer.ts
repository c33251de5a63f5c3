import type { Viewer } from "../context.js"
import { BadRequest, Unauthorized } from "../errors.js"

/** The token of an Authorization header; undefined for other schemes, which are not ours. (RFC 6750) */
export function bearerIn(authorization: unknown): string | undefined {
  if (typeof authorization !== "string") return undefined
  return /^bearer(?: +(.*))?$/is.exec(authorization)?.[1]?.trim() ?? (/^bearer$/i.test(authorization) ? "" : undefined)
}

/** @throws BadRequest when X-Access-Token is there too and is another one */
export function refuseTwoTokens(bearer: string, token: unknown): void {
  if (token === undefined || token === bearer) return
  const text = "Authorization and X-Access-Token are two different tokens. Send one of them, or the same in both."
  throw new BadRequest(text)
}

/** The viewer of a bearer token. @throws Unauthorized when X-Client-ID is there too and the token is another client's */
export function ofSameClient(viewer: Viewer | undefined, clientId: unknown): Viewer | undefined {
  if (viewer === undefined || clientId === undefined || clientId === viewer.clientId) return viewer
  throw new Unauthorized(
    "The token in Authorization belongs to another client than X-Client-ID names. Leave X-Client-ID out.",
  )
}
