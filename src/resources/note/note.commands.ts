import { changeOf, creationOf, deletionOf, permissionOf } from "../../loading/child.statements.js"
import { CreateNoteInput, UpdateNoteInput } from "./note.input.js"
import { noteKind } from "./note.statements.js"

/** Adds a note to a task, beside those it has. (§4 Notes, POST) @throws ClosedParent */
export const createNote = creationOf(noteKind, CreateNoteInput)

/** Whether the viewer may change a note as it stands. @throws NotFound, RevisionConflict */
export const mayWriteNote = permissionOf(noteKind)

/** Changes a note's text. (§4 Notes, PATCH) @throws NotFound, RevisionConflict */
export const updateNote = changeOf(noteKind, UpdateNoteInput, mayWriteNote, () => ({ updated_at: "now()" }))

/** Deletes a note. (§4 Notes, DELETE) @throws NotFound, RevisionConflict */
export const deleteNote = deletionOf(noteKind, mayWriteNote)
