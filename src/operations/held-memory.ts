import type { Held } from "../context.js"
import { RateLimited, TooLarge, Unavailable } from "../errors.js"
import type { Id } from "../statement.js"
import { createTurns, ENTRIES_PER_TURN } from "./turns.js"

const MIB = 1_048_576

/** What is read for one answer, and its text, has at most so many bytes. */
export const MAX_ANSWER_BYTES = 32 * MIB
/** What is held for the answers of one user that are being made or wait to be read, and for those of everybody. */
const MAX_USER_BYTES = 96 * MIB
const MAX_NODE_BYTES = 192 * MIB
/** A row that was read takes so many times its bytes: as an object, in the result, and in the text. */
const ROW_WEIGHT = 3
/** An entry of a list in a result. */
const ENTRY_BYTES = 512
/** Less than this is not counted, so that nearly all answers cost nothing. */
const FREE_BYTES = 65_536

/** What the answers of a node hold in memory. */
export type HeldMemory = {
  /** What one answer holds for a user; `onFirst` is called when that becomes enough to be counted. */
  of(userId: Id | undefined, onFirst?: () => void): Held
  /** Whether answers of a user are so large at the moment that they count. */
  holdsFor(userId: Id | undefined): boolean
  /** For metrics and tests: all of it, in bytes. */
  bytes(): number
}

/** Makes what counts for one node. Tests set smaller limits. */
export function createHeldMemory({ ofUser = MAX_USER_BYTES, ofNode = MAX_NODE_BYTES } = {}): HeldMemory {
  const users = new Map<Id | undefined, number>()
  const turns = createTurns()
  let all = 0

  return {
    holdsFor: (userId) => users.has(userId),
    bytes: () => all,
    of(userId, onFirst) {
      let held = 0
      let read = 0
      let isReleased = false

      function hold(bytes: number): void {
        if (isReleased) throw NOBODY_WAITS
        const more = bytes - held
        const ofThis = (users.get(userId) ?? 0) + more
        if (more > 0 && ofThis > ofUser) throw new RateLimited(1, TOO_MUCH_WAITS)
        if (more > 0 && all + more > ofNode) throw new Unavailable()
        if (held === 0 && more > 0) onFirst?.()
        set(bytes, ofThis)
      }

      function set(bytes: number, user: number): void {
        all += bytes - held
        held = bytes
        if (user > 0) users.set(userId, user)
        else users.delete(userId)
      }

      const mine: Held = {
        widestRow: 0,
        over: undefined,
        share: undefined,
        isLarge: () => held > 0,
        turn: (entries = ENTRIES_PER_TURN) => (held > 0 ? turns.take(userId, entries) : undefined),
        read(bytes) {
          read += bytes
          if (read > MAX_ANSWER_BYTES) {
            mine.over ??= answerTooLarge()
            throw mine.over
          }
          hold(held + ROW_WEIGHT * bytes)
        },
        entries: (count) => hold(held + ENTRY_BYTES * count),
        answered(bytes) {
          if (bytes > MAX_ANSWER_BYTES) throw answerTooLarge()
          if (bytes > FREE_BYTES || held > 0) hold(bytes)
        },
        release() {
          isReleased = true
          mine.over = NOBODY_WAITS
          if (held > 0) set(0, (users.get(userId) ?? 0) - held)
        },
      }
      return mine
    },
  }
}

const NOBODY_WAITS = new Unavailable("The client is no longer waiting for the response.")

const TOO_MUCH_WAITS =
  "Your answers take too much memory at the moment. Read those that wait, or ask for less at a time."

/** The answer would be larger than any may be. */
export const answerTooLarge = (): TooLarge =>
  new TooLarge(MAX_ANSWER_BYTES, `The answer is too large: at most ${MAX_ANSWER_BYTES} bytes. Ask for less at a time.`)
