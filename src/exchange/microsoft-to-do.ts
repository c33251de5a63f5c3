import { z } from "zod"
import { collectRemarks, type Plan, type Reading, type Remarks } from "./plan.js"
import {
  dateOf,
  flag,
  ordinals,
  pastInstantOf,
  readRow,
  instantOf as realInstantOf,
  recurrenceOf,
  rows,
  shortTitleOf,
  storable,
  text,
  titleOf,
} from "./plan-values.js"
import { instantInZone, isTimeZone } from "./zoned-time.js"

// Lists with their tasks as Microsoft Graph answers them (`/me/todo/lists`, `/tasks` with its checklist items).

const MOMENT = z.looseObject({ dateTime: text, timeZone: text }).nullish()
const LIST = z.looseObject({ id: text, displayName: text, wellknownListName: text, tasks: rows })
const TASK = z.looseObject({
  id: text,
  title: text,
  status: text,
  importance: text,
  createdDateTime: text,
  completedDateTime: MOMENT,
  dueDateTime: MOMENT,
  reminderDateTime: MOMENT,
  isReminderOn: flag,
  body: z.looseObject({ content: text, contentType: text }).nullish(),
  checklistItems: rows,
  categories: rows,
  attachments: rows,
  linkedResources: rows,
  recurrence: z
    .looseObject({
      pattern: z.looseObject({ type: text, interval: z.unknown().optional(), daysOfWeek: rows }).nullish(),
    })
    .nullish(),
})
const ITEM = z.looseObject({
  id: text,
  displayName: text,
  isChecked: flag,
  checkedDateTime: text,
  createdDateTime: text,
})

const PERIODS: Readonly<Record<string, string>> = {
  daily: "day",
  weekly: "week",
  absolutemonthly: "month",
  absoluteyearly: "year",
}
const MS_PER_HALF_DAY = 43_200_000

type Moment = z.output<typeof MOMENT>

/** Graph writes seven digits of seconds, of which we keep three. */
const trimmed = (dateTime: string): string => dateTime.replace(/(\.\d{3})\d*Z?$/, "$1").replace(/Z$/, "")

/** A year has four digits; what JavaScript reads beyond is out of any calendar. */
const momentAt = (dateTime: string): number => (/^\d{4}-/.test(dateTime) ? Date.parse(`${dateTime}Z`) : Number.NaN)

/** The day that is meant: Graph sends its midnight, of where the user was, often as UTC. */
function dayOf(remarks: Remarks, place: string, moment: Moment): string | undefined {
  if (moment?.dateTime === undefined) return undefined
  const at = momentAt(trimmed(moment.dateTime))
  if (!Number.isNaN(at))
    return dateOf(remarks, `${place}.dateTime`, new Date(at + MS_PER_HALF_DAY - 1).toISOString().slice(0, 10))
  remarks.skip(
    `${place}.dateTime`,
    `${JSON.stringify(moment.dateTime)} must be a date and time like 2026-12-01T00:00:00`,
  )
  return undefined
}

function instantOf(remarks: Remarks, place: string, moment: Moment): string | undefined {
  if (moment?.dateTime === undefined) return undefined
  const zone = moment.timeZone ?? "UTC"
  const [date = "", time = ""] = trimmed(moment.dateTime).split("T")
  if (!isTimeZone(zone)) {
    const known = "UTC, or a name such as Europe/Berlin"
    remarks.skip(`${place}.timeZone`, `${JSON.stringify(zone)} is not known; it must be ${known}`)
    return undefined
  }
  if (!Number.isNaN(momentAt(`${date}T${time}`)))
    return realInstantOf(remarks, `${place}.dateTime`, instantInZone(date, time.slice(0, 8), zone))
  remarks.skip(
    `${place}.dateTime`,
    `${JSON.stringify(moment.dateTime)} must be a date and time like 2026-12-01T09:00:00`,
  )
  return undefined
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" }

/** The text of a body in HTML: its tags go, its lines stay. No pattern looks twice at a place, for mails become bodies too. */
const textOf = (html: string): string =>
  html
    .replace(/\r?\n/g, " ")
    .replace(/<(style|script|head)\b(?:(?!<\1\b)[\s\S])*?<\/\1>/gi, "")
    .replace(/<(br|\/p|\/div|\/li)\b[^<>]*>/gi, "\n")
    .replace(/<[^<>]+>/g, "")
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => ENTITIES[name] as string)
    .replace(/(?<![ \t])[ \t]+\n/g, "\n")
    .trim()

/** Plans lists of Microsoft To Do: `[{ displayName, tasks: [{ title, status, checklistItems, … }] }]`. */
export function planMicrosoft(lists: readonly unknown[], { now }: Reading): Plan {
  const remarks = collectRemarks()
  const keyed = (kind: string, within: string) => {
    const nameOf = ordinals()
    return (id: string | undefined, name: string) =>
      id === undefined ? `${within} ${kind} ${nameOf(name)}` : `microsoft ${kind} ${id}`
  }

  function planTask(task: z.output<typeof TASK>, place: string, key: string) {
    const { title, whole } = titleOf(remarks, `${place}.title`, task.title)
    if (whole !== undefined)
      remarks.change(`${place}.title`, "has more than 255 characters; a note holds the whole of it")
    const completed = task.status === "completed"
    const isHtml = task.body?.contentType?.toLowerCase() === "html"
    const body = isHtml ? textOf(task.body?.content ?? "") : (task.body?.content ?? "").trim()
    if (isHtml && /<(?!\/?(html|head|body|meta|br|p|div)\b)/i.test(task.body?.content ?? ""))
      remarks.change(`${place}.body`, "was HTML; its text stays")
    for (const name of ["categories", "attachments", "linkedResources"] as const)
      if (task[name].length > 0) remarks.skip(`${place}.${name}`, "has no counterpart in an import")
    const pattern = task.recurrence?.pattern
    const period = PERIODS[pattern?.type?.toLowerCase() ?? ""]
    const isPlain = period !== undefined && (pattern?.daysOfWeek.length ?? 0) <= 1
    if (pattern && !isPlain)
      remarks.skip(
        `${place}.recurrence`,
        `${JSON.stringify(pattern.type)}: only every so many days, weeks, months or years`,
      )
    const reminder = task.isReminderOn
      ? instantOf(remarks, `${place}.reminderDateTime`, task.reminderDateTime)
      : undefined
    const itemKey = keyed("item", key)
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
          ? pastInstantOf(`${trimmed(task.completedDateTime.dateTime)}Z`, now)
          : undefined,
      dueDate: dayOf(remarks, `${place}.dueDateTime`, task.dueDateTime),
      ...(pattern && isPlain ? recurrenceOf(remarks, `${place}.recurrence`, period, pattern.interval ?? 1) : {}),
      notes: contents.map((content, index) => ({
        key: `${key} note ${index}`,
        content: storable(remarks, `${place}.body`, content as string),
      })),
      reminders: reminder === undefined ? [] : [{ key: `${key} reminder`, date: reminder }],
      comments: [],
      subtasks: task.checklistItems.flatMap((each, index) => {
        const at = `${place}.checklistItems[${index}]`
        const item = readRow(remarks, at, ITEM, each)
        if (item === undefined) return []
        return [
          {
            key: itemKey(item.id === undefined ? undefined : `${key} ${item.id}`, item.displayName ?? ""),
            title: shortTitleOf(remarks, `${at}.displayName`, item.displayName),
            completed: item.isChecked,
            createdAt: pastInstantOf(item.createdDateTime, now),
            completedAt: item.isChecked ? pastInstantOf(item.checkedDateTime, now) : undefined,
          },
        ]
      }),
    }
  }

  const listKey = keyed("list", "microsoft")
  const planned = lists.flatMap((each, index) => {
    const list = readRow(remarks, `[${index}]`, LIST, each)
    if (list === undefined) return []
    const key = listKey(list.id, list.displayName ?? "")
    const taskKey = keyed("task", key)
    return [
      {
        key,
        title: shortTitleOf(remarks, `[${index}].displayName`, list.displayName),
        isInbox: list.wellknownListName === "defaultList",
        tasks: list.tasks.flatMap((one, at) => {
          const place = `[${index}].tasks[${at}]`
          const task = readRow(remarks, place, TASK, one)
          return task === undefined ? [] : [planTask(task, place, taskKey(task.id, task.title ?? ""))]
        }),
      },
    ]
  })
  return { lists: planned, remarks: remarks.all }
}
