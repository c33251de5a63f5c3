import type { Id, Runner } from "../statement.js"
import { contentLine, day, escaped, utc } from "./calendar-text.js"
import type { WholeTask } from "./export.statements.js"
import { tasksOf } from "./whole-tasks.js"

const FREQUENCIES: Readonly<Record<string, string>> = { day: "DAILY", week: "WEEKLY", month: "MONTHLY", year: "YEARLY" }
const HIGH_PRIORITY = 1

/** What a calendar is made of. */
export type CalendarWish = {
  /** What the calendar is called. */
  readonly name: string
  /** The host's name, which makes the names of components unique in the world. */
  readonly host: string
  readonly listId?: Id | null
  readonly onlyOpen?: boolean
  /** `events` shows tasks that are due as all-day events, for calendars that show no tasks. */
  readonly as: "tasks" | "events"
}

/**
 * A user's tasks as an iCalendar object (RFC 5545), piece by piece: a VTODO for each, subtasks as lines of its description and
 * as VTODOs that are RELATED-TO it.
 */
export async function* writeCalendar(runner: Runner, userId: Id, wish: CalendarWish): AsyncGenerator<string> {
  const { name, listId, onlyOpen } = wish
  yield lines([
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Tandem//Tasks//EN",
    "CALSCALE:GREGORIAN",
    `NAME:${escaped(name)}`,
    `X-WR-CALNAME:${escaped(name)}`,
    "REFRESH-INTERVAL;VALUE=DURATION:PT15M",
    "X-PUBLISHED-TTL:PT15M",
  ])
  for await (const { list, rows } of tasksOf(runner, userId, { listId, onlyOpen }))
    yield rows
      .map((task) => (wish.as === "events" ? eventOf(task, list.title, wish) : todoOf(task, list.title, wish)))
      .join("")
  yield contentLine("END:VCALENDAR")
}

const lines = (all: readonly (string | false)[]): string =>
  all.map((line) => (line === false ? "" : contentLine(line))).join("")

/** When what is known of a task last changed, as far as it can be told; the same at each reading, unlike the time of reading. */
const changedAt = ({ created_at, completed_at }: WholeTask): string => utc(completed_at ?? created_at)

const descriptionOf = ({ notes, subtasks }: WholeTask): string =>
  [...notes, subtasks.map(({ title, completed }) => `[${completed ? "x" : " "}] ${title}`).join("\n")]
    .filter((text) => text !== "")
    .join("\n\n")

/** What tasks and events have alike. */
function shared(task: WholeTask, list: string, host: string): (string | false)[] {
  const description = descriptionOf(task)
  return [
    `UID:task-${task.id}@${host}`,
    `DTSTAMP:${changedAt(task)}`,
    `CREATED:${utc(task.created_at)}`,
    `SEQUENCE:${task.revision}`,
    `SUMMARY:${escaped(task.title)}`,
    description !== "" && `DESCRIPTION:${escaped(description)}`,
    `CATEGORIES:${escaped(list)}`,
    task.starred && `PRIORITY:${HIGH_PRIORITY}`,
  ]
}

const alarmsOf = ({ id, title, reminders }: WholeTask, host: string): string[] =>
  reminders.flatMap((reminder) => [
    "BEGIN:VALARM",
    `UID:reminder-${reminder.id}-${id}@${host}`,
    "ACTION:DISPLAY",
    `DESCRIPTION:${escaped(title)}`,
    `TRIGGER;VALUE=DATE-TIME:${utc(reminder.date)}`,
    "END:VALARM",
  ])

function todoOf(task: WholeTask, list: string, { host }: CalendarWish): string {
  const { recurrence_type: type, recurrence_count: count, due_date: due, completed, completed_at: completedAt } = task
  // A task that recurs is one that is made again when it is done: the done one has its successor beside it.
  const recurs = type !== null && due !== null && !completed
  const whole = lines([
    "BEGIN:VTODO",
    ...shared(task, list, host),
    // A recurrence counts from where it starts (RFC 5545, 3.8.5.3). That ought to be before the task is due (3.8.2.3), but
    // a day earlier is another day of the month, and a day later is shown to people as the day on which it is due.
    recurs && `DTSTART;VALUE=DATE:${day(due)}`,
    due !== null && `DUE;VALUE=DATE:${day(due)}`,
    recurs && `RRULE:FREQ=${FREQUENCIES[type]};INTERVAL=${count}`,
    `STATUS:${completed ? "COMPLETED" : "NEEDS-ACTION"}`,
    completedAt !== null && `COMPLETED:${utc(completedAt)}`,
    completed && "PERCENT-COMPLETE:100",
    ...alarmsOf(task, host),
    "END:VTODO",
  ])
  const subtasks = task.subtasks.map(({ id, title, completed: isDone }) =>
    lines([
      "BEGIN:VTODO",
      `UID:subtask-${id}@${host}`,
      `DTSTAMP:${changedAt(task)}`,
      `SUMMARY:${escaped(title)}`,
      `RELATED-TO;RELTYPE=PARENT:task-${task.id}@${host}`,
      `STATUS:${isDone ? "COMPLETED" : "NEEDS-ACTION"}`,
      isDone && "PERCENT-COMPLETE:100",
      "END:VTODO",
    ]),
  )
  return whole + subtasks.join("")
}

function eventOf(task: WholeTask, list: string, { host }: CalendarWish): string {
  const { due_date: due, recurrence_type: type, recurrence_count: count } = task
  if (due === null) return ""
  return lines([
    "BEGIN:VEVENT",
    ...shared(task, list, host),
    `DTSTART;VALUE=DATE:${day(due)}`,
    "TRANSP:TRANSPARENT",
    type !== null && !task.completed && `RRULE:FREQ=${FREQUENCIES[type]};INTERVAL=${count}`,
    ...alarmsOf(task, host),
    "END:VEVENT",
  ])
}
