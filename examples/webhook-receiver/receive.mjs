// Receives webhooks and believes none that is not signed.
//
//   npm install standardwebhooks
//   CLIENT_ID=… TOKEN=… node receive.mjs LIST_ID https://hooks.example.org/tandem
//
// The second argument is the address of this program as the service reaches it; it listens on PORT (8080). To try both on one
// machine, start the service with WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8: else it posts to no address inside.

import { createServer } from "node:http"
import { Webhook } from "standardwebhooks"

const { TANDEM_URL = "http://127.0.0.1:4000", CLIENT_ID, TOKEN, PORT = "8080" } = process.env
const [listId, address = `http://127.0.0.1:${PORT}/`] = process.argv.slice(2)
if (listId === undefined) throw new Error("Say of which list: node receive.mjs LIST_ID [ADDRESS]")

/** @param {string} query @param {Record<string, unknown>} variables */
async function ask(query, variables) {
  const response = await fetch(`${TANDEM_URL}/graphql`, {
    method: "POST",
    headers: { "X-Client-ID": CLIENT_ID, "X-Access-Token": TOKEN, "Content-Type": "application/json" },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = await response.json()
  if (errors) throw new Error(errors.map(({ message }) => message).join("\n"))
  return data
}

/** @type {Webhook} */
let verifier
/** What was taken already: a delivery whose answer is lost comes again, under the same id. In earnest keep them for a day. */
const taken = new Set()

const server = createServer(async (request, response) => {
  // The bytes as they came: JSON that was parsed and written again has another signature.
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  let event
  try {
    // Checks the signature, and that its time is not long ago, so that nobody can send an old one again.
    event = verifier.verify(body, request.headers)
  } catch (error) {
    console.error(`refused: ${error.message}`)
    return response.writeHead(401).end()
  }
  // Answer soon, work later: after some seconds it counts as failed, and comes again.
  response.writeHead(204).end()
  const id = request.headers["webhook-id"]
  if (taken.has(id)) return
  taken.add(id)
  console.log(JSON.stringify(event))
})
await new Promise((resolve) => server.listen(Number(PORT), resolve))

// The secret is shown when the webhook is made, and never again.
const { createWebhook: webhook } = await ask(
  "mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { id secret } }",
  { input: { listId, url: address, processorType: "generic", configuration: "" } },
)
verifier = new Webhook(webhook.secret)
console.error(`receiving at ${address}`)

async function stop() {
  server.close()
  await ask("mutation ($id: ID!) { deleteWebhook(id: $id) }", { id: webhook.id })
}
process.once("SIGINT", stop)
process.once("SIGTERM", stop)
