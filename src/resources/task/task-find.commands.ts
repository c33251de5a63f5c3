import type { Context } from "../../context.js"
import { InvalidFields, type Violations } from "../../errors.js"
import { type Connection, connectEdges, limitOf } from "../../loading/connection.js"
import { oneOfUser } from "../../operations/one-after-another.js"
import { idOf } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import type { Task } from "./task.type.js"
import type { DueFilter, FindTasksArgs, InstantRange, TaskFilter, TaskOrder } from "./task-find.input.js"
import { findTasks, type Way } from "./task-find.statements.js"

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
  const [, order = "", direction] = /^(.*)_(ASC|DESC)$/.exec(orderBy) ?? []
  const behind = placeOf(orderBy, after)
  const find = findTasks(wayOf(filter ?? {}), direction === "DESC", text != null)
  const values = [
    ...[viewer.userId, listIds, completed, starred, assigneeId === "me" ? viewer.userId : assigneeId],
    ...[due?.from, due?.to, due?.none, completedAt?.from, completedAt?.to, createdAt?.from, createdAt?.to],
    ...[order, behind?.key, behind?.id, limit],
  ]
  // A text is looked for in all that the viewer has: one user does so once at a time, and nobody else's requests wait for it.
  const rows =
    text == null
      ? await db.run(find, values)
      : await oneOfUser(findTasks, viewer.userId, () => db.searching.run(find, [...values, text]))
  const edges = rows.map(({ task, key }) => ({ node: task, cursor: cursorOf(orderBy, key, task.id) }))
  return connectEdges(edges, { first, after: after ?? null })
}

/** What leaves the fewest tasks to look at. */
function wayOf({ assigneeId, due, completedAt, starred, completed }: TaskFilter): Way {
  if (assigneeId != null) return "assignee"
  if (due?.from != null || due?.to != null) return "due"
  if (completedAt?.from != null || completedAt?.to != null) return "completedAt"
  if (starred === true) return "starred"
  return completed == null ? "list" : "completed"
}

function refuseContradictions({ listIds, due, completedAt, createdAt }: TaskFilter): void {
  const violations: Violations = {}
  if (listIds != null && listIds.length > MAX_LISTS) violations.listIds = [`must name at most ${MAX_LISTS} lists`]
  const ranges: [string, DueFilter | InstantRange | null | undefined][] = [
    ["due", due],
    ["completedAt", completedAt],
    ["createdAt", createdAt],
  ]
  for (const [name, range] of ranges)
    if (range?.from != null && range.to != null && range.from > range.to)
      violations[`${name}.from`] = [`must not be after ${name}.to`]
  if (due?.none === true && (due.from != null || due.to != null))
    violations["due.none"] = ["must not be given together with a day"]
  if (Object.keys(violations).length > 0) throw new InvalidFields(violations)
}

const cursorOf = (order: TaskOrder, key: string, id: Id): string =>
  Buffer.from(JSON.stringify([order, key, id])).toString("base64url")

function placeOf(order: TaskOrder, after: string | null | undefined): { key: string; id: Id } | undefined {
  if (after == null) return undefined
  try {
    const [of, key, id] = JSON.parse(Buffer.from(after, "base64url").toString()) as unknown[]
    const isPlace = of === order && typeof key === "string" && !key.includes("\0") && idOf(id) !== "0"
    if (isPlace) return { key, id: idOf(id) }
  } catch {
    // no JSON
  }
  throw new InvalidFields({ after: ["must be a cursor of an earlier page in the same order"] })
}
