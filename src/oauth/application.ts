import { randomBytes } from "node:crypto"
import type { Dialect } from "../context.js"
import { type Runner, statement } from "../statement.js"
import { hashOf, newSecret } from "./access-token.js"

const insertApplication = statement(
  "insert_application",
  `insert into applications (client_id, secret_hash, name, dialect, redirect_uris) values ($1, $2, $3, $4, $5::text[]) returning id`,
  ([id]) => id as string,
)

/** What an application is registered with (§5). */
export type NewApplication = { readonly name: string; readonly redirectUris: readonly string[]; readonly dialect: Dialect }

/** Registers an application. Its secret is shown here and never again. */
export async function createApplication(
  database: Runner,
  { name, redirectUris, dialect }: NewApplication,
): Promise<{ clientId: string; clientSecret: string }> {
  const clientId = randomBytes(10).toString("hex")
  const clientSecret = newSecret()
  // Quoted, for an address may hold a comma.
  const uris = redirectUris.map((uri) => JSON.stringify(uri))
  await database.run(insertApplication, [clientId, hashOf(clientSecret), name, dialect, uris])
  return { clientId, clientSecret }
}
