import { createHash, randomBytes } from "node:crypto"
import { LRUCache } from "lru-cache"
import type { Dialect, Viewer } from "../context.js"
import { type Id, type Runner, statement } from "../statement.js"

const TOKEN_BYTES = 30
const KEPT_VIEWERS = 10_000

/** What is stored of a token or secret: from it the thing itself cannot be had. */
export const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest()

/** A new token or secret of 240 random bits. */
export const newSecret = (): string => randomBytes(TOKEN_BYTES).toString("base64url")

const viewerOfToken = statement(
  "viewer_of_token",
  `select a.user_id, a.id, a.application_id, p.client_id, p.dialect from access_tokens a join applications p on p.id = a.application_id
   where a.token_hash = $1 and p.client_id = $2 and a.revoked_at is null`,
  ([userId, tokenId, applicationId, clientId, dialect]): Viewer => ({
    userId: userId as Id,
    tokenId: tokenId as Id,
    applicationId: applicationId as Id,
    clientId: clientId as string,
    dialect: dialect as Dialect,
  }),
)

/** Who a pair of client ID and token stands for (§5). */
export type Authenticator = {
  /** Undefined for an unknown or revoked token, or one of another client. Synchronous while the pair is remembered. */
  viewerOf(clientId: unknown, token: unknown): Viewer | undefined | Promise<Viewer | undefined>
  /** Forgets a token that has ended; told by the events of every node. */
  forget(tokenId: Id): void
}

/**
 * Remembers pairs that were good. `isCurrent` says whether ends of tokens are being heard of within a second or two; while
 * they are not, each pair is looked up.
 */
export function createAuthenticator(database: Runner, isCurrent: () => boolean): Authenticator {
  const known = new LRUCache<string, Viewer>({ max: KEPT_VIEWERS })
  // A token that ends while it is looked up must not be remembered by that look-up.
  let forgotten = 0

  async function lookUp(clientId: string, token: string, pair: string): Promise<Viewer | undefined> {
    const before = forgotten
    const [viewer] = await database.run(viewerOfToken, [hashOf(token), clientId])
    if (viewer === undefined) known.delete(pair)
    else if (before === forgotten) known.set(pair, viewer)
    return viewer
  }

  return {
    viewerOf(clientId, token) {
      if (typeof clientId !== "string" || typeof token !== "string" || clientId.includes("\0")) return undefined
      const pair = `${clientId}\n${token}`
      const viewer = isCurrent() ? known.get(pair) : undefined
      return viewer ?? lookUp(clientId, token, pair)
    },
    forget(tokenId) {
      forgotten++
      for (const [pair, viewer] of known.entries()) if (viewer.tokenId === tokenId) known.delete(pair)
    },
  }
}

const insertToken = statement(
  "insert_access_token",
  `insert into access_tokens (token_hash, user_id, application_id)
   select $1, $2::bigint, p.id from applications p where p.client_id = $3 returning id`,
  ([id]) => id as Id,
)

/** Makes a token for a user and an application. The token is shown here and never again. Undefined for an unknown client ID. */
export async function createAccessToken(database: Runner, userId: Id, clientId: string): Promise<string | undefined> {
  const token = newSecret()
  const [id] = await database.run(insertToken, [hashOf(token), userId, clientId])
  return id === undefined ? undefined : token
}
