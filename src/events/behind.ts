import type { EventPlace } from "../context.js"
import { ResyncRequired } from "../errors.js"
import { type Id, instantOf, type Value } from "../statement.js"
import { membershipsOf } from "./memberships.js"
import { lastXidIn, tightened } from "./snapshot.js"

// What lies behind a cursor, as parts of statements whose first values are always these: $1 the cursor's history, $2 the
// viewer, $3 and $4 its snapshots, $5 and $6 the id and instant of its event.

/** The first values of a statement about what is behind a cursor. */
export const valuesOf = (viewerId: Id, { history, before, after, id, occurredAt }: EventPlace): Value[] => [
  history,
  viewerId,
  before,
  after,
  id,
  occurredAt,
]

// Nothing is looked up by id: the planner would take all that is above the floor for few.
/** Whether an event may be behind the cursor. What a copy brought along is below the floor. */
const isNewer = (id: string, xid: string): string =>
  `(${id} + 0 > (select floor_id from here) and not pg_visible_in_snapshot(${xid}, $3::pg_snapshot))`

/** Whether an event is behind the cursor: of what its second snapshot sees, only the rest of the batch in which the cursor lies. */
export const isNews = (id: string, xid: string): string =>
  `(${isNewer(id, xid)} and (${id} > $5::bigint or not pg_visible_in_snapshot(${xid}, $4::pg_snapshot)))`

/** For indexes by transaction: below are no news. */
export const isLate = (xid: string): string => `${xid} >= pg_snapshot_xmin($3::pg_snapshot)`

/**
 * How a cursor stands. "late" when something behind it is not kept, or it is of another history; "lost" when it is of this
 * one and its event is gone all the same.
 */
export const VALIDITY = `case
     when h.name <> $1 or h.deleted_xid >= pg_snapshot_xmin($3::pg_snapshot)
       and (h.deleted_xid >= pg_snapshot_xmin($4::pg_snapshot) or h.deleted_id > $5::bigint) then 'late'
     when pg_snapshot_xmax($4::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot()) then 'lost'
     when $5::bigint = 0 or exists (select from events where id = $5::bigint and occurred_at = $6::timestamptz)
       or (h.deleted_id, h.deleted_at) = ($5::bigint, $6::timestamptz) then 'good'
     when $5::bigint <= h.deleted_id then 'late'
     else 'lost' end`

/** How a cursor stands: see {@link VALIDITY}. */
export type Validity = "good" | "late" | "lost"

/** Lets nobody go on from a cursor that is not good. @throws ResyncRequired */
export function assertGood(validity: Validity, distrust: () => void): void {
  if (validity === "lost") distrust()
  if (validity !== "good") throw new ResyncRequired()
}

/** The current history, and what the cursor is for it. */
export const HERE = `here as materialized (select h.name, h.floor_id, ${VALIDITY} as validity from histories h order by h.id desc limit 1)`

/** The lists of the viewer, with since when their events are for them. */
export const MINE = `mine as materialized (${membershipsOf("$2::bigint")})`

/** Those of them in which something has happened, with their last revision. */
export const HEAD = `head as materialized (
     select m.*, e.list_revision as last from mine m cross join lateral (
       select id, xid, list_revision from events where list_id = m.list_id order by list_revision desc limit 1) e
     where ${isNewer("e.id", "e.xid")} and e.list_revision >= m.since)`

/**
 * How far back the news of lists reach, with strides that double: a list's events become visible in the order of its revisions,
 * so behind one that is none there is no other. Recursive.
 * @param from which of the lists in `head h`
 */
export const reachFrom = (from: string): string => `stride as (
     select h.list_id, h.is_in, h.since, h.last as low, 1::bigint as step from head h where ${from}
     union all
     select s.list_id, s.is_in, s.since, e.list_revision, 2 * s.step from stride s cross join lateral (
       select id, xid, list_revision from events where list_id = s.list_id and list_revision <= s.low - s.step order by list_revision desc limit 1) e
     where ${isNewer("e.id", "e.xid")} and e.list_revision >= s.since),
   reach as materialized (
     select list_id, is_in, since, greatest(min(low) - max(step) + 1, since) as first from stride group by list_id, is_in, since)`

// By list and revision, list by list, and in no other way: `offset 0` keeps the planner from joining all events.
/** The events of those lists: `r` and `e`. */
export const NEWS_OF_LISTS = `reach r cross join lateral (
     select * from events where list_id = r.list_id and list_revision >= r.first offset 0) e`

/** The place where the stream of all events is, behind the last of them, as a query of {@link PLACE_COLUMNS} columns. */
export const PLACE_NOW = `select h.name, s.snapshot, ${lastXidIn("s.snapshot")} as last_xid, coalesce(e.id, h.deleted_id) as id, coalesce(e.occurred_at, h.deleted_at) as occurred_at
   from (select pg_current_snapshot() as snapshot) s, (select name, deleted_id, deleted_at from histories order by id desc limit 1) h
     left join (select id, occurred_at from events order by id desc limit 1) e on true`
export const PLACE_COLUMNS = 5

/** Of the event before the first. */
const BEGINNING = "1970-01-01T00:00:00.000Z"

/** Reads what {@link PLACE_NOW} gives. */
export function readPlace(fields: readonly (string | null)[], offset = 0): EventPlace {
  const [history, snapshot, lastXid, id, occurredAt] = fields.slice(offset, offset + PLACE_COLUMNS)
  const now = tightened(snapshot as string, Number(lastXid ?? 0))
  return {
    history: history as string,
    before: now,
    after: now,
    id: id ?? "0",
    occurredAt: occurredAt == null ? BEGINNING : instantOf(occurredAt),
  }
}
