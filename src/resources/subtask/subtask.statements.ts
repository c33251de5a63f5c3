import { membershipOf, taskOpenTo } from "../../access/access.js"
import { atRevision, precondition } from "../../access/revision.js"
import { deletionOf, pageOfChildren, readsOf } from "../../loading/children.js"
import { type Fields, type Id, statement } from "../../statement.js"
import { type Subtask, subtasks } from "./subtask.type.js"

// $1 is what is asked for, $2 the viewer.

const SUBTASK = subtasks.columns("s")
const OPEN = taskOpenTo("s.task_id", "$2")
/** What statements select of subtasks, with the viewer as $2. */
export const subtaskKind = { name: "subtask", table: "subtasks", row: "s", select: SUBTASK, read: subtasks.read }
const subtask = (fields: readonly (string | null)[]): Subtask => subtasks.read(fields) as Subtask

/**
 * How subtasks are read; by task and by list $4 says whether they are to be completed, NULL for both kinds, $5 and $6 from when
 * and until when they were.
 */
export const subtaskReads = readsOf({
  ...subtaskKind,
  filter: `($4::boolean is null or s.completed = $4::boolean) and ($5::timestamptz is null or s.completed_at >= $5::timestamptz)
    and ($6::timestamptz is null or s.completed_at <= $6::timestamptz)`,
})

/** The first $4 subtasks of a task behind the id $3, by id. */
export const pageOfSubtasks = pageOfChildren(subtaskKind)

const order = ([id, values]: Fields) => ({ id: id as Id, values: values?.match(/\d+/g) ?? [] })

/** The orders of subtasks that were ever set in a list's open tasks. */
export const ordersInList = statement(
  "subtask_orders_in_list",
  `select p.id, p."values" from memberships m join tasks t on t.list_id = m.list_id join subtask_positions p on p.id = t.id
   where m.list_id = $1::bigint and ${membershipOf("m", "$2")} and not t.completed`,
  order,
)

/** The orders of subtasks that were ever set in many tasks. */
export const ordersOfTasks = statement(
  "orders_of_tasks",
  `select p.id, p."values" from tasks t join memberships m on m.list_id = t.list_id join subtask_positions p on p.id = t.id
   where t.id = any($1::bigint[]) and ${membershipOf("m", "$2")}`,
  order,
)

/** Adds a subtask to an open task: $1 task, $2 viewer, $3 request, $4 title, $5 completed, $6 the client's name for the request. No row: it is closed. */
export const insertSubtask = statement(
  "insert_subtask",
  `insert into subtasks as s (task_id, title, completed, completed_at, completed_by_id, created_by_id, created_by_request_id,
     updated_by_id, updated_by_request_id)
   select $1::bigint, $4, $5::boolean, case when $5 then now() end, case when $5 then $2::bigint end, $2::bigint, $6, $2::bigint, $3
   where ${taskOpenTo("$1::bigint", "$2")} returning ${SUBTASK}`,
  subtask,
)

/** Changes a subtask within its revision window: $1 subtask, $2 viewer, $3 revision, $4 request, $5 title, $6 completed. */
export const patchSubtask = statement(
  "patch_subtask",
  `update subtasks s set
     title = coalesce($5, s.title),
     completed = coalesce($6::boolean, s.completed),
     completed_at = case when coalesce($6::boolean, s.completed) then coalesce(s.completed_at, now()) end,
     completed_by_id = case when coalesce($6::boolean, s.completed) then coalesce(s.completed_by_id, $2::bigint) end,
     updated_by_id = $2::bigint, updated_by_request_id = $4
   where s.id = $1::bigint and ${atRevision("s", "$3")} and ${OPEN} returning ${SUBTASK}`,
  subtask,
)

/** Deletes a subtask: $1 subtask, $2 viewer, $3 revision, $4 request. */
export const deleteSubtaskRow = deletionOf(subtaskKind, OPEN)

/** How a subtask stands to the viewer. */
export const subtaskPrecondition = precondition("subtask", "subtasks s", "s", OPEN)
