import { ArgsType, type ClassType, Field } from "type-graphql"
import { membershipOf, taskOpenTo } from "../access/access.js"
import type { Context } from "../context.js"
import { ClosedParent, MissingParameter } from "../errors.js"
import { ID } from "../scalars/scalars.js"
import { type Fields, type Id, type Statement, statement, type Value } from "../statement.js"
import { inVisible } from "./loader.js"

// What belongs to a task is open to whom the task is open, so its statements are made from one rule.

/** Whose children are asked for: one task's, or those of all tasks of a list. */
@ArgsType()
export class ParentArgs {
  @Field(() => ID, { nullable: true, description: "The task that they belong to; required unless listId is given." })
  taskId?: Id | null

  @Field(() => ID, {
    nullable: true,
    description: "The list whose tasks they belong to; ignored when taskId is given.",
  })
  listId?: Id | null

  @Field(() => Boolean, {
    nullable: true,
    description: "Only those of completed tasks (true), or of open tasks (false).",
  })
  completedTasks?: boolean | null
}

/** A kind of row that belongs to a task: how statements read it. */
export type Child<Row> = {
  /** Names its statements, in the singular. */
  readonly name: string
  readonly table: string
  /** What its row is called in the texts below; not `t` or `m`. */
  readonly row: string
  readonly object: ClassType<Row & object>
  readonly select: string
  /** Gives null for the row of nulls that stands for "none". */
  read(fields: Fields): Row | null
  /** The column of the user who made it; `created_by_id` when left out. */
  readonly maker?: string
  /** Who sees it, in addition to access to the task; everybody when left out. */
  readonly seen?: string
  /** A filter of the reads by task and by list; its values begin at $4. */
  readonly filter?: string
}

/** How a child is read, always with the viewer as $2. */
export type ChildReads<Row> = {
  /** $1 is its id. */
  readonly byId: Statement<Row>
  /** $1 is the task or the list, $3 whether its task is to be completed; no row when the parent is closed, one row of null when it has none. */
  readonly ofTask: Statement<Row | null>
  readonly ofList: Statement<Row | null>
  /** $1 are the tasks; by task and id. */
  readonly ofTasks: Statement<Row>
}

/** Makes the statements that read a kind of child. Each finds its way from what is asked for, whatever else is stored. */
export function readsOf<Row>({
  name,
  table,
  row,
  select,
  read,
  seen = "true",
  filter = "true",
}: Child<Row>): ChildReads<Row> {
  const wanted = `($3::boolean is null or t.completed = $3::boolean) and ${seen} and ${filter}`
  const open = membershipOf("m", "$2")
  const present = (fields: Fields) => read(fields) as Row
  return {
    byId: statement(
      `${name}_by_id`,
      `select ${select} from ${table} ${row} where ${row}.id = $1::bigint and ${seen} and ${taskOpenTo(`${row}.task_id`, "$2")}`,
      present,
    ),
    ofTask: statement(
      `${name}s_of_task`,
      `select ${select} from tasks t join memberships m on m.list_id = t.list_id left join ${table} ${row} on ${row}.task_id = t.id and ${wanted}
       where t.id = $1::bigint and ${open} order by ${row}.id`,
      read,
    ),
    ofList: statement(
      `${name}s_of_list`,
      `select ${select} from memberships m left join (tasks t join ${table} ${row} on ${row}.task_id = t.id) on t.list_id = m.list_id and ${wanted}
       where m.list_id = $1::bigint and ${open} order by ${row}.id`,
      read,
    ),
    ofTasks: statement(
      `${name}s_of_tasks`,
      `select ${select} from tasks t join memberships m on m.list_id = t.list_id join ${table} ${row} on ${row}.task_id = t.id
       where t.id = any($1::bigint[]) and ${open} and ${seen} order by ${row}.task_id, ${row}.id`,
      present,
    ),
  }
}

/** The first $4 children of a task behind the id $3, by id. */
export const pageOfChildren = <Row>({ name, table, row, select, read }: Child<Row>): Statement<Row> =>
  statement(
    `page_of_${name}s`,
    `select ${select} from ${table} ${row} where ${row}.task_id = $1::bigint and ${row}.id > $3::bigint and ${taskOpenTo("$1::bigint", "$2")}
     order by ${row}.id limit $4::integer`,
    (fields) => read(fields) as Row,
  )

/**
 * A task's children, or those of all tasks of a list, by id ascending.
 * @throws MissingParameter when neither is named, NotFound when it is not open to the viewer
 */
export async function childrenIn<Row>(
  { db, viewer }: Context,
  { ofTask, ofList }: ChildReads<Row>,
  { taskId, listId, completedTasks }: ParentArgs,
  ...filter: Value[]
): Promise<Row[]> {
  const parent = taskId ?? listId
  if (parent == null) throw new MissingParameter({ taskId: ["required, or listId"], listId: ["required, or taskId"] })
  return inVisible(await db.run(taskId == null ? ofList : ofTask, [parent, viewer.userId, completedTasks, ...filter]))
}

const openTask = statement("open_task", `select 1 where ${taskOpenTo("$1::bigint", "$2")}`, () => true)

/** Whether a task takes something new from the viewer. @throws ClosedParent */
export async function mayAddToTask({ db, viewer }: Context, { taskId }: { taskId: Id }): Promise<void> {
  if ((await db.run(openTask, [taskId, viewer.userId])).length === 0) throw new ClosedParent()
}
