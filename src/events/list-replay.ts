import { type Fields, type Id, instantOf, type Statement, statement, type Value } from "../statement.js"
import {
  HEAD,
  HERE,
  isNews,
  NEWS_OF_LISTS,
  PLACE_COLUMNS,
  PLACE_NOW,
  reachFrom,
  readPlace,
  type Validity,
  valuesOf,
} from "./behind.js"
import type { Cursor } from "./cursor.js"
import type { SnapshotInterval } from "./event.js"
import { writeFingerprint } from "./fingerprint.js"
import { membershipsOf } from "./memberships.js"

/** How many events behind a revision are looked up at once. */
export const MAX_IDS = 20_000

/** The events of a list behind a revision, by their ids. */
export type ListBehind = {
  readonly revision: number
  /** The revision with which the viewer's access began. */
  readonly since: number
  /** Of the event that made the revision that was asked for. */
  readonly fingerprint: string | undefined
  readonly ids: readonly Id[]
  /** Older transactions are of nothing that is behind. */
  readonly oldest: string
  /** The places of events that others follow, and of the last one when they are all: it has the cursor of this moment. */
  readonly interval: SnapshotInterval
  readonly lastInterval: SnapshotInterval
}

// A list's events become visible in the order of its revisions. So what is before one of them is what is older than all
// transactions of those behind it and than those still running: transactions begin in another order than lists are written.
/**
 * The events of a list behind a revision, for a member: $1 list, $2 viewer, $3 revision or null, $4 the `oldest` of an earlier
 * read, which later ones share, or null. No row when the list is closed to the viewer.
 */
export const eventsSince = statement(
  "list_events_since",
  `select l.revision, m.since, e.id, e.occurred_at,
     (select array_agg(id order by list_revision) from (
       select id, list_revision from events where list_id = l.id and list_revision > $3::bigint order by list_revision limit ${MAX_IDS}) behind),
     coalesce($4::bigint, (
       select least(min(xid::text::bigint), pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
       from events where list_id = l.id and list_revision > $3::bigint)), p.*
   from (${membershipsOf("$2::bigint", "$1::bigint")}) m join lists l on l.id = m.list_id cross join (${PLACE_NOW}) p
     left join events e on e.list_id = l.id and e.list_revision = $3::bigint
   where m.is_in`,
  (fields): ListBehind => {
    const [revision, since, id, occurredAt, ids, oldest] = fields.slice(0, -PLACE_COLUMNS)
    const now = readPlace(fields, fields.length - PLACE_COLUMNS)
    return {
      revision: Number(revision),
      since: Number(since),
      fingerprint: id == null ? undefined : writeFingerprint({ id, occurredAt: instantOf(occurredAt as string) }),
      ids: ids?.match(ID) ?? [],
      oldest: oldest as string,
      interval: { history: now.history, before: `${oldest}:${oldest}:`, after: now.after },
      lastInterval: { ...now, last: now },
    }
  },
)
const ID = /\d+/g

/** Where in a list a cursor lies. */
export type PlaceInList = {
  readonly validity: Validity
  /** The last revision before it. */
  readonly revision: number
  /** Whether the list was opened to the viewer later, and something of before is behind the cursor. */
  readonly isTooEarly: boolean
}

const placeInList = statement(
  "list_place_of_cursor",
  `with recursive ${HERE}, mine as materialized (${membershipsOf("$2::bigint", "$7::bigint")}), ${HEAD}, ${reachFrom("true")}
   select h.validity, coalesce((select min(e.list_revision) from ${NEWS_OF_LISTS} where ${isNews("e.id", "e.xid")}) - 1, l.revision),
     exists (select from events e where e.list_id = l.id and e.list_revision = m.since - 1 and ${isNews("e.id", "e.xid")})
   from here h cross join mine m join lists l on l.id = m.list_id where m.is_in`,
  ([validity, revision, isTooEarly]: Fields): PlaceInList => ({
    validity: validity as Validity,
    revision: Number(revision),
    isTooEarly: isTooEarly === "t",
  }),
)

/** Finds where in a list a cursor lies. No row when the list is closed to the viewer. */
export const placeOfCursor = (listId: Id, viewerId: Id, cursor: Cursor): [Statement<PlaceInList>, Value[]] => [
  placeInList,
  [...valuesOf(viewerId, cursor), listId],
]
