import { invitedTo, memberOf, taskOpenTo } from "../access/access.js"
import { type Id, type Runner, type Statement, snakeCase, statement } from "../statement.js"
import type { RootField } from "./root-fields.js"
import type { Values } from "./variables.js"

// A transaction of many writes locks what they name before the first of them, in the order in which each write alone locks:
// what is in tasks, tasks, what is in lists, lists, what is its user's own; each kind by id. So it may wait for others, and
// never they for it while it waits for them. What is not open to the viewer is not locked: nobody holds up strangers by
// naming their rows.

/** A row that a write changes or deletes. */
export type NamedRow = { readonly table: string; readonly id: Id; readonly isDeleted: boolean }

type Lock = {
  readonly table: string
  /** $1 are ids, $2 is the viewer, $3 are parents that are deleted, if `goesWithParent`; gives the rows' parents. */
  readonly statement: Statement<Id | null>
  readonly goesWithParent: boolean
}

function lock(
  table: string,
  parent: string,
  isOpen: string,
  { goesWithParent = false, strength = "update" } = {},
): Lock {
  const wanted = goesWithParent
    ? `(x.id = any($1::bigint[]) or ${parent} = any($3::bigint[]))`
    : "x.id = any($1::bigint[])"
  const text = `select ${parent} from ${table} x where ${wanted} and ${isOpen} order by x.id for ${strength}`
  return { table, goesWithParent, statement: statement(`lock_${table}`, text, ([id]) => id ?? null) }
}

const WITH_PARENT = { goesWithParent: true }
const IN_TASKS = [
  ...["reminders", "subtasks", "notes", "task_comments", "files"].map((table) =>
    lock(table, "x.task_id", taskOpenTo("x.task_id", "$2"), WITH_PARENT),
  ),
  lock("subtask_positions", "x.id", taskOpenTo("x.id", "$2")),
]
const TASKS = lock("tasks", "x.list_id", memberOf("x.list_id", "$2"))
const IN_LISTS = [
  lock("webhooks", "x.list_id", memberOf("x.list_id", "$2"), WITH_PARENT),
  lock("memberships", "x.list_id", invitedTo("x.list_id", "$2"), WITH_PARENT),
  lock("task_positions", "x.id", memberOf("x.id", "$2")),
]
// As a bump locks them: who only refers to them goes on.
const LISTS = lock("lists", "null", invitedTo("x.id", "$2"), { strength: "no key update" })
const OWN = [
  lock("folders", "null", "x.user_id = $2::bigint"),
  lock("settings", "null", "x.user_id = $2::bigint"),
  lock("list_positions", "null", "x.id = $2::bigint"),
]
const TABLES = new Set([...IN_TASKS, TASKS, ...IN_LISTS, LISTS, ...OWN].map(({ table }) => table))

/** The rows that mutations name by their arguments: the one they change, and where they make or move something. */
export function rowsNamedBy(mutations: readonly RootField[]): NamedRow[] {
  const rows: NamedRow[] = []
  const add = (table: string, id: unknown, isDeleted = false) => {
    if (typeof id === "string" && TABLES.has(table)) rows.push({ table, id, isDeleted })
  }
  for (const { field, args } of mutations) {
    const [, verb, resource = ""] = /^(update|delete)(\w+)$/.exec(field.name) ?? []
    if (verb !== undefined) add(`${snakeCase(resource).slice(1)}s`, args.id, verb === "delete")
    const { listId, taskId } = (args.input ?? {}) as Values
    add("lists", listId)
    add("tasks", taskId)
  }
  return rows
}

/** Locks what a transaction of the viewer's will write to: one statement for each kind of row, and for the kinds above it. */
export async function lockRows({ run }: Runner, viewerId: Id, rows: readonly NamedRow[]): Promise<void> {
  /** Gives the parents of what it locks. */
  async function lockIn(
    { table, statement: locking, goesWithParent }: Lock,
    above: readonly Id[] = [],
    gone: readonly Id[] = [],
  ): Promise<Id[]> {
    const ids = [...above, ...rows.flatMap((row) => (row.table === table ? [row.id] : []))]
    if (ids.length === 0 && !(goesWithParent && gone.length > 0)) return []
    const parents = await run(locking, goesWithParent ? [ids, viewerId, gone] : [ids, viewerId])
    return parents.filter((id) => id !== null)
  }
  async function lockAll(locks: readonly Lock[], goneIn?: string): Promise<Id[]> {
    const gone = rows.flatMap((row) => (row.table === goneIn && row.isDeleted ? [row.id] : []))
    const parents: Id[] = []
    for (const one of locks) parents.push(...(await lockIn(one, [], gone)))
    return parents
  }

  const tasks = await lockAll(IN_TASKS, "tasks")
  const lists = await lockIn(TASKS, tasks)
  lists.push(...(await lockAll(IN_LISTS, "lists")))
  await lockIn(LISTS, lists)
  await lockAll(OWN)
}
