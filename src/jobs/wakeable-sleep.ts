import { setTimeout as sleep } from "node:timers/promises"

/** A sleep that others can end early. */
export type WakeableSleep = {
  /** Ends the sleep, or the next one if nobody sleeps now. */
  wake(): void
  /** Sleeps until it is woken, but not less than `leastMs` and not more than `mostMs`. */
  sleep(leastMs: number, mostMs: number): Promise<void>
}

/** Makes one that nobody has woken. */
export function createWakeableSleep(): WakeableSleep {
  let isWoken = false
  let end: (() => void) | undefined
  return {
    wake() {
      isWoken = true
      end?.()
    },
    async sleep(leastMs, mostMs) {
      await sleep(leastMs)
      if (!isWoken && mostMs > leastMs) {
        let timer: NodeJS.Timeout | undefined
        await new Promise<void>((resolve) => {
          end = resolve
          timer = setTimeout(resolve, mostMs - leastMs)
        })
        clearTimeout(timer)
        end = undefined
      }
      isWoken = false
    },
  }
}
