import { get, type Route, rowsOf } from "../../operations/route.js"
import { reminders } from "./reminder.type.js"

/** The members that REST shows, in their order. */
export const REMINDER = reminders.members()

const queryOf = (all: string) => `query ($taskId: ID, $listId: ID, $completedTasks: Boolean) {
  reminders(taskId: $taskId, listId: $listId, completedTasks: $completedTasks, all: ${all}) { ${REMINDER} } }`

/** §4 Reminders. */
export const reminderRoutes: readonly Route[] = [
  get("/reminders", queryOf("false"), { wunderlistDocument: queryOf("true") }),
  ...rowsOf("/reminders", "reminder", REMINDER, { post: { inArray: true } }),
]
