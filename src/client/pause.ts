/** Makes waits that can be ended: `wake` ends the one that is on, else the next. */
export function createPause() {
  let end: (() => void) | undefined
  let isWoken = false
  return {
    wait: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer)
          end = undefined
          isWoken = false
          resolve()
        }
        const timer = setTimeout(done, isWoken ? 0 : ms)
        end = done
      }),
    wake(): void {
      if (end === undefined) isWoken = true
      else end()
    },
  }
}

/** Doubles with each failure up to a minute, ± 20 %. */
export const backoffMs = (firstMs: number, failures: number): number =>
  Math.min(60_000, firstMs * 2 ** failures) * (0.8 + Math.random() * 0.4)
