import type { SkippedWriters } from "../context.js"
import type { Log } from "../log.js"
import { type Runner, statement } from "../statement.js"

const skippedWriters = statement(
  "skipped_writers",
  "select distinct skipped_writer from webhook_endpoints where skipped_writer is not null",
  ([writer]) => writer as string,
)

/** Reads which applications leave their own writes out; to be read again when a webhook was made, changed or deleted. */
export async function openSkippedWriters(db: Runner, log: Log): Promise<SkippedWriters> {
  let known = new Set<string>(await db.run(skippedWriters, []))
  return {
    has: (writer) => known.has(writer),
    add(writer) {
      if (writer !== null) known.add(writer)
    },
    async refresh() {
      try {
        known = new Set(await db.run(skippedWriters, []))
      } catch (error) {
        log.debug({ err: error }, "which applications leave out their own writes is read with the next change")
      }
    },
  }
}
