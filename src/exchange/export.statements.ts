import { membershipOf } from "../access/access.js"
import { type Fields, type Id, type Statement, statement } from "../statement.js"

// $1 is the user. Rows come in pages of a bounded size, so that memory does not grow with what there is: a note has megabytes.
// Not Prisma: it cannot tell before it reads a row how large that is.

const PAGE = 1_000
/** So much text is read at once, and the row that goes beyond. */
export const PAGE_BYTES = 2 ** 20

/** Everything that follows sees the database as it is now. The first statement of its transaction. */
export const freeze = statement(
  "freeze_for_export",
  "set transaction isolation level repeatable read, read only",
  () => true,
)
/** A reader that is slow, such as a pipe, may take its time. */
export const takeTime = statement(
  "take_time_for_export",
  "set local idle_in_transaction_session_timeout = 0",
  () => true,
)

const MINE = `select m.list_id from memberships m where ${membershipOf("m", "$1")}`

const rowOf = ([row]: Fields) => JSON.parse(row as string) as Record<string, unknown>
const rowsWhere = (table: string, condition: string) =>
  statement(`export_${table}`, `select to_jsonb(r) from ${table} r where ${condition} order by r.id`, rowOf)

/** Rows of the user, or of the user's lists: they are few. */
const ofUser = (table: string, owner = "user_id") => rowsWhere(table, `r.${owner} = $1::bigint`)
const ofLists = (table: string, list = "list_id") => rowsWhere(table, `r.${list} in (${MINE})`)
/** Rows with the ids $2. */
const withIds = (table: string) => rowsWhere(table, "r.id = any($2::bigint[]) and $1::bigint > 0")

/** A row before it is read: about how long it is. */
export type Measured = { readonly id: Id; readonly bytes: number }
/** The rows of the tasks $2, by id. */
const measured = (table: string, { task = "task_id", bytes = "500", more = "" }) =>
  statement(
    `measure_${table}`,
    `select r.id, ${bytes} from ${table} r where r.${task} = any($2::bigint[]) and $1::bigint > 0${more} order by r.id`,
    ([id, length]): Measured => ({ id: id as Id, bytes: Number(length) }),
  )

type ExportedKind = {
  /** Its array in a backup, and the name of its rows. */
  readonly member: string
  readonly type: string
  readonly rows: Statement<Record<string, unknown>>
  /** Those of some tasks at a time, whose rows are then read by id. Unset: all are read at once. */
  readonly inTasks?: Statement<Measured>
}
const kind = (member: string, type: string, rows: ExportedKind["rows"]): ExportedKind => ({ member, type, rows })
/** A kind of which tasks may have any number. */
const kindInTasks = (member: string, type: string, how: Parameters<typeof measured>[1] = {}): ExportedKind => ({
  member,
  type,
  rows: withIds(member),
  inTasks: measured(member, how),
})

/** The kinds of rows in a backup. */
export const backedUp: readonly ExportedKind[] = [
  kind("lists", "list", ofLists("lists", "id")),
  kindInTasks("tasks", "task", { task: "id", bytes: "octet_length(r.title) + 500" }),
  kindInTasks("reminders", "reminder", { more: " and r.user_id = $1::bigint" }),
  kindInTasks("subtasks", "subtask", { bytes: "octet_length(r.title) + 500" }),
  kindInTasks("notes", "note", { bytes: "octet_length(r.content) + 500" }),
  {
    ...kindInTasks("task_comments", "task_comment", { bytes: "octet_length(r.text) + 500" }),
    rows: statement(
      "export_task_comments",
      `select to_jsonb(r) || jsonb_build_object('author', jsonb_build_object('id', u.id, 'name', u.name)) from task_comments r
       join users u on u.id = r.created_by_id where r.id = any($2::bigint[]) and $1::bigint > 0 order by r.id`,
      rowOf,
    ),
  },
  kindInTasks("files", "file"),
  kind("folders", "folder", ofUser("folders")),
  kind("memberships", "membership", ofLists("memberships")),
  kind("settings", "setting", ofUser("settings")),
  kind("list_positions", "list_position", ofUser("list_positions", "id")),
  kind("task_positions", "task_position", ofLists("task_positions", "id")),
  kindInTasks("subtask_positions", "subtask_position", { task: "id", bytes: 'cardinality(r."values") * 8 + 500' }),
]

// Here and below by the index on list, whether done, and id: a list of any size is read once, not once for each page.
/** A page of the ids of a list's tasks: $1 the list, $2 behind which, $3 whether they are done. */
export const pageOfTaskIds = statement(
  "page_of_task_ids",
  `select t.id from tasks t where t.list_id = $1::bigint and t.completed = $3::boolean and t.id > $2::bigint order by t.id limit ${PAGE}`,
  ([id]) => id as Id,
)

/** The lists of a user, or one of them, $2, by id. */
export const listsToExport = statement(
  "lists_to_export",
  `select l.id, l.title from lists l join memberships m on m.list_id = l.id where ${membershipOf("m", "$1")} and ($2::bigint is null or l.id = $2::bigint) order by l.id`,
  ([id, title]) => ({ id: id as Id, title: title as string }),
)

/** A task as exports write it: the assignee by name, notes as text, what is in it in its order. */
export type WholeTask = {
  readonly id: number
  readonly title: string
  readonly created_at: string
  readonly due_date: string | null
  readonly starred: boolean
  readonly completed: boolean
  readonly completed_at: string | null
  readonly recurrence_type: string | null
  readonly recurrence_count: number | null
  /** The day from which months and years are counted, where that is not the due date. */
  readonly recurrence_anchor: string | null
  readonly revision: number
  readonly assignee: string | null
  /** As far as a megabyte goes, as notes and reminders do. */
  readonly subtasks: readonly { id: number; title: string; completed: boolean }[]
  readonly subtasks_left_out: number
  readonly notes: readonly string[]
  readonly notes_left_out: number
  readonly reminders: readonly { id: number; date: string }[]
  readonly reminders_left_out: number
}

/** About what a format writes for a subtask or a reminder beside its text. */
const AROUND = 60
type Part = {
  readonly table: string
  readonly join?: string
  readonly where: string
  readonly bytes: string
  readonly json: string
  readonly order: string
}
const PARTS: Readonly<Record<"subtasks" | "notes" | "reminders", Part>> = {
  subtasks: {
    table: "subtasks r",
    join: `left join (select v.id, min(v.place) as place from subtask_positions p
      cross join unnest(p."values") with ordinality as v(id, place) where p.id = t.id group by v.id) o on o.id = r.id`,
    where: "r.task_id = t.id",
    bytes: `(octet_length(r.title) + ${AROUND})`,
    json: "jsonb_build_object('id', x.id, 'title', x.title, 'completed', x.completed)",
    order: "o.place nulls last, r.id",
  },
  notes: {
    table: "notes r",
    where: "r.task_id = t.id",
    bytes: "octet_length(r.content)",
    json: "to_jsonb(x.content)",
    order: "r.id",
  },
  reminders: {
    table: "reminders r",
    where: "r.task_id = t.id and r.user_id = $1::bigint",
    bytes: `${AROUND}`,
    json: "jsonb_build_object('id', x.id, 'date', x.date)",
    order: "r.id",
  },
}
/** What a page holds of a task: of each part no more than a page. */
const SIZE = Object.values(PARTS)
  .map(
    ({ table, where, bytes }) =>
      `least((select coalesce(sum(${bytes}), 0) from ${table} where ${where}), ${PAGE_BYTES})`,
  )
  .join(" + ")
const HELD = Object.entries(PARTS).map(
  ([name, { table, join = "", where, bytes, json, order }]) => `cross join lateral (
     select coalesce(jsonb_agg(${json} order by x.place) filter (where x."before" < ${PAGE_BYTES}), '[]') as held,
       count(*) filter (where x."before" >= ${PAGE_BYTES}) as left_out
     from (select r.*, row_number() over w as place, sum(${bytes}) over w - ${bytes} as "before"
       from ${table} ${join} where ${where} window w as (order by ${order})) x) ${name}`,
)

/** A page of a list's tasks: $1 the user, $2 behind which, $3 the list, $4 whether they are done. */
export const wholeTasks = statement(
  "whole_tasks",
  `with sized as (
     select t.id, ${SIZE} as bytes
     from tasks t where t.list_id = $3::bigint and t.completed = $4::boolean and t.id > $2::bigint order by t.id limit ${PAGE}),
   page as (select s.id, sum(s.bytes) over (order by s.id) - s.bytes as "before" from sized s)
   select jsonb_build_object('id', t.id, 'title', t.title, 'created_at', t.created_at, 'due_date', t.due_date, 'starred', t.starred,
     'completed', t.completed, 'completed_at', t.completed_at, 'recurrence_type', t.recurrence_type, 'recurrence_count', t.recurrence_count,
     'recurrence_anchor', t.recurrence_anchor,
     'revision', t.revision, 'assignee', (select u.name from users u where u.id = t.assignee_id),
     'subtasks', subtasks.held, 'subtasks_left_out', subtasks.left_out, 'notes', notes.held, 'notes_left_out', notes.left_out,
     'reminders', reminders.held, 'reminders_left_out', reminders.left_out)
   from page p join tasks t on t.id = p.id ${HELD.join(" ")} where p."before" < ${PAGE_BYTES} order by t.id`,
  ([task]) => JSON.parse(task as string) as WholeTask,
)

/** How many tasks a user can see. */
export const countToExport = statement(
  "count_to_export",
  `select count(*) from tasks where list_id in (${MINE})`,
  ([count]) => Number(count),
)
