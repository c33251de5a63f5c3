import { mayWrite } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { InvalidFields, StaleInWords } from "../../errors.js"
import { mayAddToTask } from "../../loading/children.js"
import type { Id } from "../../statement.js"
import type { CreateFileInput } from "./file.input.js"
import { deleteFileRow, filePrecondition, insertFile } from "./file.statements.js"
import type { File } from "./file.type.js"

/** Attaches a finished upload to a task. (§4 Files, POST) @throws ClosedParent, InvalidFields for an upload that is not the viewer's to use */
export async function createFile(context: Context, input: CreateFileInput): Promise<File> {
  const { db, viewer, requestId, clientRequestId } = context
  const { taskId, uploadId, localCreatedAt } = input
  const values = [taskId, viewer.userId, requestId, uploadId, localCreatedAt, clientRequestId]
  const [file] = await db.run(insertFile, values)
  if (file !== undefined) return file
  await mayAddToTask(context, input)
  throw new InvalidFields({ uploadId: ["must be a finished upload of yours that no file uses yet"] })
}

/** Deletes a file; its bytes are gone within a minute. (§4 Files, DELETE) @throws NotFound, StaleInWords (§7) */
export async function deleteFile(context: Context, id: Id, revision: number): Promise<true> {
  const { db, viewer, requestId } = context
  const [deleted] = await db.run(deleteFileRow, [id, viewer.userId, revision, requestId])
  if (deleted !== undefined) return true
  await mayWrite(context, filePrecondition, id)
  throw new StaleInWords(["bad request"])
}
