import { createHash } from "node:crypto"
import type { DatabaseClient } from "../database/client.js"
import { Problem, Unavailable } from "../errors.js"
import type { Id, Runner } from "../statement.js"
import {
  carryList,
  carryParts,
  carryTasks,
  forgetWhatIsGone,
  importedRows,
  inboxOf,
  lockTasks,
  putIntoFolder,
  takeTurn,
  takeTurnWithFolders,
} from "./carry-in.statements.js"
import type { ListPlan, Plan, Remark, TaskPlan } from "./plan.js"

/** A transaction writes about so many rows: each raises the revision of its list, and raising one row often in one transaction grows slower. */
const ROWS_AT_ONCE = 400

const PARTS = Object.keys(carryParts) as (keyof typeof carryParts)[]

/** How many rows were made, and how many had been made before. */
export type Count = { made: number; already: number }
export type Counts = Record<"lists" | "tasks" | keyof typeof carryParts, Count>
export type Carried = { readonly counts: Counts; readonly remarks: readonly Remark[] }

type Settings = {
  /** Counts only. */
  readonly isDryRun: boolean
  /** Whether what was imported before and is gone by now is made again. */
  readonly isAgain: boolean
  /** Names this import in the events it makes. */
  readonly requestId: string
  /** Told after each batch how many tasks have been looked at. */
  onProgress(tasks: number): void
}

type Known = Map<string, { readonly id: Id; readonly isThere: boolean }>

/** Names are of any length; keys are not. */
const keyOf = (name: string): string => createHash("sha256").update(name).digest("hex").slice(0, 32)

/**
 * Makes what a file holds, batch by batch. What an earlier import has made of the same rows is not made again, so an import
 * that was interrupted goes on when it is repeated.
 * @throws Unavailable when the database goes away; what was made until then stays
 */
export async function carryIn(database: DatabaseClient, userId: Id, plan: Plan, settings: Settings): Promise<Carried> {
  const { isDryRun, isAgain, requestId } = settings
  if (isAgain && !isDryRun) await database.run(forgetWhatIsGone, [userId])
  const known: Known = new Map()
  for (const { key, ...row } of await database.run(importedRows, [userId]))
    if (row.isThere || !isAgain) known.set(key, row)
  const count = (): Count => ({ made: 0, already: 0 })
  const counts: Counts = {
    lists: count(),
    tasks: count(),
    subtasks: count(),
    notes: count(),
    comments: count(),
    reminders: count(),
  }
  const remarks: Remark[] = []
  let seen = 0

  async function listOf(list: ListPlan): Promise<Id | undefined> {
    if (list.isInbox) {
      const [inbox] = await database.run(inboxOf, [userId])
      return inbox
    }
    const before = known.get(keyOf(list.key))
    if (before !== undefined || isDryRun) {
      counts.lists[before ? "already" : "made"]++
      if (before?.isThere !== false) return before?.id
      const reason = "was imported before and is gone since, with all that is in it; --again makes it again"
      remarks.push({ place: `list ${JSON.stringify(list.title)}`, effect: "skipped", reason })
      return undefined
    }
    const made = await database.transaction(async (runner) => {
      await runner.run(takeTurn, [userId])
      if (list.folder !== undefined) await runner.run(takeTurnWithFolders, [userId])
      const [row] = await runner.run(carryList, [userId, keyOf(list.key), list.title, requestId, list.createdAt])
      if (row?.isNew && list.folder !== undefined)
        await runner.run(putIntoFolder, [userId, list.folder, row.id, requestId])
      return row
    })
    counts.lists[made?.isNew ? "made" : "already"]++
    return made?.id
  }

  function countWithout(tasks: readonly TaskPlan[]): void {
    const note = (kind: keyof Counts, key: string) => counts[kind][known.has(keyOf(key)) ? "already" : "made"]++
    for (const task of tasks) {
      note("tasks", task.key)
      for (const part of PARTS) for (const { key } of task[part]) note(part, key)
    }
  }

  /** Makes a batch; where a row cannot be, the batch is halved until that one is alone. */
  async function carry(listId: Id, tasks: readonly TaskPlan[]): Promise<void> {
    try {
      const made = await database.transaction((runner) => carryBatch(runner, userId, listId, tasks, known, requestId))
      for (const kind of ["tasks", ...PARTS] as const) {
        const all = kind === "tasks" ? tasks.length : tasks.reduce((sum, task) => sum + task[kind].length, 0)
        counts[kind].made += made[kind]
        counts[kind].already += all - made[kind]
      }
    } catch (error) {
      if (!(error instanceof Problem) || error instanceof Unavailable) throw error
      const [only] = tasks
      if (tasks.length > 1) {
        const half = Math.ceil(tasks.length / 2)
        await carry(listId, tasks.slice(0, half))
        await carry(listId, tasks.slice(half))
      } else if (only !== undefined)
        remarks.push({ place: `task ${JSON.stringify(only.title)}`, effect: "skipped", reason: error.message })
    }
  }

  for (const list of plan.lists) {
    const listId = await listOf(list)
    for (const batch of batches(list.tasks)) {
      if (isDryRun) countWithout(batch)
      else if (listId !== undefined) await carry(listId, batch)
      seen += batch.length
      settings.onProgress(seen)
    }
  }
  return { counts, remarks: [...plan.remarks, ...remarks] }
}

const rowsOf = (task: TaskPlan): number => PARTS.reduce((sum, part) => sum + task[part].length, 1)

function* batches(tasks: readonly TaskPlan[]): Generator<TaskPlan[]> {
  let batch: TaskPlan[] = []
  let size = 0
  for (const task of tasks) {
    const more = rowsOf(task)
    if (size > 0 && size + more > ROWS_AT_ONCE) {
      yield batch
      ;[batch, size] = [[], 0]
    }
    batch.push(task)
    size += more
  }
  if (batch.length > 0) yield batch
}

async function carryBatch(
  runner: Runner,
  userId: Id,
  listId: Id,
  tasks: readonly TaskPlan[],
  known: Known,
  requestId: string,
): Promise<Record<"tasks" | keyof typeof carryParts, number>> {
  const made = { tasks: 0, subtasks: 0, notes: 0, comments: 0, reminders: 0 }
  const isNew = ({ key }: { key: string }) => !known.has(keyOf(key))
  const wanted = tasks.filter((task) => isNew(task) || PARTS.some((part) => task[part].some(isNew)))
  if (wanted.length === 0) return made
  await runner.run(takeTurn, [userId])
  const ids = new Map<TaskPlan, Id>()
  for (const task of wanted) {
    const before = known.get(keyOf(task.key))
    if (before?.isThere) ids.set(task, before.id)
  }
  if (ids.size > 0) await runner.run(lockTasks, [userId, [...ids.values()]])
  const byKey = new Map(wanted.filter(isNew).map((task) => [keyOf(task.key), task]))
  const rows = [...byKey].map(([key, { subtasks, notes, comments, reminders, ...task }], place) => ({
    ...task,
    key,
    place,
  }))
  if (rows.length > 0)
    for (const { key, id } of await runner.run(carryTasks, [userId, listId, requestId, JSON.stringify(rows)])) {
      ids.set(byKey.get(key) as TaskPlan, id)
      made.tasks++
    }
  for (const part of PARTS) {
    const parts = new Map<string, object>()
    for (const task of wanted)
      for (const row of ids.has(task) ? task[part].filter(isNew) : []) {
        const key = keyOf(row.key)
        parts.set(key, { ...row, key, taskId: ids.get(task), place: parts.size })
      }
    if (parts.size === 0) continue
    made[part] = (await runner.run(carryParts[part], [userId, requestId, JSON.stringify([...parts.values()])])).length
  }
  return made
}
