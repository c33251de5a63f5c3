import type { Transacted } from "../context.js"
import { type Id, statement } from "../statement.js"
import type { Storage, StoredUpload } from "../storage/storage.js"

const BATCH = 500
const DAY_MS = 86_400_000

// Not Prisma: past locked rows, and on a node with none too. A trigger writes down the bytes of those that were not used; a file
// has those of the rest.
const deleteBatch = statement(
  "delete_abandoned_uploads",
  `delete from uploads where id in (
     select id from uploads where coalesce(finished_at, created_at) < now() - interval '24 hours' and (finishing_until is null or finishing_until < now())
     order by id limit ${BATCH} for update skip locked)
   returning id`,
  ([id]) => id as Id,
)

/**
 * Ends uploads that were not finished, or finished and not used, for 24 hours; their bytes follow. Also those that only the
 * store knows, because a node died between starting and keeping them.
 */
export async function collectAbandonedUploads(
  { db, storage, now }: { readonly db: Pick<Transacted, "run" | "prisma">; readonly storage: Storage; now(): Date },
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted && (await db.run(deleteBatch, [])).length === BATCH);
  const endOrphans = async (open: readonly StoredUpload[]) => {
    if (open.length === 0) return
    const where = { storageKey: { in: open.map(({ key }) => key) } }
    const known = await db.prisma.upload.findMany({ where, select: { storageKey: true } })
    const keys = new Set(known.map(({ storageKey }) => storageKey))
    for (const upload of open) if (!keys.has(upload.key) && !signal?.aborted) await storage.abortUpload(upload)
  }
  let open: StoredUpload[] = []
  for await (const upload of storage.openUploads()) {
    if (signal?.aborted) return
    if (upload.startedAt.getTime() < now().getTime() - DAY_MS) open.push(upload)
    if (open.length < BATCH) continue
    await endOrphans(open)
    open = []
  }
  await endOrphans(open)
}
