import { LRUCache } from "lru-cache"
import type { Dialect, Viewer } from "../context.js"
import { InvalidFields } from "../errors.js"
import { type Scope, scopesColumn, scopesIn } from "../scalars/scope.js"
import { hashOf, newSecret } from "../signing/secret.js"
import { type Id, type Runner, statement } from "../statement.js"
import { bearerIn, ofSameClient, refuseTwoTokens } from "./bearer.js"

const MAX_CACHED_VIEWERS = 10_000

type Known = { viewer: Viewer; msLeft: number | undefined }

const viewerOfToken = statement(
  "viewer_of_token",
  `select a.user_id, a.id, a.application_id, p.client_id, p.dialect, ceil(extract(epoch from a.expires_at - now()) * 1000), ${scopesColumn("a")}
   from access_tokens a join applications p on p.id = a.application_id
   where a.token_hash = $1 and p.client_id = coalesce($2, p.client_id) and a.revoked_at is null and (a.expires_at is null or a.expires_at > now())`,
  ([userId, tokenId, applicationId, clientId, dialect, msLeft, scopes]): Known => ({
    viewer: {
      userId: userId as Id,
      tokenId: tokenId as Id,
      applicationId: applicationId as Id,
      clientId: clientId as string,
      dialect: dialect as Dialect,
      scopes: new Set(scopesIn(scopes as string)),
    },
    msLeft: msLeft == null ? undefined : Number(msLeft),
  }),
)

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

/** The token $1 of the user $2 for the application $3 with the scopes $4; what the application may have, without a token when that is less. */
const insertToken = statement(
  "insert_access_token",
  `with p as (select p.id, p.scopes from applications p where p.client_id = $3 for share), made as (
     insert into access_tokens (token_hash, user_id, application_id, scopes)
     select $1, $2::bigint, p.id, coalesce($4::text[], p.scopes) from p where coalesce($4::text[] <@ p.scopes, true) returning id)
   select ${scopesColumn("p")}, made.id from p left join made on true`,
  ([scopes, id]) => ({ scopes: scopesIn(scopes as string), isMade: id !== null }),
)

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
