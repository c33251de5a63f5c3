import { randomBytes } from "node:crypto"
import { PERSONAL_CLIENT_ID } from "../../access/writer.js"
import type { Dialect, Rows } from "../../context.js"
import { InsufficientScope, InvalidFields, NotFound } from "../../errors.js"
import { inOrder, SCOPES, type Scope } from "../../scalars/scope.js"
import { hashOf, newSecret } from "../../signing/secret.js"
import type { Id, Runner } from "../../statement.js"
import type { NewAccessToken } from "./access-token.type.js"
import type { UpdateApplicationInput } from "./application.input.js"
import { endAuthorization, replaceSecret } from "./application.rows.js"
import {
  deleteApplicationRow,
  insertApplication,
  insertPersonalToken,
  patchApplication,
} from "./application.statements.js"
import type { Application, ApplicationSecret } from "./application.type.js"

// They take a user and not a viewer: the account pages do the same without a token.

const MAX_URIS = 20

/** What an application is registered with. */
export type NewApplication = {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly dialect: Dialect
  /** The most that it may ask for; all when left out. */
  readonly scopes?: readonly Scope[] | null | undefined
}

/** Quoted as PostgreSQL's array text has it, for an address may hold a comma. */
const arrayOf = (uris: readonly string[]): string[] => uris.map((uri) => JSON.stringify(uri))

function refuseTooMany(uris: readonly string[] | null | undefined): void {
  if (uris != null && uris.length > MAX_URIS) throw new InvalidFields({ redirectUris: [`must be at most ${MAX_URIS}`] })
}

function refuseNoScope(scopes: readonly Scope[] | null | undefined): void {
  if (scopes?.length === 0) throw new InvalidFields({ scopes: ["must have at least one"] })
}

async function register(
  db: Runner,
  ownerId: Id | null,
  { name, redirectUris, dialect, scopes }: NewApplication,
  secret: string | null,
): Promise<Application> {
  refuseTooMany(redirectUris)
  refuseNoScope(scopes)
  const clientId = randomBytes(10).toString("hex")
  const hash = secret === null ? null : hashOf(secret)
  const values = [clientId, hash, name, dialect, arrayOf(redirectUris), ownerId, inOrder(scopes ?? SCOPES)]
  return (await db.run(insertApplication, values))[0] as Application
}

/** Registers an application. Its secret is in the answer and never again. @throws InvalidFields: too many redirect URIs, no scope */
export async function createApplication(
  db: Runner,
  ownerId: Id | null,
  application: NewApplication,
): Promise<ApplicationSecret> {
  const clientSecret = newSecret()
  return { application: await register(db, ownerId, application, clientSecret), clientSecret }
}

/** Registers an application that can keep no secret. @throws InvalidFields as for any other */
export const createPublicApplication = (
  db: Runner,
  ownerId: Id | null,
  application: NewApplication,
): Promise<Application> => register(db, ownerId, application, null)

/** Changes an application of the user. Tells also which tokens it narrowed or revoked. @throws NotFound, InvalidFields: too many redirect URIs, no scope */
export async function updateApplication(
  db: Runner,
  userId: Id,
  id: Id,
  { name, redirectUris, dialect, scopes }: UpdateApplicationInput,
): Promise<{ application: Application; narrowed: Id[] }> {
  refuseTooMany(redirectUris)
  refuseNoScope(scopes)
  const uris = redirectUris == null ? null : arrayOf(redirectUris)
  const values = [id, userId, name, dialect, uris, scopes == null ? null : inOrder(scopes)]
  const [changed] = await db.run(patchApplication, values)
  if (changed === undefined) throw new NotFound()
  return changed
}

/** Gives an application another secret; the one before ends at once, its tokens stay. @throws NotFound, for a public one too */
export async function rotateApplicationSecret(db: Rows, userId: Id, id: Id): Promise<ApplicationSecret> {
  const clientSecret = newSecret()
  const application = await replaceSecret(db, id, userId, hashOf(clientSecret))
  return { application, clientSecret }
}

/** Deletes an application and revokes all its tokens. Returns those tokens. @throws NotFound */
export async function deleteApplication(db: Runner, userId: Id, id: Id): Promise<Id[]> {
  const tokens = await db.run(deleteApplicationRow, [id, userId])
  if (tokens.length === 0) throw new NotFound()
  return tokens.filter((id) => id !== undefined)
}

/** Revokes everything that a user gave an application. Returns the tokens. @throws NotFound */
export async function revokeAuthorization(db: Rows, userId: Id, applicationId: Id): Promise<Id[]> {
  const { tokens, count } = await endAuthorization(db, userId, applicationId)
  if (count === 0) throw new NotFound()
  return tokens
}

/** `clientId` is set for a token that acts as an application; undefined for one of the user alone. */
export type NewPersonalToken = {
  readonly name: string
  readonly clientId?: string | null | undefined
  /** Unset: all that there are, of `most` and of the application. */
  readonly scopes?: readonly Scope[] | null | undefined
}

/**
 * Creates a personal token. `most` is what its creator may do themselves.
 * @throws InsufficientScope for more than that, InvalidFields: no scope, or a client ID that is not one of the user's own with
 *   such a scope
 */
export async function createPersonalToken(
  db: Runner,
  userId: Id,
  { name, clientId, scopes }: NewPersonalToken,
  most: ReadonlySet<Scope> = new Set(SCOPES),
): Promise<NewAccessToken> {
  refuseNoScope(scopes)
  const wanted = inOrder(scopes ?? most)
  if (wanted.some((scope) => !most.has(scope))) throw new InsufficientScope(wanted)
  const token = newSecret()
  const values = [hashOf(token), userId, name, clientId ?? PERSONAL_CLIENT_ID, wanted]
  const [accessToken] = await db.run(insertPersonalToken, values)
  if (accessToken === undefined)
    throw new InvalidFields({
      clientId: [`must be that of one of your applications with one of the scopes, or ${PERSONAL_CLIENT_ID}`],
    })
  return { accessToken, token }
}

/** Revokes a personal token. Returns it. @throws NotFound */
export async function revokePersonalToken({ prisma }: Rows, userId: Id, id: Id): Promise<Id[]> {
  const where = { id: BigInt(id), userId: BigInt(userId), name: { not: null }, revokedAt: null }
  const { count } = await prisma.accessToken.updateMany({ where, data: { revokedAt: new Date() } })
  if (count === 0) throw new NotFound()
  return [id]
}
