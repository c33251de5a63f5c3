import { useMemo, useState } from "preact/hooks"
import type { Note, Task } from "../../../../client/client.js"
import { remove } from "./acts.js"
import { isComposing } from "./composing.js"
import { Icon } from "./icons.js"
import { Markdown } from "./markdown.js"
import { client } from "./session.js"
import { noteMade, stableKey } from "./stable-key.js"
import { t } from "./texts.js"
import { useDraft } from "./use-draft.js"
import { useView } from "./use-view.js"

type EditorProps = { readonly note: Note; onDone(): void }

function Editor({ note: { id, content }, onDone }: EditorProps) {
  const draft = useDraft<HTMLTextAreaElement>(content, (text, seen) =>
    client.update("note", id, { content: text }, { seen: { content: seen } }),
  )
  return (
    <div class="note-editor">
      <textarea
        {...draft}
        class="note-text"
        rows={Math.min(14, Math.max(4, content.split("\n").length + 1))}
        aria-label={t.note}
        aria-describedby="markdown-hint"
        autofocus
        onKeyDown={(event) => {
          const isDone = event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey))
          if (!isDone || isComposing(event)) return
          event.stopPropagation()
          event.preventDefault()
          draft.onBlur()
          onDone()
        }}
      />
      <div class="line">
        <span class="quiet small grow" id="markdown-hint">
          {t.markdownHint}
        </span>
        <button type="button" class="main small" onClick={onDone}>
          {t.doneEditing}
        </button>
      </div>
    </div>
  )
}

function Shown({ note, onEdit }: { readonly note: Note; onEdit(): void }) {
  const text = useMemo(() => <Markdown text={note.content} />, [note.content])
  return (
    <div class="note">
      {text}
      <div class="note-tools">
        <button type="button" class="icon-button" aria-label={t.editNote} title={t.editNote} onClick={onEdit}>
          <Icon name="note" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label={t.deleteNote}
          title={t.deleteNote}
          onClick={() => remove("note", [note.id], t.deleted(t.note))}
        >
          <Icon name="trash" />
        </button>
      </div>
    </div>
  )
}

/** So many are shown at first, and with each "Show … more" as many more. */
const SHOWN = 20

/** The notes of a task: Markdown that is shown, and plain text while it is written. */
export function Notes({ task: { id } }: { readonly task: Task }) {
  const notes = useView((view) => view.all("note", id), [id])
  const [number, show] = useState(SHOWN)
  const [editing, edit] = useState<number | undefined>()
  const add = () => edit(noteMade("note", client.create("note", { task_id: id, content: "" })))
  return (
    <section class="notes" aria-labelledby="notes-title">
      <h3 id="notes-title">{t.notes}</h3>
      {notes.map((note, place) => {
        const key = stableKey("note", note.id)
        if (editing !== key && place >= number) return null
        if (editing === key) return <Editor key={key} note={note} onDone={() => edit(undefined)} />
        return note.content.trim() === "" ? null : <Shown key={key} note={note} onEdit={() => edit(key)} />
      })}
      {notes.length > number && (
        <button type="button" class="chip" id="more-notes" onClick={() => show(number + SHOWN)}>
          {t.showMore(Math.min(SHOWN, notes.length - number))}
        </button>
      )}
      {editing === undefined && (
        <button
          type="button"
          class="chip"
          id="add-note"
          onClick={() => {
            // An empty one is as good as none: it is written on.
            const empty = notes.find(({ content }) => content.trim() === "")
            if (empty) edit(stableKey("note", empty.id))
            else add()
          }}
        >
          {t.addNote}
        </button>
      )}
    </section>
  )
}
