import { setTimeout as sleep } from "node:timers/promises"
import type { Log } from "./log.js"

/** With which pauses rounds follow one another, in ms. A pause that is woken is no shorter than the least. */
type Pauses = {
  readonly leastMs: number
  readonly leastAfterFailureMs: number
  readonly mostAfterFailureMs: number
}
const MAX_PAUSE_MS = 1_000
const USUAL: Pauses = { leastMs: 0, leastAfterFailureMs: 100, mostAfterFailureMs: MAX_PAUSE_MS }

type Parts = {
  /** What is done, for the log: "reminders are told". */
  readonly what: string
  readonly log: Log
  /** The pause before the first round; none unless it is given. */
  readonly firstInMs?: number
  readonly pauses?: Partial<Pauses>
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

/**
 * Runs rounds one after the other: when the last said so, when it is woken, at the latest after a second. A round that fails is
 * run again; that it fails is told once, and not when the loop is being stopped.
 */
export function startLoop({ what, log, firstInMs = 0, pauses, round }: Parts): Loop {
  const { leastMs, leastAfterFailureMs, mostAfterFailureMs } = { ...USUAL, ...pauses }
  let isStopping = false
  let isWoken = false
  let end: (() => void) | undefined

  function wake(): void {
    isWoken = true
    end?.()
  }

  /** Ends when it is woken, or was since the pause before; but not before `least`. */
  async function pause(least: number, most: number): Promise<void> {
    if (isStopping) return
    await sleep(least)
    if (!isWoken && most > least) {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        end = resolve
        timer = setTimeout(resolve, most - least)
      })
      clearTimeout(timer)
      end = undefined
    }
    isWoken = false
  }

  async function run(): Promise<void> {
    let isFailing = false
    if (firstInMs > 0) await pause(0, Math.min(firstInMs, MAX_PAUSE_MS))
    while (!isStopping) {
      try {
        const nextInMs = await round()
        if (isFailing) log.info(`${what} again`)
        isFailing = false
        await pause(leastMs, Math.min(nextInMs, MAX_PAUSE_MS))
      } catch (error) {
        if (isStopping) return
        if (!isFailing) log.warn({ err: error }, `not so at the moment, trying again: ${what}`)
        isFailing = true
        await pause(leastAfterFailureMs, mostAfterFailureMs)
      }
    }
  }

  const running = run()
  return {
    wake,
    async stop() {
      isStopping = true
      wake()
      await running
    },
  }
}
