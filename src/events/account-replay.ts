import { AccountEvent } from "../resources/event/event.type.js"
import { type Id, type Statement, statement } from "../statement.js"
import type { Cursor } from "./cursor.js"
import { eventColumns, SIGNALS } from "./event.js"
import { type Access, REPLAY_PAGE } from "./stream.js"

/** One event behind a cursor, with the snapshot at which it was read. */
export type Replayed = { readonly snapshot: string; readonly event: AccountEvent | undefined }

const isBehind = `e.xid >= pg_snapshot_xmin($2::pg_snapshot) and case when pg_visible_in_snapshot(e.xid, $3::pg_snapshot)
  then e.id > $4::bigint and not pg_visible_in_snapshot(e.xid, $2::pg_snapshot) else true end`

const isNoSignal = (e: string) => `${e}.subject_type <> all('{${SIGNALS}}')`
// Whom a deleted list was open to is in its last event, where no answer shows it.
const eventsBehind = statement(
  "account_events_behind",
  `with seen as (
     select e.id from memberships m join events e on e.list_id = m.list_id
     where m.user_id = $1::bigint and (m.state = 'accepted' or e.subject_type in ('list', 'membership')) and ${isBehind}
     union select e.id from events e where e.user_id = $1::bigint and ${isNoSignal("e")} and ${isBehind}
     union select e.id from events e where ${isBehind} and (e.subject_type = 'membership' or e.subject_type = 'list' and e.operation = 'DELETE')
       and (coalesce(e.after, e.before) @> jsonb_build_object('user_id', $1::bigint) or e.before->'member_ids' @> to_jsonb($1::bigint)))
   select s.snapshot, pg_visible_in_snapshot(e.xid, $3::pg_snapshot) as is_rest, ${eventColumns("e")}
   from (select pg_current_snapshot() as snapshot) s left join (seen join events e using (id)) on true
   order by is_rest desc, e.id limit ${REPLAY_PAGE}`,
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

// A little less than the 30 days for which events are kept: what comes behind such an event is sure to be there.
/** Whether what is behind a cursor is all kept: $1 the cursor's event, $2 its snapshot. */
export const isKept = statement(
  "is_cursor_kept",
  `select 1 from events where id = $1::bigint and occurred_at > now() - interval '30 days' + interval '10 minutes'
   and pg_snapshot_xmax($2::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot())`,
  () => true,
)
