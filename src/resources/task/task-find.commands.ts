import type { Context } from "../../context.js"
import { InvalidFields } from "../../errors.js"
import { type Connection, connectRows, limitOf } from "../../loading/connection.js"
import { violationsOf } from "../../loading/instant-range.js"
import type { Task } from "./task.type.js"
import type { FindTasksArgs, TaskFilter } from "./task-find.input.js"
import { type FoundTask, findTasks, type Way } from "./task-find.statements.js"
import { cursorOf, placeOf, readOrder } from "./task-place.js"

const MAX_LISTS = 1_000

/**
 * Finds tasks in all lists that are open to the viewer. A page begins behind a place in the order, and not at a number, so that
 * what is made and done in between moves nothing out of it.
 * @throws InvalidFields (ends in the wrong order, a page of another size, a cursor of another order)
 */
export async function findTasksOfViewer(
  { db, viewer }: Context,
  { filter, orderBy, first, after }: FindTasksArgs,
): Promise<Connection<Task>> {
  const { listIds, completed, starred, assigneeId, due, completedAt, createdAt, text } = filter ?? {}
  const limit = limitOf({ first })
  refuseContradictions(filter ?? {})
  const { by, isReversed } = readOrder(orderBy)
  const behind = placeOf(orderBy, after)
  const find = findTasks(wayOf(filter ?? {}), by, isReversed, text != null)
  const values = [
    ...[viewer.userId, listIds, completed, starred, assigneeId === "me" ? viewer.userId : assigneeId],
    ...[due?.from, due?.to, due?.none, completedAt?.from, completedAt?.to, createdAt?.from, createdAt?.to],
    ...[by, behind?.key, behind?.id, limit],
  ]
  const rows = await db.searching.run(find, text == null ? values : [...values, text])
  const reading = {
    nodeOf: ({ task }: FoundTask) => task,
    cursorOf: ({ task, key }: FoundTask) => cursorOf(orderBy, key, task.id),
  }
  return connectRows(rows, reading, { first, after: after ?? null })
}

/**
 * What leaves the fewest tasks to look at. Few are open at a time, while what was ever due, completed or assigned to somebody
 * only grows; days and instants that something begins with leave the fewest of all, but for what one person has yet to do.
 */
function wayOf({ assigneeId, due, completedAt, completed }: TaskFilter): Way {
  if (due?.from != null) return "due"
  if (completed === false) return assigneeId == null ? "completed" : "assigneeCompleted"
  if (completedAt?.from != null || completedAt?.to != null) return "completedAt"
  if (assigneeId != null) return completed == null ? "assignee" : "assigneeCompleted"
  if (due?.to != null) return "due"
  return completed == null ? "list" : "completed"
}

function refuseContradictions({ listIds, due, completedAt, createdAt }: TaskFilter): void {
  const violations = violationsOf({ due, completedAt, createdAt })
  if (listIds != null && listIds.length > MAX_LISTS) violations.listIds = [`must name at most ${MAX_LISTS} lists`]
  if (due?.none === true && (due.from != null || due.to != null))
    violations["due.none"] = ["must not be given together with a day"]
  if (Object.keys(violations).length > 0) throw new InvalidFields(violations)
}
