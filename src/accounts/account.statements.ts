import { accepted } from "../access/access.js"
import { type Fields, type Id, statement } from "../statement.js"

const idOnly = ([id]: Fields): Id => id as Id

/** The user with a verified address, $1 in lower case, and the hash of the password. */
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

/** Has those wait for each other who decide about what a user, $1, has. Until the transaction's end. */
export const lockUser = statement(
  "lock_user",
  "select 1 from users where id = $1::bigint for no key update",
  () => true,
)

/** Undefined for a user, $1, who has no password: they sign in elsewhere. */
export const passwordOfUser = statement(
  "password_of_user",
  "select password_hash from users where id = $1::bigint",
  ([passwordHash]) => passwordHash ?? undefined,
)

/** Gives a user, $1, another password: $2 its hash. */
export const setPassword = statement(
  "set_password",
  "update users set password_hash = $2, updated_by_id = $1::bigint, updated_by_request_id = null where id = $1::bigint returning email",
  ([email]) => email as string,
)

/** Gives a user, $1, another name, $2. */
export const setName = statement(
  "set_name",
  "update users set name = $2, updated_at = now(), updated_by_id = $1::bigint, updated_by_request_id = $3 where id = $1::bigint returning id",
  idOnly,
)

/** Gives a user, $1, another address, $2, unless it is taken; returns the previous address. */
export const setEmail = statement(
  "set_email",
  `with was as (select email from users where id = $1::bigint for update)
   update users u set email = $2, updated_at = now(), updated_by_id = $1::bigint, updated_by_request_id = $3 from was
   where u.id = $1::bigint and not exists (select from users o where o.email = $2 and o.id <> u.id) returning was.email`,
  ([email]) => email as string,
)

/** The placeholder of an address, $1, that an invitation created. Locked until the transaction's end. */
export const placeholderOf = statement(
  "placeholder_of",
  "select id from users where email = $1 and verified_at is null for update",
  idOnly,
)

/** Whether somebody has invited an address, $1, to a list, and nobody has an account with it. */
export const isInvited = statement(
  "is_invited",
  `select 1 from users u where u.email = $1 and u.verified_at is null
   and exists (select from memberships m where m.user_id = u.id and m.state = 'pending')`,
  () => true,
)

/** Gives the memberships of a placeholder, $1, to a user, $2, for lists where the user has none yet. */
export const moveMemberships = statement(
  "move_memberships",
  `update memberships m set user_id = $2::bigint, updated_by_id = $2::bigint, updated_by_request_id = $3
   where m.user_id = $1::bigint and not m.owner
   and not exists (select from memberships o where o.list_id = m.list_id and o.user_id = $2::bigint) returning id`,
  idOnly,
)

/** Removes the lists of a placeholder, $1: its inbox, for it could make no other. */
export const dropListsOf = statement(
  "drop_lists_of_placeholder",
  "delete from lists where owner_id = $1::bigint returning id",
  idOnly,
)

/** Removes a user, $1, who was only invited; no row for one who has proved their address. */
export const dropPlaceholder = statement(
  "drop_placeholder",
  "delete from users where id = $1::bigint and verified_at is null returning id",
  idOnly,
)

/** What is deleted with a user: the user's lists with everything in them, and the files that the user attached anywhere. */
export const belongings = statement(
  "belongings_of_user",
  `select count(*), count(*) filter (where exists (select from memberships m where m.list_id = l.id and m.user_id <> $1::bigint and ${accepted("m")})),
     (select count(*) from files f where f.user_id = $1::bigint or exists (
        select from tasks t join lists o on o.id = t.list_id where t.id = f.task_id and o.owner_id = $1::bigint and o.deleted_at is null))
   from lists l where l.owner_id = $1::bigint and l.list_type <> 'inbox' and l.deleted_at is null`,
  ([lists, shared, files]) => ({ lists: Number(lists), shared: Number(shared), files: Number(files) }),
)
