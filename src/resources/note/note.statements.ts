import { readsOf } from "../../loading/children.js"
import { Note, notes } from "./note.type.js"

/** What statements select of notes, with the viewer as $2. */
export const noteKind = {
  name: "note",
  table: "notes",
  row: "n",
  object: Note,
  select: notes.columns("n"),
  read: notes.read,
}

/** How notes are read. */
export const noteReads = readsOf(noteKind)
