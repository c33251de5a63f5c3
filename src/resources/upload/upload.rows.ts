import type { Rows } from "../../context.js"
import type { Id } from "../../statement.js"

/** Gives an upload back that could not be finished. */
export async function releaseUpload({ prisma }: Rows, id: Id): Promise<void> {
  await prisma.upload.updateMany({ where: { id: BigInt(id), state: "new" }, data: { finishingUntil: null } })
}

/** Lets an upload begin anew under another name at the store. Its former parts count no more; the request that finishes it has it still. */
export async function restartUpload({ prisma }: Rows, id: Id, storageUploadId: string): Promise<void> {
  await prisma.upload.updateMany({ where: { id: BigInt(id), state: "new" }, data: { storageUploadId } })
}
