import { hashOf, newSecret } from "../signing/secret.js"
import { type Id, type Runner, statement } from "../statement.js"
import { type AuthorizationRequest, returnAddress, UnsafeRequest } from "./authorization-request.js"

const CODE_SECONDS = 600

// The address is asked for again: it may have been taken off the application while its page was open.
const insertCode = statement(
  "insert_authorization_code",
  `insert into authorization_codes (code_hash, user_id, application_id, redirect_uri, code_challenge, offline, expires_at)
   select $1, $2::bigint, p.id, $4, $5, $6::boolean, now() + make_interval(secs => ${CODE_SECONDS})
   from applications p where p.id = $3::bigint and $4 = any(p.redirect_uris) returning id`,
  ([id]) => id as Id,
)

/** Writes down a user's consent; gives the address that takes it to the application as a code, good once and for 10 minutes.
 *  @throws UnsafeRequest when the address has just been taken off the application */
export async function giveConsent(
  database: Runner,
  userId: Id,
  { application, redirectUri, state, codeChallenge, offline }: AuthorizationRequest,
): Promise<string> {
  const code = newSecret()
  const values = [hashOf(code), userId, application.id, redirectUri, codeChallenge, offline]
  const [id] = await database.run(insertCode, values)
  if (id === undefined)
    throw new UnsafeRequest(403, "This link does not lead back to the application", "The application has changed it.")
  return returnAddress(redirectUri, { code, state })
}

/** The address that tells the application that the user does not agree. */
export const denyConsent = ({ redirectUri, state }: AuthorizationRequest): string =>
  returnAddress(redirectUri, { error: "access_denied", state })
