import type { Id } from "../statement.js"

/** Lets a few users at a time do something costly, and each of them one thing. */
export type Turns = {
  /** Resolves when it is this user's turn, with the function that ends it. */
  take(userId: Id): Promise<() => void>
}

/** Makes turns for at most `most` users at a time, in the order in which they ask. */
export function createTurns(most: number): Turns {
  const busy = new Set<Id>()
  const waiting: { readonly userId: Id; begin(): void }[] = []

  function beginNext(): void {
    for (let index = 0; index < waiting.length && busy.size < most; ) {
      const next = waiting[index] as (typeof waiting)[0]
      if (busy.has(next.userId)) index++
      else {
        waiting.splice(index, 1)
        busy.add(next.userId)
        next.begin()
      }
    }
  }

  return {
    take: (userId) =>
      new Promise((resolve) => {
        const end = () => {
          busy.delete(userId)
          beginNext()
        }
        waiting.push({ userId, begin: () => resolve(end) })
        beginNext()
      }),
  }
}
