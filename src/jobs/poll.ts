import type { Log } from "../log.js"

const LONGEST_PAUSE_MS = 1_000

type Parts = {
  /** What is done, for the log: "reminders are told". */
  readonly what: string
  readonly log: Log
  /** Does what is due; resolves with the milliseconds until something is due again, as far as it knows. */
  round(): Promise<number>
}

/** Something that is looked after for as long as it runs. */
export type Poll = {
  /** Looks now instead of at the next turn. */
  wake(): void
  /** Resolves when the last round has ended. */
  stop(): Promise<void>
}

/** Runs rounds one after the other: when the last said so, when it is woken, at the latest after a second. A round that fails is run again. */
export function startPoll({ what, log, round }: Parts): Poll {
  let isStopping = false
  let isWoken = false
  let interrupt: (() => void) | undefined

  async function pause(ms: number): Promise<void> {
    if (isWoken || isStopping) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      interrupt = resolve
      timer = setTimeout(resolve, Math.min(ms, LONGEST_PAUSE_MS))
    })
    clearTimeout(timer)
    interrupt = undefined
  }

  async function run(): Promise<void> {
    let isFailing = false
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
        await pause(LONGEST_PAUSE_MS)
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
