import { createHash } from "node:crypto"
import OAuth2Server from "@node-oauth/oauth2-server"
import type { Transacted } from "../context.js"
import type { Scope } from "../scalars/scope.js"
import { hashOf, newSecret } from "../signing/secret.js"
import type { Id } from "../statement.js"
import { askedScopes, OFFLINE } from "./asked-scopes.js"
import type { Client } from "./client.js"
import { consentByCode, type Grant, refreshTokenOf, takeCode } from "./consent.rows.js"
import { endConsent, insertTokens } from "./consent.statements.js"

const HOUR_MS = 3_600_000
const REFRESH_LIFETIME_MS = 90 * 24 * HOUR_MS

/** Two windows of one application renew at the same time, and a request that got no answer is sent again: no theft. (§5) */
const RENEWAL_GRACE_MS = 10_000

/** One request for a token, by an authenticated application. */
export type ExchangeRequest = {
  readonly database: Transacted
  readonly client: Client
  readonly arrivedAt: Date
  /** Told of tokens that a replay ends. */
  tokensEnded(ids: readonly Id[]): void
  /** The redirect_uri that it repeats; it need not (§5). */
  readonly redirectUri: string | undefined
  /** Of PKCE: what only the one who asked for the code knows. */
  readonly codeVerifier: string | undefined
  /** The scopes that it wants of those that it has, for a renewal. */
  readonly scope: string | undefined
}

/** What the library asks while it answers one request, and whether what was sent was never handed out. */
export type ExchangeModel = OAuth2Server.AuthorizationCodeModel &
  OAuth2Server.RefreshTokenModel & { wasGuess(): boolean }

const challengeOf = (verifier = ""): string => createHash("sha256").update(verifier).digest("base64url")

type Known = { readonly grant: Grant }

/** What a renewal asks for, of what its user agreed to. @throws OAuthError for more (RFC 6749, section 6) */
function renewedScopes(scope: string | undefined, { scopes }: Grant): readonly Scope[] {
  const asked = askedScopes(scope, scopes)
  if ("fault" in asked) throw new OAuth2Server.InvalidScopeError(`The user did not agree to that. ${asked.fault}`)
  return asked.scopes
}

/**
 * What @node-oauth/oauth2-server asks of us, for one request. A code or refresh token that comes again ends what came of its
 * consent, if its own application sends it; not when the two were on their way at the same time, and not when a refresh token comes again
 * within ten seconds.
 */
export function exchangeModel({
  database,
  client,
  arrivedAt,
  redirectUri,
  codeVerifier,
  scope,
  tokensEnded,
}: ExchangeRequest): ExchangeModel {
  let isGuess = false
  let grant: Grant | undefined
  let wanted: readonly Scope[] | undefined
  // Only those who asked to renew their access by themselves have access that ends by itself.
  const isOffline = () => grant?.offline === true

  // A public application sends no secret: anybody could send a code for it that they have seen in an address or a log.
  const mayEnd = ({ codeChallenge }: Grant) =>
    !client.isPublic || codeChallenge === undefined || challengeOf(codeVerifier) === codeChallenge

  async function look(find: typeof consentByCode, secret: string, graceMs: number): Promise<Known | undefined> {
    grant = await find(database, secret)
    if (grant === undefined || grant.applicationId !== client.id) {
      isGuess = true
      return undefined
    }
    const isReplay = grant.usedAt !== undefined && grant.usedAt.getTime() + graceMs <= arrivedAt.getTime()
    if (isReplay && mayEnd(grant)) tokensEnded(await database.run(endConsent, [grant.consentId]))
    return grant.usedAt === undefined ? { grant } : undefined
  }

  return {
    wasGuess: () => isGuess,
    getAccessToken: async () => undefined,
    getClient: async () => ({ id: client.id, grants: ["authorization_code", "refresh_token"] }),
    async getAuthorizationCode(authorizationCode) {
      const known = await look(consentByCode, authorizationCode, 0)
      if (known !== undefined && redirectUri !== undefined && redirectUri !== known.grant.redirectUri)
        throw new OAuth2Server.InvalidGrantError(
          "Invalid grant: `redirect_uri` is not the one that the code was sent to",
        )
      if (client.isPublic && known?.grant.codeChallenge === undefined && known !== undefined)
        throw new OAuth2Server.InvalidGrantError("Invalid grant: the code was asked for without PKCE")
      return (
        known && {
          authorizationCode,
          expiresAt: known.grant.expiresAt,
          // Compared above: the library would not let it be left out.
          redirectUri: undefined as unknown as string,
          codeChallenge: known.grant.codeChallenge,
          codeChallengeMethod: known.grant.codeChallenge && "S256",
          client: { id: client.id, grants: [] },
          user: { id: known.grant.userId },
        }
      )
    },
    revokeAuthorizationCode: async () => takeCode(database, grant?.id as Id),
    async getRefreshToken(refreshToken) {
      const known = await look(refreshTokenOf, refreshToken, RENEWAL_GRACE_MS)
      // Before the token is used up: a renewal that asks for too much can be sent again.
      if (known !== undefined) wanted = renewedScopes(scope, known.grant)
      return (
        known && {
          refreshToken,
          refreshTokenExpiresAt: known.grant.expiresAt,
          scope: [...known.grant.scopes, OFFLINE],
          client: { id: client.id, grants: [] },
          user: { id: known.grant.userId },
        }
      )
    },
    // With what is given for it, below: what comes to nothing uses nothing up.
    revokeToken: async () => true,
    saveAuthorizationCode: async () => undefined,
    generateAccessToken: async () => newSecret(),
    generateRefreshToken: async () => newSecret(),
    async saveToken({ accessToken, refreshToken }, _client, user) {
      const accessTokenExpiresAt = isOffline() ? new Date(Date.now() + HOUR_MS) : undefined
      const refreshHash = isOffline() ? hashOf(refreshToken as string) : null
      const values = [
        hashOf(accessToken),
        accessTokenExpiresAt?.getTime(),
        refreshHash,
        Date.now() + REFRESH_LIFETIME_MS,
        wanted ?? grant?.scopes,
        wanted && grant?.id,
        Date.now(),
      ]
      const [scopes] = await database.run(insertTokens, [grant?.consentId, ...values])
      if (scopes === undefined)
        throw new OAuth2Server.InvalidGrantError("Invalid grant: it was used, or the user has taken it back")
      const given = [...scopes, ...(isOffline() ? [OFFLINE] : [])]
      const renewal = isOffline() ? { refreshToken } : {}
      return {
        accessToken,
        accessTokenExpiresAt,
        ...renewal,
        scope: given,
        client: { id: client.id, grants: [] },
        user,
      }
    },
  }
}
