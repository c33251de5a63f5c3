import { taskOpenTo } from "../../access/access.js"
import { atRevision, precondition } from "../../access/revision.js"
import { deletionOf, readsOf } from "../../loading/children.js"
import { statement } from "../../statement.js"
import { type Note, notes } from "./note.type.js"

// $1 is what is asked for, $2 the viewer.

const NOTE = notes.columns("n")
const OPEN = taskOpenTo("n.task_id", "$2")
/** What statements select of notes, with the viewer as $2. */
export const noteKind = { name: "note", table: "notes", row: "n", select: NOTE, read: notes.read }

/** How notes are read. */
export const noteReads = readsOf(noteKind)

/** Adds a note to an open task: $1 task, $2 viewer, $3 request, $4 content, $5 the client's name for the request. No row: it is closed. */
export const insertNote = statement(
  "insert_note",
  `insert into notes as n (task_id, content, created_by_id, created_by_request_id, updated_by_id, updated_by_request_id)
   select $1::bigint, $4, $2::bigint, $5, $2::bigint, $3 where ${taskOpenTo("$1::bigint", "$2")} returning ${NOTE}`,
  (fields) => notes.read(fields) as Note,
)

/** Changes a note within its revision window: $1 note, $2 viewer, $3 revision, $4 request, $5 content. */
export const patchNote = statement(
  "patch_note",
  `update notes n set content = $5, updated_at = now(), updated_by_id = $2::bigint, updated_by_request_id = $4
   where n.id = $1::bigint and ${atRevision("n", "$3")} and ${OPEN} returning ${NOTE}`,
  (fields) => notes.read(fields) as Note,
)

/** Deletes a note: $1 note, $2 viewer, $3 revision, $4 request. */
export const deleteNoteRow = deletionOf(noteKind, OPEN)

/** How a note stands to the viewer. */
export const notePrecondition = precondition("note", "notes n", "n", OPEN)
