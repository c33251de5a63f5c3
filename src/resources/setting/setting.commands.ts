import { failedPrecondition, inRevisionWindow, refuseStale } from "../../access/revision.js"
import type { Context } from "../../context.js"
import type { Id } from "../../statement.js"
import type { CreateSettingInput, UpdateSettingInput } from "./setting.input.js"
import { type Setting, settings } from "./setting.type.js"

const by = ({ viewer, requestId }: Context) => ({ updatedById: BigInt(viewer.userId), updatedByRequestId: requestId })
const ownedBy = ({ viewer }: Context, id: Id) => ({ id: BigInt(id), userId: BigInt(viewer.userId) })

/** Makes a setting. @throws InvalidFields (the viewer has one of that key) */
export async function createSetting(context: Context, { key, value }: CreateSettingInput): Promise<Setting> {
  const userId = BigInt(context.viewer.userId)
  return settings.readPrisma(await context.db.prisma.setting.create({ data: { userId, key, value, ...by(context) } }))
}

/** Whether the viewer may change a setting as it stands. @throws NotFound, RevisionConflict */
export const mayWriteSetting = async (context: Context, id: Id, revision: number): Promise<void> =>
  refuseStale(await context.db.prisma.setting.findFirst({ where: ownedBy(context, id) }), revision)

/** Changes a setting's value or key. @throws NotFound, RevisionConflict, InvalidFields (the viewer has another of that key) */
export async function updateSetting(
  context: Context,
  id: Id,
  { revision, key, value }: UpdateSettingInput,
): Promise<Setting> {
  const [setting] = await context.db.prisma.setting.updateManyAndReturn({
    where: { ...ownedBy(context, id), ...inRevisionWindow(revision) },
    data: { key: key ?? undefined, value: value ?? undefined, updatedAt: context.now(), ...by(context) },
  })
  return setting === undefined
    ? failedPrecondition(mayWriteSetting(context, id, revision))
    : settings.readPrisma(setting)
}

/** Deletes a setting. @throws NotFound, RevisionConflict */
export async function deleteSetting(context: Context, id: Id, revision: number): Promise<true> {
  const { count } = await context.db.prisma.setting.deleteMany({
    where: { ...ownedBy(context, id), ...inRevisionWindow(revision) },
  })
  return count === 0 ? failedPrecondition(mayWriteSetting(context, id, revision)) : true
}
