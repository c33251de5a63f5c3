import { z } from "zod"
import type { Remarks } from "./parsed-import.js"
import { dateOf, quoted, instantOf as realInstantOf, text } from "./parsed-values.js"
import { instantInZone, isTimeZone } from "./zoned-time.js"

// Dates and times as Microsoft Graph answers them: `{ dateTime: "2027-03-04T11:00:00.0000000", timeZone: "UTC" }`.

export const MOMENT = z.looseObject({ dateTime: text, timeZone: text }).nullish()

/** The latest hour of a day in UTC at which a day can begin somewhere: in Hawaii. */
const LATEST_MIDNIGHT_MS = 10 * 3_600_000
const MS_PER_DAY = 86_400_000

export type Moment = z.output<typeof MOMENT>

/** Graph writes seven digits of seconds, of which we keep three. */
const trimmed = (dateTime: string): string => dateTime.replace(/(\.\d{3})\d*Z?$/, "$1").replace(/Z$/, "")

/** A year has four digits; what JavaScript reads beyond is out of any calendar. */
const momentAt = (dateTime: string): number => (/^\d{4}-/.test(dateTime) ? Date.parse(`${dateTime}Z`) : Number.NaN)

const isUtc = (zone: string | undefined): boolean => zone === undefined || /^(Etc\/)?(UTC|GMT|Z|Zulu)$/i.test(zone)

/**
 * The day that is meant. Graph sends its midnight of where the user was, mostly as UTC: between 10:00 of the same day, in
 * Hawaii, and 10:00 of the day before, east of New Zealand. In any other zone it is the day that is written.
 */
export function dayOf(remarks: Remarks, place: string, moment: Moment): string | undefined {
  if (moment?.dateTime === undefined) return undefined
  const at = momentAt(trimmed(moment.dateTime))
  if (!Number.isNaN(at)) {
    const day = isUtc(moment.timeZone) ? at + MS_PER_DAY - 1 - LATEST_MIDNIGHT_MS : at
    return dateOf(remarks, `${place}.dateTime`, new Date(day).toISOString().slice(0, 10))
  }
  remarks.skip(`${place}.dateTime`, `${quoted(moment.dateTime)} must be a date and time like 2026-12-01T00:00:00`)
  return undefined
}

/** The instant of a date and time in a zone; undefined when one of them is none. */
export function zonedInstantOf({ dateTime = "", timeZone = "UTC" }: NonNullable<Moment>): string | undefined {
  const [date = "", time = ""] = trimmed(dateTime).split("T")
  if (!isTimeZone(timeZone) || Number.isNaN(momentAt(`${date}T${time}`))) return undefined
  return instantInZone(date, time, timeZone)
}

/** An instant, such as that of a reminder; undefined, with a remark, when it is none. */
export function instantOf(remarks: Remarks, place: string, moment: Moment): string | undefined {
  if (moment?.dateTime === undefined) return undefined
  const { dateTime, timeZone = "UTC" } = moment
  const instant = zonedInstantOf(moment)
  if (instant !== undefined) return realInstantOf(remarks, `${place}.dateTime`, instant)
  if (isTimeZone(timeZone))
    remarks.skip(`${place}.dateTime`, `${quoted(dateTime)} must be a date and time like 2026-12-01T09:00:00`)
  else
    remarks.skip(
      `${place}.timeZone`,
      `${quoted(timeZone)} is not known; it must be UTC, or a name such as Europe/Berlin`,
    )
  return undefined
}
