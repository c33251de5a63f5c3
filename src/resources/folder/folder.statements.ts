import { invitedTo } from "../../access/access.js"
import { atRevision } from "../../access/revision.js"
import { type Fields, type Id, statement } from "../../statement.js"
import { type List, lists } from "../list/list.type.js"
import { type Folder, type FolderRevision, folders } from "./folder.type.js"

const FOLDER = folders.columns("f")
const folder = (fields: Fields): Folder => folders.read(fields) as Folder

// Not Prisma, which reads everything before it can be counted: a folder may hold any number of lists, and a user any of folders.

/** Every folder of a user by id: $1 is the user. */
export const foldersOfUser = statement(
  "folders_of_user",
  `select ${FOLDER} from folders f where f.user_id = $1::bigint order by f.id`,
  folder,
)

/** The revisions of every folder of a user, by id: $1 is the user. */
export const revisionsOfFolders = statement(
  "revisions_of_folders",
  "select f.id, f.revision from folders f where f.user_id = $1::bigint order by f.id",
  ([id, revision]): FolderRevision => ({ id: id as Id, revision: Number(revision) }),
)

/** The viewer's folders, $2, that hold one of many lists. */
export const foldersOfLists = statement(
  "folders_of_lists",
  `select ${FOLDER} from folders f where f.user_id = $2::bigint and f.list_ids && $1::bigint[]`,
  folder,
)

/** The lists in many folders, by folder and list id. */
export const listsOfFolders = statement(
  "lists_of_folders",
  `select f.id, ${lists.columns("l")} from folders f join lists l on l.id = any(f.list_ids)
   where f.id = any($1::bigint[]) and f.user_id = $2::bigint and ${invitedTo("l.id", "$2")} order by f.id, l.id`,
  (fields) => ({ folderId: fields[0] as Id, list: lists.read(fields, 1) as List }),
)

// Not Prisma: memberships are locked by the statement that writes and held until the end, so that no list is left behind in a
// folder of somebody who loses it meanwhile.
const turnAndSeen = (ids: string) => `turn as materialized (select take_turn_with_folders_of($2::bigint)),
   seen as materialized (
     select m.list_id from memberships m, turn where m.user_id = $2::bigint and m.list_id = any(${ids}::bigint[]) order by m.id for key share of m)`
const allSeen = (ids: string) =>
  `(select count(*) from turn) = 1 and (${ids}::bigint[] is null or (select count(distinct list_id) from seen) = cardinality(${ids}::bigint[]))`

/**
 * Makes a folder: $1 title, $2 viewer, $3 request, $4 lists, each once, $5 the client's name for the request. No row when a list is
 * not one of the viewer's.
 */
export const insertFolder = statement(
  "insert_folder",
  `with ${turnAndSeen("$4")}
   insert into folders as f (user_id, title, list_ids, created_by_id, created_by_request_id, updated_by_id, updated_by_request_id)
   select $2::bigint, $1, $4::bigint[], $2::bigint, $5, $2::bigint, $3 where ${allSeen("$4")} returning ${FOLDER}`,
  folder,
)

/** Changes a folder within its revision window: $1 folder, $2 viewer, $3 revision, $4 request, $5 title, $6 lists, each once. */
export const patchFolder = statement(
  "patch_folder",
  `with ${turnAndSeen("$6")}
   update folders f set title = coalesce($5, f.title), list_ids = coalesce($6::bigint[], f.list_ids), updated_at = now(),
     updated_by_id = $2::bigint, updated_by_request_id = $4
   where f.id = $1::bigint and f.user_id = $2::bigint and ${allSeen("$6")} and ${atRevision("f", "$3")} returning ${FOLDER}`,
  folder,
)
