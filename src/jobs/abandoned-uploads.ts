import { type Id, type Runner, statement } from "../statement.js"
import type { Storage, StoredUpload } from "../storage/storage.js"

const BATCH = 500
const DAY_MS = 86_400_000

// A trigger writes down the bytes of those that were not used; a file has those of the rest.
const deleteBatch = statement(
  "delete_abandoned_uploads",
  `delete from uploads where id in (
     select id from uploads where coalesce(finished_at, created_at) < now() - interval '24 hours' and (finishing_until is null or finishing_until < now())
     order by id limit ${BATCH} for update skip locked)
   returning id`,
  ([id]) => id as Id,
)

const unknownKeys = statement(
  "unknown_upload_keys",
  `select k.key from unnest($1::text[]) k(key) where not exists (select from uploads u where u.storage_key = k.key)`,
  ([key]) => key as string,
)

/**
 * Ends uploads that were not finished, or finished and not used, for 24 hours; their bytes follow. Also those that only the
 * store knows, because a node died between starting and keeping them.
 */
export async function collectAbandonedUploads(
  { db, storage, now }: { readonly db: Runner; readonly storage: Storage; now(): Date },
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted && (await db.run(deleteBatch, [])).length === BATCH);
  // Quoted, for what others put under our prefix may hold a comma.
  const endOrphans = async (open: readonly StoredUpload[]) => {
    const orphans = new Set(await db.run(unknownKeys, [open.map(({ key }) => JSON.stringify(key))]))
    for (const upload of open) if (orphans.has(upload.key) && !signal?.aborted) await storage.abortUpload(upload)
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
