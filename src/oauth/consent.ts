import { hashOf, newSecret } from "../signing/secret.js"
import { type Id, type Runner, statement } from "../statement.js"
import { type AuthorizationRequest, returnAddress, UnsafeRequest } from "./authorization-request.js"

const CODE_SECONDS = 600

// Address and scopes are asked for again: they may have been taken off the application while its page was open.
const insertCode = statement(
  "insert_authorization_code",
  `insert into authorization_codes (code_hash, user_id, application_id, redirect_uri, code_challenge, offline, scopes, expires_at)
   select $1, $2::bigint, p.id, $4, $5, $6::boolean, $7::text[], now() + make_interval(secs => ${CODE_SECONDS})
   from applications p where p.id = $3::bigint and is_registered(p.redirect_uris, $4) and $7::text[] <@ p.scopes for share returning id`,
  ([id]) => id as Id,
)

/** Writes down a user's consent; gives the address that takes it to the application as a code, good once and for 10 minutes.
 *  @throws UnsafeRequest when the address or a scope has just been taken off the application */
export async function giveConsent(database: Runner, userId: Id, request: AuthorizationRequest): Promise<string> {
  const { application, redirectUri, state, codeChallenge, offline, scopes } = request
  const code = newSecret()
  const values = [hashOf(code), userId, application.id, redirectUri, codeChallenge, offline, scopes]
  const [id] = await database.run(insertCode, values)
  if (id === undefined)
    throw new UnsafeRequest(403, "The application has just been changed", "Go back to it and start again.")
  return returnAddress(request, { code, state })
}

/** The address that tells the application that the user does not agree. */
export const denyConsent = (request: AuthorizationRequest): string =>
  returnAddress(request, { error: "access_denied", state: request.state })
