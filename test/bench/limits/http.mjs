// The hand-written limit: node:http and pg, nothing else. One prepared, pipelined statement per request checks the token and
// the membership and writes the answer's JSON; in a write the triggers do the rest, as for Tandem.
//   LIMIT=json  PostgreSQL makes the JSON · LIMIT=rows  rows to JSON here · LIMIT=bare  on tables without triggers and checks:
//   the statement itself bumps the list and writes the event, and nothing else that the triggers see to is done
import { createServer } from "node:http"
import pg from "pg"

const { LIMIT, DATABASE_URL, PORT } = process.env
const CONNECTIONS = 4
const types = { getTypeParser: () => (text) => text }
const lanes = await Promise.all(
  Array.from({ length: CONNECTIONS }, async () => {
    const options = "-c timezone=UTC -c datestyle=ISO,YMD"
    const client = new pg.Client({ connectionString: DATABASE_URL, types, pipeline: true, options })
    await client.connect()
    return { client, waiting: 0 }
  }),
)

async function run(name, values) {
  const lane = lanes.reduce((least, other) => (other.waiting < least.waiting ? other : least))
  lane.waiting++
  try {
    return (await lane.client.query({ name, text: STATEMENTS[name], values, rowMode: "array" })).rows
  } finally {
    lane.waiting--
  }
}

const COLUMNS = [
  ...["id", "list_id", "title", "assignee_id", "created_at", "created_by_id", "due_date", "starred", "completed"],
  ...["completed_at", "completed_by_id", "recurrence_type", "recurrence_count", "revision"],
]
const TEXTS = new Set(["title", "created_at", "due_date", "completed_at", "recurrence_type"])
const TASK = COLUMNS.map((name) => `t.${name}`).join(", ")
const CAMEL = `t.id, t.list_id as "listId", t.title, t.assignee_id as "assigneeId", t.created_at as "createdAt",
  t.created_by_id as "createdById", t.due_date as "dueDate", t.starred, t.completed, t.recurrence_type as "recurrenceType",
  t.recurrence_count as "recurrenceCount", t.revision`
const CREATED = `t.id, t.list_id as "listId", t.title, t.starred, t.due_date as "dueDate", t.created_at as "createdAt",
  t.created_by_id as "createdById", t.revision`

/** The caller may see this list; the token is $2, the client ID $3. */
const open = (list) => `exists (select from access_tokens a join applications p on p.id = a.application_id
  join memberships m on m.user_id = a.user_id where a.token_hash = sha256($2::bytea) and p.client_id = $3 and a.revoked_at is null
  and m.list_id = ${list} and m.state = 'accepted')`
const CALLER = "(select user_id from access_tokens where token_hash = sha256($2::bytea))"

const INSERT = `insert into tasks (list_id, title, starred, due_date, created_by_id, updated_by_id)`
const EVENT =
  "e as (insert into events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, before, after)"
const created =
  LIMIT === "bare"
    ? (
        answer,
      ) => `with l as (update lists set revision = revision + 1 where id = $1::bigint and ${open("$1::bigint")} returning id, revision),
        t as (${INSERT} select l.id, $4, $5::boolean, $6::date, ${CALLER}, ${CALLER} from l returning *),
        ${EVENT} select l.id, l.revision, 'CREATE', 'task', t.id, t.revision, t.updated_by_id, null, to_jsonb(t) from l, t)
        select row_to_json(x)::text from (select ${answer} from t) x`
    : (
        answer,
      ) => `with t as (${INSERT} select $1::bigint, $4, $5::boolean, $6::date, ${CALLER}, ${CALLER} where ${open("$1::bigint")} returning *)
        select row_to_json(x)::text from (select ${answer} from t) x`
const patched =
  LIMIT === "bare"
    ? `with was as materialized (select t.* from tasks t where t.id = $1::bigint),
        t as (update tasks t set title = $4, revision = revision + 1 where t.id = $1::bigint and t.revision = $5::bigint and ${open("t.list_id")} returning *),
        l as (update lists l set revision = l.revision + 1 from t where l.id = t.list_id returning l.id, l.revision),
        ${EVENT} select l.id, l.revision, 'UPDATE', 'task', t.id, t.revision, t.updated_by_id, to_jsonb(was), to_jsonb(t) from l, t, was)`
    : `with t as (update tasks t set title = $4, updated_by_id = updated_by_id
        where t.id = $1::bigint and $5::bigint between t.own_revision and t.revision and ${open("t.list_id")} returning *)`

const STATEMENTS = {
  tasks:
    LIMIT === "rows"
      ? `select ${TASK} from tasks t where t.list_id = $1::bigint and not t.completed and ${open("$1::bigint")} order by t.id`
      : `select json_agg(x)::text from (select ${TASK} from tasks t where t.list_id = $1::bigint and not t.completed and ${open("$1::bigint")} order by t.id) x`,
  task: `select row_to_json(x)::text from (select ${TASK} from tasks t where t.id = $1::bigint and ${open("t.list_id")}) x`,
  create: created(TASK),
  patch: `${patched} select row_to_json(x)::text from (select ${TASK} from t) x`,
  tree: `select row_to_json(j)::text from (select l.id, l.title, l.revision, coalesce((select json_agg(x) from (select ${CAMEL},
      coalesce((select json_agg(y) from (select s.id, s.title, s.completed from subtasks s where s.task_id = t.id order by s.id) y), '[]') as subtasks,
      coalesce((select json_agg(z) from (select n.id, n.content from notes n where n.task_id = t.id order by n.id) z), '[]') as notes
    from tasks t where t.list_id = l.id and not t.completed order by t.id) x), '[]') as tasks
    from lists l where l.id = $1::bigint and ${open("$1::bigint")}) j`,
  createByGraphql: created(CREATED),
}

function bodyOf(request) {
  return new Promise((resolve) => {
    let text = ""
    request.setEncoding("utf8")
    request.on("data", (chunk) => {
      text += chunk
    })
    request.on("end", () => resolve(JSON.parse(text)))
  })
}

const written = (name, value) => {
  if (value === null) return "null"
  if (!TEXTS.has(name)) return value === "t" ? "true" : value === "f" ? "false" : value
  if (name === "title") return JSON.stringify(value)
  return name.endsWith("_at") ? `"${value.slice(0, 10)}T${value.slice(11)}:00"` : `"${value}"`
}
const jsonOf = (rows) =>
  `[${rows.map((row) => `{${COLUMNS.map((name, index) => `"${name}":${written(name, row[index])}`).join(",")}}`).join(",")}]`

function send(response, status, text = "{}") {
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
  response.end(text)
}

async function answer({ method, url, headers }, request, response) {
  const who = [headers["x-access-token"], headers["x-client-id"]]
  const sendFirst = ([row], status, miss, wrap = (text) => text) =>
    row?.[0] == null ? send(response, miss) : send(response, status, wrap(row[0]))
  if (method === "GET" && url.startsWith("/api/v1/tasks?list_id=")) {
    const rows = await run("tasks", [url.slice(22), ...who])
    return LIMIT === "rows" ? send(response, 200, jsonOf(rows)) : sendFirst(rows, 200, 404)
  }
  if (method === "GET") return sendFirst(await run("task", [url.slice(14), ...who]), 200, 404)
  const body = await bodyOf(request)
  if (method === "PATCH")
    return sendFirst(await run("patch", [url.slice(14), ...who, body.title, body.revision]), 200, 409)
  if (url === "/api/v1/tasks")
    return sendFirst(await run("create", [body.list_id, ...who, body.title, body.starred, body.due_date]), 201, 404)
  const { id, input } = body.variables
  if (id) return sendFirst(await run("tree", [id, ...who]), 200, 404, (text) => `{"data":{"list":${text}}}`)
  const values = [input.listId, ...who, input.title, input.starred, input.dueDate]
  return sendFirst(await run("createByGraphql", values), 200, 404, (text) => `{"data":{"createTask":${text}}}`)
}

createServer((request, response) => {
  answer(request, request, response).catch((error) => send(response, 500, JSON.stringify({ error: String(error) })))
}).listen(Number(PORT), "127.0.0.1")
