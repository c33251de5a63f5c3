// The limit of changes: node:http and pg, one statement and JSON.stringify. It looks where the news of the account's lists are and no
// further: neither at moves, nor at what was joined, left or deleted, nor at settings, folders and people, nor whether the place is known.
import pg from "pg"
import { CALLER, CLIENT, columns, dataOf, LISTS, serve, TASK } from "./shown.mjs"

const client = new pg.Client(CLIENT)
await client.connect()

const SUBTASK = ["id", "task_id", "title", "completed", "created_at", "created_by_id", "revision"]

const STATEMENTS = {
  poll: `with ${CALLER} select pg_current_snapshot(), exists (select from ${LISTS} cross join lateral (
      select e.xid from events e where e.list_id = m.list_id order by e.list_revision desc limit 1) e where not pg_visible_in_snapshot(e.xid, $3::pg_snapshot)),
      exists (select from events e join caller c on c.user_id = e.user_id where e.xid >= pg_snapshot_xmin($3::pg_snapshot))`,
  page: `with ${CALLER} select t.list_id, ${columns("s", SUBTASK)} from (select t.id, t.list_id from ${LISTS} join tasks t on t.list_id = m.list_id
      where t.id >= $3::bigint order by t.id) t cross join lateral (select * from subtasks s where s.task_id = t.id order by s.id) s limit 1000`,
  behind: `with ${CALLER} select distinct on (e.subject_id) e.actor_id, e.request_id, ${columns("t", TASK)}
      from ${LISTS} join events e on e.list_id = m.list_id and e.list_revision > $3::bigint join tasks t on t.id = e.subject_id
      where m.list_id = 600001 order by e.subject_id, e.id desc`,
}
const number = (text) => (text === null ? undefined : Number(text))
const change = (data, listId, actorId, requestId) => ({
  type: data.type,
  id: data.id,
  operation: "upsert",
  list_id: listId,
  revision: data.revision,
  actor_id: actorId,
  request_id: requestId,
  data,
})

serve(async ({ url, headers }) => {
  const [name, value] = url.slice(1).split("?")
  const values = [headers["x-access-token"], headers["x-client-id"], decodeURIComponent(value)]
  const { rows } = await client.query({ name, text: STATEMENTS[name], values, rowMode: "array" })
  const changes =
    name === "poll"
      ? []
      : name === "page"
        ? rows.map((row) => change(dataOf("subtask", SUBTASK, row, 1), number(row[0])))
        : rows.map((row) => {
            const data = dataOf("task", TASK, row, 2)
            return change(data, data.list_id, number(row[0]), row[1] ?? undefined)
          })
  return JSON.stringify({ changes, cursor: String(rows[0]?.[0]), has_more: false, full: name === "page" })
})
