import { failedPrecondition, mayWrite } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { ClosedParent } from "../../errors.js"
import type { Id } from "../../statement.js"
import type { CreateNoteInput, UpdateNoteInput } from "./note.input.js"
import { deleteNoteRow, insertNote, notePrecondition, patchNote } from "./note.statements.js"
import type { Note } from "./note.type.js"

/** Adds a note to a task, beside those it has. (§4 Notes, POST) @throws ClosedParent */
export async function createNote(
  { db, viewer, requestId, clientRequestId }: Context,
  { taskId, content }: CreateNoteInput,
): Promise<Note> {
  const [note] = await db.run(insertNote, [taskId, viewer.userId, requestId, content, clientRequestId])
  if (note === undefined) throw new ClosedParent()
  return note
}

/** Whether the viewer may change a note as it stands. @throws NotFound, RevisionConflict */
export const mayWriteNote = (context: Context, id: Id, revision: number): Promise<void> =>
  mayWrite(context, notePrecondition, id, revision)

/** Changes a note's text. (§4 Notes, PATCH) @throws NotFound, RevisionConflict */
export async function updateNote(context: Context, id: Id, { revision, content }: UpdateNoteInput): Promise<Note> {
  const { db, viewer, requestId } = context
  const [note] = await db.run(patchNote, [id, viewer.userId, revision, requestId, content])
  return note ?? failedPrecondition(mayWriteNote(context, id, revision))
}

/** Deletes a note. (§4 Notes, DELETE) @throws NotFound, RevisionConflict */
export async function deleteNote(context: Context, id: Id, revision: number): Promise<true> {
  const [deleted] = await context.db.run(deleteNoteRow, [id, context.viewer.userId, revision, context.requestId])
  return deleted === undefined ? failedPrecondition(mayWriteNote(context, id, revision)) : true
}
