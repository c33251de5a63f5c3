import { restObjectOf } from "../events/event.subject.js"
import type { Id, Runner } from "../statement.js"
import { backedUp } from "./export.statements.js"
import { taskIdsOf } from "./whole-tasks.js"

/** A row as the REST interface shows it; of a comment also who wrote it, which depends on no reader. */
const shown = (type: string, row: Record<string, unknown>) => ({
  ...restObjectOf(type, row),
  ...(row.author === undefined ? {} : { author: row.author }),
})

/**
 * A user's account in the form of the retired service's backup, piece by piece: every list that the user is a
 * member of with its content, reminders, folders, settings and orders. Files are described; their bytes are not included.
 */
export async function* writeBackup(runner: Runner, userId: Id, now: Date): AsyncGenerator<string> {
  yield `{"user":${userId},"exported":${JSON.stringify(now.toISOString())},"data":{`
  for (const [index, { member, type, rows, isInTasks }] of backedUp.entries()) {
    yield `${index === 0 ? "" : ","}"${member}":[`
    let isFirst = true
    for await (const ids of isInTasks ? taskIdsOf(runner, userId) : [undefined]) {
      const page = await runner.run(rows, ids === undefined ? [userId] : [userId, ids])
      if (page.length === 0) continue
      yield (isFirst ? "" : ",") + page.map((row) => JSON.stringify(shown(type, row))).join(",")
      isFirst = false
    }
    yield "]"
  }
  yield "}}\n"
}
