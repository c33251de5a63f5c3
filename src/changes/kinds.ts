import { invitedTo, knownTo, memberOf, taskOpenTo } from "../access/access.js"
import { fileKind } from "../resources/file/file.statements.js"
import { files } from "../resources/file/file.type.js"
import { folders } from "../resources/folder/folder.type.js"
import { lists } from "../resources/list/list.type.js"
import { MEMBERSHIP } from "../resources/membership/membership.statements.js"
import { memberships } from "../resources/membership/membership.type.js"
import { noteKind } from "../resources/note/note.statements.js"
import { notes } from "../resources/note/note.type.js"
import { listPositions, subtaskPositions, taskPositions } from "../resources/position/position.type.js"
import { reminderKind } from "../resources/reminder/reminder.statements.js"
import { reminders } from "../resources/reminder/reminder.type.js"
import { settings } from "../resources/setting/setting.type.js"
import { subtaskKind } from "../resources/subtask/subtask.statements.js"
import { subtasks } from "../resources/subtask/subtask.type.js"
import { tasks } from "../resources/task/task.type.js"
import { commentKind } from "../resources/task-comment/task-comment.statements.js"
import { taskComments } from "../resources/task-comment/task-comment.type.js"
import { users } from "../resources/user/user.type.js"
import { webhookOpenTo } from "../resources/webhook/webhook.statements.js"
import { webhooks } from "../resources/webhook/webhook.type.js"
import type { Fields, Id } from "../statement.js"

// In all texts $2 is the viewer.

/** Where a kind of object lies: among the people that the viewer knows, with the viewer, in their lists, in a task. */
type Place = "known" | "own" | "list" | "inList" | "inTask"

/** The bytes of what can never be long. */
export const NEVER_LONG = "0::bigint"

/** One kind of object: what statements select of it, and how they find it. */
export type Kind = {
  /** As the REST contract calls it. */
  readonly type: string
  /** Its type in GraphQL. */
  readonly typename: string
  readonly table: string
  /** What its row is called in the texts. */
  readonly row: string
  /** What answers show of it. */
  readonly select: string
  /** How many columns that is. */
  readonly columns: number
  readonly place: Place
  /** The list in which it lies, or "null" for what lies in none. */
  readonly list: string
  /** Whether the viewer may see it. */
  readonly open: string
  /** Which of those that lie there are the viewer's; all of them when it is left out. */
  readonly own?: string
  /** Which of those that lie in no list are the viewer's all the same. */
  readonly unlisted?: string
  /** How many bytes it has of what can be long; {@link NEVER_LONG} when nothing can. */
  readonly bytes: string
  read(fields: Fields, offset: number): object | null
}

type Rows = { columns(row: string): string; read(fields: Fields, offset?: number): object | null }

function kind(type: string, place: Place, row: string, rows: Rows, rest: Partial<Kind> & { open: string }): Kind {
  const typename = type.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
  return {
    type,
    typename,
    table: `${type}s`,
    row,
    select: rows.columns(row),
    columns: rows.columns(row).split(", ").length,
    place,
    list: place === "inTask" ? `(select of.list_id from tasks of where of.id = ${row}.task_id)` : "null",
    bytes: NEVER_LONG,
    read: rows.read,
    ...rest,
  }
}

const length = (text: string): string => `octet_length(${text})`
const ids = (column: string): string => `10 * cardinality(${column})`

/** All of them, in the order in which they are shown: an object comes behind what it lies in. */
export const kinds: readonly Kind[] = [
  kind("user", "known", "u", users, { open: knownTo("u.id", "$2") }),
  kind("setting", "own", "s", settings, { open: "s.user_id = $2::bigint", bytes: length("s.value") }),
  kind("list", "list", "l", lists, { list: "l.id", open: invitedTo("l.id", "$2") }),
  kind("membership", "list", "j", memberships, {
    select: MEMBERSHIP,
    list: "j.list_id",
    open: invitedTo("j.list_id", "$2"),
  }),
  kind("folder", "own", "f", folders, { open: "f.user_id = $2::bigint", bytes: ids("f.list_ids") }),
  kind("list_position", "own", "p", listPositions, { open: "p.id = $2::bigint", bytes: ids('p."values"') }),
  kind("webhook", "inList", "w", webhooks, {
    list: "w.list_id",
    open: webhookOpenTo("w", "$2"),
    unlisted: "w.list_id is null and w.created_by_id = $2::bigint",
    bytes: length("w.configuration"),
  }),
  kind("task", "inList", "t", tasks, { list: "t.list_id", open: memberOf("t.list_id", "$2") }),
  kind("task_position", "inList", "p", taskPositions, {
    select: 'p.id, p.id, p."values", p.revision',
    list: "p.id",
    open: memberOf("p.id", "$2"),
    bytes: ids('p."values"'),
  }),
  kind("subtask", "inTask", "s", subtasks, { ...subtaskKind, open: taskOpenTo("s.task_id", "$2") }),
  kind("note", "inTask", "n", notes, {
    ...noteKind,
    open: taskOpenTo("n.task_id", "$2"),
    bytes: length("n.content"),
  }),
  kind("reminder", "inTask", "r", reminders, {
    ...reminderKind,
    own: reminderKind.seen,
    open: `${reminderKind.seen} and ${taskOpenTo("r.task_id", "$2")}`,
  }),
  kind("task_comment", "inTask", "c", taskComments, {
    ...commentKind,
    columns: taskComments.columns("c").split(", ").length + 2,
    open: taskOpenTo("c.task_id", "$2"),
    bytes: length("c.text"),
  }),
  kind("file", "inTask", "f", files, { ...fileKind, open: taskOpenTo("f.task_id", "$2") }),
  kind("subtask_position", "inTask", "p", subtaskPositions, {
    select: 'p.id, p.id, p."values", p.revision',
    list: "(select of.list_id from tasks of where of.id = p.id)",
    open: taskOpenTo("p.id", "$2"),
    bytes: ids('p."values"'),
  }),
]

/** Where a kind of object stands among them, in SQL, for a column of types. */
export const stageIn = (type: string): string =>
  `(array_position('{${kinds.map((one) => one.type)}}'::text[], ${type}) - 1)`

const WIDEST = Math.max(...kinds.map(({ columns }) => columns))

/** What those columns are called, as many as the widest kind has, with the name of their row where it is given. */
export const names = (row?: string, count = WIDEST): string =>
  Array.from({ length: count }, (_, index) => `${row === undefined ? "" : `${row}.`}c${index}`).join(", ")

/** The columns of a kind's row as texts, as many for every kind; from `lateral` {@link columnsOf}. */
export const shown = ({ columns }: Kind): string =>
  [
    ...Array.from({ length: columns }, (_, index) => `shown.c${index}::text`),
    ...Array(WIDEST - columns).fill("null"),
  ].join(", ")

/** A row's columns under names of their own, as something to join. */
export const columnsOf = ({ select, columns }: Kind): string =>
  `cross join lateral (select ${select}) as shown(${names(undefined, columns)})`

/** As many nulls, or values of one's own, as {@link shown} gives columns. */
export const instead = (...values: string[]): string =>
  [...values.map((value) => `(${value})::text`), ...Array(WIDEST - values.length).fill("null")].join(", ")

/** An object of `kinds[stage]` as GraphQL resolves it. */
export function objectOf(stage: number, fields: Fields, offset: number): Shown {
  const { typename, read } = kinds[stage] as Kind
  const object = read(fields, offset) as { -readonly [Name in keyof Shown]: Shown[Name] }
  object.__typename = typename
  return object
}

/** An object as GraphQL resolves it. */
export type Shown = { readonly __typename: string; readonly id: Id; readonly revision: number }
