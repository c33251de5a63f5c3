const formats = new Map<string, Intl.DateTimeFormat>()

/** How a zone's clocks write an instant: making one takes longer than a hundred uses. @throws RangeError for what is no zone */
function clockOf(zone: string): Intl.DateTimeFormat {
  const made =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en-GB", { timeZone: zone, dateStyle: "short", timeStyle: "medium", hourCycle: "h23" })
  formats.set(zone, made)
  return made
}

/** Whether it is a time zone's name in the IANA database, such as Europe/Berlin. */
export function isTimeZone(name: string): boolean {
  try {
    clockOf(name)
    return true
  } catch {
    return false
  }
}

/** How far a zone's clocks are ahead of UTC at an instant, in milliseconds. */
function aheadMs(zone: string, at: number): number {
  const [day, month, year, hour, minute, second] = (clockOf(zone).format(at).match(/\d+/g) ?? []).map(Number)
  return Date.UTC(year as number, (month as number) - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000
}

/**
 * The instant at which the clocks of a zone show a date and time: `2026-12-01`, `09:30`. An hour that a zone leaves out is
 * taken as the one after it, of one that it has twice the first.
 */
export function instantInZone(date: string, time: string, zone: string): string {
  const asUtc = Date.parse(`${date}T${time.length === 5 ? `${time}:00` : time}Z`)
  const first = asUtc - aheadMs(zone, asUtc)
  return new Date(asUtc - aheadMs(zone, first)).toISOString()
}
