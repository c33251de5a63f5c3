/** Keeps what cannot be handled yet, in order, up to two limits; beyond them everything is dropped and has to be read anew. */
export type EventBuffer<Event> = {
  add(event: Event): void
  /** Whether something was dropped since it was last asked; what is kept then is kept from now on. */
  hasOverflowed(): boolean
  /** Takes the oldest. */
  next(): Event | undefined
}

/** Makes an empty one for at most `most` events, which have at most `mostLength` characters together. */
export function createBuffer<Event extends { readonly length: number }>(
  most: number,
  mostLength: number,
): EventBuffer<Event> {
  let kept: Event[] = []
  let length = 0
  let isOverflowing = false
  return {
    add(event) {
      if (kept.length >= most || length + event.length > mostLength) {
        isOverflowing = true
        kept = []
        length = 0
      }
      kept.push(event)
      length += event.length
    },
    hasOverflowed() {
      if (!isOverflowing) return false
      isOverflowing = false
      kept = []
      length = 0
      return true
    },
    next() {
      const event = kept.shift()
      length -= event?.length ?? 0
      return event
    },
  }
}
