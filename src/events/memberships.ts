import { accepted } from "../access/access.js"
/**
 * Since when the events of a user's lists are for them, as a query: `list_id`, `is_in` and `since`, the revision of the list
 * that the acceptance made, or where it waits the invitation, or what made it theirs. What is older was never theirs. 0 where that was so long ago
 * that nothing of before is kept, and then `since_id` and `since_xid`, of the event itself, are null.
 * @param user the user's id, in SQL
 * @param list one list's id, in SQL; all lists without it
 */
export const membershipsOf = (user: string, list?: string): string =>
  `select m.list_id, ${accepted("m")} as is_in, coalesce(b.since, 0) as since, b.id as since_id, b.xid as since_xid
   from (
     select distinct m.list_id, m.state from memberships m
     where m.user_id = ${user}${list === undefined ? "" : ` and m.list_id = ${list}`}) m left join (
     select distinct on (e.list_id, e.after->>'state') e.list_id, e.after->>'state' as state, e.list_revision as since, e.id, e.xid from events e
     where e.subject_type = 'membership' and (coalesce(e.after, e.before)->>'user_id')::bigint = ${user}
       and (e.after->>'state', e.after->>'user_id') is distinct from (e.before->>'state', e.before->>'user_id')${list === undefined ? "" : ` and e.list_id = ${list}`}
     order by 1, 2, 3 desc) b on b.list_id = m.list_id and b.state = m.state`
