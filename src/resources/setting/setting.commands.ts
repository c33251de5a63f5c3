import { failedPrecondition, mayWrite } from "../../access/revision.js"
import type { Context } from "../../context.js"
import type { Id } from "../../statement.js"
import type { CreateSettingInput, UpdateSettingInput } from "./setting.input.js"
import { deleteSettingRow, settingPrecondition } from "./setting.statements.js"
import { type Setting, settingOf } from "./setting.type.js"

/** Makes a setting. @throws InvalidFields (the viewer has one of that key) */
export async function createSetting({ db, viewer, requestId }: Context, input: CreateSettingInput): Promise<Setting> {
  const userId = BigInt(viewer.userId)
  const data = { key: input.key, value: input.value, userId, updatedById: userId, updatedByRequestId: requestId }
  return settingOf(await db.prisma.setting.create({ data }))
}

/** Whether the viewer may change a setting as it stands. @throws NotFound, RevisionConflict */
export const mayWriteSetting = (context: Context, id: Id, revision: number): Promise<void> =>
  mayWrite(context, settingPrecondition, id, revision)

/** Changes a setting's value or key. @throws NotFound, RevisionConflict, InvalidFields (the viewer has another of that key) */
export async function updateSetting(
  context: Context,
  id: Id,
  { revision, key, value }: UpdateSettingInput,
): Promise<Setting> {
  const { db, viewer, requestId, now } = context
  const userId = BigInt(viewer.userId)
  const [setting] = await db.prisma.setting.updateManyAndReturn({
    where: { id: BigInt(id), userId, ownRevision: { lte: revision }, revision: { gte: revision } },
    data: {
      key: key ?? undefined,
      value: value ?? undefined,
      updatedAt: now(),
      updatedById: userId,
      updatedByRequestId: requestId,
    },
  })
  return setting === undefined ? failedPrecondition(mayWriteSetting(context, id, revision)) : settingOf(setting)
}

/** Deletes a setting. @throws NotFound, RevisionConflict */
export async function deleteSetting(context: Context, id: Id, revision: number): Promise<true> {
  const { db, viewer, requestId } = context
  const [deleted] = await db.run(deleteSettingRow, [id, viewer.userId, revision, requestId])
  return deleted === undefined ? failedPrecondition(mayWriteSetting(context, id, revision)) : true
}
