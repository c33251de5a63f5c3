import { memberOf, membershipOf } from "../../access/access.js"
import { atRevision, precondition } from "../../access/revision.js"
import { type Fields, type Id, statement } from "../../statement.js"
import { TASK_SETTABLES } from "./task.input.js"
import { type Task, type TasksCount, tasks } from "./task.type.js"

// $1 is what is asked for, $2 the viewer.

const TASK = tasks.columns("t")
const task = (fields: readonly (string | null)[]): Task => tasks.read(fields) as Task

/** One task of an open list. */
export const taskById = statement(
  "task_by_id",
  `select ${TASK} from tasks t where t.id = $1::bigint and ${memberOf("t.list_id", "$2")}`,
  task,
)

/** A list's open or completed tasks by id; one row of nulls for an open list without any, none for a closed list. */
export const tasksOfList = statement(
  "tasks_of_list",
  `select ${TASK} from memberships m left join tasks t on t.list_id = m.list_id and t.completed = $3::boolean
   where m.list_id = $1::bigint and ${membershipOf("m", "$2")} order by t.id`,
  (fields) => tasks.read(fields),
)

/** Tasks by their ids, where they are open to the viewer. */
export const tasksByIds = statement(
  "tasks_by_ids",
  `select ${TASK} from tasks t where t.id = any($1::bigint[]) and ${memberOf("t.list_id", "$2")}`,
  task,
)

const ofLists = (completed: boolean) =>
  statement(
    `${completed ? "completed" : "open"}_tasks_of_lists`,
    `select ${TASK} from tasks t where t.list_id = any($1::bigint[]) and t.completed = ${completed} and ${memberOf("t.list_id", "$2")} order by t.list_id, t.id`,
    task,
  )
/** Open tasks of many lists, by list and id. */
export const openTasksOfLists = ofLists(false)
/** Completed tasks of many lists, by list and id. */
export const completedTasksOfLists = ofLists(true)

/** The first $4 open or completed tasks of a list behind the id $3, by id. */
export const pageOfTasks = statement(
  "page_of_tasks",
  `select ${TASK} from tasks t where t.list_id = $1::bigint and t.id > $3::bigint and t.completed = $5::boolean and ${memberOf("t.list_id", "$2")} order by t.id limit $4::integer`,
  task,
)

/** The orders of tasks that were ever set in many lists. */
export const ordersOfLists = statement(
  "orders_of_lists",
  `select p.id, p."values" from task_positions p where p.id = any($1::bigint[]) and ${memberOf("p.id", "$2")}`,
  ([id, values]) => ({ id: id as Id, values: values?.match(/\d+/g) ?? [] }),
)

const tasksCount = ([id, done, open]: Fields): TasksCount => ({
  id: id as Id,
  completedCount: Number(done),
  uncompletedCount: Number(open),
})

/** How many tasks are done and not, in an open list. */
export const countTasks = statement(
  "count_tasks",
  `select m.list_id, count(*) filter (where t.completed), count(*) filter (where not t.completed)
   from memberships m left join tasks t on t.list_id = m.list_id
   where m.list_id = $1::bigint and ${membershipOf("m", "$2")} group by m.list_id`,
  tasksCount,
)

/** How many tasks are done and not, in each of many open lists. */
export const countTasksOfLists = statement(
  "count_tasks_of_lists",
  `select m.list_id, count(*) filter (where t.completed), count(*) filter (where not t.completed)
   from memberships m left join tasks t on t.list_id = m.list_id
   where m.list_id = any($1::bigint[]) and ${membershipOf("m", "$2")} group by m.list_id`,
  tasksCount,
)

const SET_COLUMNS = TASK_SETTABLES.map(({ column }) => column)
const SET_TYPES = TASK_SETTABLES.map(({ type }) => type)

/** Inserts tasks: the places of what each is made of, then `rows`, where they come from beside a membership `m`. */
const inserting = (id: string, [list, viewer, request, client, ...values]: readonly string[], rows: string) => {
  const typed = values.map((value, index) => `${value}::${SET_TYPES[index]}`)
  const [assignee, completed] = ["assignee_id", "completed"].map(
    (column) => values[SET_COLUMNS.indexOf(column)] as string,
  )
  return `
  insert into tasks as t (${id && "id, "}list_id, ${SET_COLUMNS}, completed_at, completed_by_id,
    created_by_id, created_by_request_id, updated_by_id, updated_by_request_id)
  select ${id}m.list_id, ${typed}, case when ${completed} then now() end, case when ${completed} then ${viewer}::bigint end,
    ${viewer}::bigint, ${client}, ${viewer}::bigint, ${request}
  from memberships m${rows} where m.list_id = ${list}::bigint and ${membershipOf("m", `${viewer}`)}
    and (${assignee}::bigint is null or ${memberOf("m.list_id", `${assignee}`)})`
}

const NEW = ["list", "viewer", "request", "client", ...SET_COLUMNS]
const NEW_TYPES = ["bigint", "bigint", "text", "text", ...SET_TYPES]

/** Writers of a task wait for its list. */
const tells = ({ id, listId }: Task) => [id, listId] as const

const insertTasks = statement(
  "insert_tasks",
  `with new as materialized (
     select n.*, nextval('tasks_id_seq') as id from unnest(${NEW_TYPES.map((type, index) => `$${index + 1}::${type}[]`)}) with ordinality n(${NEW}, place)),
   made as (${inserting(
     "new.id, ",
     NEW.map((name) => `new.${name}`),
     ", new",
   )} order by new.place returning t.*)
   select new.place, ${TASK} from made t join new on new.id = t.id order by new.place`,
  (fields) => ({ place: Number(fields[0]), row: tasks.read(fields, 1) as Task }),
)

/**
 * Makes a task in an open list: $1 list, $2 viewer, $3 request, $4 the client's name for it, then {@link newValues}. No row: the list is closed or the assignee is
 * no member. Those that wait for one list's lock are made together.
 */
export const insertTask = statement(
  "insert_task",
  `${inserting(
    "",
    NEW.map((_, index) => `$${index + 1}`),
    "",
  )} returning ${TASK}`,
  task,
  { key: ([listId]) => String(listId), tells, all: insertTasks },
)

/** Changes tasks: the places of what is sent with each change and of what changes, then `rows`, where they come from. */
const patching = ([id, viewer, sent, request, list, ...places]: readonly string[], rows = "") => {
  const values: Record<string, string> = {}
  const changes = TASK_SETTABLES.map(({ name, column, type, removed }) => {
    const isSet = removed === null && `${places.shift()}::boolean`
    const value = `${places.shift()}::${type}`
    const kept =
      name === "assigneeId"
        ? `when ${list}::bigint is null or ${memberOf(`${list}::bigint`, "t.assignee_id")} then t.assignee_id end`
        : `else t.${column} end`
    values[name] = value
    return `${column} = ${isSet ? `case when ${isSet} then ${value} ${kept}` : `coalesce(${value}, t.${column})`}`
  })
  const isCompleted = `coalesce(${values.completed}, t.completed)`
  return `update tasks t set list_id = coalesce(${list}::bigint, t.list_id), ${changes},
     completed_at = case when ${isCompleted} then coalesce(t.completed_at, now()) end,
     completed_by_id = case when ${isCompleted} then coalesce(t.completed_by_id, ${viewer}::bigint) end,
     updated_by_id = ${viewer}::bigint, updated_by_request_id = ${request}
   ${rows} where t.id = ${id}::bigint and ${atRevision("t", `${sent}`)} and ${memberOf("t.list_id", `${viewer}`)}
     and (${list}::bigint is null or ${memberOf(`${list}::bigint`, `${viewer}`)})
     and (${values.assigneeId} is null or ${memberOf(`coalesce(${list}::bigint, t.list_id)`, `${values.assigneeId}`)})`
}

const changed = TASK_SETTABLES.flatMap(({ column, type, removed }) => [
  ...(removed === null ? [[`has_${column}`, "boolean"]] : []),
  [column, type],
])
const CHANGE = ["task", "viewer", "sent", "request", "list", ...changed.map(([name]) => name as string)]
const CHANGE_TYPES = ["bigint", "bigint", "bigint", "text", "bigint", ...changed.map(([, type]) => type)]

// Rows before their list, and in the order of their ids, as everywhere.
const patchTasks = statement(
  "patch_tasks",
  `with new as materialized (
     select * from unnest(${CHANGE_TYPES.map((type, index) => `$${index + 1}::${type}[]`)}) with ordinality n(${CHANGE}, place)),
   held as materialized (select id from tasks where id = any($1::bigint[]) order by id for no key update)
   ${patching(
     CHANGE.map((name) => `new.${name}`),
     "from new",
   )} and (select count(*) from held) > 0 returning new.place, ${TASK}`,
  (fields) => ({ place: Number(fields[0]), row: tasks.read(fields, 1) as Task }),
)

/**
 * Changes a task within its revision window: $1 task, $2 viewer, $3 revision, $4 request, $5 the list to move it to,
 * then {@link changedValues}. An assignee who is no member of the list it moves to is cleared.
 * Those that are known to wait for one list's lock are made together, but for moves, which wait for two; so are those of
 * different tasks in one transaction.
 */
export const patchTask = statement(
  "patch_task",
  `${patching(CHANGE.map((_, index) => `$${index + 1}`))} returning ${TASK}`,
  task,
  {
    key: (values, listOf) => (values[4] == null ? listOf(String(values[0])) : undefined),
    tells,
    apart: ([id]) => String(id),
    all: patchTasks,
  },
)

/** Deletes a task and what is in it: $1 task, $2 viewer, $3 revision, $4 request. Lower rows are locked first, as everywhere. */
export const deleteTaskRow = statement(
  "delete_task",
  `with r as materialized (select id from reminders where task_id = $1::bigint order by id for update),
     s as materialized (select id from subtasks where task_id = $1::bigint and (select count(*) from r) >= 0 order by id for update),
     n as materialized (select id from notes where task_id = $1::bigint and (select count(*) from s) >= 0 order by id for update),
     c as materialized (select id from task_comments where task_id = $1::bigint and (select count(*) from n) >= 0 order by id for update),
     f as materialized (select id from files where task_id = $1::bigint and (select count(*) from c) >= 0 order by id for update)
   delete from tasks t using (select set_config('tandem.actor_id', $2::bigint::text, true), set_config('tandem.request_id', $4, true), (select count(*) from f)) actor
   where t.id = $1::bigint and ${atRevision("t", "$3")} and ${memberOf("t.list_id", "$2")} returning t.id`,
  ([id]) => id as Id,
)

/** How a task stands to the viewer. */
export const taskPrecondition = precondition("task", "tasks t", "t", memberOf("t.list_id", "$2"))

/** Whether a list is open to the viewer for new tasks. */
export const openList = statement("open_list", `select 1 where ${memberOf("$1::bigint", "$2")}`, () => true)

/** The revisions of a list's tasks, as {@link tasksOfList} gives tasks. */
export const revisionsOfTasks = statement(
  "revisions_of_tasks",
  `select t.id, t.revision from memberships m left join tasks t on t.list_id = m.list_id
   where m.list_id = $1::bigint and ${membershipOf("m", "$2")} order by t.id`,
  ([id, revision]) => (id == null ? null : { id, revision: Number(revision) }),
)
