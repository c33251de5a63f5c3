import { LRUCache } from "lru-cache"
import type { Log } from "../log.js"

/** So many requests in each window of time. */
export type Policy = { readonly limit: number; readonly windowMs: number }

/** What a store gave of what it was asked for, and how the key's window stands after it. */
export type Granted = { readonly granted: number; readonly left: number; readonly resetInMs: number }

/** Where all nodes count together. */
export type BudgetStore = {
  /** Takes up to `count` of the key's window, which begins with its first request. */
  take(key: string, count: number): Promise<Granted>
  stop(): Promise<void>
}

/** Whether a request may pass, and how the budget stands; undefined when nobody counts at the moment. */
export type Decision = { readonly isOver: boolean; readonly left: number; readonly resetInSeconds: number } | undefined

/** The budgets of all who ask this node. `count` is taken as a whole or not at all. */
export type Budget = { take(key: string, count?: number): Decision | Promise<Decision> }

/** A node takes a fiftieth of a window at once, so that most requests ask nobody. */
const PORTIONS = 50
const MAX_CACHED_KEYS = 20_000
/** While the store does not answer it is not asked again for so long. */
const OPEN_FOR_MS = 1_000

type State = {
  /** Taken from the store and not used yet. */
  inHand: number
  /** Left in the store when it was last asked. */
  inStore: number
  resetAt: number
  asking: Promise<void> | undefined
  /** What those who wait for the store want together. */
  waiting: number
}

/**
 * Counts what is asked for by key. Each node takes portions from the store and uses them up by itself: what is in its hand when a window
 * ends is lost, so that a client of several nodes may be refused by a fiftieth too early for each, and never gets more than the
 * limit. A key that is used up is refused until its window ends without asking. When the store does not answer, all may pass.
 */
export function createBudget(
  { limit, windowMs }: Policy,
  store: BudgetStore,
  log: Log,
  now = () => performance.now(),
): Budget {
  const states = new LRUCache<string, State>({ max: MAX_CACHED_KEYS })
  const portion = Math.max(1, Math.floor(limit / PORTIONS))
  let isFailing = false
  let openUntil = Number.NEGATIVE_INFINITY

  function decision({ inHand, inStore, resetAt }: State, isOver: boolean): Decision {
    return { isOver, left: inHand + inStore, resetInSeconds: Math.max(1, Math.ceil((resetAt - now()) / 1_000)) }
  }

  /** Undefined when the store has to be asked first. */
  function decide(state: State, count: number): Decision {
    if (now() >= state.resetAt) return undefined
    if (state.inHand >= count) {
      state.inHand -= count
      return decision(state, false)
    }
    return state.inStore > 0 && state.inHand + state.inStore >= count ? undefined : decision(state, true)
  }

  async function ask(key: string, state: State): Promise<void> {
    try {
      const { granted, left, resetInMs } = await store.take(key, Math.max(portion, state.waiting))
      // What is in hand is less than somebody wants, and lost when its window is over.
      state.inHand = granted + (now() < state.resetAt ? state.inHand : 0)
      state.inStore = left
      state.resetAt = now() + Math.min(resetInMs, windowMs)
      if (isFailing) log.info("requests are counted again")
      isFailing = false
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, "requests cannot be counted, so all may pass; trying again")
      isFailing = true
      openUntil = now() + OPEN_FOR_MS
    } finally {
      state.asking = undefined
    }
  }

  async function askFor(key: string, state: State, count: number): Promise<Decision> {
    state.waiting += count
    try {
      // Those who waited with it may have used up what came.
      for (;;) {
        state.asking ??= ask(key, state)
        await state.asking
        if (now() < openUntil) return undefined
        const decided = decide(state, count)
        if (decided !== undefined) return decided
      }
    } finally {
      state.waiting -= count
    }
  }

  return {
    take(key, count = 1) {
      let state = states.get(key)
      if (state === undefined) {
        state = { inHand: 0, inStore: 0, resetAt: Number.NEGATIVE_INFINITY, asking: undefined, waiting: 0 }
        states.set(key, state)
      }
      const decided = decide(state, count)
      if (decided !== undefined) return decided
      return now() < openUntil ? undefined : askFor(key, state, count)
    },
  }
}
