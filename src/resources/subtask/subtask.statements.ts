import { membershipOf } from "../../access/access.js"
import { pageOfChildren, readsOf } from "../../loading/children.js"
import { type Fields, type Id, statement } from "../../statement.js"
import { Subtask, subtasks } from "./subtask.type.js"

// $1 is what is asked for, $2 the viewer.

/** What statements select of subtasks, with the viewer as $2. */
export const subtaskKind = {
  ...{ name: "subtask", table: "subtasks", row: "s", object: Subtask },
  ...{ select: subtasks.columns("s"), read: subtasks.read },
}

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
