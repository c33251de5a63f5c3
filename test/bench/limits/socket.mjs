// The limit of the fan-out: bare ws, one insert per POST, the message made once and sent to every socket.
import { createServer } from "node:http"
import pg from "pg"
import { WebSocketServer } from "ws"

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4 })
const sockets = new Set()
const INSERT = `insert into tasks as t (list_id, title, created_by_id, updated_by_id) values ($1, $2, 1, 1)
  returning row_to_json(t)::text as json`

const server = createServer((request, response) => {
  let text = ""
  request.on("data", (chunk) => {
    text += chunk
  })
  request.on("end", async () => {
    if (text === "") return response.end()
    const { input } = JSON.parse(text).variables
    const { rows } = await pool.query({ name: "insert", text: INSERT, values: [input.listId, input.title] })
    response.writeHead(200, { "content-type": "application/json" }).end(rows[0].json)
    for (const socket of sockets) socket.send(`{"type":"next","payload":${rows[0].json}}`)
  })
})
new WebSocketServer({ server, perMessageDeflate: false }).on("connection", (socket) => {
  socket.on("message", (data) => {
    if (String(data).includes("connection_init")) socket.send('{"type":"connection_ack"}')
    else sockets.add(socket)
  })
  socket.on("close", () => sockets.delete(socket))
})
server.listen(Number(process.env.PORT), "127.0.0.1")
