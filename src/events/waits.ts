import { whoKnow } from "../access/access.js"
import type { Viewer } from "../context.js"
import { Unauthorized } from "../errors.js"
import { type Id, type Runner, statement } from "../statement.js"
import { accessOfUser } from "./account-replay.js"
import { MAX_HELD_REQUESTS } from "./carrier-limits.js"
import type { ChangeEvent, Topic } from "./event.js"
import type { PubSub } from "./pub-sub.js"

/** A request that waits for something to happen. */
export type Wait = {
  /** False where the user has too many already: it is over before it began. */
  readonly isHeld: boolean
  /**
   * Whether something has happened that may be for the viewer, when it has; false when the time is over, or nobody waits any more.
   * @throws Unauthorized when the token has ended or lost a scope, or what `renewed` throws then
   */
  woken(): Promise<boolean>
  close(): void
}

/** All waits of a node. */
export type Waits = {
  /**
   * Begins one, which hears everything from then on. Streams are bounded where they begin. Requests are bounded here, and go on
   * with a token that has lost a scope while `renewed` gives its viewer.
   */
  open(viewer: Viewer, longestMs: number, renewed?: () => Promise<Viewer>): Promise<Wait>
  /** How many there are. */
  size(): number
  /** Ends all of them, so that they are answered. */
  stop(): void
}

type Parts = {
  readonly db: Runner
  readonly pubSub: Pick<PubSub<ChangeEvent>, "listen" | "forget">
  watchToken(viewer: Viewer, onEnd: () => void): () => void
}

const OVER: Wait = { isHeld: false, woken: async () => false, close() {} }

/** Who of $2 is to hear of what becomes of the user $1. */
const hearersOf = statement(
  "hearers_of_person",
  `select w.id from unnest($2::bigint[]) w(id) where ${whoKnow("$1::bigint", "w.id")}`,
  ([id]) => id as Id,
)

/** Lets requests wait until there is something to tell their viewers, with no statement while nothing happens. */
export function createWaits({ db, pubSub, watchToken }: Parts): Waits {
  const ends = new Set<() => void>()
  const held = new Map<Id, number>()
  const hearers = new Map<Id, Set<() => void>>()
  let isStopping = false

  /** Wakes those who know the person, with one statement for all of them; each would ask for nothing otherwise. */
  function hearOfPerson({ userId }: ChangeEvent): void {
    const wake = (ids: Iterable<Id>) => {
      for (const id of ids) for (const hear of hearers.get(id) ?? []) hear()
    }
    const all = [...hearers.keys()]
    db.run(hearersOf, [userId, all]).then(wake, () => wake(all))
  }

  function join(userId: Id, hear: () => void): void {
    if (hearers.size === 0) pubSub.listen("people", hearOfPerson)
    const theirs = hearers.get(userId) ?? new Set()
    hearers.set(userId, theirs.add(hear))
  }

  function leave(userId: Id, hear: () => void): void {
    const theirs = hearers.get(userId)
    theirs?.delete(hear)
    if (theirs?.size === 0) hearers.delete(userId)
    if (hearers.size === 0) pubSub.forget("people", hearOfPerson)
  }

  return {
    size: () => ends.size,
    stop() {
      isStopping = true
      for (const end of [...ends]) end()
    },
    async open(viewer, longestMs, renewed) {
      const { userId } = viewer
      const count = held.get(userId) ?? 0
      if (isStopping || (renewed && count >= MAX_HELD_REQUESTS)) return OVER
      if (renewed) held.set(userId, count + 1)
      const topics = new Set<Topic>([`user:${userId}`])
      let isWoken = false
      let isOver = false
      let hasEnded = false
      let wake = () => {}
      const timer = setTimeout(end, longestMs)
      let forgetToken = watchToken(viewer, onTokenEnd)
      ends.add(end)

      function onTokenEnd(): void {
        hasEnded = true
        if (renewed) wake()
        else end()
      }
      /** Goes on with the token as it is now. */
      async function renew(): Promise<void> {
        if (renewed === undefined) throw new Unauthorized()
        hasEnded = false
        forgetToken()
        const now = await renewed()
        if (!isOver) forgetToken = watchToken(now, onTokenEnd)
      }
      function hear(): void {
        isWoken = true
        wake()
      }
      function end(): void {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        forgetToken()
        ends.delete(end)
        for (const topic of topics) pubSub.forget(topic, hear)
        leave(userId, hear)
        if (renewed) release()
        wake()
      }
      function release(): void {
        const left = (held.get(userId) ?? 1) - 1
        if (left === 0) held.delete(userId)
        else held.set(userId, left)
      }

      try {
        for (const { listId } of await db.run(accessOfUser, [userId])) topics.add(`list:${listId}`)
      } catch (error) {
        end()
        throw error
      }
      if (!isOver) {
        for (const topic of topics) pubSub.listen(topic, hear)
        join(userId, hear)
      }
      return {
        isHeld: true,
        close: end,
        async woken() {
          do {
            if (hasEnded) await renew()
            if (!isWoken && !isOver && !hasEnded)
              await new Promise<void>((resolve) => {
                wake = resolve
              })
          } while (hasEnded)
          const isNews = isWoken && !isOver
          isWoken = false
          return isNews
        },
      }
    },
  }
}
