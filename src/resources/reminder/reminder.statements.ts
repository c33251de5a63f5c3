import { accepted, taskOpenTo } from "../../access/access.js"
import { atRevision, precondition } from "../../access/revision.js"
import { deletionOf, readsOf } from "../../loading/children.js"
import { statement } from "../../statement.js"
import { type Reminder, reminders } from "./reminder.type.js"

// $1 is what is asked for, $2 the viewer, who sees no reminders but their own.

const REMINDER = reminders.columns("r")
const OWN = "r.user_id = $2::bigint"
const OWN_AND_OPEN = `${OWN} and ${taskOpenTo("r.task_id", "$2")}`
/** What statements select of reminders, with the viewer as $2. */
export const reminderKind = {
  name: "reminder",
  table: "reminders",
  row: "r",
  select: REMINDER,
  read: reminders.read,
  seen: OWN,
}
const reminder = (fields: readonly (string | null)[]): Reminder => reminders.read(fields) as Reminder

/** How reminders are read. */
export const reminderReads = readsOf(reminderKind)

/** Every reminder of a user in tasks that the user can see, by id: $1 is the user. */
export const remindersOfUser = statement(
  "reminders_of_user",
  `select ${REMINDER} from reminders r join tasks t on t.id = r.task_id join memberships m on m.list_id = t.list_id and m.user_id = r.user_id
   where r.user_id = $1::bigint and ${accepted("m")} order by r.id`,
  reminder,
)

/** Makes a reminder of an open task: $1 task, $2 viewer, $3 request, $4 date, $5 device, $6 the client's name for the request. No row: it is closed. */
export const insertReminder = statement(
  "insert_reminder",
  `insert into reminders as r (task_id, user_id, date, created_by_device_udid, created_by_request_id, updated_by_id, updated_by_request_id)
   select $1::bigint, $2::bigint, $4::timestamptz, $5, $6, $2::bigint, $3 where ${taskOpenTo("$1::bigint", "$2")} returning ${REMINDER}`,
  reminder,
)

/** Changes a reminder within its revision window: $1 reminder, $2 viewer, $3 revision, $4 request, $5 date. */
export const patchReminder = statement(
  "patch_reminder",
  `update reminders r set date = $5::timestamptz, updated_at = now(), updated_by_id = $2::bigint, updated_by_request_id = $4
   where r.id = $1::bigint and ${atRevision("r", "$3")} and ${OWN_AND_OPEN} returning ${REMINDER}`,
  reminder,
)

/** Deletes a reminder: $1 reminder, $2 viewer, $3 revision, $4 request. */
export const deleteReminderRow = deletionOf(reminderKind, OWN_AND_OPEN)

/** How a reminder stands to the viewer. */
export const reminderPrecondition = precondition("reminder", "reminders r", "r", OWN_AND_OPEN)
