import { failedPrecondition, mayWrite, whenAllowed } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { ClosedParent, InvalidFields } from "../../errors.js"
import type { Id } from "../../statement.js"
import type { CreateReminderInput, UpdateReminderInput } from "./reminder.input.js"
import { deleteReminderRow, insertReminder, patchReminder, reminderPrecondition } from "./reminder.statements.js"
import type { Reminder } from "./reminder.type.js"

/** Makes a reminder of the viewer's own. (§4 Reminders, POST) @throws ClosedParent */
export async function createReminder(
  { db, viewer, requestId, clientRequestId }: Context,
  { taskId, date, createdByDeviceUdid }: CreateReminderInput,
): Promise<Reminder> {
  const values = [taskId, viewer.userId, requestId, date, createdByDeviceUdid, clientRequestId]
  const [reminder] = await db.run(insertReminder, values)
  if (reminder === undefined) throw new ClosedParent()
  return reminder
}

/** Whether the viewer may change a reminder as it stands. @throws NotFound, RevisionConflict */
export const mayWriteReminder = (context: Context, id: Id, revision: number): Promise<void> =>
  mayWrite(context, reminderPrecondition, id, revision)

function refuseOtherId(id: Id, sent: Id | null | undefined): void {
  if (sent != null && sent !== id) throw new InvalidFields({ id: ["must be the id in the address"] })
}

/** Moves a reminder to another instant. (§4 Reminders, PATCH) @throws NotFound, RevisionConflict, InvalidFields (another id) */
export async function updateReminder(context: Context, id: Id, input: UpdateReminderInput): Promise<Reminder> {
  const { db, viewer, requestId } = context
  const { revision, date } = input
  await whenAllowed(
    () => refuseOtherId(id, input.id),
    () => mayWriteReminder(context, id, revision),
  )
  const [reminder] = await db.run(patchReminder, [id, viewer.userId, revision, requestId, date])
  return reminder ?? failedPrecondition(mayWriteReminder(context, id, revision))
}

/** Deletes a reminder. (§4 Reminders, DELETE) @throws NotFound, RevisionConflict */
export async function deleteReminder(context: Context, id: Id, revision: number): Promise<true> {
  const [deleted] = await context.db.run(deleteReminderRow, [id, context.viewer.userId, revision, context.requestId])
  return deleted === undefined ? failedPrecondition(mayWriteReminder(context, id, revision)) : true
}
