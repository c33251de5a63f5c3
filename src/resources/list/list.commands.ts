import { deletionBy, failedPrecondition, permission } from "../../access/revision.js"
import type { Context } from "../../context.js"
import type { Id } from "../../statement.js"
import type { CreateListInput, UpdateListInput } from "./list.input.js"
import { deleteListRow, insertList, listPrecondition, listPreconditionToDelete, patchList } from "./list.statements.js"
import type { List } from "./list.type.js"

/** Makes a list, owned by the viewer. (§4, lists) */
export async function createList(
  { db, viewer, requestId, clientRequestId }: Context,
  input: CreateListInput,
): Promise<List> {
  const [list] = await db.run(insertList, [
    input.title,
    viewer.userId,
    requestId,
    input.public ?? false,
    clientRequestId,
  ])
  return list as List
}

/** Whether the viewer may change a list as it stands. @throws NotFound, Forbidden, RevisionConflict */
export const mayWriteList = permission(
  listPrecondition,
  "Only members can change a list, and an inbox can't be renamed.",
)

/** Changes a list's title or whether it is public. (§4, lists) @throws NotFound, Forbidden (an inbox, an invitation), RevisionConflict */
export async function updateList(context: Context, id: Id, input: UpdateListInput): Promise<List> {
  const { db, viewer, requestId } = context
  const [list] = await db.run(patchList, [id, viewer.userId, input.revision, requestId, input.title, input.public])
  return list ?? failedPrecondition(mayWriteList(context, id, input.revision))
}

/**
 * Deletes a list with everything in it; its own event is its last. (§4, lists)
 * @throws NotFound, Forbidden (not its owner, an inbox), RevisionConflict
 */
export const deleteList = deletionBy(
  deleteListRow,
  permission(listPreconditionToDelete, "Only its owner can delete a list, and an inbox can't be deleted."),
)
