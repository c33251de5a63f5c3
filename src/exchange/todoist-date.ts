/** What a date in Todoist's words means. */
export type WordedDate = {
  readonly dueDate?: string
  /** HH:MM, when the words name a time. */
  readonly time?: string
  readonly recurrenceType?: string
  readonly recurrenceCount?: number
  /** What of it cannot be taken over, and why. */
  readonly lost?: string
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
const MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\\.?"
const DAY = "(sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:day)?s?"
const MS_PER_DAY = 86_400_000

const dateText = (at: number): string => new Date(at).toISOString().slice(0, 10)
const isReal = (date: string): boolean => {
  const at = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(at) && dateText(at) === date
}
const two = (value: number): string => String(value).padStart(2, "0")

/** The first day from `today` on that is a day of the month, in that month or in any. */
function nextOfMonth(today: string, day: number, month?: number): string | undefined {
  const [year = 0, thisMonth = 0] = today.split("-").map(Number)
  for (let ahead = 0; ahead < 60; ahead++) {
    const at = thisMonth - 1 + ahead
    const date = `${year + Math.floor(at / 12)}-${two((at % 12) + 1)}-${two(day)}`
    if (date >= today && isReal(date) && (month === undefined || (at % 12) + 1 === month)) return date
  }
  return undefined
}

function nextOfWeek(today: string, name: string): string {
  const at = Date.parse(`${today}T00:00:00Z`)
  return dateText(at + ((DAYS.indexOf(name.slice(0, 3)) - new Date(at).getUTCDay() + 7) % 7) * MS_PER_DAY)
}

/** A single day in words: undefined when it is none that is understood. */
function dayOf(words: string, today: string): string | undefined {
  const iso = /^(\d{4}-\d{2}-\d{2})$/.exec(words)?.[1]
  if (iso !== undefined) return isReal(iso) ? iso : undefined
  const todayAt = Date.parse(`${today}T00:00:00Z`)
  if (words === "today" || words === "tod") return today
  if (words === "tomorrow" || words === "tom") return dateText(todayAt + MS_PER_DAY)
  const named =
    new RegExp(`^(?<day>\\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<month>${MONTH})(?:,? (?<year>\\d{4}))?$`).exec(words) ??
    new RegExp(`^(?<month>${MONTH}) (?<day>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\\d{4}))?$`).exec(words)
  if (named?.groups) {
    const { day, month = "", year } = named.groups
    const number = MONTHS.indexOf(month.slice(0, 3)) + 1
    if (year === undefined) return nextOfMonth(today, Number(day), number)
    const date = `${year}-${two(number)}-${two(Number(day))}`
    return isReal(date) ? date : undefined
  }
  const weekday = new RegExp(`^(?:next |on )?${DAY}$`).exec(words)?.[1]
  return weekday === undefined ? undefined : nextOfWeek(today, weekday)
}

/** Takes `at 15:00`, `3pm` off the end. */
function timeOf(words: string): { rest: string; time?: string } {
  const match = /(?:^|\s|T)(?:at |@ ?)?(?:(\d{1,2}):(\d{2})(?::\d{2})?\s*(am|pm)?|(\d{1,2})\s*(am|pm))$/i.exec(words)
  if (match === null) return { rest: words }
  const meridian = (match[3] ?? match[5])?.toLowerCase()
  const written = Number(match[1] ?? match[4])
  const hour = meridian === undefined ? written : (written % 12) + (meridian === "pm" ? 12 : 0)
  const minute = Number(match[2] ?? 0)
  if (hour > 23 || minute > 59) return { rest: words }
  return { rest: words.slice(0, match.index).trim(), time: `${two(hour)}:${two(minute)}` }
}

const COUNT_WORDS: Record<string, number> = { other: 2, second: 2, third: 3 }

/** What comes behind `every`; undefined when it has no counterpart among days, weeks, months and years. */
function everyOf(words: string, today: string): WordedDate | undefined {
  const period = /^(?:(\d{1,4}|other|second|third) )?(day|week|month|year)s?$/.exec(words)
  if (period) {
    const recurrenceCount = period[1] === undefined ? 1 : (COUNT_WORDS[period[1]] ?? Number(period[1]))
    return recurrenceCount < 1 ? undefined : { dueDate: today, recurrenceType: period[2], recurrenceCount }
  }
  const weekday = new RegExp(`^(?:(other) )?${DAY}$`).exec(words)
  if (weekday?.[2] !== undefined)
    return {
      dueDate: nextOfWeek(today, weekday[2]),
      recurrenceType: "week",
      recurrenceCount: weekday[1] === undefined ? 1 : 2,
    }
  const ofMonth = /^(\d{1,2})(?:st|nd|rd|th)?(?: of (?:the|every|each) month)?$/.exec(words)
  if (ofMonth) {
    const dueDate = nextOfMonth(today, Number(ofMonth[1]))
    return dueDate === undefined ? undefined : { dueDate, recurrenceType: "month", recurrenceCount: 1 }
  }
  const ofYear = /\d/.test(words) && new RegExp(MONTH).test(words) ? dayOf(words, today) : undefined
  return ofYear === undefined ? undefined : { dueDate: ofYear, recurrenceType: "year", recurrenceCount: 1 }
}

const ADVERBS: ReadonlyMap<string, string> = new Map([
  ["daily", "day"],
  ["weekly", "week"],
  ["monthly", "month"],
  ["yearly", "year"],
  ["annually", "year"],
])

/**
 * Reads a date as people type it into Todoist in English: `2026-12-01 15:00`, `1 Dec`, `every other week starting 5 May`.
 * Undefined for what is not understood. `today` is YYYY-MM-DD.
 */
export function readWordedDate(written: string, today: string): WordedDate | undefined {
  let words = written.trim().replace(/\s+/g, " ").toLowerCase()
  let lost: string | undefined
  const end = / (?:until|ending|for) (.+)$/.exec(words)
  if (end && /^(every|daily|weekly|monthly|yearly|annually)/.test(words)) {
    words = words.slice(0, end.index)
    lost = `it recurs without an end here, not ${end[0].trim()}`
  }
  const start = / (?:starting|from) (?:on )?(.+)$/.exec(words)
  const startDay = start ? dayOf(timeOf(start[1] as string).rest, today) : undefined
  if (start) words = words.slice(0, start.index)
  const { rest, time } = timeOf(words)
  const recurring = /^(?:every|ev|each)(!)? (.+)$/.exec(rest)
  const adverb = ADVERBS.get(rest)
  if (recurring === null && adverb === undefined) {
    const dueDate = dayOf(rest === "" && time !== undefined ? "today" : rest, today)
    return dueDate === undefined ? undefined : { dueDate, time }
  }
  if (recurring?.[1]) lost = "it recurs from its due date here, not from the day on which it is done"
  const every = everyOf(adverb ?? (recurring?.[2] as string), today)
  return every && { ...every, dueDate: startDay ?? every.dueDate, time, lost }
}
