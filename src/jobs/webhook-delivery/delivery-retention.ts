import { type Runner, statement } from "../../statement.js"

/** Small enough that nobody waits for it. */
const BATCH = 5_000

// Not Prisma: a node that is idle does it too, past locked rows. Two nodes that do it at once share the work.
const deleteBatch = statement(
  "delete_old_deliveries",
  `delete from webhook_deliveries where id in (
     select id from webhook_deliveries where created_at < now() - interval '30 days' limit ${BATCH} for update skip locked)
   returning 1`,
  () => 1,
)

// Nobody can see the log of a webhook that went with its list.
const deleteDoneEndpoints = statement(
  "delete_done_endpoints",
  `delete from webhook_endpoints e where not exists (select from webhooks w where w.id = e.webhook_id)
     and not exists (select from webhook_deliveries d where d.webhook_id = e.webhook_id and d.due_at is not null) returning 1`,
  () => 1,
)

/** Deletes deliveries older than 30 days, and the endpoints of deleted lists that have been told everything. */
export async function deleteOldDeliveries(db: Runner): Promise<void> {
  let deleted: number
  do deleted = (await db.run(deleteBatch, [])).length
  while (deleted === BATCH)
  await db.run(deleteDoneEndpoints, [])
}
