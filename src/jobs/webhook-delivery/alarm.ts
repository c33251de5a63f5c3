import { setTimeout as sleep } from "node:timers/promises"

/** A sleep that others can end early. */
export type Alarm = {
  /** Ends the sleep, or the next one if nobody sleeps now. */
  ring(): void
  /** Sleeps until it rings, but not less than `leastMs` and not more than `mostMs`. */
  sleep(leastMs: number, mostMs: number): Promise<void>
}

/** Makes one that has not rung. */
export function createAlarm(): Alarm {
  let hasRung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      hasRung = true
      wake?.()
    },
    async sleep(leastMs, mostMs) {
      await sleep(leastMs)
      if (!hasRung && mostMs > leastMs) {
        let timer: NodeJS.Timeout | undefined
        await new Promise<void>((resolve) => {
          wake = resolve
          timer = setTimeout(resolve, mostMs - leastMs)
        })
        clearTimeout(timer)
        wake = undefined
      }
      hasRung = false
    },
  }
}
