import { randomBytes } from "node:crypto"
import { PERSONAL_CLIENT_ID } from "../../access/writer.js"
import type { Dialect } from "../../context.js"
import { InvalidFields, NotFound } from "../../errors.js"
import { hashOf, newSecret } from "../../signing/secret.js"
import type { Id, Runner } from "../../statement.js"
import type { NewAccessToken } from "./access-token.type.js"
import type { UpdateApplicationInput } from "./application.input.js"
import {
  deleteApplicationRow,
  endConsents,
  endPersonalToken,
  endTokens,
  insertApplication,
  insertPersonalToken,
  patchApplication,
  replaceSecret,
} from "./application.statements.js"
import type { Application, ApplicationSecret } from "./application.type.js"

// They take a user and not a viewer: the account pages do the same without a token.

const MAX_URIS = 20

/** What an application is registered with. */
export type NewApplication = { name: string; redirectUris: readonly string[]; dialect: Dialect }

/** Quoted as PostgreSQL's array text has it, for an address may hold a comma. */
const arrayOf = (uris: readonly string[]): string[] => uris.map((uri) => JSON.stringify(uri))

function refuseTooMany(uris: readonly string[] | null | undefined): void {
  if (uris != null && uris.length > MAX_URIS) throw new InvalidFields({ redirectUris: [`must be at most ${MAX_URIS}`] })
}

/** Registers an application. Its secret is in the answer and never again. @throws InvalidFields: too many redirect URIs */
export async function createApplication(
  db: Runner,
  ownerId: Id | null,
  { name, redirectUris, dialect }: NewApplication,
): Promise<ApplicationSecret> {
  refuseTooMany(redirectUris)
  const clientId = randomBytes(10).toString("hex")
  const clientSecret = newSecret()
  const values = [clientId, hashOf(clientSecret), name, dialect, arrayOf(redirectUris), ownerId]
  const [application] = await db.run(insertApplication, values)
  return { application: application as Application, clientSecret }
}

/** Changes an application of the user. @throws NotFound, InvalidFields: too many redirect URIs */
export async function updateApplication(
  db: Runner,
  userId: Id,
  id: Id,
  { name, redirectUris, dialect }: UpdateApplicationInput,
): Promise<Application> {
  refuseTooMany(redirectUris)
  const values = [id, userId, name, dialect, redirectUris == null ? null : arrayOf(redirectUris)]
  const [application] = await db.run(patchApplication, values)
  if (application === undefined) throw new NotFound()
  return application
}

/** Gives an application another secret; the one before ends at once, its tokens stay. @throws NotFound */
export async function rotateApplicationSecret(db: Runner, userId: Id, id: Id): Promise<ApplicationSecret> {
  const clientSecret = newSecret()
  const [application] = await db.run(replaceSecret, [id, userId, hashOf(clientSecret)])
  if (application === undefined) throw new NotFound()
  return { application, clientSecret }
}

const present = (ids: readonly (Id | undefined)[]): Id[] => ids.filter((id) => id !== undefined)

/** Deletes an application and revokes all its tokens. Returns those tokens. @throws NotFound */
export async function deleteApplication(db: Runner, userId: Id, id: Id): Promise<Id[]> {
  const tokens = await db.run(deleteApplicationRow, [id, userId])
  if (tokens.length === 0) throw new NotFound()
  return present(tokens)
}

/** Revokes everything that a user gave an application. Returns the tokens. @throws NotFound */
export async function revokeAuthorization(db: Runner, userId: Id, applicationId: Id): Promise<Id[]> {
  const consents = await db.run(endConsents, [userId, applicationId])
  const tokens = await db.run(endTokens, [userId, applicationId])
  if (consents.length + tokens.length === 0) throw new NotFound()
  return present(tokens)
}

/** Creates a personal token. @throws InvalidFields: a client ID that is not one of the user's own */
export async function createPersonalToken(
  db: Runner,
  userId: Id,
  name: string,
  clientId: string = PERSONAL_CLIENT_ID,
): Promise<NewAccessToken> {
  const token = newSecret()
  const [accessToken] = await db.run(insertPersonalToken, [hashOf(token), userId, name, clientId])
  if (accessToken === undefined)
    throw new InvalidFields({ clientId: [`must be that of one of your applications, or ${PERSONAL_CLIENT_ID}`] })
  return { accessToken, token }
}

/** Revokes a personal token. Returns it. @throws NotFound */
export async function revokePersonalToken(db: Runner, userId: Id, id: Id): Promise<Id[]> {
  const ended = await db.run(endPersonalToken, [id, userId])
  if (ended.length === 0) throw new NotFound()
  return ended
}
