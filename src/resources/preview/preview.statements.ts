import { taskOpenTo, taskRemains } from "../../access/access.js"
import { type Fields, type Id, statement } from "../../statement.js"

/** A thumbnail that was made before: $1 file, $2 width. */
export const previewOfFile = statement(
  "preview_of_file",
  "select storage_key, content_type from previews where file_id = $1::bigint and width = $2::integer",
  ([storageKey, contentType]) => ({ storageKey: storageKey as string, contentType: contentType as string }),
)

/** Before bytes are written that nothing owns yet: $1 is their key. They go in an hour, unless something does by then. */
export const announceBytes = statement(
  "announce_bytes",
  "insert into storage_deletions (storage_key, due_at) values ($1, now() + interval '1 hour') returning 1",
  () => true,
)

/**
 * Keeps a thumbnail whose bytes were announced: $1 file, $2 width, $3 type, $4 key. When another request was faster, its bytes stay and
 * these bytes go. No row: the file is gone.
 */
export const insertPreview = statement(
  "insert_preview",
  `with f as (select id from files where id = $1::bigint for key share),
   p as (insert into previews (file_id, width, content_type, storage_key) select f.id, $2::integer, $3, $4 from f
     on conflict (file_id, width) do nothing returning storage_key),
   d as (delete from storage_deletions where storage_key in (select storage_key from p))
   select count(*) from p`,
  ([count]) => Number(count) === 1,
)

const STORED = "f.id, f.storage_key, f.file_size"
const stored = ([id, storageKey, fileSize]: Fields) => ({
  id: id as Id,
  storageKey: storageKey as string,
  fileSize: Number(fileSize),
})

/** Where the bytes of a file lie that is open to the viewer: $1 file, $2 viewer. */
export const bytesOfOpenFile = statement(
  "bytes_of_open_file",
  `select ${STORED} from files f where f.id = $1::bigint and ${taskOpenTo("f.task_id", "$2")}`,
  stored,
)

/** The same for an address that was signed: $1 is the file. */
export const bytesOfFile = statement(
  "bytes_of_file",
  `select ${STORED} from files f where f.id = $1::bigint and ${taskRemains("f.task_id")}`,
  stored,
)
