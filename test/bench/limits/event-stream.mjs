// The limit of the fan-out over server-sent events: bare HTTP, one insert per POST, the event made once and written to every stream.
import { createServer } from "node:http"
import pg from "pg"

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4 })
const streams = new Set()
const INSERT = `insert into tasks as t (list_id, title, created_by_id, updated_by_id) values ($1, $2, 1, 1)
  returning row_to_json(t)::text as json`

createServer((request, response) => {
  if (request.headers.accept === "text/event-stream") {
    response.useChunkedEncodingByDefault = false
    response.writeHead(200, { "content-type": "text/event-stream", connection: "close" }).write(":\n\n")
    streams.add(response)
    response.once("close", () => streams.delete(response))
    return
  }
  let text = ""
  request.on("data", (chunk) => {
    text += chunk
  })
  request.on("end", async () => {
    if (text === "") return response.end()
    const { input } = JSON.parse(text).variables
    const { rows } = await pool.query({ name: "insert", text: INSERT, values: [input.listId, input.title] })
    response.writeHead(200, { "content-type": "application/json" }).end(rows[0].json)
    for (const stream of streams) stream.write(`event: next\ndata: ${rows[0].json}\n\n`)
  })
}).listen(Number(process.env.PORT), "127.0.0.1")
