// How dates, times and numbers read in the browser's language. All days are calendar dates, YYYY-MM-DD.
import { cell } from "./cell.js"
import { t } from "./texts.js"

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

const thisYear = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  day: "numeric",
  month: "short",
  timeZone: "UTC",
})
const otherYear = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
})
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" })
const clock = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "numeric", minute: "2-digit" })
const near = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" })
const numbers = new Intl.NumberFormat()

const two = (part: number): string => String(part).padStart(2, "0")

/** The day here. */
const dayOf = (now: Date): string => `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`

/** The day that it is here; another one after midnight. */
export const today = cell(dayOf(new Date()))
setInterval(() => today.set(dayOf(new Date())), MINUTE_MS)

export const plusDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

const distance = (day: string, from: string): number => Math.round((Date.parse(day) - Date.parse(from)) / DAY_MS)
const capital = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1)

/** A day as rows show it. */
export function dayInWords(day: string, from: string): string {
  const days = distance(day, from)
  if (Math.abs(days) <= 1) return capital(near.format(days, "day"))
  return (day.slice(0, 4) === from.slice(0, 4) ? thisYear : otherYear).format(new Date(day))
}

/** A day as the heading of a group. */
export const dayAsHeading = (day: string, from: string): string =>
  Math.abs(distance(day, from)) <= 1 ? dayInWords(day, from) : capital(weekday.format(new Date(day)))

/** The Monday of the next week. */
export const nextWeek = (day: string): string => plusDays(day, 7 - ((new Date(day).getUTCDay() + 6) % 7))

export const instantInWords = (instant: string): string => clock.format(new Date(instant))

/** An instant as fields of date and time hold it. */
export function instantAsLocal(instant: string): string {
  const date = new Date(instant)
  return `${dayOf(date)}T${two(date.getHours())}:${two(date.getMinutes())}`
}

export const count = (number: number): string => numbers.format(number)

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const

/** With one digit behind the point, in the reader's language; a kB has 1,000 bytes. */
export function sizeInWords(bytes: number): string {
  const place = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const unit = UNITS[place] as string
  const style = { style: "unit", unit, unitDisplay: place === 0 ? "long" : "short", maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(undefined, style).format(bytes / 1_000 ** place)
}

/** What a list is called: an inbox has no name of its own. */
export const nameOf = ({ title, list_type }: { title: string; list_type: string }): string =>
  list_type === "inbox" ? t.inbox : title
