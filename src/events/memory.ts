import type pg from "pg"
import type { HistoryCheck } from "../database/history.js"
import { runOn } from "../database/pipeline.js"
import { statement } from "../statement.js"
import type { Fingerprint } from "./event.js"
import { readSnapshot } from "./snapshot.js"

/** How much of what was read last has to be there again. What is lost is lost from the end. */
const REMEMBERED = 1_000

const missing = statement(
  "missing_events",
  `select count(*) from unnest($1::bigint[], $2::timestamptz[]) r(id, occurred_at)
   where not exists (select from events e where e.id = r.id and e.occurred_at = r.occurred_at)
     and r.id > (select deleted_id from histories order by id desc limit 1)`,
  ([count]) => Number(count),
)
const snapshotNow = statement("snapshot_now", "select pg_current_snapshot()", ([snapshot]) => snapshot as string)

/** What a server promised of the commits that it confirmed, when it was last asked. */
export type Promised = {
  /** They survive its crash. */
  readonly isDurable: boolean
  /** They are on another server too, which is the one to be promoted. */
  readonly isReplicated: boolean
}

/** What a tail knows of the history that it has read, to recognise it on another connection. */
export type Memory = {
  /** The last transaction of which an event was read. */
  lastXid(): number
  keep(event: Fingerprint & { readonly xid: number }): void
  promise(promised: Promised): void
  /**
   * Whether the database, as it stands, still holds everything that was confirmed.
   * @param snapshot up to where it was read
   * @param hasUnread whether something was confirmed that has not been read yet
   */
  isTrueOf(client: pg.Client, check: HistoryCheck, snapshot: string, hasUnread: boolean): Promise<boolean>
}

/** Makes one of a server that was started at `startedAt`, with the last event there and the last transaction that made one. */
export function createMemory(startedAt: string, last: Fingerprint[], lastXidRead: number): Memory {
  let recent = last
  let lastXid = lastXidRead
  let knownStart = startedAt
  let promised: Promised = { isDurable: true, isReplicated: false }

  async function isContinued(client: pg.Client, snapshot: string): Promise<boolean> {
    const [now] = (await runOn(client, snapshotNow, [])) as [string]
    if ((readSnapshot(snapshot)?.xmax ?? 0) > (readSnapshot(now)?.xmax ?? 0)) return false
    const [gone] = await runOn(client, missing, [recent.map(({ id }) => id), recent.map((event) => event.occurredAt)])
    return gone === 0
  }

  return {
    lastXid: () => lastXid,
    keep({ id, occurredAt, xid }) {
      if (xid > lastXid) lastXid = xid
      if (recent.length >= 2 * REMEMBERED) recent = recent.slice(REMEMBERED)
      recent.push({ id, occurredAt })
    },
    promise(now) {
      promised = now
    },
    async isTrueOf(client, { outcome, startedAt: start }, snapshot, hasUnread) {
      const isRestarted = start !== knownStart
      knownStart = start
      if (outcome === "copied" || !(await isContinued(client, snapshot))) return false
      if (!hasUnread) return true
      if (outcome === "promoted") return promised.isReplicated
      return !isRestarted || promised.isDurable
    },
  }
}
