import { whenAllowed } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { InvalidFields } from "../../errors.js"
import { changeOf, creationOf, deletionOf, permissionOf } from "../../loading/child.statements.js"
import type { Id } from "../../statement.js"
import { CreateReminderInput, UpdateReminderInput } from "./reminder.input.js"
import { reminderKind } from "./reminder.statements.js"
import type { Reminder } from "./reminder.type.js"

/** Makes a reminder of the viewer's own. (§4 Reminders, POST) @throws ClosedParent */
export const createReminder = creationOf(reminderKind, CreateReminderInput)

/** Whether the viewer may change a reminder as it stands. @throws NotFound, RevisionConflict */
export const mayWriteReminder = permissionOf(reminderKind)

const change = changeOf(reminderKind, UpdateReminderInput, mayWriteReminder, () => ({ updated_at: "now()" }))

function refuseOtherId(id: Id, sent: Id | null | undefined): void {
  if (sent != null && sent !== id) throw new InvalidFields({ id: ["must be the id in the address"] })
}

/** Moves a reminder to another instant. (§4 Reminders, PATCH) @throws NotFound, RevisionConflict, InvalidFields (another id) */
export async function updateReminder(context: Context, id: Id, input: UpdateReminderInput): Promise<Reminder> {
  await whenAllowed(
    () => refuseOtherId(id, input.id),
    () => mayWriteReminder(context, id, input.revision),
  )
  return change(context, id, input)
}

/** Deletes a reminder. (§4 Reminders, DELETE) @throws NotFound, RevisionConflict */
export const deleteReminder = deletionOf(reminderKind, mayWriteReminder)
