import { taskOpenTo, taskRemains } from "../../access/access.js"
import { precondition } from "../../access/revision.js"
import { childDeletion } from "../../loading/child.statements.js"
import { readsOf } from "../../loading/children.js"
import { type Fields, statement } from "../../statement.js"
import { File, files } from "./file.type.js"

// $1 is what is asked for, $2 the viewer.

// A file follows its task, so its list is its task's and no column of its own.
const LIST = "(select of.list_id from tasks of where of.id = f.task_id)"
const FILE = files.columns("f").replace('f."list_id"', LIST)
const OPEN = taskOpenTo("f.task_id", "$2")
const file = (fields: Fields): File => files.read(fields) as File
/** What statements select of files, with the viewer as $2. */
export const fileKind = { name: "file", table: "files", row: "f", object: File, select: FILE, read: files.read }

/** How files are read. */
export const fileReads = readsOf(fileKind)

/**
 * Attaches an upload to an open task: $1 task, $2 viewer, $3 request, $4 upload, $5 the client's instant, $6 the client's
 * name for the request. Using the upload and making the file are one: of many requests with one upload one makes a file.
 * No row: the task is closed, or the upload is not finished, another's, or used.
 */
export const insertFile = statement(
  "insert_file",
  `with u as (
     update uploads set used_at = now()
     where id = $4::bigint and user_id = $2::bigint and state = 'finished' and used_at is null and ${taskOpenTo("$1::bigint", "$2")}
     returning *)
   insert into files as f (task_id, user_id, file_name, content_type, file_size, storage_key, local_created_at, created_by_request_id,
     updated_by_id, updated_by_request_id)
   select $1::bigint, $2::bigint, u.file_name, u.content_type, u.file_size, u.storage_key, $5::timestamptz, $6, $2::bigint, $3 from u
   returning ${FILE}`,
  file,
)

/** Deletes a file: $1 file, $2 viewer, $3 revision, $4 request. Its bytes follow. */
export const deleteFileRow = childDeletion(fileKind, OPEN)

/** How a file stands to the viewer. */
export const filePrecondition = precondition("file", "files f", "f", OPEN)

/** Where a file's bytes lie and how they are to be shown; for a signed address, which needs no viewer. */
export const storedFile = statement(
  "stored_file",
  `select storage_key, file_name, content_type, file_size, created_at from files where id = $1::bigint and ${taskRemains("task_id")}`,
  ([storageKey, fileName, contentType, fileSize, createdAt]) => ({
    storageKey: storageKey as string,
    fileName: fileName as string,
    contentType: contentType as string,
    fileSize: Number(fileSize),
    createdAt: createdAt as string,
  }),
)
