import type { DatabaseClient } from "../database/client.js"
import type { ChangeEvent } from "../events/event.js"
import type { PubSub } from "../events/pub-sub.js"
import type { Log } from "../log.js"
import { type Loop, startLoop } from "../loop.js"
import { type Id, statement } from "../statement.js"

/** How long one transaction may hold its locks, about. */
const TARGET_MS = 100
const FIRST_BATCH = 100
const MAX_BATCH = 1_000

// Not Prisma: each node asks for it, and passes over locked rows. The row lock of the list is the lease: it ends with the connection
// of the node that holds it.
const takeDeletedList = statement(
  "take_deleted_list",
  "select id from lists where deleted_at is not null order by deleted_at, id limit 1 for update skip locked",
  ([id]) => id as Id,
)

// What is below the tasks goes with them, and leaves the keys of its bytes to be removed from the store.
const removeTasks = statement(
  "remove_tasks_of_deleted_list",
  `delete from tasks t using (select set_config('tandem.list_is_gone', 'yes', true)) said
   where t.id in (select id from tasks where list_id = $1::bigint limit $2::integer) returning 1`,
  () => 1,
)

const removeList = statement("remove_deleted_list", "delete from lists where id = $1::bigint returning 1", () => 1)

type Parts = {
  readonly db: Pick<DatabaseClient, "transaction">
  readonly pubSub: PubSub<ChangeEvent>
  readonly log: Log
}

/**
 * Takes away what was in lists that have been deleted, in batches that hold no lock for long and leave the database as much
 * time as they take. A node that dies leaves a batch undone and the list marked, so that any other goes on with it.
 */
export function startRemovalOfLists({ db, pubSub, log }: Parts): Loop {
  let batch = FIRST_BATCH

  /** Removes one batch; false when nothing is marked. */
  const removeBatch = (): Promise<boolean> =>
    db.transaction(async ({ run }) => {
      const [list] = await run(takeDeletedList, [])
      if (list === undefined) return false
      const removed = await run(removeTasks, [list, batch])
      if (removed.length < batch) await run(removeList, [list])
      return true
    })

  const loop = startLoop({
    what: "what was in deleted lists is taken away",
    log,
    async round() {
      const startedAt = performance.now()
      try {
        if (!(await removeBatch())) return Number.POSITIVE_INFINITY
      } catch (error) {
        batch = Math.ceil(batch / 4) // it may have been too much for one statement's time
        throw error
      }
      const took = performance.now() - startedAt
      batch = Math.min(MAX_BATCH, Math.ceil(batch * Math.min(2, TARGET_MS / took)))
      return took
    },
  })
  function hear({ subjectType, operation }: ChangeEvent): void {
    if (subjectType === "list" && operation === "DELETE") loop.wake()
  }
  pubSub.listen("*", hear)
  return {
    wake: loop.wake,
    stop() {
      pubSub.forget("*", hear)
      return loop.stop()
    },
  }
}
