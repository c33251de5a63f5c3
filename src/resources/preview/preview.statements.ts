import { statement } from "../../statement.js"

// Not Prisma: by the clock of the database, which removes them; and the taking over is one statement.

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
