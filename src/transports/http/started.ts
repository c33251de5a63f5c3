/** What a node has started so far, so that a start that fails halfway leaves nothing running. */
export type Started = {
  /** Remembers how a part is stopped, and gives the part back; one that the settings leave out is undefined. */
  keep<Part extends { stop(): unknown } | undefined>(part: Part): Part
  /** Stops the parts, the last first. One that fails does not keep the others running; its error is thrown at the end. */
  stop(): Promise<void>
}

/** What is kept stops in the opposite order of its start, each part even when another one failed. */
export function nothingStarted(): Started {
  const parts: { stop(): unknown }[] = []
  return {
    keep(part) {
      if (part !== undefined) parts.push(part)
      return part
    },
    async stop() {
      const violations: unknown[] = []
      for (const part of parts.splice(0).reverse()) {
        try {
          await part.stop()
        } catch (error) {
          violations.push(error)
        }
      }
      if (violations.length > 0) throw violations[0]
    },
  }
}
