import { get, patch, post, type Route, remove } from "../../operations/route.js"
import { reminders } from "./reminder.type.js"

/** The members that REST shows, in their order. */
export const REMINDER = reminders.members()

const queryOf = (all: string) => `query ($taskId: ID, $listId: ID, $completedTasks: Boolean) {
  reminders(taskId: $taskId, listId: $listId, completedTasks: $completedTasks, all: ${all}) { ${REMINDER} } }`

/** §4 Reminders. */
export const reminderRoutes: readonly Route[] = [
  get("/reminders", queryOf("false"), { wunderlistDocument: queryOf("true") }),
  get("/reminders/:id", `query ($id: ID!) { reminder(id: $id) { ${REMINDER} } }`),
  post("/reminders", `mutation ($input: CreateReminderInput!) { createReminder(input: $input) { ${REMINDER} } }`, {
    inArray: true,
  }),
  patch(
    "/reminders/:id",
    `mutation ($id: ID!, $input: UpdateReminderInput!) { updateReminder(id: $id, input: $input) { ${REMINDER} } }`,
  ),
  remove("/reminders/:id", "mutation ($id: ID!, $revision: Int!) { deleteReminder(id: $id, revision: $revision) }"),
]
