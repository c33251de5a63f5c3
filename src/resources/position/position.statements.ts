import { memberOf, membershipOf, taskOpenTo } from "../../access/access.js"
import { type Precondition, precondition } from "../../access/revision.js"
import { type Id, type Statement, statement } from "../../statement.js"
import {
  type ListPosition,
  listPositions,
  type SubtaskPosition,
  subtaskPositions,
  type TaskPosition,
  taskPositions,
} from "./position.type.js"

// A position that was never written has no row, so that making lists and tasks does not pay for it: it reads as empty, at
// revision 1. $1 is what is asked for, $2 the viewer.

const CONTENT = `coalesce(p."values", '{}'), coalesce(p.revision, 1)`

/** The order of a user's lists; visible to that user only. */
export const listPositionById = statement(
  "list_position_by_id",
  `select u.id, ${CONTENT} from users u left join list_positions p on p.id = u.id where u.id = $1::bigint and u.id = $2::bigint`,
  (fields) => listPositions.read(fields) as ListPosition,
)

/** The order of an open list's tasks. */
export const taskPositionById = statement(
  "task_position_by_id",
  `select l.id, l.id, ${CONTENT} from lists l left join task_positions p on p.id = l.id where l.id = $1::bigint and ${memberOf("l.id", "$2")}`,
  (fields) => taskPositions.read(fields) as TaskPosition,
)

/** The orders of the tasks of many open lists. */
export const taskPositionsOfLists = statement(
  "task_positions_of_lists",
  `select l.id, l.id, ${CONTENT} from lists l left join task_positions p on p.id = l.id where l.id = any($1::bigint[]) and ${memberOf("l.id", "$2")}`,
  (fields) => taskPositions.read(fields) as TaskPosition,
)

const SUBTASK_POSITION = `t.id, t.id, ${CONTENT}`
const subtaskPosition = (fields: readonly (string | null)[]): SubtaskPosition =>
  subtaskPositions.read(fields) as SubtaskPosition

/** The order of an open task's subtasks. */
export const subtaskPositionById = statement(
  "subtask_position_by_id",
  `select ${SUBTASK_POSITION} from tasks t left join subtask_positions p on p.id = t.id where t.id = $1::bigint and ${memberOf("t.list_id", "$2")}`,
  subtaskPosition,
)

/** The orders of the subtasks of many open tasks. */
export const subtaskPositionsOfTasks = statement(
  "subtask_positions_of_tasks",
  `select ${SUBTASK_POSITION} from tasks t left join subtask_positions p on p.id = t.id where t.id = any($1::bigint[]) and ${memberOf("t.list_id", "$2")}`,
  subtaskPosition,
)

/** The orders of the subtasks of all of a list's tasks, by task; one row of nulls for an open list without any. */
export const subtaskPositionsOfList = statement(
  "subtask_positions_of_list",
  `select ${SUBTASK_POSITION} from memberships m left join tasks t on t.list_id = m.list_id left join subtask_positions p on p.id = t.id
   where m.list_id = $1::bigint and ${membershipOf("m", "$2")} order by t.id`,
  (fields) => subtaskPositions.read(fields),
)

/** The identifiers of what is ordered: a user's lists, a list's tasks, a task's subtasks, by id. */
export const orderedIds = {
  list: statement(
    "ids_of_lists",
    "select distinct m.list_id from memberships m where m.user_id = $1::bigint order by m.list_id",
    ([id]) => ({ id: id as Id }),
  ),
  task: statement("ids_of_tasks", "select t.id from tasks t where t.list_id = $1::bigint order by t.id", ([id]) => ({
    id: id as Id,
  })),
  subtask: statement(
    "ids_of_subtasks",
    "select s.id from subtasks s where s.task_id = $1::bigint order by s.id",
    ([id]) => ({ id: id as Id }),
  ),
}

/** How the positions of one kind are written. */
export type PositionKind<Position> = {
  /** Writes an order within its revision window: $1 position, $2 viewer, $3 revision, $4 request, $5 values. */
  readonly write: Statement<Position>
  readonly precondition: Statement<Precondition>
}

function kindOf<Position>(
  name: string,
  parent: string,
  open: (id: string) => string,
  columns: string,
  read: (fields: readonly (string | null)[]) => Position,
): PositionKind<Position> {
  const table = `${name}_positions`
  return {
    write: statement(
      `write_${name}_position`,
      `insert into ${table} as p (id, "values", revision, own_revision, updated_by_id, updated_by_request_id)
       select $1::bigint, $5::bigint[], 2, 2, $2::bigint, $4
       where ${open("$1::bigint")} and ($3::bigint = 1 or exists (select from ${table} where id = $1::bigint))
       on conflict (id) do update set "values" = excluded."values", updated_by_id = excluded.updated_by_id,
         updated_by_request_id = excluded.updated_by_request_id
       where $3::bigint between p.own_revision and p.revision
       returning ${columns}`,
      read,
    ),
    precondition: precondition(
      `${name}_position`,
      `(select parent.id, coalesce(p.own_revision, 1) as own_revision, coalesce(p.revision, 1) as revision
        from ${parent} parent left join ${table} p on p.id = parent.id) p`,
      "p",
      open("p.id"),
    ),
  }
}

/** The order of a user's lists. */
export const listKind = kindOf(
  "list",
  "users",
  (id) => `${id} = $2::bigint`,
  'p.id, p."values", p.revision',
  (fields) => listPositions.read(fields) as ListPosition,
)
/** The order of a list's tasks. */
export const taskKind = kindOf(
  "task",
  "lists",
  (id) => memberOf(id, "$2"),
  'p.id, p.id, p."values", p.revision',
  (fields) => taskPositions.read(fields) as TaskPosition,
)
/** The order of a task's subtasks. */
export const subtaskKind = kindOf(
  "subtask",
  "tasks",
  (id) => taskOpenTo(id, "$2"),
  'p.id, p.id, p."values", p.revision',
  subtaskPosition,
)
