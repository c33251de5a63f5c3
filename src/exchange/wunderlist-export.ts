import { z } from "zod"
import { collectRemarks, type ParsedImport, type Reading } from "./parsed-import.js"
import {
  dateOf,
  fileId,
  flag,
  identities,
  instantOf,
  ordinals,
  pastInstantOf,
  quoted,
  readRow,
  recurrenceOf,
  rows,
  shortTitleOf,
  storable,
  text,
  titleOf,
  unused,
} from "./parsed-values.js"

// What the retired service gave its users at its end: an array of lists, each with all that is in it.

const MADE = ["type", "revision", "createdBy", "createdById", "updatedAt"]
const LIST = z.looseObject({
  id: fileId.nullish(),
  title: text,
  listType: text,
  createdAt: text,
  folder: z
    .union([z.string(), z.looseObject({ title: text })])
    .nullish()
    .transform((folder) => (typeof folder === "object" ? folder?.title : folder)),
  tasks: rows,
  members: rows,
  ...unused("public", "owner", "ownerId", ...MADE),
})
const TASK = z.looseObject({
  id: fileId.nullish(),
  title: text,
  completed: flag,
  completedAt: text,
  starred: flag,
  dueDate: text,
  recurrenceType: text,
  recurrenceCount: z.unknown().optional(),
  createdAt: text,
  assignee: z.unknown().optional(),
  assigneeId: z.unknown().optional(),
  notes: z
    .union([z.string().transform((content): unknown[] => [{ content }]), rows])
    .nullish()
    .transform((value) => value ?? []),
  subtasks: rows,
  reminders: rows,
  comments: rows,
  files: rows,
  ...unused("completedBy", "completedById", "listId", ...MADE),
})
const IN_TASK = unused("taskId", "completedBy", "completedById", ...MADE)
const NOTE = z.looseObject({ id: fileId.nullish(), content: text, createdAt: text, ...IN_TASK })
const SUBTASK = z.looseObject({
  id: fileId.nullish(),
  title: text,
  completed: flag,
  completedAt: text,
  createdAt: text,
  ...IN_TASK,
})
const REMINDER = z.looseObject({ id: fileId.nullish(), remindAt: text, createdAt: text, ...IN_TASK })
const COMMENT = z.looseObject({
  id: fileId.nullish(),
  text: text,
  createdAt: text,
  author: z.looseObject({ name: text, email: text }).nullish(),
  ...IN_TASK,
})
const FILE = z.object({ fileName: text })

type Named = { id?: string | null | undefined; createdAt?: string | undefined }

type Keys = (place: string, row: Named, ...said: readonly unknown[]) => string | undefined

/** Plans an export of 2019 or 2020: `[{ title, tasks: [{ title, subtasks, notes, … }] }]`. */
export function parseExport(lists: readonly unknown[], { importer, now }: Reading): ParsedImport {
  const remarks = collectRemarks()
  const isNew = identities(remarks)
  /** Names rows by their id, or by what they say; undefined for the second of an id. */
  const keys = (kind: string, within: string): Keys => {
    const nameOf = ordinals()
    return (place: string, { id, createdAt }: Named, ...said: readonly unknown[]) => {
      if (id == null) return `${within} ${kind} ${nameOf(createdAt, ...said)}`
      return isNew(place, kind, id) ? `wunderlist ${kind} ${id} ${createdAt ?? said[0] ?? ""}` : undefined
    }
  }
  const each = <Shape extends z.ZodObject, Made>(
    all: unknown[],
    place: string,
    shape: Shape,
    plan: (row: z.output<Shape>, place: string) => Made | undefined | "",
  ): Made[] =>
    all.flatMap((one, index) => {
      const row = readRow(remarks, `${place}[${index}]`, shape, one)
      const made = row === undefined ? undefined : plan(row, `${place}[${index}]`)
      return made ? [made] : []
    })

  function parseTask(task: z.output<typeof TASK>, place: string, key: string) {
    const { title, whole } = titleOf(remarks, `${place}.title`, task.title)
    if (whole !== undefined)
      remarks.change(`${place}.title`, "has more than 255 characters; a note holds the whole of it")
    if (task.assignee != null || task.assigneeId != null)
      remarks.skip(`${place}.assignee`, "nobody can be assigned by an import of this format")
    const [noteKey, subtaskKey, reminderKey, commentKey] = ["note", "subtask", "reminder", "comment"].map((kind) =>
      keys(kind, key),
    ) as [Keys, Keys, Keys, Keys]
    for (const [index, file] of task.files.entries()) {
      const name = quoted(FILE.safeParse(file).data?.fileName ?? "a file")
      remarks.skip(`${place}.files[${index}]`, `${name}: its bytes are not in this file; attach it again`)
    }
    return {
      key,
      title,
      starred: task.starred,
      completed: task.completed,
      createdAt: pastInstantOf(task.createdAt, now),
      completedAt: task.completed ? pastInstantOf(task.completedAt, now) : undefined,
      dueDate: dateOf(remarks, `${place}.dueDate`, task.dueDate),
      ...recurrenceOf(remarks, `${place}.recurrenceType`, task.recurrenceType, task.recurrenceCount),
      isMine: false,
      subtasks: each(task.subtasks, `${place}.subtasks`, SUBTASK, (subtask, at) => {
        const itsKey = subtaskKey(at, subtask, subtask.title, subtask.completed, subtask.completedAt)
        return (
          itsKey && {
            key: itsKey,
            title: shortTitleOf(remarks, `${at}.title`, subtask.title),
            completed: subtask.completed,
            createdAt: pastInstantOf(subtask.createdAt, now),
            completedAt: subtask.completed ? pastInstantOf(subtask.completedAt, now) : undefined,
          }
        )
      }),
      notes: [
        ...(whole === undefined ? [] : [{ key: `${key} title`, content: whole }]),
        ...each(task.notes as unknown[], `${place}.notes`, NOTE, (note, at) => {
          if (note.content === undefined || note.content === "") return undefined
          const itsKey = noteKey(at, note, note.content)
          const content = storable(remarks, `${at}.content`, note.content)
          return itsKey && { key: itsKey, content, createdAt: pastInstantOf(note.createdAt, now) }
        }),
      ],
      reminders: each(task.reminders, `${place}.reminders`, REMINDER, (reminder, at) => {
        const date = instantOf(remarks, `${at}.remindAt`, reminder.remindAt)
        const itsKey = date && reminderKey(at, reminder, date)
        return itsKey && { key: itsKey, date }
      }),
      comments: each(task.comments, `${place}.comments`, COMMENT, (comment, at) => {
        const { author } = comment
        const isOther =
          author != null && author.email?.toLowerCase() !== importer.email && author.name !== importer.name
        if (isOther) remarks.change(at, "was written by another person, whose name is put before it")
        const by = isOther ? `${author.name ?? author.email ?? "somebody"}: ` : ""
        const itsKey = commentKey(at, comment, comment.text)
        return (
          itsKey && {
            key: itsKey,
            text: storable(remarks, `${at}.text`, `${by}${comment.text ?? ""}`),
            createdAt: pastInstantOf(comment.createdAt, now),
          }
        )
      }),
    }
  }

  const listNames = ordinals()
  const parsed = each([...lists], "", LIST, (list, place) => {
    // An id may be there twice when two files were put together: its tasks come together too.
    const key =
      list.id == null
        ? `wunderlist list ${listNames(list.title, list.folder)}`
        : `wunderlist list ${list.id} ${list.createdAt ?? list.title ?? ""}`
    if (list.members.length > 1)
      remarks.skip(`${place}.members`, "nobody is invited by an import; invite them yourself")
    const taskKey = keys("task", key)
    return {
      key,
      title: shortTitleOf(remarks, `${place}.title`, list.title),
      isInbox: list.listType === "inbox",
      createdAt: pastInstantOf(list.createdAt, now),
      folder: list.folder ? shortTitleOf(remarks, `${place}.folder`, list.folder) : undefined,
      tasks: each(list.tasks, `${place}.tasks`, TASK, (task, at) => {
        const { title, completed, completedAt, starred, dueDate, recurrenceType, recurrenceCount } = task
        const said = [title, completed, completedAt, starred, dueDate, recurrenceType, recurrenceCount]
        const itsKey = taskKey(at, task, ...said)
        return itsKey && parseTask(task, at, itsKey)
      }),
    }
  })
  return { lists: parsed, remarks: remarks.all }
}
