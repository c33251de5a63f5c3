import { type Fields, type Id, type Statement, statement } from "../statement.js"
import type { Cursor } from "./cursor.js"
import { SIGNALS } from "./event.js"
import { membershipsOf } from "./memberships.js"
import { lastXidIn, tightened } from "./snapshot.js"
import type { Access } from "./stream.js"

/** How many events behind a cursor are looked up at once. */
const MOST_IDS = 20_000

/** Events behind a cursor in the order in which they are told, by their ids. */
export type Behind = {
  readonly ids: readonly Id[]
  /** How many of them, from the first on, are the rest of the batch in which the cursor lies. */
  readonly rest: number
  readonly isAll: boolean
  /** Everything that it sees is behind the last of them, when they are all. */
  readonly snapshot: string
  /** Places of those of the rest, and of the others. */
  readonly passages: readonly [
    Pick<Cursor, "history" | "before" | "after">,
    Pick<Cursor, "history" | "before" | "after">,
  ]
}

// Of what the cursor's second snapshot sees, only the rest of the batch in which the cursor lies.
const IS_BEHIND = `case when pg_visible_in_snapshot(e.xid, $3::pg_snapshot)
  then e.id > $4::bigint and not pg_visible_in_snapshot(e.xid, $2::pg_snapshot) else true end`
const IS_LATE = "e.xid >= pg_snapshot_xmin($2::pg_snapshot)"

// A list's events become visible in the order of its revisions: they are followed back to the first that is no news.
const STEP = `from events where list_id = m.list_id`
const COLUMNS = "id, xid, list_revision, subject_type"
const IS_NEWS = "not pg_visible_in_snapshot(e.xid, $2::pg_snapshot) and e.list_revision >= m.since"

// Whom a deleted list was open to is in its last event, where no answer shows it.
const behind = statement(
  "account_events_behind",
  `with recursive mine as materialized (${membershipsOf("$1::bigint")}),
   walk as (
     select m.list_id, m.is_in, m.since, e.* from mine m
       cross join lateral (select ${COLUMNS} ${STEP} order by list_revision desc limit 1) e where ${IS_NEWS}
     union all
     select m.list_id, m.is_in, m.since, e.* from walk m
       cross join lateral (select ${COLUMNS} ${STEP} and list_revision < m.list_revision order by list_revision desc limit 1) e where ${IS_NEWS}),
   seen as (
     select e.id, e.xid from walk e where e.is_in or e.subject_type in ('list', 'membership')
     union select e.id, e.xid from events e where ${IS_LATE} and e.user_id = $1::bigint and e.subject_type <> all('{${SIGNALS}}')
     union select e.id, e.xid from events e where ${IS_LATE} and e.subject_type = 'membership' and (coalesce(e.after, e.before)->>'user_id')::bigint = $1::bigint
     union select e.id, e.xid from events e where ${IS_LATE} and e.subject_type = 'list' and e.operation = 'DELETE' and e.before->'member_ids' @> to_jsonb($1::bigint)),
   found as (
     select e.id, pg_visible_in_snapshot(e.xid, $3::pg_snapshot) as is_rest from seen e, histories h
     where h.name = $5 and e.id > h.floor_id and ${IS_BEHIND} order by is_rest desc, id limit ${MOST_IDS})
   select s.snapshot, ${lastXidIn("s.snapshot")},
     (select array_agg(id order by is_rest desc, id) from found), (select count(*) from found where is_rest)
   from (select pg_current_snapshot() as snapshot) s`,
  (fields) => fields,
)

const ID = /\d+/g

/** What a user can see of the events behind a cursor, by what they are a member of now. */
export const eventsBehindCursor = (
  viewerId: Id,
  { history, before, after, id }: Cursor,
): [Statement<Behind>, (string | null)[]] => [
  {
    name: behind.name,
    text: behind.text,
    read([snapshot, lastXid, list, rest]: Fields): Behind {
      const ids = list?.match(ID) ?? []
      const now = tightened(snapshot as string, Number(lastXid ?? 0))
      return {
        ids,
        rest: Number(rest),
        isAll: ids.length < MOST_IDS,
        snapshot: snapshot as string,
        passages: [
          { history, before, after },
          { history, before: after, after: now },
        ],
      }
    },
  },
  [viewerId, before, after, id, history],
]

/** The lists that a user has been let into or invited to: $1 the user. */
export const accessOfUser = statement(
  "access_of_user",
  "select list_id, state from memberships where user_id = $1::bigint",
  ([listId, state]) => ({ listId: listId as Id, state: state as Access["state"] }),
)

/** The place where the stream of all events is now, behind the last of them. */
export const placeNow = statement(
  "account_place_now",
  `select h.name, s.snapshot, ${lastXidIn("s.snapshot")}, coalesce(e.id, h.deleted_id), coalesce(e.occurred_at, h.deleted_at)
   from (select pg_current_snapshot() as snapshot) s, (select name, deleted_id, deleted_at from histories order by id desc limit 1) h
     left join (select id, occurred_at from events order by id desc limit 1) e on true`,
  ([history, snapshot, lastXid, id, occurredAt]): Cursor => {
    const now = tightened(snapshot as string, Number(lastXid ?? 0))
    return { history: history as string, before: now, after: now, id: id ?? "0", occurredAt: occurredAt ?? BEGINNING }
  },
)
/** Of the event before the first. */
const BEGINNING = "1970-01-01T00:00:00.000Z"

/**
 * How a cursor stands: $1 its history, $2 and $3 its snapshots, $4 and $5 its event. "late" when something behind it is not
 * kept, or it is of another history; "lost" when it is of this one and its event is gone all the same.
 */
export const standingOfCursor = statement(
  "standing_of_cursor",
  `select case
     when h.name <> $1 or h.deleted_xid >= pg_snapshot_xmin($2::pg_snapshot)
       and (h.deleted_xid >= pg_snapshot_xmin($3::pg_snapshot) or h.deleted_id > $4::bigint) then 'late'
     when pg_snapshot_xmax($3::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot()) then 'lost'
     when $4::bigint = 0 or exists (select from events where id = $4::bigint and occurred_at = $5::timestamptz)
       or (h.deleted_id, h.deleted_at) = ($4::bigint, $5::timestamptz) then 'good'
     when $4::bigint <= h.deleted_id then 'late'
     else 'lost' end
   from histories h order by h.id desc limit 1`,
  ([standing]) => standing as "good" | "late" | "lost",
)
