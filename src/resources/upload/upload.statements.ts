import { type Fields, type Id, statement } from "../../statement.js"
import { type UploadRow, uploads } from "./upload.type.js"

// $1 is the upload, $2 the viewer, unless it says otherwise. Not Prisma: they are on the way of files and their parts, many at once;
// some write to two tables, and leases go by the clock of the database.

const UPLOAD = uploads.columns("u")
const upload = (fields: Fields): UploadRow => uploads.read(fields) as UploadRow

/** What a part must have: its MD5; and the ETag of one that was seen to have it, where that is not the MD5. */
export type PartDigest = { readonly partNumber: number; readonly md5: string; readonly etag: string | null }

/** A request that finishes an upload holds it for so long, and again as long as it lives. */
const LEASE = "interval '30 seconds'"

/**
 * Keeps an upload that the store has started: $1 viewer, $2 the file's name, $3 type, $4 size, $5 key and $6 name at the
 * store, $7 the part that $8 is the MD5 of.
 */
export const insertUpload = statement(
  "insert_upload",
  `with u as (
     insert into uploads (user_id, file_name, content_type, file_size, storage_key, storage_upload_id)
     values ($1::bigint, $2, $3, $4::bigint, $5, $6) returning *),
   d as (insert into upload_digests (upload_id, part_number, md5) select u.id, $7::integer, $8 from u where $8::text is not null)
   select ${UPLOAD} from u`,
  upload,
)

/** The viewer's own upload; $4, unless it is null, becomes the MD5 that part $3 must have. What came under another one counts no more. */
export const uploadById = statement(
  "upload_by_id",
  `with u as (select * from uploads where id = $1::bigint and user_id = $2::bigint),
   d as (insert into upload_digests (upload_id, part_number, md5) select u.id, $3::integer, $4 from u where u.state = 'new' and $4::text is not null
     on conflict (upload_id, part_number) do update
       set md5 = excluded.md5, etag = case when upload_digests.md5 = excluded.md5 then upload_digests.etag end)
   select ${UPLOAD} from u`,
  upload,
)

/**
 * What part $3 of the open upload with the key $1 and the name $2 at the store must be: of a file of that size, and with that
 * MD5 where one was announced. Asked where parts arrive.
 */
export const expectedPart = statement(
  "expected_part",
  `select u.file_size, d.md5 from uploads u left join upload_digests d on d.upload_id = u.id and d.part_number = $3::integer
   where u.storage_key = $1 and u.storage_upload_id = $2 and u.state = 'new'`,
  ([fileSize, md5]) => ({ fileSize: Number(fileSize), md5: (md5 ?? undefined) as string | undefined }),
)

/** Keeps the ETag, $4, under which the store took part $2 of the upload with the key $1 after it had checked the MD5 $3. */
export const keepEtagOfPart = statement(
  "keep_etag_of_part",
  `update upload_digests d set etag = $4 from uploads u
   where u.id = d.upload_id and u.storage_key = $1 and d.part_number = $2::integer and d.md5 = $3 returning 1`,
  () => true,
)

/** Takes an upload to finish it, with what its parts must have; no row when it is finished, or another request is at it. */
export const claimUpload = statement(
  "claim_upload",
  `update uploads u set finishing_until = now() + ${LEASE}
   where u.id = $1::bigint and u.user_id = $2::bigint and u.state = 'new' and (u.finishing_until is null or u.finishing_until < now())
   returning (select json_agg(json_build_object('partNumber', d.part_number, 'md5', d.md5, 'etag', d.etag))
     from upload_digests d where d.upload_id = u.id), ${UPLOAD}`,
  (fields) => ({
    row: uploads.read(fields, 1) as UploadRow,
    digests: JSON.parse(fields[0] ?? "[]") as readonly PartDigest[],
  }),
)

/** Says that a request is still at an upload: $1 is the upload. */
export const renewClaim = statement(
  "renew_claim",
  `update uploads set finishing_until = now() + ${LEASE} where id = $1::bigint and state = 'new' and finishing_until is not null returning id`,
  ([id]) => id as Id,
)

/** The store has completed an upload: $1 is the upload. */
export const finishUploadRow = statement(
  "finish_upload",
  `update uploads u set state = 'finished', finished_at = coalesce(u.finished_at, now()), finishing_until = null
   where u.id = $1::bigint returning ${UPLOAD}`,
  upload,
)
