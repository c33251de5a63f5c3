// The REST interface with types: openapi-typescript makes them of the service's own OpenAPI document, openapi-fetch uses them.
//
//   npm install openapi-fetch openapi-typescript
//   npx openapi-typescript http://127.0.0.1:4000/docs/openapi.json -o api.d.ts
//   node tasks.ts            (Node 22.18 or later; before that: npx tsx tasks.ts)

import createClient from "openapi-fetch"
import type { paths } from "./api.js"

const { TANDEM_URL = "http://127.0.0.1:4000", CLIENT_ID = "", TOKEN = "" } = process.env

const client = createClient<paths>({
  baseUrl: TANDEM_URL,
  headers: { "X-Client-ID": CLIENT_ID, "X-Access-Token": TOKEN },
})

/** The answer, or why there is none. */
function answered<Data>({ data, error, response }: { data?: Data; error?: unknown; response: Response }): Data {
  if (data === undefined) throw new Error(`${response.status}: ${JSON.stringify(error)}`)
  return data
}

const list = answered(await client.POST("/api/v1/lists", { body: { title: "Groceries" } }))
const task = answered(await client.POST("/api/v1/tasks", { body: { list_id: list.id, title: "Buy milk" } }))

/** Completes a task. When somebody was faster, the task is read again and completed as it is then. */
async function complete(id: number, revision: number): Promise<number> {
  const params = { path: { id } }
  const reply = await client.PATCH("/api/v1/tasks/{id}", { params, body: { revision, completed: true } })
  if (reply.response.status !== 409) return answered(reply).revision
  const now = answered(await client.GET("/api/v1/tasks/{id}", { params }))
  return complete(id, now.revision)
}

// Somebody changes the task in the meantime, so that the revision that we know is stale.
answered(
  await client.PATCH("/api/v1/tasks/{id}", {
    params: { path: { id: task.id } },
    body: { revision: task.revision, starred: true },
  }),
)
console.log(`completed at revision ${await complete(task.id, task.revision)}`)

const done = answered(await client.GET("/api/v1/tasks", { params: { query: { list_id: list.id, completed: true } } }))
for (const { title, starred, completed_at } of done) console.log({ title, starred, completed_at })
