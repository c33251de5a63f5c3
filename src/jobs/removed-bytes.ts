import type { Transacted } from "../context.js"
import type { Log } from "../log.js"
import { type Id, statement } from "../statement.js"
import type { Storage } from "../storage/storage.js"

const BATCH = 100
const AT_ONCE = 8

type Deletion = { readonly id: Id; readonly key: string; readonly uploadId: string | null }

// Not Prisma: a node with nothing to remove asks for it too.
const dueDeletions = statement(
  "due_deletions",
  `select id, storage_key, storage_upload_id from storage_deletions where due_at <= now() and id > $1::bigint order by id limit ${BATCH}`,
  ([id, key, uploadId]): Deletion => ({ id: id as Id, key: key as string, uploadId: uploadId ?? null }),
)

/** What removing bytes needs. */
export type RemovalParts = {
  readonly db: Pick<Transacted, "run" | "prisma">
  readonly storage: Storage
  readonly log: Log
}

/**
 * Removes from the store what has no owner in the database any more. A row is forgotten after its bytes are gone, so what
 * was broken off is done again. What cannot be removed does not hold up the rest, and is tried again in the next turn.
 */
export async function removeBytes({ db, storage, log }: RemovalParts, signal?: AbortSignal): Promise<void> {
  for (let last = "0"; !signal?.aborted; ) {
    const due = await db.run(dueDeletions, [last])
    const done: Id[] = []
    for (let index = 0; index < due.length && !signal?.aborted; index += AT_ONCE)
      await Promise.all(
        due.slice(index, index + AT_ONCE).map(async ({ id, key, uploadId }) => {
          try {
            await storage.remove(key)
            if (uploadId !== null) await storage.abortUpload({ key, uploadId })
            done.push(id)
          } catch (error) {
            log.warn({ err: error, key }, "bytes could not be removed from the store; they are tried again")
          }
        }),
      )
    if (done.length > 0) await db.prisma.storageDeletion.deleteMany({ where: { id: { in: done.map(BigInt) } } })
    if (due.length > done.length + BATCH / 2) return // the store is away: no use in asking it for all the rest
    if (due.length < BATCH) return
    last = (due.at(-1) as Deletion).id
  }
}
