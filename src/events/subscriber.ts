import { setTimeout as sleep } from "node:timers/promises"
import type { Held } from "../context.js"
import { MAX_WAITING, REPLAY_AHEAD_BYTES, SLOW_READER_BYTES, STUCK_MS } from "./carrier-limits.js"
import type { AccountEvent } from "./event.type.js"
import { type Outlet, sendBuffered } from "./send-buffered.js"
import type { SharedExecution } from "./shared-execution.js"
import type { Receiver } from "./stream.js"

const LOOK_AGAIN_MS = 10

/** What carries a subscription to its client. */
export type Carrier = {
  readonly outlet: Outlet
  isOpen(): boolean
  /** The text that is sent for an event: `payload` is what the subscription answers, as JSON. */
  frame(payload: string, event: AccountEvent): string
  /** Ends the connection of a reader who has fallen behind, and invites them to come back. */
  tooSlow(): void
}

/** A subscription as its transport holds it; after `cut` or `drop` nothing more is sent. */
export type Subscriber = {
  readonly receiver: Receiver
  /** Resolves when the subscription is complete, rejects when it has failed; neither when it was dropped. */
  readonly ended: Promise<void>
  /** Ends it at once, as complete. */
  cut(): void
  /** Stops it without a word to the client: its connection is being ended. */
  drop(): void
}

type Parts = {
  carrier: Carrier
  /** What waits for a slow reader is counted with all that is held for the user. */
  hold(): Held
  execution: SharedExecution
  onEnd(): void
}

/** Makes a subscriber. `onEnd` is called once, however it ends. */
export function createSubscriber({ carrier, hold, execution, onEnd }: Parts): Subscriber {
  const { outlet } = carrier
  let isOver = false
  let waiting = 0
  let queue: Promise<void> | undefined
  let settle: { resolve(): void; reject(error: unknown): void }
  const ended = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  ended.catch(() => {}) // it may fail before anybody looks at it

  function drop(): void {
    if (isOver) return
    isOver = true
    execution.leave()
    onEnd()
  }
  function cut(): void {
    drop()
    settle.resolve()
  }
  function fail(error: unknown): void {
    drop()
    settle.reject(error)
  }
  function tooSlow(): void {
    drop()
    carrier.tooSlow()
  }
  const afterQueue = (end: () => void) => (queue === undefined ? end() : void queue.then(end))

  function write(payload: string, event: AccountEvent): void {
    if (isOver || !carrier.isOpen()) return
    if (outlet.bufferedAmount > SLOW_READER_BYTES) tooSlow()
    else if (!sendBuffered(outlet, carrier.frame(payload, event), hold)) tooSlow()
  }

  async function enqueue(
    payload: string | Promise<string>,
    event: AccountEvent,
    before: Promise<void> | undefined,
  ): Promise<void> {
    await before
    write(await payload, event)
    if (--waiting === 0) queue = undefined
  }

  async function room(): Promise<void> {
    let least = Number.POSITIVE_INFINITY
    let progressAt = performance.now()
    while (!isOver && (waiting > 0 || outlet.bufferedAmount > REPLAY_AHEAD_BYTES)) {
      const left = waiting * SLOW_READER_BYTES + outlet.bufferedAmount
      if (left < least) progressAt = performance.now()
      least = Math.min(least, left)
      if (performance.now() - progressAt > STUCK_MS) tooSlow()
      await sleep(LOOK_AGAIN_MS)
    }
  }

  return {
    receiver: {
      send(event) {
        if (isOver) return
        const payload = execution.payloadOf(event)
        if (queue === undefined && typeof payload === "string") return write(payload, event)
        if (++waiting > MAX_WAITING) return tooSlow()
        queue = enqueue(payload, event, queue)
      },
      ready: () => (waiting > 0 || outlet.bufferedAmount > REPLAY_AHEAD_BYTES ? room() : undefined),
      complete: () => afterQueue(cut),
      cut,
      fail: (error) => afterQueue(() => fail(error)),
    },
    ended,
    cut,
    drop,
  }
}
