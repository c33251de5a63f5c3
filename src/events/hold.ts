/** Keeps what cannot be handled yet, in order, up to a limit; beyond it everything is dropped and has to be read anew. */
export type Hold<Event> = {
  add(event: Event): void
  /** Whether something was dropped since it was last asked; what is kept then is kept from now on. */
  hasOverflowed(): boolean
  /** Takes the oldest. */
  next(): Event | undefined
}

/** Makes an empty one for at most `limit` events. */
export function createHold<Event>(limit: number): Hold<Event> {
  let kept: Event[] = []
  let isOverflowing = false
  return {
    add(event) {
      if (kept.length >= limit) {
        isOverflowing = true
        kept = []
      }
      kept.push(event)
    },
    hasOverflowed() {
      if (!isOverflowing) return false
      isOverflowing = false
      kept = []
      return true
    },
    next: () => kept.shift(),
  }
}
