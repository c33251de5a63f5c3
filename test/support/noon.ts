const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const hoursAhead = 12 - new Date().getUTCHours()

/** A zone in which it is about noon, so that no day begins there while a test runs. (The signs of these names are reversed.) */
export const NOON_ZONE = `Etc/GMT${hoursAhead > 0 ? "-" : "+"}${Math.abs(hoursAhead)}`

/** The day there in so many days. */
export const dayIn = (days: number): string =>
  new Date(Date.now() + hoursAhead * HOUR_MS + days * DAY_MS).toISOString().slice(0, 10)

/** Does what depends on the day in UTC, and once more if that has ended meanwhile. */
export async function onOneDay<Result>(run: (dayIn: (days: number) => string) => Promise<Result>): Promise<Result> {
  for (;;) {
    const [now, before] = [Date.now(), dayOf(Date.now())]
    const failure: { error?: unknown } = {}
    const result = await run((days) => dayOf(now + days * DAY_MS)).catch((error: unknown) => {
      failure.error = error
    })
    if (dayOf(Date.now()) !== before) continue
    if ("error" in failure) throw failure.error
    return result as Result
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
