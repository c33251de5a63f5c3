const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const hoursAhead = 12 - new Date().getUTCHours()

/** A zone in which it is about noon, so that no day begins there while a test runs. (The signs of these names are reversed.) */
export const NOON_ZONE = `Etc/GMT${hoursAhead > 0 ? "-" : "+"}${Math.abs(hoursAhead)}`

/** The day there in so many days. */
export const dayIn = (days: number): string => dayOf(Date.now() + hoursAhead * HOUR_MS + days * DAY_MS)

/** Does what depends on the day in UTC, and once more if it failed because that has ended meanwhile. */
export async function onOneDay(run: (dayIn: (days: number) => string) => Promise<void>): Promise<void> {
  const now = Date.now()
  try {
    await run((days) => dayOf(now + days * DAY_MS))
  } catch (error) {
    if (dayOf(Date.now()) === dayOf(now)) throw error
    await onOneDay(run)
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
