import type { Id, Runner } from "../statement.js"
import {
  listsToExport,
  type Measured,
  PAGE_BYTES,
  pageOfTaskIds,
  type WholeTask,
  wholeTasks,
} from "./export.statements.js"

type Wanted = {
  /** One list instead of all. */
  readonly listId?: Id | null
  /** Leaves out what is done. */
  readonly onlyOpen?: boolean
}
type ListOfTasks = { readonly id: Id; readonly title: string }

/** Reads page after page of each of a user's lists: those to be done, then those that are done. */
async function* pagesOf<Row>(
  runner: Runner,
  userId: Id,
  { listId = null, onlyOpen = false }: Wanted,
  read: (list: ListOfTasks, completed: boolean, behind: Id) => Promise<Row[]>,
  idOfRow: (row: Row) => Id,
): AsyncGenerator<{ list: ListOfTasks; rows: Row[] }> {
  for (const list of await runner.run(listsToExport, [userId, listId]))
    for (const completed of onlyOpen ? [false] : [false, true]) {
      let behind: Id = "0"
      for (;;) {
        const rows = await read(list, completed, behind)
        const last = rows.at(-1)
        if (last === undefined) break
        behind = idOfRow(last)
        yield { list, rows }
      }
    }
}

/** The tasks of a user's lists with all that is in them, in pages. */
export const tasksOf = (
  runner: Runner,
  userId: Id,
  wanted: Wanted = {},
): AsyncGenerator<{ list: ListOfTasks; rows: WholeTask[] }> =>
  pagesOf(
    runner,
    userId,
    wanted,
    (list, completed, behind) => runner.run(wholeTasks, [userId, behind, list.id, completed]),
    ({ id }) => String(id),
  )

/** The ids of the tasks of a user's lists, in pages. */
export async function* taskIdsOf(runner: Runner, userId: Id): AsyncGenerator<Id[]> {
  const read = (list: ListOfTasks, completed: boolean, behind: Id) =>
    runner.run(pageOfTaskIds, [list.id, behind, completed])
  for await (const { rows } of pagesOf(runner, userId, {}, read, (id) => id)) yield rows
}

/** The ids of rows in portions that can be read at once: none is larger than a page by more than its last row. */
export function* portionsOf(rows: readonly Measured[]): Generator<Id[]> {
  let ids: Id[] = []
  let bytes = 0
  for (const row of rows) {
    ids.push(row.id)
    bytes += row.bytes
    if (bytes < PAGE_BYTES) continue
    yield ids
    ids = []
    bytes = 0
  }
  if (ids.length > 0) yield ids
}

const withRest = (texts: readonly string[], leftOut: number): readonly string[] =>
  leftOut === 0 ? texts : [...texts, `(${leftOut} more: an export as JSON has them)`]

/** A task's notes, for formats that show a task on one line. */
export const notesOf = (task: WholeTask): readonly string[] => withRest(task.notes, task.notes_left_out)

/** A line for each subtask. */
export const subtaskLinesOf = ({ subtasks, subtasks_left_out: leftOut }: WholeTask): string =>
  withRest(
    subtasks.map(({ title, completed }) => `[${completed ? "x" : " "}] ${title}`),
    leftOut,
  ).join("\n")

/** A line for each reminder. */
export const reminderLinesOf = ({ reminders, reminders_left_out: leftOut }: WholeTask): string =>
  withRest(
    reminders.map(({ date }) => new Date(date).toISOString()),
    leftOut,
  ).join("\n")
