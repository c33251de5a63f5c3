import { failedPrecondition, inRevisionWindow, refuseStale } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { InvalidFields, type Violations } from "../../errors.js"
import type { Id } from "../../statement.js"
import type { CreateFolderInput, UpdateFolderInput } from "./folder.input.js"
import { insertFolder, patchFolder } from "./folder.statements.js"
import type { Folder } from "./folder.type.js"

const NOT_THEIRS: Violations = { listIds: ["must be lists that you have or are invited to"] }

const ownedBy = ({ viewer }: Context, id: Id) => ({ id: BigInt(id), userId: BigInt(viewer.userId) })
const once = (ids: readonly Id[]): Id[] => [...new Set(ids)]

/** Creates a folder; its lists leave the viewer's other folders. (§4 Folders, POST) @throws InvalidFields (a list that the viewer does not have) */
export async function createFolder(context: Context, { title, listIds }: CreateFolderInput): Promise<Folder> {
  const { db, viewer, requestId, clientRequestId } = context
  const [folder] = await db.run(insertFolder, [title, viewer.userId, requestId, once(listIds), clientRequestId])
  if (folder === undefined) throw new InvalidFields(NOT_THEIRS)
  return folder
}

/** Whether the viewer may change a folder as it stands. @throws NotFound, RevisionConflict */
export const mayWriteFolder = async (context: Context, id: Id, revision: number): Promise<void> =>
  refuseStale(await context.db.prisma.folder.findFirst({ where: ownedBy(context, id) }), revision)

/**
 * Changes a folder's title or what is in it; lists that come in leave the viewer's other folders. (§4 Folders, PATCH)
 * @throws NotFound, RevisionConflict, InvalidFields (a list that the viewer does not have)
 */
export async function updateFolder(context: Context, id: Id, input: UpdateFolderInput): Promise<Folder> {
  const { db, viewer, requestId } = context
  const { revision, title } = input
  const check = () => mayWriteFolder(context, id, revision)
  const listIds = input.listIds == null ? null : once(input.listIds)
  const [folder] = await db.run(patchFolder, [id, viewer.userId, revision, requestId, title, listIds])
  if (folder !== undefined) return folder
  if (listIds === null) return failedPrecondition(check())
  await check()
  throw new InvalidFields(NOT_THEIRS)
}

/** Deletes a folder; its lists stay. (§4 Folders, DELETE) @throws NotFound, RevisionConflict */
export async function deleteFolder(context: Context, id: Id, revision: number): Promise<true> {
  const { count } = await context.db.prisma.folder.deleteMany({
    where: { ...ownedBy(context, id), ...inRevisionWindow(revision) },
  })
  return count === 0 ? failedPrecondition(mayWriteFolder(context, id, revision)) : true
}
