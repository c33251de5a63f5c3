import type { ClassType } from "type-graphql"
import { taskOpenTo } from "../access/access.js"
import {
  atRevision,
  deletionBy,
  failedPrecondition,
  type MayWrite,
  permission,
  precondition,
} from "../access/revision.js"
import type { Context } from "../context.js"
import { ClosedParent } from "../errors.js"
import { type Id, type Statement, statement } from "../statement.js"
import type { Child } from "./children.js"
import { changedValues, newValues, type Settable, settablesOf } from "./fields.js"

// What belongs to a task is written by those to whom the task is open. What clients may set of it is what its inputs name.

/** Columns with the expressions of their values. */
type Columns = Readonly<Record<string, string>>
/** Columns that follow from those that are set. */
type Following = (set: Columns) => Columns

const NOTHING: Following = () => ({})

/** Where a value is among those of a statement; a text needs no type. */
const place = (index: number, { type }: Settable): string => `$${index}${type === "text" ? "" : `::${type}`}`

/** A child that the viewer may change. */
const writable = ({ row, seen }: Pick<Child<unknown>, "row" | "seen">): string =>
  [...(seen === undefined ? [] : [seen]), taskOpenTo(`${row}.task_id`, "$2")].join(" and ")

/** Makes a child of an open task, and what follows from what is set. @throws ClosedParent */
export function creationOf<Row, Input extends { taskId: Id }>(
  { name, table, row, select, read, object, maker = "created_by_id" }: Child<Row>,
  input: ClassType<Input>,
  following = NOTHING,
): (context: Context, input: Input) => Promise<Row> {
  const settables = settablesOf(object, input, "taskId")
  const set = Object.fromEntries(settables.map((settable, index) => [settable.column, place(4 + index, settable)]))
  const columns: Columns = {
    ...{ task_id: "$1::bigint", ...set, ...following(set) },
    ...{ [maker]: "$2::bigint", created_by_request_id: `$${4 + settables.length}` },
    ...{ updated_by_id: "$2::bigint", updated_by_request_id: "$3" },
  }
  const insert = statement(
    `insert_${name}`,
    `insert into ${table} as ${row} (${Object.keys(columns).join(", ")}) select ${Object.values(columns).join(", ")}
     where ${taskOpenTo("$1::bigint", "$2")} returning ${select}`,
    (fields) => read(fields) as Row,
  )
  return async ({ db, viewer, requestId, clientRequestId }, given) => {
    const values = [given.taskId, viewer.userId, requestId, ...newValues(settables, given), clientRequestId]
    const [made] = await db.run(insert, values)
    if (made === undefined) throw new ClosedParent()
    return made
  }
}

/** Deletes a child within its revision window: $1 its id, $2 viewer, $3 revision, $4 request. */
export const childDeletion = (
  { name, table, row }: Pick<Child<unknown>, "name" | "table" | "row">,
  allowed: string,
): Statement<Id> =>
  statement(
    `delete_${name}`,
    `delete from ${table} ${row} using (select set_config('tandem.actor_id', $2::bigint::text, true), set_config('tandem.request_id', $4, true)) actor
     where ${row}.id = $1::bigint and ${atRevision(row, "$3")} and ${allowed} returning ${row}.id`,
    ([id]) => id as Id,
  )

/** Whether the viewer may change a child as it stands. @throws NotFound, RevisionConflict */
export function permissionOf(child: Child<unknown>): MayWrite {
  const { name, table, row } = child
  return permission(precondition(name, `${table} ${row}`, row, writable(child)))
}

/** Changes a child within its revision window, and what follows from what is set. @throws what `check` throws, RevisionConflict */
export function changeOf<Row, Input extends { revision: number }>(
  child: Child<Row>,
  input: ClassType<Input>,
  check: MayWrite,
  following = NOTHING,
): (context: Context, id: Id, input: Input) => Promise<Row> {
  const { name, table, row, select, read, object } = child
  const settables = settablesOf(object, input, "revision", "id")
  let index = 5
  const set: Record<string, string> = {}
  for (const settable of settables) {
    const { column, isOptional, removed } = settable
    const isSet = removed === null && `$${index++}::boolean`
    const [value, kept] = [place(index++, settable), `${row}.${column}`]
    const changed = isOptional ? `coalesce(${value}, ${kept})` : value
    set[column] = isSet ? `case when ${isSet} then ${value} else ${kept} end` : changed
  }
  const columns: Columns = {
    ...{ ...set, ...following(set) },
    ...{ updated_by_id: "$2::bigint", updated_by_request_id: "$4" },
  }
  const patch = statement(
    `patch_${name}`,
    `update ${table} ${row} set ${Object.entries(columns)
      .map((column) => column.join(" = "))
      .join(", ")}
     where ${row}.id = $1::bigint and ${atRevision(row, "$3")} and ${writable(child)} returning ${select}`,
    (fields) => read(fields) as Row,
  )
  return async (context, id, given) => {
    const { db, viewer, requestId } = context
    const values = [id, viewer.userId, given.revision, requestId, ...changedValues(settables, given)]
    const [changed] = await db.run(patch, values)
    return changed ?? failedPrecondition(check(context, id, given.revision))
  }
}

/** Deletes a child within its revision window. @throws what `check` throws, RevisionConflict */
export const deletionOf = <Row>(child: Child<Row>, check: MayWrite) =>
  deletionBy(childDeletion(child, writable(child)), check)
