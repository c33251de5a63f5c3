import { z } from "zod"
import { collectRemarks, type Plan, type Reading } from "./plan.js"
import {
  dateOf,
  fileId,
  flag,
  instantOf,
  ordinals,
  pastInstantOf,
  readRow,
  rows,
  shortTitleOf,
  storable,
  text,
  titleOf,
} from "./plan-values.js"

// What the retired service gave its users at its end: an array of lists, each with all that is in it.

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
})
const TASK = z.looseObject({
  id: fileId.nullish(),
  title: text,
  completed: flag,
  completedAt: text,
  starred: flag,
  dueDate: text,
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
})
const NOTE = z.looseObject({ id: fileId.nullish(), content: text, createdAt: text })
const SUBTASK = z.looseObject({
  id: fileId.nullish(),
  title: text,
  completed: flag,
  completedAt: text,
  createdAt: text,
})
const REMINDER = z.looseObject({ id: fileId.nullish(), remindAt: text, createdAt: text })
const COMMENT = z.looseObject({
  id: fileId.nullish(),
  text: text,
  createdAt: text,
  author: z.looseObject({ name: text, email: text }).nullish(),
})
const FILE = z.looseObject({ fileName: text })

type Named = { id?: string | null | undefined; createdAt?: string | undefined }

/** Plans an export of 2019 or 2020: `[{ title, tasks: [{ title, subtasks, notes, … }] }]`. */
export function planExport(lists: readonly unknown[], { importer, now }: Reading): Plan {
  const remarks = collectRemarks()
  const keys = (kind: string, within: string) => {
    const nameOf = ordinals()
    return ({ id, createdAt }: Named, name: string) =>
      id == null ? `${within} ${kind} ${nameOf(name)}` : `wunderlist ${kind} ${id} ${createdAt ?? ""}`
  }
  const each = <Shape extends z.ZodType, Made>(
    all: unknown[],
    place: string,
    shape: Shape,
    plan: (row: z.output<Shape>, place: string) => Made | undefined,
  ): Made[] =>
    all.flatMap((one, index) => {
      const row = readRow(remarks, `${place}[${index}]`, shape, one)
      const made = row === undefined ? undefined : plan(row, `${place}[${index}]`)
      return made === undefined ? [] : [made]
    })

  function planTask(task: z.output<typeof TASK>, place: string, key: string) {
    const { title, whole } = titleOf(remarks, `${place}.title`, task.title)
    if (whole !== undefined)
      remarks.change(`${place}.title`, "has more than 255 characters; a note holds the whole of it")
    if (task.assignee != null || task.assigneeId != null)
      remarks.skip(`${place}.assignee`, "nobody can be assigned by an import of this format")
    const [noteKey, subtaskKey, reminderKey, commentKey] = ["note", "subtask", "reminder", "comment"].map((kind) =>
      keys(kind, key),
    ) as [ReturnType<typeof keys>, ReturnType<typeof keys>, ReturnType<typeof keys>, ReturnType<typeof keys>]
    each(task.files, `${place}.files`, FILE, ({ fileName }, at) => {
      remarks.skip(at, `${JSON.stringify(fileName ?? "a file")}: its bytes are not in this file; attach it again`)
      return undefined
    })
    return {
      key,
      title,
      starred: task.starred,
      completed: task.completed,
      createdAt: pastInstantOf(task.createdAt, now),
      completedAt: task.completed ? pastInstantOf(task.completedAt, now) : undefined,
      dueDate: dateOf(remarks, `${place}.dueDate`, task.dueDate),
      isMine: false,
      subtasks: each(task.subtasks, `${place}.subtasks`, SUBTASK, (subtask, at) => ({
        key: subtaskKey(subtask, subtask.title ?? ""),
        title: shortTitleOf(remarks, `${at}.title`, subtask.title),
        completed: subtask.completed,
        createdAt: pastInstantOf(subtask.createdAt, now),
        completedAt: subtask.completed ? pastInstantOf(subtask.completedAt, now) : undefined,
      })),
      notes: [
        ...(whole === undefined ? [] : [{ key: `${key} title`, content: whole }]),
        ...each(task.notes as unknown[], `${place}.notes`, NOTE, (note, at) =>
          note.content === undefined || note.content === ""
            ? undefined
            : {
                key: noteKey(note, ""),
                content: storable(remarks, `${at}.content`, note.content),
                createdAt: pastInstantOf(note.createdAt, now),
              },
        ),
      ],
      reminders: each(task.reminders, `${place}.reminders`, REMINDER, (reminder, at) => {
        const date = instantOf(remarks, `${at}.remindAt`, reminder.remindAt)
        return date === undefined ? undefined : { key: reminderKey(reminder, date), date }
      }),
      comments: each(task.comments, `${place}.comments`, COMMENT, (comment, at) => {
        const { author } = comment
        const isOther =
          author != null && author.email?.toLowerCase() !== importer.email && author.name !== importer.name
        if (isOther) remarks.change(at, "was written by somebody else; his name stands before it")
        const by = isOther ? `${author.name ?? author.email ?? "somebody"}: ` : ""
        return {
          key: commentKey(comment, comment.text ?? ""),
          text: storable(remarks, `${at}.text`, `${by}${comment.text ?? ""}`),
          createdAt: pastInstantOf(comment.createdAt, now),
        }
      }),
    }
  }

  const listKey = keys("list", "wunderlist")
  const planned = each([...lists], "", LIST, (list, place) => {
    const key = listKey(list, list.title ?? "")
    if (list.members.length > 1)
      remarks.skip(`${place}.members`, "nobody is invited by an import; invite them yourself")
    const taskKey = keys("task", key)
    return {
      key,
      title: shortTitleOf(remarks, `${place}.title`, list.title),
      isInbox: list.listType === "inbox",
      createdAt: pastInstantOf(list.createdAt, now),
      folder: list.folder ? shortTitleOf(remarks, `${place}.folder`, list.folder) : undefined,
      tasks: each(list.tasks, `${place}.tasks`, TASK, (task, at) =>
        planTask(task, at, taskKey(task, task.title ?? "")),
      ),
    }
  })
  return { lists: planned, remarks: remarks.all }
}
