import type { Id } from "../statement.js"
import { createRotation } from "./rotation.js"

/** So many entries of large answers are worked on in one turn of the event loop. */
export const ENTRIES_PER_TURN = 1_000

/** Shares the time of a node among those whose answers are large: between two turns it reads what others ask and answers them. */
export type Turns = {
  /** Undefined when so many entries may be worked on at once; else resolves when it is the user's turn. */
  take(userId: Id | undefined, entries: number): Promise<void> | undefined
}

/** Makes the turns of one node. */
export function createTurns(): Turns {
  const waiting = createRotation<Id | undefined, { readonly entries: number; begin(): void }>()
  let spent = 0

  function spend(entries: number): void {
    if (spent === 0) setImmediate(nextTurn)
    spent += entries
  }

  function nextTurn(): void {
    spent = 0
    while (spent < ENTRIES_PER_TURN) {
      const next = waiting.next()
      if (next === undefined) return
      spend(next.entries)
      next.begin()
    }
  }

  return {
    take(userId, entries) {
      if (spent < ENTRIES_PER_TURN && waiting.size === 0) {
        spend(entries)
        return undefined
      }
      return new Promise((begin) => waiting.add(userId, { entries, begin }))
    },
  }
}
