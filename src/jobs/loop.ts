import type { Log } from "../log.js"

const MAX_PAUSE_MS = 1_000

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
  let isWoken = false
  let interrupt: (() => void) | undefined

  async function pause(ms: number): Promise<void> {
    if (isWoken || isStopping) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      interrupt = resolve
      timer = setTimeout(resolve, Math.min(ms, MAX_PAUSE_MS))
    })
    clearTimeout(timer)
    interrupt = undefined
  }

  async function run(): Promise<void> {
    let isFailing = false
    if (firstInMs > 0) await pause(firstInMs)
    while (!isStopping) {
      isWoken = false
      try {
        const nextInMs = await round()
        if (isFailing) log.info(`${what} again`)
        isFailing = false
        await pause(nextInMs)
      } catch (error) {
        if (!isFailing) log.warn({ err: error }, `not so at the moment, trying again: ${what}`)
        isFailing = true
        isWoken = false
        await pause(MAX_PAUSE_MS)
      }
    }
  }

  const running = run()
  function wake(): void {
    isWoken = true
    interrupt?.()
  }
  return {
    wake,
    async stop() {
      isStopping = true
      wake()
      await running
    },
  }
}
