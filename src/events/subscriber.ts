import { setTimeout as sleep } from "node:timers/promises"
import type { WebSocket } from "ws"
import type { Held } from "../context.js"
import { sendHeld } from "./send-held.js"
import type { SharedExecution } from "./shared-execution.js"
import type { Receiver } from "./stream.js"

/** A reader for whom more than this waits in memory is dropped; it may come back and go on where it was. */
const SLOW_READER_BYTES = 1_048_576
/** A replay waits while more than this is on its way. */
const REPLAY_AHEAD_BYTES = 262_144
const LOOK_AGAIN_MS = 10
/** How long nothing may leave while a replay waits. */
const STUCK_MS = 10_000
/** How many events may wait for what they show to be looked up. */
const MOST_WAITING = 1_000

/** Close code for somebody who reads too slowly; clients take it as an invitation to come back. */
const TRY_AGAIN_LATER = 1013

/** One subscription of one socket. */
export type Subscriber = {
  readonly receiver: Receiver
  /** What graphql-ws iterates. It yields nothing, because messages are sent past it, and ends when the subscription does. */
  readonly iterator: AsyncGenerator<never>
  /** Stops it without a word to the client: its socket is being closed. */
  drop(): void
}

type Parts = {
  id: string
  socket: WebSocket
  /** What waits for a slow reader is counted with all that is held for the user. */
  hold(): Held
  execution: SharedExecution
  onEnd(): void
}

/** Makes the subscriber `id` of a socket. `onEnd` is called once, however it ends. */
export function createSubscriber({ id, socket, hold, execution, onEnd }: Parts): Subscriber {
  const opening = `{"id":${JSON.stringify(id)},"type":"next","payload":`
  let isOver = false
  let waiting = 0
  let queue: Promise<void> | undefined
  let settle: { resolve(end: IteratorResult<never>): void; reject(error: unknown): void }
  const ended = new Promise<IteratorResult<never>>((resolve, reject) => {
    settle = { resolve, reject }
  })
  ended.catch(() => {}) // graphql-ws looks at it later than it may fail

  function drop(): void {
    if (isOver) return
    isOver = true
    execution.leave()
    onEnd()
  }
  function cut(): void {
    drop()
    settle.resolve({ done: true, value: undefined })
  }
  function fail(error: unknown): void {
    drop()
    settle.reject(error)
  }
  function tooSlow(): void {
    drop()
    socket.close(TRY_AGAIN_LATER, "Too slow")
  }
  const afterQueue = (end: () => void) => (queue === undefined ? end() : void queue.then(end))

  function write(payload: string): void {
    if (isOver || socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > SLOW_READER_BYTES) tooSlow()
    else if (!sendHeld(socket, `${opening}${payload}}`, hold)) tooSlow()
  }

  async function enqueue(payload: string | Promise<string>, before: Promise<void> | undefined): Promise<void> {
    await before
    write(await payload)
    if (--waiting === 0) queue = undefined
  }

  async function room(): Promise<void> {
    let least = Number.POSITIVE_INFINITY
    let progressAt = performance.now()
    while (!isOver && (waiting > 0 || socket.bufferedAmount > REPLAY_AHEAD_BYTES)) {
      const left = waiting * SLOW_READER_BYTES + socket.bufferedAmount
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
        if (queue === undefined && typeof payload === "string") return write(payload)
        if (++waiting > MOST_WAITING) return tooSlow()
        queue = enqueue(payload, queue)
      },
      ready: () => (waiting > 0 || socket.bufferedAmount > REPLAY_AHEAD_BYTES ? room() : undefined),
      complete: () => afterQueue(cut),
      cut,
      fail: (error) => afterQueue(() => fail(error)),
    },
    iterator: {
      next: () => ended,
      async return() {
        cut()
        return { done: true, value: undefined }
      },
      throw: (error) => Promise.reject(error),
      [Symbol.asyncIterator]() {
        return this
      },
    } as AsyncGenerator<never>,
    drop,
  }
}
