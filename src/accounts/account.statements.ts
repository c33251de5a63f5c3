import { type Id, statement } from "../statement.js"

/**
 * The user with a verified address, $1 in lower case, and the hash of the password. One trip, which takes as long for an address
 * that nobody has: Prisma would ask in another whether the user is disabled.
 */
export const credentialsByEmail = statement(
  "credentials_by_email",
  `select id, password_hash, exists (select from disabled_users d where d.user_id = users.id) from users
   where email = $1 and verified_at is not null`,
  ([userId, passwordHash, isDisabled]) => ({
    userId: userId as Id,
    passwordHash: passwordHash ?? undefined,
    isDisabled: isDisabled === "t",
  }),
)

// Prisma locks no row.

/** Has those wait for each other who decide about what a user, $1, has. Until the transaction's end. */
export const lockUser = statement(
  "lock_user",
  "select 1 from users where id = $1::bigint for no key update",
  () => true,
)

/** The placeholder of an address, $1, that an invitation created. Locked until the transaction's end. */
export const placeholderOf = statement(
  "placeholder_of",
  "select id from users where email = $1 and verified_at is null for update",
  ([id]) => id as Id,
)
