const WIDTH = 30
const REDRAW_MS = 100

/** A line on a terminal that says how far a command has come. */
export type Progress = {
  /** `total` may be left out while it is not known. */
  at(done: number, total?: number): void
  /** Removes the line. */
  stop(): void
}

/** Shows how far `what` has come, on standard error and only where that is a terminal: answers stay clean. `unit` is what is counted. */
export function showProgress(what: string, unit = "", stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { at() {}, stop() {} }
  let drawnAt = Number.NEGATIVE_INFINITY
  return {
    at(done, total) {
      const isLast = done === total
      if (performance.now() - drawnAt < REDRAW_MS && !isLast) return
      drawnAt = performance.now()
      const share = total === undefined || total === 0 ? undefined : Math.min(1, done / total)
      const filled = Math.round((share ?? 0) * WIDTH)
      const bar =
        share === undefined ? "" : ` [${"#".repeat(filled)}${"-".repeat(WIDTH - filled)}] ${Math.floor(share * 100)} %`
      stream.write(`\r\x1b[K${what}${bar} ${done}${total === undefined ? "" : ` of ${total}`}${unit && ` ${unit}`}`)
    },
    stop() {
      stream.write("\r\x1b[K")
    },
  }
}
