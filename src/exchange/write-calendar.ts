import { createHash } from "node:crypto"
import type { Id, Runner } from "../statement.js"
import { ruleOf } from "./calendar-recurrence.js"
import { stampComponents } from "./calendar-stamps.statements.js"
import { contentLine, day, escaped, utc } from "./calendar-text.js"
import type { WholeTask } from "./export.statements.js"
import { notesOf, subtaskLinesOf, tasksOf } from "./whole-tasks.js"

const HIGH_PRIORITY = 1

/** What a calendar is made of. */
export type CalendarOptions = {
  /** What the calendar is called. */
  readonly name: string
  /** The host's name, which makes the names of components unique in the world. */
  readonly host: string
  readonly listId?: Id | null
  readonly onlyOpen?: boolean
  /** `events` shows tasks that are due as all-day events, for calendars that show no tasks. */
  readonly as: "tasks" | "events"
}

/** A component before it is known since when it is so: that goes behind its first two lines. */
type Component = {
  readonly kind: "task" | "event" | "subtask"
  readonly id: number
  readonly madeAt: string
  readonly lines: readonly (string | false)[]
}

/** A calendar has at least one component (RFC 5545, 3.6). */
const NO_COMPONENT = ["BEGIN:VTIMEZONE", "TZID:UTC", "BEGIN:STANDARD", "DTSTART:19700101T000000"].concat([
  "TZOFFSETFROM:+0000",
  "TZOFFSETTO:+0000",
  "TZNAME:UTC",
  "END:STANDARD",
  "END:VTIMEZONE",
])

/**
 * A user's tasks as an iCalendar object (RFC 5545), piece by piece: a VTODO for each, subtasks as lines of its description and
 * as VTODOs that are RELATED-TO it. Keeps by `stamps` since when each is as it is, which need not be what `runner` reads by.
 */
export async function* writeCalendar(
  runner: Runner,
  userId: Id,
  options: CalendarOptions,
  stamps = runner,
): AsyncGenerator<string> {
  const { name, listId, onlyOpen } = options
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
  let isEmpty = true
  for await (const { list, rows } of tasksOf(runner, userId, { listId, onlyOpen })) {
    const components = rows.flatMap((task) =>
      options.as === "events" ? eventsOf(task, list.title, options) : todosOf(task, list.title, options),
    )
    if (components.length === 0) continue
    isEmpty = false
    yield await stamped(stamps, userId, components)
  }
  if (isEmpty) yield lines(NO_COMPONENT)
  yield contentLine("END:VCALENDAR")
}

/** Components with the time at which each was last revised (RFC 5545, 3.8.7.2): readers leave out what does not grow. */
async function stamped(stamps: Runner, userId: Id, components: readonly Component[]): Promise<string> {
  const texts = components.map((component) => lines(component.lines))
  const digests = texts.map((text) => createHash("md5").update(text).digest("hex"))
  const known = new Map<string, string>()
  for (const { name, changedAt } of await stamps.run(stampComponents, [
    userId,
    components.map(({ kind }) => kind),
    components.map(({ id }) => id),
    digests,
    components.map(({ madeAt }) => new Date(madeAt).toISOString()),
  ]))
    known.set(name, changedAt)
  return components
    .map(({ kind, id, lines: all }) => {
      const at = known.get(`${kind}-${id}`) as string
      return lines([...all.slice(0, 2), `DTSTAMP:${utc(at)}`, `LAST-MODIFIED:${utc(at)}`, ...all.slice(2)])
    })
    .join("")
}

const lines = (all: readonly (string | false)[]): string =>
  all.map((line) => (line === false ? "" : contentLine(line))).join("")

const madeAt = ({ created_at, completed_at }: WholeTask): string => completed_at ?? created_at

const descriptionOf = (task: WholeTask): string =>
  [...notesOf(task), subtaskLinesOf(task)].filter((text) => text !== "").join("\n\n")

/** What tasks and events have alike. */
function shared(task: WholeTask, list: string, host: string): (string | false)[] {
  const description = descriptionOf(task)
  return [
    `UID:task-${task.id}@${host}`,
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

function todosOf(task: WholeTask, list: string, { host }: CalendarOptions): Component[] {
  const { due_date: due, completed, completed_at: completedAt } = task
  // A task that recurs is one that is made again when it is done: the done one has its successor beside it.
  const rule = completed ? undefined : ruleOf(task)
  const whole: (string | false)[] = [
    "BEGIN:VTODO",
    ...shared(task, list, host),
    // A recurrence counts from where it starts (RFC 5545, 3.8.5.3). That ought to be before the task is due (3.8.2.3), but
    // a day earlier is another day of the month, and a day later is shown to people as the day on which it is due.
    rule !== undefined && due !== null && `DTSTART;VALUE=DATE:${day(due)}`,
    due !== null && `DUE;VALUE=DATE:${day(due)}`,
    rule ?? false,
    `STATUS:${completed ? "COMPLETED" : "NEEDS-ACTION"}`,
    completedAt !== null && `COMPLETED:${utc(completedAt)}`,
    completed && "PERCENT-COMPLETE:100",
    ...alarmsOf(task, host),
    "END:VTODO",
  ]
  const subtasks = task.subtasks.map(({ id, title, completed: isDone }) => ({
    kind: "subtask" as const,
    id,
    madeAt: madeAt(task),
    lines: [
      "BEGIN:VTODO",
      `UID:subtask-${id}@${host}`,
      `SUMMARY:${escaped(title)}`,
      `RELATED-TO;RELTYPE=PARENT:task-${task.id}@${host}`,
      `STATUS:${isDone ? "COMPLETED" : "NEEDS-ACTION"}`,
      isDone && "PERCENT-COMPLETE:100",
      "END:VTODO",
    ],
  }))
  return [{ kind: "task", id: task.id, madeAt: madeAt(task), lines: whole }, ...subtasks]
}

function eventsOf(task: WholeTask, list: string, { host }: CalendarOptions): Component[] {
  const { due_date: due } = task
  if (due === null) return []
  const whole: (string | false)[] = [
    "BEGIN:VEVENT",
    ...shared(task, list, host),
    `DTSTART;VALUE=DATE:${day(due)}`,
    "TRANSP:TRANSPARENT",
    (!task.completed && ruleOf(task)) || false,
    ...alarmsOf(task, host),
    "END:VEVENT",
  ]
  return [{ kind: "event", id: task.id, madeAt: madeAt(task), lines: whole }]
}
