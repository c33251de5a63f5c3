import { LRUCache } from "lru-cache"
import type { Dialect, Viewer } from "../context.js"
import { hashOf, newSecret } from "../signing/secret.js"
import { type Id, type Runner, statement } from "../statement.js"

const MAX_CACHED_VIEWERS = 10_000

type Known = { viewer: Viewer; msLeft: number | undefined }

const viewerOfToken = statement(
  "viewer_of_token",
  `select a.user_id, a.id, a.application_id, p.client_id, p.dialect, ceil(extract(epoch from a.expires_at - now()) * 1000)
   from access_tokens a join applications p on p.id = a.application_id
   where a.token_hash = $1 and p.client_id = $2 and a.revoked_at is null and (a.expires_at is null or a.expires_at > now())`,
  ([userId, tokenId, applicationId, clientId, dialect, msLeft]): Known => ({
    viewer: {
      userId: userId as Id,
      tokenId: tokenId as Id,
      applicationId: applicationId as Id,
      clientId: clientId as string,
      dialect: dialect as Dialect,
    },
    msLeft: msLeft == null ? undefined : Number(msLeft),
  }),
)

/** The viewer of a pair of client ID and token (§5). */
export type Authenticator = {
  /** Undefined for an unknown, expired or revoked token, or one of another client. Synchronous while the pair is remembered. */
  viewerOf(clientId: unknown, token: unknown): Viewer | undefined | Promise<Viewer | undefined>
  /** Forgets a token that has ended; told by the events of every node. */
  forget(tokenId: Id): void
}

/**
 * Remembers pairs that were good. `isCurrent` says whether ends of tokens are being heard of within a second or two; while
 * they are not, each pair is looked up. `noteUse` is told of each use of a token.
 */
export function createAuthenticator(
  database: Runner,
  isCurrent: () => boolean,
  noteUse: (tokenId: Id) => void = () => {},
): Authenticator {
  const known = new LRUCache<string, Viewer>({ max: MAX_CACHED_VIEWERS })
  // A token that ends while it is looked up must not be remembered by that look-up.
  let forgotten = 0

  async function lookUp(clientId: string, token: string, pair: string): Promise<Viewer | undefined> {
    const before = forgotten
    const [found] = await database.run(viewerOfToken, [hashOf(token), clientId])
    if (found === undefined) {
      known.delete(pair)
      return undefined
    }
    if (before === forgotten) known.set(pair, found.viewer, { ttl: found.msLeft })
    noteUse(found.viewer.tokenId)
    return found.viewer
  }

  return {
    viewerOf(clientId, token) {
      if (typeof clientId !== "string" || typeof token !== "string" || clientId.includes("\0")) return undefined
      const pair = `${clientId}\n${token}`
      const viewer = isCurrent() ? known.get(pair) : undefined
      if (viewer === undefined) return lookUp(clientId, token, pair)
      noteUse(viewer.tokenId)
      return viewer
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
