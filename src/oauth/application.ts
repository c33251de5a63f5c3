import { InvalidFields } from "../errors.js"
import { type NewApplication, createApplication as register } from "../resources/application/application.commands.js"
import { violationOfRedirectUri } from "../scalars/redirect-uri.js"
import type { Runner } from "../statement.js"

/**
 * Registers an application for the operator, who may let people return to any address. Its secret is shown here and never
 * again. (§5)
 * @throws InvalidFields for what is no address, or has a fragment
 */
export async function createApplication(
  database: Runner,
  application: NewApplication,
): Promise<{ clientId: string; clientSecret: string }> {
  for (const uri of application.redirectUris) {
    const violation = violationOfRedirectUri(uri)
    if (violation !== undefined) throw new InvalidFields({ redirectUris: [`${violation}: ${uri}`] })
  }
  const made = await register(database, null, application)
  return { clientId: made.application.clientId, clientSecret: made.clientSecret }
}
