import type { Context } from "../../context.js"
import { limitOf } from "../../loading/connection.js"
import { refuseReversed } from "../../loading/instant-range.js"
import { found, inVisible } from "../../loading/loader.js"
import { openList, tasksOfList } from "./task.statements.js"
import type { Task } from "./task.type.js"
import { findTasks } from "./task-find.statements.js"
import type { ListTasksArgs } from "./task-list.input.js"
import { TaskOrder } from "./task-order.js"
import { cursorOf, placeOf, readOrder } from "./task-place.js"

/**
 * The open or completed tasks of a list: all of them by id, or those that are asked for by when they were completed, in an order
 * and page by page as they are found in all lists. (§4 Tasks; windows, orders and pages are ours)
 * @throws NotFound, InvalidFields (a window that ends before it begins, a page of another size, a cursor of another order)
 */
export async function tasksIn(context: Context, args: ListTasksArgs): Promise<Task[]> {
  const { db, viewer } = context
  const { listId, completedAt, orderBy, first, after } = args
  const hasWindow = completedAt?.from != null || completedAt?.to != null
  const completed = args.completed ?? hasWindow
  if (!hasWindow && orderBy == null && first == null && after == null)
    return inVisible(await db.run(tasksOfList, [listId, viewer.userId, completed]))
  refuseReversed({ completedAt })
  const order = orderBy ?? TaskOrder.ID_ASC
  const limit = first == null ? null : limitOf({ first }) - 1
  const behind = placeOf(order, after)
  const { by, isReversed } = readOrder(order)
  const rows = await db.run(findTasks(hasWindow ? "completedAt" : "completed", by, isReversed, false), [
    ...[viewer.userId, [listId], completed, null, null, null, null, null, completedAt?.from, completedAt?.to],
    ...[null, null, by, behind?.key, behind?.id, limit],
  ])
  // A closed list is told from one in which there is nothing.
  if (rows.length === 0) found(await db.run(openList, [listId, viewer.userId]))
  return rows.map(({ task, key }) => ({ ...task, cursor: cursorOf(order, key, task.id) }))
}
