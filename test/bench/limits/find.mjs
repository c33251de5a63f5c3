// The limit of finding tasks: node:http and pg, for each question one statement of its own and JSON.stringify. It folds no more than
// upper and lower case, tells not where a text was found, and has no place to go on from.
import pg from "pg"
import { CALLER, CLIENT, columns, dataOf, LISTS, serve, TASK } from "./shown.mjs"

const client = new pg.Client(CLIENT)
await client.connect()

const smart = (condition, order, ofEqual = "") => `with ${CALLER} select ${columns("t", TASK)} from ${LISTS}
  cross join lateral (select * from tasks t where t.list_id = m.list_id and ${condition} offset 0) t order by ${order}, t.id ${ofEqual} limit 50`
const OF_LISTS = "select t.id from tasks t where t.list_id = any(array(select list_id from lists_open))"

const STATEMENTS = {
  today: smart("t.due_date = '2026-06-15' and not t.completed", "t.due_date"),
  week: smart("t.due_date between '2026-06-15' and '2026-06-21' and not t.completed", "t.due_date"),
  starred: smart("t.starred and not t.completed", "t.due_date"),
  mine: smart("t.assignee_id = m.user_id and not t.completed", "t.due_date"),
  done: smart("t.completed_at >= '2026-06-15'", "t.completed_at desc", "desc"),
  text: `with ${CALLER}, lists_open as materialized (select m.list_id from ${LISTS}), wanted as materialized (${OF_LISTS}), found as (
      select t.id from tasks t where t.id = any(array(select id from wanted)) and strpos(lower(t.title), $3) > 0
      union select n.task_id from notes n where n.task_id = any(array(select id from wanted)) and strpos(lower(n.content), $3) > 0
      union select s.task_id from subtasks s where s.task_id = any(array(select id from wanted)) and strpos(lower(s.title), $3) > 0
      union select c.task_id from task_comments c where c.task_id = any(array(select id from wanted)) and strpos(lower(c.text), $3) > 0
      union select f.task_id from files f where f.task_id = any(array(select id from wanted)) and strpos(lower(f.file_name), $3) > 0)
    select ${columns("t", TASK)} from found join tasks t on t.id = found.id order by t.due_date, t.id limit 50`,
}

serve(async ({ url, headers }) => {
  const [name, text] = url.slice(1).split("?")
  const values = [headers["x-access-token"], headers["x-client-id"], ...(text ? [decodeURIComponent(text)] : [])]
  const { rows } = await client.query({ name, text: STATEMENTS[name], values, rowMode: "array" })
  return JSON.stringify(rows.map((row) => dataOf("task", TASK, row)))
})
