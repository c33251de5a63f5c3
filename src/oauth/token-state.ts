import OAuth2Server from "@node-oauth/oauth2-server"
import type { Transacted } from "../context.js"
import type { Form } from "../scalars/form.js"
import type { Id } from "../statement.js"
import { OFFLINE } from "./asked-scopes.js"
import { type Client, missing } from "./client.js"
import { endAccessToken, tokenOf } from "./consent.rows.js"
import { endConsent } from "./consent.statements.js"

function sentToken(form: Form): string {
  const token = form.get("token")
  if (!token) throw missing(["token"])
  return token
}

/**
 * Ends a token of the application (RFC 7009): an access token alone, a refresh token with all that its consent gave. An unknown
 * token is as good as ended. Gives the access tokens that ended.
 * @throws OAuthError for a token of another application
 */
export async function revokeToken(database: Transacted, client: Client, form: Form): Promise<readonly Id[]> {
  const token = await tokenOf(database, sentToken(form))
  if (token === undefined) return []
  if (token.applicationId !== client.id)
    throw new OAuth2Server.InvalidGrantError("The token is not one of this application.")
  if (token.kind === "refresh") return database.run(endConsent, [token.consentId])
  return (await endAccessToken(database, token.id)) ? [token.id] : []
}

/**
 * What a token of the application is good for (RFC 7662); nothing is said of another's.
 * @throws OAuthError for a public application: anybody could be it
 */
export async function introspectToken(database: Transacted, client: Client, form: Form): Promise<object> {
  if (client.isPublic)
    throw new OAuth2Server.InvalidClientError("The application has no secret, and cannot introspect tokens.", {
      code: 400,
    })
  const token = await tokenOf(database, sentToken(form))
  if (token === undefined || !token.isActive || token.applicationId !== client.id) return { active: false }
  return {
    active: true,
    client_id: client.clientId,
    sub: token.userId,
    token_type: token.kind === "access" ? "Bearer" : "refresh_token",
    iat: token.issuedAtSeconds,
    scope: [...token.scopes, ...(token.expiresAtSeconds === undefined ? [] : [OFFLINE])].join(" "),
    ...(token.expiresAtSeconds !== undefined && { exp: token.expiresAtSeconds }),
  }
}
