import { InvalidFields } from "../errors.js"
import {
  createPublicApplication,
  type NewApplication,
  createApplication as register,
} from "../resources/application/application.commands.js"
import { violationOfRedirectUri } from "../scalars/redirect-uri.js"
import type { Runner } from "../statement.js"

/**
 * Registers an application for the operator, who may let people return to any address. Its secret is shown here and never
 * again; that of a public one is empty. (§5)
 * @throws InvalidFields for what is no address, or has a fragment
 */
export async function createApplication(
  database: Runner,
  application: NewApplication,
  isPublic = false,
): Promise<{ clientId: string; clientSecret: string }> {
  for (const uri of application.redirectUris) {
    const violation = violationOfRedirectUri(uri)
    if (violation !== undefined) throw new InvalidFields({ redirectUris: [`${violation}: ${uri}`] })
  }
  if (isPublic)
    return { clientId: (await createPublicApplication(database, null, application)).clientId, clientSecret: "" }
  const made = await register(database, null, application)
  return { clientId: made.application.clientId, clientSecret: made.clientSecret }
}
