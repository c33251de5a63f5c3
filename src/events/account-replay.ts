import { type Id, type Statement, statement } from "../statement.js"
import type { Cursor } from "./cursor.js"
import { eventColumns, SIGNALS } from "./event.js"
import { AccountEvent } from "./event.type.js"
import type { Access } from "./stream.js"

/** How many events a replay reads at once. */
export const ACCOUNT_PAGE = 1_000
const FEW_EVENTS = 2_000

/** One event behind a cursor, with the snapshot at which it was read. */
export type Replayed = { readonly snapshot: string; readonly event: AccountEvent | undefined }

// Of what the cursor's second snapshot sees, only the rest of the batch in which the cursor lies.
const isBehind = (
  e: string,
) => `${e}.xid >= pg_snapshot_xmin($2::pg_snapshot) and case when pg_visible_in_snapshot(${e}.xid, $3::pg_snapshot)
  then ${e}.id > $4::bigint and not pg_visible_in_snapshot(${e}.xid, $2::pg_snapshot) else true end`
const isNoSignal = (e: string) => `${e}.subject_type <> all('{${SIGNALS}}')`
// Whom a deleted list was open to is in its last event, where no answer shows it.
const isOfMember = (e: string) =>
  `${e}.subject_type = 'membership' and (coalesce(${e}.after, ${e}.before)->>'user_id')::bigint = $1::bigint`
const isEndOfList = (e: string) =>
  `${e}.subject_type = 'list' and ${e}.operation = 'DELETE' and ${e}.before->'member_ids' @> to_jsonb($1::bigint)`
const isOwn = (e: string) => `${e}.user_id = $1::bigint and ${isNoSignal(e)}`

// While little has happened since, all of it is looked through; else what the user can see is looked up, list by list.
const eventsBehind = statement(
  "account_events_behind",
  `with latest as materialized (select * from events where xid >= pg_snapshot_xmin($2::pg_snapshot) order by xid limit ${FEW_EVENTS + 1}),
   mine as materialized (select list_id, state = 'accepted' as is_in from memberships where user_id = $1::bigint),
   few as materialized (select count(*) <= ${FEW_EVENTS} as are_few from latest),
   seen as (
     select e.id from latest e where (select are_few from few) and ${isBehind("e")}
       and (${isOwn("e")} or ${isOfMember("e")} or ${isEndOfList("e")} or e.list_id in (select list_id from mine where is_in)
         or e.subject_type in ('list', 'membership') and e.list_id in (select list_id from mine))
     union select e.id from mine m join events e on e.list_id = m.list_id
       where (select not are_few from few) and (m.is_in or e.subject_type in ('list', 'membership')) and ${isBehind("e")}
     union select e.id from events e where (select not are_few from few) and ${isOwn("e")} and ${isBehind("e")}
     union select e.id from events e where (select not are_few from few) and ${isOfMember("e")} and ${isBehind("e")}
     union select e.id from events e where (select not are_few from few) and ${isEndOfList("e")} and ${isBehind("e")})
   select s.snapshot, pg_visible_in_snapshot(e.xid, $3::pg_snapshot) as is_rest, ${eventColumns("e")}
   from (select pg_current_snapshot() as snapshot) s left join (seen join events e using (id)) on true
   order by is_rest desc, e.id limit ${ACCOUNT_PAGE}`,
  (fields) => fields,
)

/** What a user can see of the events behind a cursor, by what he is a member of now. The rest of the batch in which the cursor lies comes first. */
export const eventsBehindCursor = (
  viewerId: Id,
  { history, before, after, id }: Cursor,
): [Statement<Replayed>, (string | null)[]] => [
  {
    ...eventsBehind,
    read(fields) {
      const snapshot = fields[0] as string
      const passage = fields[1] === "t" ? { history, before, after } : { history, before: after, after: snapshot }
      return { snapshot, event: fields[2] === null ? undefined : new AccountEvent(fields, 2, passage) }
    },
  },
  [viewerId, before, after, id],
]

/** The lists that a user has been let into or invited to: $1 the user. */
export const accessOfUser = statement(
  "access_of_user",
  "select list_id, state from memberships where user_id = $1::bigint",
  ([listId, state]) => ({ listId: listId as Id, state: state as Access["state"] }),
)

/** The place where the stream of all events is now. */
export const placeNow = statement(
  "account_place_now",
  "select pg_current_snapshot()",
  ([snapshot]) => snapshot as string,
)

/** The place where the stream is now, with the latest event that a cursor of this moment can stand behind; null for none. */
export const placeWithEvent = statement(
  "account_place_with_event",
  `select s.snapshot, (select id from events where occurred_at > now() - interval '29 days' order by id desc limit 1)
   from (select pg_current_snapshot() as snapshot) s`,
  ([snapshot, id]) => ({ snapshot: snapshot as string, id }),
)

// A little less than the 30 days for which events are kept: what comes behind such an event is sure to be there.
/** Whether what is behind a cursor is all kept: $1 the cursor's event, $2 its snapshot. */
export const isKept = statement(
  "is_cursor_kept",
  `select 1 from events where id = $1::bigint and occurred_at > now() - interval '30 days' + interval '10 minutes'
   and pg_snapshot_xmax($2::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot())`,
  () => true,
)
