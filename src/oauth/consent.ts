import { hashOf, newSecret } from "../signing/secret.js"
import type { Id, Runner } from "../statement.js"
import { type AuthorizationRequest, returnAddress, UnsafeRequest } from "./authorization-request.js"
import { insertCode } from "./consent.statements.js"

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
