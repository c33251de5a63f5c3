// The command line makes users without building the schema.
import "reflect-metadata"
import type { GraphQLScalarType } from "graphql"
import { failedPrecondition, refuseStale } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { InvalidFields, type Violations } from "../../errors.js"
import { Email, Name, Refusal } from "../../scalars/scalars.js"
import type { Runner } from "../../statement.js"
import type { UpdateUserInput } from "./user.input.js"
import { insertUser, patchUser } from "./user.statements.js"
import type { User } from "./user.type.js"

/** Whether the viewer may change their account at this revision. @throws RevisionConflict */
export const mayWriteUser = async ({ db, viewer }: Context, revision: number): Promise<void> =>
  refuseStale(await db.prisma.user.findUnique({ where: { id: BigInt(viewer.userId) } }), revision)

/** Changes the viewer's name. @throws RevisionConflict */
export async function updateUser(context: Context, { revision, name }: UpdateUserInput): Promise<User> {
  const { db, viewer, requestId } = context
  const [user] = await db.run(patchUser, [viewer.userId, revision, requestId, name])
  return user ?? failedPrecondition(mayWriteUser(context, revision))
}

/** What signing up takes. */
export type NewUser = {
  readonly name: string
  readonly email: string
  /** A hash that says itself how it was made. Unset: the user has no password. */
  readonly passwordHash?: string
  /** Whether the address is verified. */
  readonly verified: boolean
}

/**
 * Makes a user with an inbox. Where invitations have made a placeholder for the address, upper and lower case being the
 * same, that becomes the user: its id and its memberships stay. (§2)
 * @throws InvalidFields for a name or address outside its limit, and for an address that is somebody's already
 */
export async function createUser(db: Runner, { passwordHash, verified, ...person }: NewUser): Promise<User> {
  const { name, email } = withinLimits({ name: Name, email: Email }, person)
  const [user] = await db.run(insertUser, [name, email, passwordHash, verified])
  if (user === undefined) throw new InvalidFields({ email: ["is already in use"] })
  return user
}

/** Reads values that came by no transport of the schema as its scalars do. @throws InvalidFields */
function withinLimits<Field extends string>(
  scalars: Record<Field, GraphQLScalarType>,
  values: Record<Field, string>,
): Record<Field, string> {
  const violations: Violations = {}
  const read = (Object.keys(scalars) as Field[]).map((field) => {
    try {
      return [field, scalars[field].parseValue(values[field]) as string]
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal
      violations[field] = [refusal.reason]
      return [field, ""]
    }
  })
  if (Object.keys(violations).length > 0) throw new InvalidFields(violations)
  return Object.fromEntries(read)
}
