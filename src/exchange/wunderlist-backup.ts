import { z } from "zod"
import { inEffectiveOrder } from "../loading/effective-order.js"
import {
  collectRemarks,
  type ParsedImport,
  type ParsedList,
  type Reading,
  type Remarks,
  UnreadableFile,
} from "./parsed-import.js"
import {
  dateOf,
  fileId,
  flag,
  identities,
  instantOf,
  pastInstantOf,
  quoted,
  readRow,
  recurrenceOf,
  remarkUnknown,
  rows,
  shortTitleOf,
  storable,
  text,
  titleOf,
  unused,
} from "./parsed-values.js"

// The backup of the retired service, and of this one: one array for each kind of row, tied together by ids.

const DATA = z.looseObject(
  {
    lists: rows,
    tasks: rows,
    subtasks: rows,
    notes: rows,
    reminders: rows,
    task_comments: rows,
    files: rows,
    folders: rows,
    memberships: rows,
    settings: rows,
    list_positions: rows,
    task_positions: rows,
    subtask_positions: rows,
  },
  { error: "must be an object of arrays: lists, tasks, …" },
)
const FILE = z.looseObject({ user: z.unknown().optional(), data: DATA, ...unused("exported") })

const made = {
  id: fileId,
  created_at: text,
  ...unused("type", "revision", "created_by_id", "created_by_request_id", "updated_at"),
}
const LIST = z.looseObject({ ...made, title: text, list_type: text, ...unused("public", "owner_id", "owner_type") })
const FOLDER = z.looseObject({
  title: text,
  list_ids: z.array(fileId).nullish(),
  ...unused("id", "user_id", "created_at", ...Object.keys(made)),
})
const POSITION = z.looseObject({
  id: fileId,
  list_id: fileId.nullish(),
  task_id: fileId.nullish(),
  values: z.array(fileId),
  ...unused("type", "revision", "user_id", "updated_at", "created_at"),
})
const TASK = z.looseObject({
  ...made,
  list_id: fileId,
  title: text,
  due_date: text,
  starred: flag,
  completed: flag,
  completed_at: text,
  assignee_id: fileId.nullish(),
  recurrence_type: text,
  recurrence_count: z.unknown().optional(),
  ...unused("completed_by_id", "assigner_id"),
})
const inTask = { ...made, task_id: fileId }
const SUBTASK = z.looseObject({
  ...inTask,
  title: text,
  completed: flag,
  completed_at: text,
  ...unused("completed_by_id"),
})
const NOTE = z.looseObject({ ...inTask, content: text })
const REMINDER = z.looseObject({ ...inTask, date: text, ...unused("user_id", "created_by_device_udid") })
const COMMENT = z.looseObject({
  ...inTask,
  text: text,
  created_by_id: fileId.nullish(),
  author: z.looseObject({ id: fileId.nullish(), name: text }).nullish(),
  ...unused("local_created_at"),
})
const FILE_ROW = z.looseObject({ file_name: text })

type Row<Shape extends z.ZodType> = z.output<Shape> & { readonly place: string }

/** Reads every row of an array that is of the right shape and has an id of its own. */
function readAll<Shape extends z.ZodObject>(
  remarks: Remarks,
  name: string,
  shape: Shape,
  all: unknown[],
): Row<Shape>[] {
  const isNew = identities(remarks)
  return all.flatMap((each, index) => {
    const place = `data.${name}[${index}]`
    const row = readRow(remarks, place, shape, each)
    if (row === undefined || (row.id != null && !isNew(place, name, String(row.id)))) return []
    return [Object.assign(row, { place }) as Row<Shape>]
  })
}

type Keyed = { id: string; created_at?: string | undefined } & Readonly<Record<string, unknown>>

/** Ids are used again after a restore, or by another service: when it was made tells them apart, or else what it says. */
const key = (kind: string, { id, created_at, title, content, text: said, date }: Keyed): string =>
  `wunderlist ${kind} ${id} ${created_at ?? title ?? content ?? said ?? date ?? ""}`

/** Parses a backup: `{ user, exported, data: { lists, tasks, … } }`. @throws UnreadableFile */
export function parseBackup(file: unknown, { now }: Reading): ParsedImport {
  const { data: read, error } = FILE.safeParse(file)
  if (error) throw new UnreadableFile(`${error.issues[0]?.path.join(".")} ${error.issues[0]?.message}`)
  const { user, data } = read
  const me = typeof user === "object" && user !== null ? String((user as { id?: unknown }).id) : String(user)
  const remarks = collectRemarks()
  remarkUnknown(remarks, "data", DATA, data)
  const all = <Shape extends z.ZodObject>(name: keyof typeof data & string, shape: Shape) =>
    readAll(remarks, name, shape, data[name] as unknown[])

  const orders = (name: "list_positions" | "task_positions" | "subtask_positions", of: "id" | "list_id" | "task_id") =>
    new Map(all(name, POSITION).map((position) => [position[of] ?? position.id, position.values]))
  const orderOfTasks = orders("task_positions", "list_id")
  const orderOfSubtasks = orders("subtask_positions", "task_id")
  const [orderOfLists] = orders("list_positions", "id").values()
  const folderOf = new Map(
    all("folders", FOLDER).flatMap(({ place, title, list_ids }) => {
      const folder = shortTitleOf(remarks, `${place}.title`, title)
      return (list_ids ?? []).map((id) => [id, folder] as const)
    }),
  )

  const tasks = all("tasks", TASK)
  const known = new Set(tasks.map(({ id }) => id))
  const ofTasks = <Shape extends z.ZodObject<{ task_id: typeof fileId }>>(
    name: keyof typeof data & string,
    shape: Shape,
  ) => {
    const grouped = new Map<string, Row<Shape>[]>()
    for (const row of all(name, shape)) {
      if (!known.has(row.task_id)) remarks.skip(`${row.place}.task_id`, `names no task of this file: ${row.task_id}`)
      else if (!grouped.get(row.task_id)?.push(row)) grouped.set(row.task_id, [row])
    }
    return grouped
  }
  const subtasks = ofTasks("subtasks", SUBTASK)
  const notes = ofTasks("notes", NOTE)
  const reminders = ofTasks("reminders", REMINDER)
  const comments = ofTasks("task_comments", COMMENT)

  function parseTask(task: Row<typeof TASK>) {
    const { place, id, starred, completed } = task
    const { title, whole } = titleOf(remarks, `${place}.title`, task.title)
    if (whole !== undefined)
      remarks.change(`${place}.title`, "has more than 255 characters; a note holds the whole of it")
    if (task.assignee_id != null && task.assignee_id !== me)
      remarks.skip(`${place}.assignee_id`, "is another person; only the importing user can be assigned")
    return {
      key: key("task", task),
      title,
      starred,
      completed,
      createdAt: pastInstantOf(task.created_at, now),
      completedAt: completed ? pastInstantOf(task.completed_at, now) : undefined,
      dueDate: dateOf(remarks, `${place}.due_date`, task.due_date),
      ...recurrenceOf(remarks, `${place}.recurrence_type`, task.recurrence_type, task.recurrence_count),
      isMine: task.assignee_id === me,
      subtasks: inEffectiveOrder(byId(subtasks.get(id)), orderOfSubtasks.get(id)).map((subtask) => ({
        key: key("subtask", subtask),
        title: shortTitleOf(remarks, `${subtask.place}.title`, subtask.title),
        completed: subtask.completed,
        createdAt: pastInstantOf(subtask.created_at, now),
        completedAt: subtask.completed ? pastInstantOf(subtask.completed_at, now) : undefined,
      })),
      notes: [
        ...(whole === undefined ? [] : [{ key: `${key("task", task)} title`, content: whole }]),
        ...byId(notes.get(id)).map((note) => ({
          key: key("note", note),
          content: storable(remarks, `${note.place}.content`, note.content ?? ""),
          createdAt: pastInstantOf(note.created_at, now),
        })),
      ],
      reminders: byId(reminders.get(id)).flatMap((reminder) => {
        const date = instantOf(remarks, `${reminder.place}.date`, reminder.date)
        return date === undefined ? [] : [{ key: key("reminder", reminder), date }]
      }),
      comments: byId(comments.get(id)).map((comment) => parseComment(comment)),
    }
  }

  function parseComment(comment: Row<typeof COMMENT>) {
    const author = comment.created_by_id ?? comment.author?.id
    const isOther = author != null && author !== me
    const by = comment.author?.name ?? `user ${author}`
    if (isOther) remarks.change(comment.place, "was written by another person, whose name is put before it")
    return {
      key: key("comment", comment),
      text: storable(remarks, `${comment.place}.text`, `${isOther ? `${by}: ` : ""}${comment.text ?? ""}`),
      createdAt: pastInstantOf(comment.created_at, now),
    }
  }

  const inLists = new Map<string, Row<typeof TASK>[]>()
  const lists = all("lists", LIST)
  const listIds = new Set(lists.map(({ id }) => id))
  for (const task of tasks) {
    if (!listIds.has(task.list_id)) remarks.skip(`${task.place}.list_id`, `names no list of this file: ${task.list_id}`)
    else if (!inLists.get(task.list_id)?.push(task)) inLists.set(task.list_id, [task])
  }
  for (const [index, file] of data.files.entries()) {
    const name = quoted(FILE_ROW.safeParse(file).data?.file_name ?? "a file")
    remarks.skip(`data.files[${index}]`, `${name}: a backup holds no bytes; attach it again`)
  }
  if (data.settings.length > 0) remarks.skip("data.settings", "settings are not imported")
  const others = data.memberships.filter((row) => String((row as { user_id?: unknown })?.user_id) !== me)
  if (others.length > 0) remarks.skip("data.memberships", "nobody is invited by an import; invite them yourself")
  return {
    lists: inEffectiveOrder(byId(lists), orderOfLists).map(
      (list): ParsedList => ({
        key: key("list", list),
        title: shortTitleOf(remarks, `${list.place}.title`, list.title),
        isInbox: list.list_type === "inbox",
        createdAt: pastInstantOf(list.created_at, now),
        folder: folderOf.get(list.id),
        tasks: inEffectiveOrder(byId(inLists.get(list.id)), orderOfTasks.get(list.id)).map(parseTask),
      }),
    ),
    remarks: remarks.all,
  }
}

const byId = <Row extends { id: string }>(all: Row[] = []): Row[] => all.sort((a, b) => Number(a.id) - Number(b.id))
