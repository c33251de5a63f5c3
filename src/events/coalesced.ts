/** However much is written, the other nodes are not woken more often. */
const MIN_PAUSE_MS = 10

/** Makes of many calls few. */
export type Coalesced = {
  /** Wants it done, now or soon; the last call is never forgotten. */
  want(): void
  /** Does what could not be done before. */
  retry(): void
}

/** Calls `act` for the first `want` at once, for all others in the next 10 ms once. `act` gives undefined when it cannot act now. */
export function coalesced(act: () => Promise<unknown> | undefined): Coalesced {
  let isWanted = false
  let isResting = false

  function flush(): void {
    if (!isWanted || isResting) return
    const acting = act()
    if (acting === undefined) return
    isWanted = false
    isResting = true
    const rested = new Promise((resolve) => setTimeout(resolve, MIN_PAUSE_MS))
    void Promise.all([rested, acting.catch(() => {})]).then(() => {
      isResting = false
      flush()
    })
  }

  return {
    want() {
      isWanted = true
      flush()
    },
    retry: flush,
  }
}
