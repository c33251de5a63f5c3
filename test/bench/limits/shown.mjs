// What the hand-written limits of lists of objects have alike: how a caller is known, and how rows become objects.
import { createServer } from "node:http"

export const CALLER = `caller as materialized (select a.user_id from access_tokens a join applications p on p.id = a.application_id
  where a.token_hash = sha256($1::bytea) and p.client_id = $2 and a.revoked_at is null)`
export const LISTS = "memberships m join caller c on c.user_id = m.user_id and m.state = 'accepted'"
export const TASK = [
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

export const columns = (row, names) => names.map((name) => `${row}.${name}`).join(", ")

const shownAs = (name, text) => {
  if (text === null) return undefined
  if (name === "starred" || name === "completed") return text === "t"
  return /id$|revision/.test(name) ? Number(text) : text
}

/** An object of the columns of a row of texts. */
export const dataOf = (type, names, row, from = 0) => {
  const data = { type }
  names.forEach((name, index) => {
    data[name] = shownAs(name, row[from + index])
  })
  return data
}

/** Text as PostgreSQL sends it, one plan for all values. */
export const CLIENT = {
  connectionString: process.env.DATABASE_URL,
  types: { getTypeParser: () => (text) => text },
  options: "-c timezone=UTC -c datestyle=ISO,YMD -c jit=off -c plan_cache_mode=force_generic_plan",
}

/** Serves what `answer` gives for a request, as JSON; everything of the interface that is compared is empty. */
export function serve(answer) {
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
}
