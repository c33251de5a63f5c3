import { accepted, invitedTo, memberOf, ownerOf } from "../../access/access.js"
import { atRevision, precondition } from "../../access/revision.js"
import { type Id, statement } from "../../statement.js"
import { type List, type ListRevision, lists } from "./list.type.js"

// $1 is what is asked for, $2 the viewer.

const LIST = lists.columns("l")
const list = (fields: readonly (string | null)[]): List => lists.read(fields) as List

/** One list of a member or somebody invited. */
export const listById = statement(
  "list_by_id",
  `select ${LIST} from lists l where l.id = $1::bigint and ${invitedTo("l.id", "$2")}`,
  list,
)

// As an array they are looked up by one scan, for a fifth less than row by row: some have thousands.
const THEIRS = "array(select m.list_id from memberships m where m.user_id = $1::bigint)"

/** Every list of a user, invitations included, by id: $1 is the user. */
export const listsOfUser = statement(
  "lists_of_user",
  `select ${LIST} from lists l where l.id = any(${THEIRS}) order by l.id`,
  list,
)

/** The lists of many users that the viewer may see, by user and list; of others only those that they have accepted. */
export const listsOfUsers = statement(
  "lists_of_users",
  `select x.user_id, ${LIST} from (
     select distinct m.user_id, m.list_id from memberships m
     where m.user_id = any($1::bigint[]) and (${accepted("m")} or m.user_id = $2::bigint)) x join lists l on l.id = x.list_id
   where ${invitedTo("x.list_id", "$2")} order by x.user_id, l.id`,
  (fields) => ({ userId: fields[0] as Id, list: lists.read(fields, 1) as List }),
)

/** The revisions of every list of a user, by id: $1 is the user. */
export const revisionsOfLists = statement(
  "revisions_of_lists",
  `select l.id, l.revision from lists l where l.id = any(${THEIRS}) order by l.id`,
  ([id, revision]): ListRevision => ({ id: id as Id, revision: Number(revision) }),
)

/** Lists by their ids, where the viewer may see them. */
export const listsByIds = statement(
  "lists_by_ids",
  `select ${LIST} from lists l where l.id = any($1::bigint[]) and ${invitedTo("l.id", "$2")}`,
  list,
)

/** Makes a list and its owner's membership: $1 title, $2 viewer, $3 request, $4 public, $5 the client's name for the request. */
export const insertList = statement(
  "insert_list",
  `with l as (
     insert into lists (title, public, owner_id, created_by_id, created_by_request_id, updated_by_id, updated_by_request_id)
     values ($1, $4::boolean, $2::bigint, $2::bigint, $5, $2::bigint, $3) returning *),
   m as (
     insert into memberships (list_id, user_id, state, owner, created_by_id, updated_by_id, updated_by_request_id)
     select l.id, $2::bigint, 'accepted', true, $2::bigint, $2::bigint, $3 from l returning id)
   select ${LIST} from l where (select count(*) from m) = 1`,
  list,
)

const changeable = (row: string, user: string) => `(${row}.list_type <> 'inbox' and ${memberOf(`${row}.id`, user)})`
const deletable = (row: string, user: string) => `(${row}.list_type <> 'inbox' and ${ownerOf(`${row}.id`, user)})`

/** Changes a list within its revision window: $1 list, $2 viewer, $3 revision, $4 request, then title and public. */
export const patchList = statement(
  "patch_list",
  `update lists l set title = coalesce($5, l.title), public = coalesce($6::boolean, l.public), updated_by_id = $2::bigint, updated_by_request_id = $4
   where l.id = $1::bigint and ${atRevision("l", "$3")} and ${changeable("l", "$2")} returning ${LIST}`,
  list,
)

/**
 * Deletes a list for everybody at once, however much is in it: $1 list, $2 viewer, $3 revision, $4 request. It is marked, and a
 * trigger tells its last event and ends its memberships, by which all of it was open; what was in it is taken away later.
 */
export const deleteListRow = statement(
  "delete_list",
  `with w as materialized (select id from webhooks where list_id = $1::bigint order by id for update),
     m as materialized (select id from memberships where list_id = $1::bigint and (select count(*) from w) >= 0 order by id for update)
   update lists l set deleted_at = now()
   from (select set_config('tandem.actor_id', $2::bigint::text, true), set_config('tandem.request_id', $4, true), (select count(*) from m)) actor
   where l.id = $1::bigint and l.deleted_at is null and ${atRevision("l", "$3")} and ${deletable("l", "$2")} returning l.id`,
  ([id]) => id as Id,
)

/** How a list stands to somebody who would change it. */
export const listPrecondition = precondition("list", "lists l", "l", invitedTo("l.id", "$2"), changeable("l", "$2"))
/** How a list stands to somebody who would delete it. */
export const listPreconditionToDelete = precondition(
  "list_to_delete",
  "lists l",
  "l",
  invitedTo("l.id", "$2"),
  deletable("l", "$2"),
)
