import type { IncomingMessage } from "node:http"
import OAuth2Server from "@node-oauth/oauth2-server"
import { countFailure, refuseAfterFailures } from "../../accounts/attempts.js"
import type { Transacted } from "../../context.js"
import { authenticateClient, credentialsOf, missing } from "../../oauth/client.js"
import { exchangeModel } from "../../oauth/exchange.js"
import { isOurs } from "../../oauth/resource.js"
import type { Form } from "../../scalars/form.js"
import type { Id } from "../../statement.js"

/** A request for a token, read. */
export type TokenRequest = {
  readonly database: Transacted
  readonly request: IncomingMessage
  readonly form: Form
  /** Whom the request comes from, as failures are counted. */
  readonly network: string
  readonly arrivedAt: Date
  readonly publicUrl: string
  /** Told of tokens that a replay ends. */
  tokensEnded(ids: readonly Id[]): void
}

const NEEDED: Readonly<Record<string, string>> = { authorization_code: "code", refresh_token: "refresh_token" }

/**
 * Exchanges a code for a token, or renews one. A request as the specification has it, without grant_type, is answered with
 * access_token alone; one as RFC 6749 has it with everything that asks for. (§5)
 * @throws OAuthError, RateLimited
 */
export async function exchange({
  database,
  request,
  form,
  network,
  arrivedAt,
  publicUrl,
  tokensEnded,
}: TokenRequest): Promise<object> {
  const credentials = credentialsOf(request, form)
  const grantType = form.get("grant_type") ?? "authorization_code"
  const needed = NEEDED[grantType]
  if (needed === undefined)
    throw new OAuth2Server.UnsupportedGrantTypeError(`grant_type must be one of ${Object.keys(NEEDED).join(", ")}.`)
  if (!form.get(needed)) throw missing([needed])
  const client = await authenticateClient(database, credentials, network)
  const resource = form.get("resource")
  if (resource !== undefined && !isOurs(resource, publicUrl)) throw new InvalidTarget(publicUrl)
  const counted = ["code", client.clientId, network]
  await refuseAfterFailures(database, counted)

  const sent = {
    redirectUri: form.get("redirect_uri"),
    codeVerifier: form.get("code_verifier"),
    scope: form.get("scope"),
  }
  const model = exchangeModel({ database, client, arrivedAt, tokensEnded, ...sent })
  const server = new OAuth2Server({ model })
  const response = new OAuth2Server.Response()
  try {
    await server.token(libraryRequest(form, grantType, credentials), response)
  } catch (error) {
    if (model.wasGuess()) {
      await countFailure(database, counted)
      await countFailure(database, ["code", client.clientId])
    }
    // What is no error of OAuth comes out wrapped into one.
    throw (error as { inner?: unknown }).inner ?? error
  }
  const { access_token, ...more } = response.body
  return form.has("grant_type") ? { access_token, ...more } : { access_token }
}

/** A token is asked for that would be for somebody else's service (RFC 8707). */
class InvalidTarget extends OAuth2Server.OAuthError {
  constructor(publicUrl: string) {
    super(`resource must be ${publicUrl}, or left out.`, { code: 400, name: "invalid_target" })
  }
}

/** The library knows only forms with a grant_type, and forgives a missing secret when a verifier is there. */
function libraryRequest(
  form: Form,
  grantType: string,
  { clientId, clientSecret = "authenticated above" }: { clientId: string; clientSecret: string | undefined },
) {
  return new OAuth2Server.Request({
    method: "POST",
    query: {},
    headers: { "content-type": "application/x-www-form-urlencoded", "transfer-encoding": "chunked" },
    body: {
      ...Object.fromEntries(form),
      grant_type: grantType,
      client_id: clientId,
      client_secret: clientSecret,
    },
  })
}
