import { restObjectOf } from "../events/event.subject.js"
import type { Id, Runner } from "../statement.js"
import { backedUp } from "./export.statements.js"
import { portionsOf, taskIdsOf } from "./whole-tasks.js"

/** A row as the REST interface shows it; of a comment also who wrote it, which depends on no reader. */
const shown = (type: string, row: Record<string, unknown>) => ({
  ...restObjectOf(type, row),
  ...(row.author === undefined ? {} : { author: row.author }),
})

type Kind = (typeof backedUp)[number]

/** All rows of a kind, in portions that memory has room for. */
async function* portions(
  runner: Runner,
  userId: Id,
  { rows, inTasks }: Kind,
): AsyncGenerator<Record<string, unknown>[], void> {
  if (inTasks === undefined) return yield await runner.run(rows, [userId])
  for await (const tasks of taskIdsOf(runner, userId))
    for (const ids of portionsOf(await runner.run(inTasks, [userId, tasks])))
      yield await runner.run(rows, [userId, ids])
}

/**
 * A user's account in the form of the retired service's backup, piece by piece: every list that the user is a
 * member of with its content, reminders, folders, settings and orders. Files are described; their bytes are not included.
 */
export async function* writeBackup(runner: Runner, userId: Id, now: Date): AsyncGenerator<string> {
  yield `{"user":${userId},"exported":${JSON.stringify(now.toISOString())},"data":{`
  for (const [index, kind] of backedUp.entries()) {
    yield `${index === 0 ? "" : ","}"${kind.member}":[`
    let isFirst = true
    for await (const rows of portions(runner, userId, kind)) {
      if (rows.length === 0) continue
      yield (isFirst ? "" : ",") + rows.map((row) => JSON.stringify(shown(kind.type, row))).join(",")
      isFirst = false
    }
    yield "]"
  }
  yield "}}\n"
}
