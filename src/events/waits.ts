import type { Viewer } from "../context.js"
import { Unauthorized } from "../errors.js"
import type { Id, Runner } from "../statement.js"
import { accessOfUser } from "./account-replay.js"
import type { ChangeEvent, Topic } from "./event.js"
import type { PubSub } from "./pub-sub.js"

/** More than so many requests of a user are not held: they are answered at once. */
const MAX_OF_USER = 100

/** A request that waits for something to happen. */
export type Wait = {
  /**
   * Whether something has happened that may be for the viewer, when it has; false when the time is over, or nobody waits any more.
   * @throws Unauthorized when the token has ended
   */
  woken(): Promise<boolean>
  close(): void
}

/** All waits of a node. */
export type Waits = {
  /** Begins one, which hears everything from then on. */
  open(viewer: Viewer, longestMs: number): Promise<Wait>
  /** How many there are. */
  size(): number
  /** Ends all of them, so that they are answered. */
  stop(): void
}

type Parts = {
  readonly db: Runner
  readonly pubSub: Pick<PubSub<ChangeEvent>, "listen" | "forget">
  watchToken(tokenId: Id, onEnd: () => void): () => void
}

const OVER: Wait = { woken: async () => false, close() {} }

/** Lets requests wait until there is something to tell their viewers, with no statement while nothing happens. */
export function createWaits({ db, pubSub, watchToken }: Parts): Waits {
  const ends = new Set<() => void>()
  const held = new Map<Id, number>()
  let isStopping = false

  return {
    size: () => ends.size,
    stop() {
      isStopping = true
      for (const end of [...ends]) end()
    },
    async open(viewer, longestMs) {
      const { userId, tokenId } = viewer
      const count = held.get(userId) ?? 0
      if (isStopping || count >= MAX_OF_USER) return OVER
      held.set(userId, count + 1)
      const topics = new Set<Topic>([`user:${userId}`, "people"])
      let isWoken = false
      let isOver = false
      let hasEnded = false
      let wake = () => {}
      const timer = setTimeout(end, longestMs)
      const forgetToken = watchToken(tokenId, () => {
        hasEnded = true
        end()
      })
      ends.add(end)

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
        const left = (held.get(userId) ?? 1) - 1
        if (left === 0) held.delete(userId)
        else held.set(userId, left)
        wake()
      }

      try {
        for (const { listId } of await db.run(accessOfUser, [userId])) topics.add(`list:${listId}`)
      } catch (error) {
        end()
        throw error
      }
      if (!isOver) for (const topic of topics) pubSub.listen(topic, hear)
      return {
        close: end,
        async woken() {
          if (!isWoken && !isOver)
            await new Promise<void>((resolve) => {
              wake = resolve
            })
          if (hasEnded) throw new Unauthorized()
          const isNews = isWoken && !isOver
          isWoken = false
          return isNews
        },
      }
    },
  }
}
