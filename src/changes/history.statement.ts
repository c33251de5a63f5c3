import { eventColumns } from "../events/event.js"
import { Event } from "../events/event.type.js"
import { membershipsOf } from "../events/memberships.js"
import { type Fields, statement } from "../statement.js"

// $1 is the list or task, $2 the viewer, $3 a revision of the list before which the events lie, or null; $4 how many. Events
// begin with the acceptance of the viewer's membership, here as in subscriptions.

/** An event; null for a list or task that is open to the viewer and has none. */
const read = (fields: Fields): Event | null => (fields[0] === null ? null : new Event(fields))

const before = (list: string, wanted: string): string =>
  `select ${eventColumns("e")} from (${membershipsOf("$2::bigint", list)}) m left join lateral (
     select * from events e where e.list_id = m.list_id and e.list_revision >= m.since and e.list_revision < coalesce($3::bigint, 9223372036854775807)
       and ${wanted} order by e.list_revision desc limit $4::integer) e on true
   where m.is_in order by e.list_revision desc`

/** What happened in a list; no row when it is closed to the viewer. */
export const historyOfList = statement("history_of_list", before("$1::bigint", "true"), read)

/** What happened to a task and in it, as long as it has been in its list; no row when it is closed to the viewer. */
export const historyOfTask = statement(
  "history_of_task",
  before(
    "(select t.list_id from tasks t where t.id = $1::bigint)",
    `case when e.subject_type in ('task', 'subtask_position') then e.subject_id = $1::bigint
       when e.subject_type in ('subtask', 'note', 'task_comment', 'file') then (coalesce(e.after, e.before)->>'task_id')::bigint = $1::bigint end`,
  ),
  read,
)
