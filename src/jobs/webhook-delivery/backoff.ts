const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** The pause before each attempt, the first included; after the last there is none. (contract of webhooks, §9) */
export const SCHEDULE_MS: readonly number[] = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
]

/** However long a receiver asks to be left alone: the longest pause that the schedule has. */
const MAX_RETRY_AFTER_MS = 10 * HOUR_MS
const JITTER = 0.2

/**
 * How long to wait after a failed attempt; undefined when it was the last.
 * @param attempts how many there were
 * @param random 0 to 1: spreads what failed together by ±20 %
 */
export function pauseAfter(attempts: number, schedule: readonly number[], random: number): number | undefined {
  const pause = schedule[attempts]
  return pause === undefined ? undefined : Math.round(pause * (1 - JITTER + 2 * JITTER * random))
}

/** What a Retry-After header asks for: seconds, or a date. Undefined for what is neither, 10 hours at most. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  const asked = /^\d+$/.test(header.trim()) ? Number(header) * SECOND_MS : Date.parse(header) - now.getTime()
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), MAX_RETRY_AFTER_MS)
}
