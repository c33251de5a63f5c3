import { LRUCache } from "lru-cache"
import type { Viewer } from "../context.js"
import { InvalidFields } from "../errors.js"
import type { Scope } from "../scalars/scope.js"
import { hashOf, newSecret } from "../signing/secret.js"
import type { Id, Runner } from "../statement.js"
import { insertToken, type Known, viewerOfToken } from "./access-token.statements.js"
import { bearerIn, ofSameClient, refuseTwoTokens } from "./bearer.js"

const MAX_CACHED_VIEWERS = 10_000

/** The viewer of a pair of client ID and token (§5), or of a bearer token, whose client is the token's (RFC 6750). */
export type Authenticator = {
  /**
   * Undefined for an unknown, expired or revoked token, or one of another client. Synchronous while the pair is remembered.
   * @param authorization as in the header: a bearer token needs no client ID
   * @throws BadRequest, Unauthorized when a bearer token and one of the pair contradict each other; also as a rejection
   */
  viewerOf(clientId: unknown, token: unknown, authorization?: unknown): Viewer | undefined | Promise<Viewer | undefined>
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
  /** The pairs that are remembered of each token: an application that loses a scope ends thousands at once. */
  const pairsOf = new Map<Id, Set<string>>()
  const known = new LRUCache<string, Viewer>({
    max: MAX_CACHED_VIEWERS,
    dispose({ tokenId }, pair) {
      const pairs = pairsOf.get(tokenId)
      if (pairs?.delete(pair) && pairs.size === 0) pairsOf.delete(tokenId)
    },
  })
  // A token that ends while it is looked up must not be remembered by that look-up.
  let forgotten = 0

  async function lookUp(clientId: string | null, token: string, pair: string): Promise<Viewer | undefined> {
    const before = forgotten
    const [found] = await database.run(viewerOfToken, [hashOf(token), clientId])
    if (found === undefined) {
      known.delete(pair)
      return undefined
    }
    if (before === forgotten) remember(pair, found)
    noteUse(found.viewer.tokenId)
    return found.viewer
  }

  function remember(pair: string, { viewer, msLeft }: Known): void {
    known.set(pair, viewer, { ttl: msLeft })
    const pairs = pairsOf.get(viewer.tokenId) ?? new Set()
    pairsOf.set(viewer.tokenId, pairs.add(pair))
  }

  /** `clientId` is null where any is right. */
  function ofPair(clientId: string | null, token: string): Viewer | undefined | Promise<Viewer | undefined> {
    const pair = `${clientId ?? ""}\n${token}`
    const viewer = isCurrent() ? known.get(pair) : undefined
    if (viewer === undefined) return lookUp(clientId, token, pair)
    noteUse(viewer.tokenId)
    return viewer
  }

  return {
    viewerOf(clientId, token, authorization) {
      const bearer = authorization === undefined ? undefined : bearerIn(authorization)
      if (bearer !== undefined) {
        refuseTwoTokens(bearer, token)
        const viewer = ofPair(null, bearer)
        return viewer instanceof Promise
          ? viewer.then((found) => ofSameClient(found, clientId))
          : ofSameClient(viewer, clientId)
      }
      if (typeof clientId !== "string" || typeof token !== "string" || clientId === "" || clientId.includes("\0"))
        return undefined
      return ofPair(clientId, token)
    },
    forget(tokenId) {
      forgotten++
      for (const pair of [...(pairsOf.get(tokenId) ?? [])]) known.delete(pair)
    },
  }
}

/**
 * Makes a token for a user and an application, with all scopes of the application or those of them that are named. The token is
 * shown here and never again. Undefined for an unknown client ID.
 * @throws InvalidFields for more than the application may have
 */
export async function createAccessToken(
  database: Runner,
  userId: Id,
  clientId: string,
  scopes?: readonly Scope[],
): Promise<string | undefined> {
  const token = newSecret()
  const [application] = await database.run(insertToken, [hashOf(token), userId, clientId, scopes ?? null])
  if (application === undefined) return undefined
  if (!application.isMade)
    throw new InvalidFields({ scope: [`must be some of those of the application, ${application.scopes.join(", ")}`] })
  return token
}
