import type { Log } from "../log.js"
import { createWakeableSleep } from "./wakeable-sleep.js"

const MAX_PAUSE_MS = 1_000
/** However often a loop is woken that fails. */
const MIN_PAUSE_AFTER_FAILURE_MS = 100

type Parts = {
  /** What is done, for the log: "reminders are told". */
  readonly what: string
  readonly log: Log
  /** The pause before the first round; none unless it is given. */
  readonly firstInMs?: number
  /** Does what is due; resolves with the milliseconds until something is due again, as far as it knows. */
  round(): Promise<number>
}

/** Rounds that follow one another until they are stopped. */
export type Loop = {
  /** Looks now instead of at the next turn. */
  wake(): void
  /** Resolves when the last round has ended. */
  stop(): Promise<void>
}

/** Runs rounds one after the other: when the last said so, when it is woken, at the latest after a second. A round that fails is run again. */
export function startLoop({ what, log, firstInMs = 0, round }: Parts): Loop {
  let isStopping = false
  const sleeper = createWakeableSleep()
  const pause = (ms: number, leastMs = 0) =>
    isStopping ? undefined : sleeper.sleep(leastMs, Math.min(ms, MAX_PAUSE_MS))

  async function run(): Promise<void> {
    let isFailing = false
    if (firstInMs > 0) await pause(firstInMs)
    while (!isStopping) {
      try {
        const nextInMs = await round()
        if (isFailing) log.info(`${what} again`)
        isFailing = false
        await pause(nextInMs)
      } catch (error) {
        if (!isFailing) log.warn({ err: error }, `not so at the moment, trying again: ${what}`)
        isFailing = true
        await pause(MAX_PAUSE_MS, MIN_PAUSE_AFTER_FAILURE_MS)
      }
    }
  }

  const running = run()
  return {
    wake: sleeper.wake,
    async stop() {
      isStopping = true
      sleeper.wake()
      await running
    },
  }
}
