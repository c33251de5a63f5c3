import { accepted, invitedTo, knownTo, membershipOf } from "../../access/access.js"
import { atRevision } from "../../access/revision.js"
import { type Fields, type Id, statement } from "../../statement.js"
import { type User, users } from "./user.type.js"

// Who the viewer knows is asked all the time: hot.

const USER = users.columns("u")
const user = (fields: Fields): User => users.read(fields) as User

/** One user, without an access rule: $1 is the user. */
export const userById = statement("user_by_id", `select ${USER} from users u where u.id = $1::bigint`, user)

/** A user and all who share an accepted list with them, by id: $1 is the user. */
export const usersAround = statement(
  "users_around",
  `select ${USER} from users u where u.id in (select $1::bigint union
     select shared.user_id from memberships mine join memberships shared on shared.list_id = mine.list_id
     where ${membershipOf("mine", "$1")} and ${accepted("shared")}) order by u.id`,
  user,
)

/** The accepted members of lists, by list and id; none of a list that the viewer, $2, may not see, for it always has its owner. */
export const usersOfLists = statement(
  "users_of_lists",
  `select x.list_id, ${USER} from memberships x join users u on u.id = x.user_id
   where x.list_id = any($1::bigint[]) and ${accepted("x")} and ${invitedTo("x.list_id", "$2")} order by x.list_id, u.id`,
  (fields) => ({ listId: fields[0] as Id, user: users.read(fields, 1) as User }),
)

/** Users by their ids, where the viewer, $2, knows them. */
export const usersByIds = statement(
  "users_by_ids",
  `select ${USER} from users u where u.id = any($1::bigint[]) and ${knownTo("u.id", "$2")}`,
  user,
)

/** Changes a user's name within the revision window, and answers with the row as the others do: $1 user, $2 revision, $3 request, $4 name. */
export const patchUser = statement(
  "patch_user",
  `update users u set name = $4, updated_at = now(), updated_by_id = $1::bigint, updated_by_request_id = $3
   where u.id = $1::bigint and ${atRevision("u", "$2")} returning ${USER}`,
  user,
)

/**
 * Creates a user, or turns the placeholder of that address into one: $1 name, $2 address, $3 hash of the password,
 * $4 whether the address is verified. No row when it is somebody's already. Neither a password nor a token of a user who had not
 * verified the address stays: it may have been another person. One statement for two tables, and for the first start, for which Prisma is
 * not loaded.
 */
export const insertUser = statement(
  "insert_user",
  `with ended as (update access_tokens a set revoked_at = now() from users u
     where u.email = $2 and u.verified_at is null and a.user_id = u.id and a.revoked_at is null)
   insert into users as u (name, email, password_hash, verified_at) values ($1, $2, $3, case when $4::boolean then now() end)
   on conflict (email) do update set name = excluded.name, password_hash = excluded.password_hash, verified_at = excluded.verified_at,
     updated_at = now(), updated_by_id = u.id, updated_by_request_id = null
   where u.verified_at is null returning ${USER}`,
  user,
)
