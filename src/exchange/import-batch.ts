import { createHash } from "node:crypto"
import type { Id, Runner } from "../statement.js"
import { importParts, importTasks, lockTasks, recordAtOnce, recordMade, takeTurn } from "./import-lists.statements.js"
import type { ParsedTask } from "./parsed-import.js"

/** A transaction writes about so many rows, so that the list's other writers wait for moments only. */
const ROWS_AT_ONCE = 1_000
/** About so many characters, for they are in memory several times on their way. */
const CHARACTERS_AT_ONCE = 4_000_000

/** The kinds of rows in a task, in the order in which they are made. */
export const PARTS = Object.keys(importParts) as (keyof typeof importParts)[]

/** What was imported before, by its key, and whether it is there still. */
export type Known = Map<string, { readonly id: Id; readonly isThere: boolean }>
/** How many rows of each kind a batch has made. */
export type Made = Record<"tasks" | keyof typeof importParts, number>

/** The key of a row's name: names are of any length; keys are not. */
export const keyOf = (name: string): string => createHash("sha256").update(name).digest("hex").slice(0, 32)

const rowsOf = (task: ParsedTask): number => PARTS.reduce((sum, part) => sum + task[part].length, 1)

function charactersOf({ title, notes, comments }: ParsedTask): number {
  let sum = title.length
  for (const { content } of notes) sum += content.length
  for (const { text } of comments) sum += text.length
  return sum
}

/** Divides tasks into what one transaction writes. */
export function* batches(tasks: readonly ParsedTask[]): Generator<ParsedTask[]> {
  let batch: ParsedTask[] = []
  let [size, characters] = [0, 0]
  for (const task of tasks) {
    const [more, longer] = [rowsOf(task), charactersOf(task)]
    if (size > 0 && (size + more > ROWS_AT_ONCE || characters + longer > CHARACTERS_AT_ONCE)) {
      yield batch
      ;[batch, size, characters] = [[], 0, 0]
    }
    batch.push(task)
    size += more
    characters += longer
  }
  if (batch.length > 0) yield batch
}

/** Makes what of some tasks of a list was not imported before, in one transaction, and tells how much that was. */
export async function importBatch(
  runner: Runner,
  userId: Id,
  listId: Id,
  tasks: readonly ParsedTask[],
  known: Known,
  requestId: string,
): Promise<Made> {
  const made: Made = { tasks: 0, subtasks: 0, notes: 0, comments: 0, reminders: 0 }
  const isNew = ({ key }: { key: string }) => !known.has(keyOf(key))
  const wanted = tasks.filter((task) => isNew(task) || PARTS.some((part) => task[part].some(isNew)))
  if (wanted.length === 0) return made
  await runner.run(takeTurn, [userId])
  await runner.run(recordAtOnce, [])
  const ids = new Map<ParsedTask, Id>()
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
  if (rows.length > 0) {
    const done = await runner.run(importTasks, [userId, listId, requestId, JSON.stringify(rows)])
    for (const { key, id } of done) ids.set(byKey.get(key) as ParsedTask, id)
    made.tasks = await record("tasks", done)
  }
  for (const part of PARTS) {
    const parts = new Map<string, object>()
    for (const task of wanted)
      for (const row of ids.has(task) ? task[part].filter(isNew) : []) {
        const key = keyOf(row.key)
        parts.set(key, { ...row, key, taskId: ids.get(task), place: parts.size })
      }
    if (parts.size === 0) continue
    const done = await runner.run(importParts[part], [userId, requestId, JSON.stringify([...parts.values()])])
    made[part] = await record(part, done)
  }
  return made

  /** @returns how many they are */
  async function record(kind: keyof Made, done: readonly { id: Id }[]): Promise<number> {
    if (done.length > 0) await runner.run(recordMade[kind], [done.map(({ id }) => id)])
    return done.length
  }
}
