import { z } from "zod"
import { textOfHtml } from "./html-text.js"
import { dayOf, instantOf, MOMENT, zonedInstantOf } from "./microsoft-moment.js"
import { collectRemarks, type ParsedImport, type Reading } from "./parsed-import.js"
import {
  dateOf,
  flag,
  identities,
  ordinals,
  pastInstantOf,
  quoted,
  readRow,
  recurrenceOf,
  remarkUnknown,
  rows,
  shortTitleOf,
  storable,
  text,
  titleOf,
  unused,
} from "./parsed-values.js"

// Lists with their tasks as Microsoft Graph answers them (`/me/todo/lists`, `/tasks` with its checklist items).

const LIST = z.looseObject({
  id: text,
  displayName: text,
  wellknownListName: text,
  tasks: rows,
  ...unused("isOwner"),
})
const PATTERN = z.looseObject({
  type: text,
  interval: z.unknown().optional(),
  daysOfWeek: rows,
  // They say again what the due date says, of the kinds of patterns that are taken over.
  ...unused("month", "dayOfMonth", "firstDayOfWeek", "index"),
})
const RANGE = z.looseObject({
  type: text,
  startDate: text,
  endDate: text,
  numberOfOccurrences: z.unknown().optional(),
  ...unused("recurrenceTimeZone"),
})
const TASK = z.looseObject({
  id: text,
  title: text,
  status: text,
  importance: text,
  createdDateTime: text,
  completedDateTime: MOMENT,
  startDateTime: MOMENT,
  dueDateTime: MOMENT,
  reminderDateTime: MOMENT,
  isReminderOn: flag,
  body: z.looseObject({ content: text, contentType: text }).nullish(),
  checklistItems: rows,
  categories: rows,
  attachments: rows,
  linkedResources: rows,
  recurrence: z.looseObject({ pattern: PATTERN.nullish(), range: RANGE.nullish() }).nullish(),
  ...unused("lastModifiedDateTime", "bodyLastModifiedDateTime", "hasAttachments"),
})
const ITEM = z.looseObject({
  id: text,
  displayName: text,
  isChecked: flag,
  checkedDateTime: text,
  createdDateTime: text,
})

const PERIODS: ReadonlyMap<string, string> = new Map([
  ["daily", "day"],
  ["weekly", "week"],
  ["absolutemonthly", "month"],
  ["absoluteyearly", "year"],
])
const STATES = new Set([undefined, "notStarted", "completed"])

type Recurring = { recurrenceType?: string; recurrenceCount?: number; firstDay?: string | undefined }

/** Parses lists of Microsoft To Do: `[{ displayName, tasks: [{ title, status, checklistItems, … }] }]`. */
export function parseMicrosoft(lists: readonly unknown[], { now }: Reading): ParsedImport {
  const remarks = collectRemarks()
  const isNew = identities(remarks)
  /** Names rows by their id, or by what they say; undefined for the second of an id. */
  const keyed = (kind: string, within: string) => {
    const nameOf = ordinals()
    return (place: string, id: string | undefined, ...said: readonly unknown[]) => {
      if (id === undefined) return `${within} ${kind} ${nameOf(...said)}`
      return isNew(place, kind, id) ? `microsoft ${kind} ${id}` : undefined
    }
  }

  /** How a task recurs; how long it does has no counterpart. */
  function recurrence(place: string, { pattern, range }: NonNullable<z.output<typeof TASK>["recurrence"]>): Recurring {
    if (pattern) remarkUnknown(remarks, `${place}.pattern`, PATTERN, pattern)
    if (range) remarkUnknown(remarks, `${place}.range`, RANGE, range)
    if (!pattern) return {}
    const period = PERIODS.get(pattern.type?.toLowerCase() ?? "")
    if (period === undefined || pattern.daysOfWeek.length > 1) {
      remarks.skip(place, `${quoted(pattern.type ?? "")}: only every so many days, weeks, months or years`)
      return {}
    }
    const end =
      range?.type === "numbered"
        ? `${quoted(range.numberOfOccurrences ?? null)} times`
        : range?.type !== "noEnd" && range?.endDate && `until ${quoted(range.endDate)}`
    if (end) remarks.change(`${place}.range`, `it recurs without an end here, not ${end}`)
    const recurring = recurrenceOf(remarks, place, period, pattern.interval ?? 1)
    return { ...recurring, firstDay: range?.startDate }
  }

  function parseTask(task: z.output<typeof TASK>, place: string, key: string) {
    const { title, whole } = titleOf(remarks, `${place}.title`, task.title)
    if (whole !== undefined)
      remarks.change(`${place}.title`, "has more than 255 characters; a note holds the whole of it")
    const completed = task.status === "completed"
    const isHtml = task.body?.contentType?.toLowerCase() === "html"
    const body = isHtml ? textOfHtml(task.body?.content ?? "") : (task.body?.content ?? "").trim()
    if (isHtml && /<(?!\/?(html|head|body|meta|br|p|div)\b)/i.test(task.body?.content ?? ""))
      remarks.change(`${place}.body`, "was HTML; its text stays")
    for (const name of ["categories", "attachments", "linkedResources"] as const)
      if (task[name].length > 0) remarks.skip(`${place}.${name}`, "has no counterpart in an import")
    if (task.startDateTime?.dateTime)
      remarks.skip(`${place}.startDateTime`, `a task has no start here: ${quoted(task.startDateTime.dateTime)}`)
    if (!STATES.has(task.status))
      remarks.change(`${place}.status`, `${quoted(task.status)} has no counterpart; it is to be done`)
    const { firstDay, ...recurring } = recurrence(`${place}.recurrence`, task.recurrence ?? {})
    const reminder = task.isReminderOn
      ? instantOf(remarks, `${place}.reminderDateTime`, task.reminderDateTime)
      : undefined
    const dueDate = dayOf(remarks, `${place}.dueDateTime`, task.dueDateTime)
    const itemKey = keyed("item", key)
    const nameOf = ordinals()
    const contents = [whole, body].filter((content) => content)
    return {
      key,
      title,
      starred: task.importance === "high",
      completed,
      isMine: false,
      createdAt: pastInstantOf(task.createdDateTime, now),
      completedAt:
        completed && task.completedDateTime?.dateTime
          ? pastInstantOf(zonedInstantOf(task.completedDateTime), now)
          : undefined,
      // A series without a day for its next task begins with its first.
      dueDate: dueDate ?? dateOf(remarks, `${place}.recurrence.range.startDate`, firstDay),
      ...recurring,
      notes: contents.map((content) => ({
        key: `${key} note ${nameOf(content)}`,
        content: storable(remarks, `${place}.body`, content as string),
      })),
      reminders: reminder === undefined ? [] : [{ key: `${key} reminder ${reminder}`, date: reminder }],
      comments: [],
      subtasks: task.checklistItems.flatMap((each, index) => {
        const at = `${place}.checklistItems[${index}]`
        const item = readRow(remarks, at, ITEM, each)
        if (item === undefined) return []
        const { id, displayName, isChecked, createdDateTime, checkedDateTime } = item
        const itsKey = itemKey(at, id && `${key} ${id}`, displayName, isChecked, createdDateTime, checkedDateTime)
        if (itsKey === undefined) return []
        return [
          {
            key: itsKey,
            title: shortTitleOf(remarks, `${at}.displayName`, displayName),
            completed: isChecked,
            createdAt: pastInstantOf(createdDateTime, now),
            completedAt: isChecked ? pastInstantOf(checkedDateTime, now) : undefined,
          },
        ]
      }),
    }
  }

  const listNames = ordinals()
  const parsed = lists.flatMap((each, index) => {
    const list = readRow(remarks, `[${index}]`, LIST, each)
    if (list === undefined) return []
    // Pages of one list may come one after the other: its id may be there twice.
    const key = `microsoft list ${list.id ?? listNames(list.displayName)}`
    const taskKey = keyed("task", key)
    return [
      {
        key,
        title: shortTitleOf(remarks, `[${index}].displayName`, list.displayName),
        isInbox: list.wellknownListName === "defaultList",
        tasks: list.tasks.flatMap((one, at) => {
          const place = `[${index}].tasks[${at}]`
          const task = readRow(remarks, place, TASK, one)
          if (task === undefined) return []
          const { checklistItems: _, ...said } = task
          const itsKey = taskKey(place, task.id, said)
          return itsKey === undefined ? [] : [parseTask(task, place, itsKey)]
        }),
      },
    ]
  })
  return { lists: parsed, remarks: remarks.all }
}
