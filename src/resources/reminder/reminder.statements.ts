import { accepted } from "../../access/access.js"
import { readsOf } from "../../loading/children.js"
import { statement } from "../../statement.js"
import { Reminder, reminders } from "./reminder.type.js"

// $1 is what is asked for, $2 the viewer, who sees no reminders but their own.

const REMINDER = reminders.columns("r")
/** What statements select of reminders, with the viewer as $2. */
export const reminderKind = {
  ...{ name: "reminder", table: "reminders", row: "r", object: Reminder, maker: "user_id" },
  ...{ select: REMINDER, read: reminders.read, seen: "r.user_id = $2::bigint" },
}

/** How reminders are read. */
export const reminderReads = readsOf(reminderKind)

/** Every reminder of a user in tasks that the user can see, by id: $1 is the user. */
export const remindersOfUser = statement(
  "reminders_of_user",
  `select ${REMINDER} from reminders r join tasks t on t.id = r.task_id join memberships m on m.list_id = t.list_id and m.user_id = r.user_id
   where r.user_id = $1::bigint and ${accepted("m")} order by r.id`,
  (fields) => reminders.read(fields) as Reminder,
)
