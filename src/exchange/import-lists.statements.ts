import { memberOf, taskOpenTo } from "../access/access.js"
import { type Fields, type Id, statement } from "../statement.js"

// $1 is always the user. Not Prisma: rows come as one JSON array, so that a batch is one statement for each table; their events are
// then written at once, as if each had been made by itself. What has a key in imported_rows is left out.

const isNew = (key: string): string =>
  `not exists (select from imported_rows known where known.user_id = $1::bigint and known.key = decode(${key}, 'hex'))`

/** Imports of one user take turns, batch by batch: two of the same file at once make nothing twice. */
export const takeTurn = statement(
  "take_turn_with_import",
  "select pg_advisory_xact_lock(hashtextextended('import of ' || $1::bigint, 0))",
  () => true,
)

/** Says that what this transaction makes in tasks and lists is recorded by {@link recordMade}, and not row by row. */
export const recordAtOnce = statement(
  "record_at_once",
  "select set_config('tandem.records_at_once', 'yes', true)",
  () => true,
)

const recorded = (table: string, type: string) =>
  statement(
    `record_made_${table}`,
    type === "reminder"
      ? "select record_made_reminders($1::bigint[])"
      : `select record_made('${table}', '${type}', $1::bigint[])`,
    () => true,
  )

/** Raise the revisions above rows that were made, $1, and tell of each. */
export const recordMade = {
  tasks: recorded("tasks", "task"),
  subtasks: recorded("subtasks", "subtask"),
  notes: recorded("notes", "note"),
  comments: recorded("task_comments", "task_comment"),
  reminders: recorded("reminders", "reminder"),
}

const CHILDREN_THERE = ["subtask", "note", "reminder", "task_comment"]
  .map(
    (type) =>
      `when '${type}' then exists (select from ${type}s r where r.id = i.subject_id and ${taskOpenTo("r.task_id", "$1")})`,
  )
  .join(" ")
const isThere = `case i.subject_type when 'list' then ${memberOf("i.subject_id", "$1")}
  when 'task' then ${taskOpenTo("i.subject_id", "$1")} ${CHILDREN_THERE} end`

/** What a user has imported already, and whether it is there still. */
export const importedRows = statement(
  "imported_rows_of_user",
  `select encode(i.key, 'hex'), i.subject_id, ${isThere} from imported_rows i where i.user_id = $1::bigint`,
  ([key, id, there]) => ({ key: key as string, id: id as Id, isThere: there === "t" }),
)

/** Forgets what was imported and is gone, so that it is made again. */
export const forgetWhatIsGone = statement(
  "forget_what_is_gone",
  `delete from imported_rows i where i.user_id = $1::bigint and not coalesce(${isThere}, false)`,
  () => true,
)

/** Makes a list, or gives the one that was made of this key: $2 key, $3 title, $4 request, $5 when it was made elsewhere. */
export const importList = statement(
  "import_list",
  `with l as (
     insert into lists (title, owner_id, created_by_id, created_at, updated_by_id, updated_by_request_id)
     select $3, $1::bigint, $1::bigint, coalesce($5::timestamptz, now()), $1::bigint, $4 where ${isNew("$2")} returning id),
   m as (
     insert into memberships (list_id, user_id, state, owner, created_by_id, updated_by_id, updated_by_request_id)
     select l.id, $1::bigint, 'accepted', true, $1::bigint, $1::bigint, $4 from l returning id),
   noted as (insert into imported_rows (user_id, key, subject_type, subject_id) select $1::bigint, decode($2, 'hex'), 'list', id from l)
   select id, true from l where (select count(*) from m) = 1
   union all select subject_id, false from imported_rows where user_id = $1::bigint and key = decode($2, 'hex')`,
  ([id, isNewList]) => ({ id: id as Id, isNew: isNewList === "t" }),
)

/** Waits for the other writers of a user's folders. */
export const takeTurnWithFolders = statement(
  "take_turn_with_folders",
  "select take_turn_with_folders_of($1::bigint)",
  () => true,
)

/** Puts a list, $3, into the first folder with a title, $2; a new one when there is none. $4 is the request. */
export const putIntoFolder = statement(
  "put_into_folder",
  `with there as (select id from folders where user_id = $1::bigint and title = $2 order by id limit 1),
   changed as (
     update folders f set list_ids = f.list_ids || $3::bigint, updated_at = now(), updated_by_id = $1::bigint, updated_by_request_id = $4
     from there where f.id = there.id returning f.id)
   insert into folders (user_id, title, list_ids, created_by_id, updated_by_id, updated_by_request_id)
   select $1::bigint, $2, array[$3::bigint], $1::bigint, $1::bigint, $4 where not exists (select from there) returning id`,
  ([id]) => id as Id,
)

/** Locks tasks that are to get more in them, before anything locks their list. */
export const lockTasks = statement(
  "lock_tasks_to_import_to",
  "select id from tasks where id = any($2::bigint[]) and $1::bigint > 0 order by id for no key update",
  ([id]) => id as Id,
)

const imported = ([key, id]: Fields) => ({ key: key as string, id: id as Id })

/** Makes tasks in a list: $2 list, $3 request, $4 the rows in their order. Gives those that were made. */
export const importTasks = statement(
  "import_tasks",
  `with rows as materialized (
     select nextval('tasks_id_seq') as id, x.* from (
       select * from jsonb_to_recordset($4::jsonb) as x(place integer, key text, title text, starred boolean, completed boolean,
         "completedAt" timestamptz, "createdAt" timestamptz, "dueDate" date, "recurrenceType" text, "recurrenceCount" integer, "isMine" boolean)
       where ${isNew("x.key")} and ${memberOf("$2::bigint", "$1")} order by x.place) x),
   made as (
     insert into tasks (id, list_id, title, assignee_id, created_at, created_by_id, due_date, starred, completed, completed_at,
       completed_by_id, recurrence_type, recurrence_count, recurred, updated_by_id, updated_by_request_id)
     select id, $2::bigint, title, case when "isMine" then $1::bigint end, coalesce("createdAt", now()), $1::bigint, "dueDate", starred, completed,
       case when completed then coalesce("completedAt", now()) end, case when completed then $1::bigint end,
       "recurrenceType", "recurrenceCount", completed and "recurrenceType" is not null, $1::bigint, $3
     from rows order by id),
   noted as (insert into imported_rows (user_id, key, subject_type, subject_id) select $1::bigint, decode(key, 'hex'), 'task', id from rows)
   select key, id from rows order by id`,
  imported,
)

type Child = {
  readonly type: string
  /** Members of a row beside its key and task, with their types. */
  readonly members: string
  /** Columns, and what they are made of. */
  readonly columns: Readonly<Record<string, string>>
}

const MADE_AT = `coalesce("createdAt", now())`

function importChildren({ type, members, columns }: Child) {
  const table = `${type}s`
  const all = { task_id: '"taskId"', ...columns, updated_by_id: "$1::bigint", updated_by_request_id: "$2" }
  return statement(
    `import_${table}`,
    `with rows as materialized (
       select nextval('${table}_id_seq') as id, x.* from (
         select * from jsonb_to_recordset($3::jsonb) as x(place integer, key text, "taskId" bigint, "createdAt" timestamptz, ${members})
         where ${isNew("x.key")} and ${taskOpenTo('x."taskId"', "$1")} order by x.place) x),
     made as (insert into ${table} (id, ${Object.keys(all).join(", ")}) select id, ${Object.values(all).join(", ")} from rows order by id),
     noted as (insert into imported_rows (user_id, key, subject_type, subject_id) select $1::bigint, decode(key, 'hex'), '${type}', id from rows)
     select key, id from rows order by id`,
    imported,
  )
}

/** Make what is in tasks: $2 request, $3 the rows in their order. They give those that were made. */
export const importParts = {
  subtasks: importChildren({
    type: "subtask",
    members: 'title text, completed boolean, "completedAt" timestamptz',
    columns: {
      title: "title",
      completed: "completed",
      completed_at: `case when completed then coalesce("completedAt", now()) end`,
      completed_by_id: "case when completed then $1::bigint end",
      created_at: MADE_AT,
      created_by_id: "$1::bigint",
    },
  }),
  notes: importChildren({
    type: "note",
    members: "content text",
    columns: { content: "content", created_at: MADE_AT, updated_at: MADE_AT, created_by_id: "$1::bigint" },
  }),
  comments: importChildren({
    type: "task_comment",
    members: "text text",
    columns: { text: "text", created_at: MADE_AT, created_by_id: "$1::bigint" },
  }),
  // Last: they lock the user, who comes after all lists in the order of locks.
  reminders: importChildren({
    type: "reminder",
    members: "date timestamptz",
    columns: { user_id: "$1::bigint", date: "date" },
  }),
}
