import { knownTo } from "../access/access.js"
import { HEAD, HERE, isLate, isNews, MINE, NEWS_OF_LISTS, reachFrom } from "../events/behind.js"
import { SIGNALS } from "../events/event.js"

// What has changed for the viewer behind a cursor, as parts of statements; $1 to $6 as in `behind.ts`, and $7 a snapshot up to
// which it is looked at, or null for now.

/** Selected, so that it is made once for all events. */
const UP_TO = "(select coalesce($7::pg_snapshot, pg_current_snapshot()))"
const isIn = (xid: string): string => `pg_visible_in_snapshot(${xid}, ${UP_TO})`

/** Taken from the ids of the rest of a batch; no id is as large. */
const REST = 2n ** 62n
/** The id of an event by its turn. */
export const idOf = (turn: string): string => `case when ${turn} < 0 then ${turn} + ${REST} else ${turn} end`

/**
 * What else an event tells of: the task of what lies in one; of a membership the user, when they begin or cease to be known by it;
 * of a reminder, which is in its user's events and in no list's, its task.
 */
const WITHIN = `case when e.subject_type in ('task', 'list') then null
     when e.subject_type in ('subtask', 'note', 'task_comment', 'file', 'reminder') then (coalesce(e.after, e.before)->>'task_id')::bigint
     when e.subject_type = 'subtask_position' then e.subject_id
     when e.subject_type = 'membership' and 'accepted' in (e.before->>'state', e.after->>'state')
       and e.before->>'state' is distinct from e.after->>'state' then (coalesce(e.after, e.before)->>'user_id')::bigint end as within_id`
/** Who acted, as every `ChangeEvent` shows it: whom an invitation by address is for is not told by what they do with it. */
export const ACTOR = `case when e.subject_type = 'membership' and coalesce(e.after, e.before)->>'state' = 'pending'
       and (coalesce(e.after, e.before)->>'user_id')::bigint = e.actor_id
     then coalesce((coalesce(e.after, e.before)->>'shown_user_id')::bigint, e.actor_id) else e.actor_id end`
/** Where an event stands among those behind the cursor: below 0 the rest of the batch in which the cursor lies, then all others. */
const TURN = `case when pg_visible_in_snapshot(e.xid, $4::pg_snapshot) then e.id - ${REST} else e.id end as turn`
const COLUMNS = `${TURN}, e.xid, e.operation, e.subject_type, e.subject_id, e.revision, e.list_id`
/** A list that is closed: nothing of it is left to the viewer. */
const CLOSED = `${TURN}, e.xid, 'DELETE', 'list', e.list_id, e.list_revision, e.list_id`
const OF_VIEWER = "e.subject_type = 'membership' and (coalesce(e.after, e.before)->>'user_id')::bigint = $2::bigint"

const NEWS = `${isNews("e.id", "e.xid")} and ${isIn("e.xid")}`

/** News of what lies in none of the viewer's lists, by what it tells of: their own, people they know, lists that are closed or deleted. */
const BESIDE_LISTS = {
  own: `events e where e.user_id = $2::bigint and e.subject_type <> all('{${SIGNALS}}') and ${isLate("e.xid")} and ${NEWS}`,
  people: `events e where e.subject_type = 'user' and e.user_id <> $2::bigint and ${isLate("e.xid")} and ${NEWS} and ${knownTo("e.user_id", "$2")}`,
  closed: `events e where ${OF_VIEWER} and ${NEWS} and e.list_id not in (select list_id from mine)`,
  deleted: `events e where e.subject_type = 'list' and e.operation = 'DELETE' and e.before->'member_ids' @> to_jsonb($2::bigint) and ${isLate("e.xid")} and ${NEWS}`,
}

/** Whether there may be news, at a glance: with what says so, as parts of a statement. */
export const HINTS_OF_NEWS = `recursive ${HERE}, ${MINE}, ${HEAD}`
export const HAS_HINTS = ["head", ...Object.values(BESIDE_LISTS)]
  .map((rows) => `exists (select from ${rows})`)
  .join(" or ")

/**
 * `opened` are lists that the viewer was let into, invited to or made behind the cursor: they are shown whole, and their events
 * are nobody's news. `was_in` tells that the viewer had been there and left.
 *
 * `seen` are the events of everything else, `moved` those tasks among theirs that came from where the viewer sees nothing: they
 * are shown with all that is in them. A move between two lists of theirs is a deletion and a creation in one transaction.
 */
export const NEWS_OF_VIEWER = `recursive ${HERE}, ${MINE}, ${HEAD},
   opened as materialized (
     select h.list_id, exists (
       select from events e where e.list_id = h.list_id and ${OF_VIEWER} and e.operation = 'DELETE' and ${NEWS}) as was_in
     from head h left join lateral (
       select f.id, f.xid from events f where h.since_id is null and f.list_id = h.list_id and f.list_revision = 1) f on true
     where ${isNews("coalesce(h.since_id, f.id)", "coalesce(h.since_xid, f.xid)")} and ${isIn("coalesce(h.since_xid, f.xid)")}),
   ${reachFrom("h.list_id not in (select list_id from opened)")},
   seen as materialized (
     select ${COLUMNS}, ${WITHIN}, r.is_in or e.subject_type in ('list', 'membership') as is_shown
     from ${NEWS_OF_LISTS} where ${NEWS}
     union all
     select ${COLUMNS}, ${WITHIN}, true from ${BESIDE_LISTS.own}
     union all
     select ${COLUMNS}, null, true from ${BESIDE_LISTS.people}
     union all
     select ${CLOSED}, null, true from ${BESIDE_LISTS.closed}
     union all
     select ${CLOSED}, null, true from ${BESIDE_LISTS.deleted}),
   moved as materialized (
     select s.subject_id as id, (array_agg(s.list_id order by s.turn) filter (where s.operation = 'DELETE'))[1] as was_in, max(s.revision) as revision
     from seen s where s.subject_type = 'task' and s.operation <> 'UPDATE' and s.is_shown group by s.subject_id
     having bool_or(s.operation = 'CREATE' and s.revision > 1 and not exists (
       select from events d join reach r on r.list_id = d.list_id and d.list_revision >= r.since and r.is_in
       where d.xid = s.xid and d.subject_type = 'task' and d.subject_id = s.subject_id and d.operation = 'DELETE')))`
