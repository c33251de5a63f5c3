import type { IncomingMessage } from "node:http"
import OAuth2Server from "@node-oauth/oauth2-server"
import { countFailure, refuseAfterFailures } from "../accounts/attempts.js"
import type { Transacted } from "../context.js"
import type { Form } from "../scalars/form.js"
import { isSecretOf } from "../signing/secret.js"
import type { Id } from "../statement.js"

/** An authenticated application. */
export type Client = {
  readonly id: Id
  readonly clientId: string
  /** It has no secret: anybody can say that they are it. */
  readonly isPublic: boolean
}

/** The credentials of an application. */
export type Credentials = {
  readonly clientId: string
  /** Undefined where none is sent, as by public applications. */
  readonly clientSecret: string | undefined
  /** Whether they came in the Authorization header, whose refusal has a form of its own. */
  readonly isBasic: boolean
}

// Compared with where there is no application, so that both take the same time.
const NO_HASH = Buffer.alloc(32)

/** Names what a request lacks. */
export function missing(names: readonly string[]): Error {
  return new OAuth2Server.InvalidRequestError(`Missing parameter: ${names.join(", ")}.`)
}

/** Reads the client's credentials, from the Authorization header or from the body (RFC 6749, section 2.3.1). @throws OAuthError: missing */
export function credentialsOf(request: IncomingMessage, form: Form): Credentials {
  const [, encoded] = /^Basic +([\w+/=-]+)$/i.exec(request.headers.authorization ?? "") ?? []
  if (encoded !== undefined) {
    const [clientId = "", clientSecret = ""] = Buffer.from(encoded, "base64")
      .toString()
      .split(/:(.*)/s)
      .map(unescapedForm)
    return { clientId, clientSecret: clientSecret || undefined, isBasic: true }
  }
  const clientId = form.get("client_id")
  const clientSecret = form.get("client_secret") || undefined
  if (!clientId) throw missing(clientSecret === undefined ? ["client_id", "client_secret"] : ["client_id"])
  return { clientId, clientSecret, isBasic: false }
}

function unescapedForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text
  }
}

/**
 * Authenticates the application; a public one only says which it is. Failures are counted for each application, and for each network that tries it: that
 * one is refused whatever it sends. A right secret from elsewhere is taken still, for nobody guesses it, and anybody could
 * lock the application out otherwise.
 * @throws OAuthError for a wrong pair, RateLimited after too many
 */
export async function authenticateClient(
  database: Transacted,
  { clientId, clientSecret, isBasic }: Credentials,
  network: string,
): Promise<Client> {
  const select = { id: true, secretHash: true } as const
  const found = clientId.includes("\0")
    ? null
    : await database.prisma.application.findUnique({ where: { clientId }, select })
  // Names that nobody has are counted together: each for itself would let anybody fill the table.
  const counted = found === null ? ["unknown client", network] : ["secret", clientId, network]
  await refuseAfterFailures(database, counted)
  const client = found && { id: found.id.toString(), clientId, isPublic: found.secretHash === null }
  if (clientSecret === undefined && client?.isPublic) return client
  if (clientSecret === undefined && !isBasic) throw missing(["client_secret"])
  const isRight = isSecretOf(clientSecret ?? "", found?.secretHash ?? NO_HASH)
  if (client !== null && isRight) return client
  await countFailure(database, counted)
  if (found !== null) await countFailure(database, ["secret", clientId])
  throw new OAuth2Server.InvalidClientError("client_id and client_secret are not a pair.", {
    code: isBasic ? 401 : 400,
  })
}
