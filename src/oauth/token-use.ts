import type { Log } from "../log.js"
import type { Id, Runner } from "../statement.js"
import { markUsed } from "./access-token.statements.js"

const WRITE_EVERY_MS = 5_000

/** Keeps when each token was last used, without a write per request. */
export type TokenUse = { note(tokenId: Id): void; stop(): Promise<void> }

/** Writes what was noted every five seconds, in one statement for all tokens. `stop` writes the rest. */
export function recordTokenUse(database: Runner, log: Log, everyMs = WRITE_EVERY_MS): TokenUse {
  let used = new Set<Id>()
  let writing: Promise<unknown> = Promise.resolve()

  function write(): Promise<unknown> {
    if (used.size === 0) return writing
    const ids = [...used]
    used = new Set()
    writing = database
      .run(markUsed, [ids])
      .catch((error: unknown) => log.warn({ err: error }, "when tokens were used is not written down"))
    return writing
  }

  const timer = setInterval(write, everyMs)
  timer.unref()
  return {
    note: (tokenId) => void used.add(tokenId),
    async stop() {
      clearInterval(timer)
      await write()
    },
  }
}
