import type { Id, Runner } from "../statement.js"
import type { WholeTask } from "./export.statements.js"
import { notesOf, reminderLinesOf, subtaskLinesOf, tasksOf } from "./whole-tasks.js"

const COLUMNS = [
  ...["list", "id", "title", "completed", "completed_at", "due_date", "starred", "assignee"],
  ...["recurrence", "reminders", "notes", "subtasks", "created_at"],
]

/** What a spreadsheet would take for a formula is told apart by an apostrophe: titles are also written by others. */
export const harmless = (text: string): string => (/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text)

const cell = (value: string): string => {
  const text = harmless(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const instant = (text: string | null): string => (text === null ? "" : new Date(text).toISOString())

function lineOf(list: string, task: WholeTask): string {
  const every =
    task.recurrence_type === null
      ? ""
      : `every ${task.recurrence_count} ${task.recurrence_type}${task.recurrence_count === 1 ? "" : "s"}`
  return [
    ...[list, String(task.id), task.title, String(task.completed), instant(task.completed_at)],
    ...[task.due_date ?? "", String(task.starred), task.assignee ?? "", every],
    reminderLinesOf(task),
    notesOf(task).join("\n\n"),
    subtaskLinesOf(task),
    instant(task.created_at),
  ]
    .map(cell)
    .join(",")
}

/** A user's tasks as CSV (RFC 4180), one row for each, piece by piece: list by list, those to be done first. */
export async function* writeCsv(runner: Runner, userId: Id): AsyncGenerator<string> {
  yield `${COLUMNS.join(",")}\r\n`
  for await (const { list, rows } of tasksOf(runner, userId))
    yield rows.map((task) => `${lineOf(list.title, task)}\r\n`).join("")
}
