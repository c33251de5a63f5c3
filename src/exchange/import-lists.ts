import type { DatabaseClient } from "../database/client.js"
import { Problem, Unavailable } from "../errors.js"
import type { Id } from "../statement.js"
import { batches, importBatch, type Known, keyOf, type Made, PARTS } from "./import-batch.js"
import {
  forgetWhatIsGone,
  importedRows,
  importList,
  putIntoFolder,
  takeTurn,
  takeTurnWithFolders,
} from "./import-lists.statements.js"
import { requireRoom } from "./import-room.js"
import type { ParsedImport, ParsedList, ParsedTask, Remark } from "./parsed-import.js"
import { quoted } from "./parsed-values.js"

/** How many rows were made, and how many were there already from an import before. What is neither is a remark. */
export type Count = { made: number; already: number }
export type Counts = Record<"lists" | keyof Made, Count>
export type Imported = { readonly counts: Counts; readonly remarks: readonly Remark[] }

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

const GONE = "was imported before and has been deleted since; --again creates it again"
const GONE_WHOLE = "was imported before and has been deleted since, with its content; --again creates it again"

/** Whether a row cannot be made as it is; what was made before stays. */
const isRefusal = (error: unknown): error is Problem => error instanceof Problem && !(error instanceof Unavailable)

/**
 * Makes what a file holds, batch by batch. What an earlier import has made of the same rows is not made again, so an import
 * that was interrupted goes on when it is repeated.
 * @throws Unavailable when the database goes away; what was made until then stays. NoRoom when it does not fit into a quota
 */
export async function importLists(
  database: DatabaseClient,
  userId: Id,
  parsed: ParsedImport,
  settings: Settings,
): Promise<Imported> {
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

  const hasGone = [...known.values()].some(({ isThere }) => !isThere)
  const isGone = ({ key }: { key: string }) => hasGone && known.get(keyOf(key))?.isThere === false
  const isNew = ({ key }: { key: string }) => !known.has(keyOf(key))
  await requireRoom(database, userId, parsed, (list) => ({
    lists: !list.isInbox && isNew(list) ? 1 : 0,
    tasks: isGone(list) ? 0 : list.tasks.filter(isNew).length,
  }))

  const noteRefused = (kind: string, said: string, reason: string): void => {
    remarks.push({ place: `${kind} ${quoted(said)}`, effect: "skipped", reason })
  }
  function noteGone(kind: string, said: string, reason: string): false {
    noteRefused(kind, said, reason)
    return false
  }

  const makeList = (list: ParsedList) =>
    database.transaction(async (runner) => {
      await runner.run(takeTurn, [userId])
      if (list.folder !== undefined) await runner.run(takeTurnWithFolders, [userId])
      const [row] = await runner.run(importList, [userId, keyOf(list.key), list.title, requestId, list.createdAt])
      if (row?.isNew && list.folder !== undefined)
        await runner.run(putIntoFolder, [userId, list.folder, row.id, requestId])
      return row
    })

  async function listOf(list: ParsedList): Promise<Id | undefined> {
    if (list.isInbox) {
      const where = { ownerId: BigInt(userId), listType: "inbox" }
      const inbox = await database.prisma.list.findFirst({ where, select: { id: true } })
      return inbox === null ? undefined : String(inbox.id)
    }
    const key = keyOf(list.key)
    const before = known.get(key)
    if (isGone(list)) return noteGone("list", list.title, GONE_WHOLE) || undefined
    if (before !== undefined || isDryRun) {
      counts.lists[before ? "already" : "made"]++
      known.set(key, before ?? { id: "0", isThere: true })
      return before?.id
    }
    const made = await makeList(list).catch((error: unknown) => {
      if (!isRefusal(error)) throw error
      // Another writer has taken what was left of a quota.
      noteRefused("list", list.title, `${error.message.replace(/\.$/, "")}; nothing of it was imported`)
    })
    if (made === undefined) return undefined
    counts.lists[made.isNew ? "made" : "already"]++
    known.set(key, { id: made.id, isThere: true })
    return made.id
  }

  /** Leaves out what was imported before and is gone, each with a remark. */
  const stillWanted = (tasks: readonly ParsedTask[]): ParsedTask[] =>
    tasks.flatMap((task) => {
      if (isGone(task)) return noteGone("task", task.title, GONE_WHOLE) || []
      if (!PARTS.some((part) => task[part].some(isGone))) return [task]
      const there = <Part extends { key: string }>(
        kind: string,
        parts: readonly Part[],
        said: (part: Part) => string,
      ) => parts.filter((part) => !isGone(part) || noteGone(kind, said(part), GONE))
      return [
        {
          ...task,
          subtasks: there("subtask", task.subtasks, ({ title }) => title),
          notes: there("note", task.notes, ({ content }) => content),
          comments: there("comment", task.comments, ({ text }) => text),
          reminders: there("reminder", task.reminders, ({ date }) => date),
        },
      ]
    })

  function countWithout(tasks: readonly ParsedTask[]): void {
    const note = (kind: keyof Counts, key: string) => counts[kind][known.has(keyOf(key)) ? "already" : "made"]++
    for (const task of tasks) {
      note("tasks", task.key)
      for (const part of PARTS) for (const { key } of task[part]) note(part, key)
    }
  }

  /** Makes a batch; where a row cannot be, the batch is halved until that one is alone. */
  async function importTasksInto(listId: Id, tasks: readonly ParsedTask[]): Promise<void> {
    try {
      const made = await database.transaction((runner) => importBatch(runner, userId, listId, tasks, known, requestId))
      for (const kind of ["tasks", ...PARTS] as const) {
        const all = kind === "tasks" ? tasks.length : tasks.reduce((sum, task) => sum + task[kind].length, 0)
        counts[kind].made += made[kind]
        counts[kind].already += all - made[kind]
      }
    } catch (error) {
      if (!isRefusal(error)) throw error
      const [only] = tasks
      if (tasks.length > 1) {
        const half = Math.ceil(tasks.length / 2)
        await importTasksInto(listId, tasks.slice(0, half))
        await importTasksInto(listId, tasks.slice(half))
      } else if (only !== undefined) noteRefused("task", only.title, error.message)
    }
  }

  for (const list of parsed.lists) {
    const listId = await listOf(list)
    for (const batch of batches(list.tasks)) {
      const wanted = isGone(list) ? [] : stillWanted(batch)
      if (isDryRun) countWithout(wanted)
      else if (listId !== undefined) await importTasksInto(listId, wanted)
      seen += batch.length
      settings.onProgress(seen)
    }
  }
  return { counts, remarks: [...parsed.remarks, ...remarks] }
}
