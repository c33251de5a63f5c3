// Follows a list and misses nothing: neither while the line is cut, nor while this program does not run.
//
//   npm install graphql graphql-ws ws
//   CLIENT_ID=… TOKEN=… node follow-list.mjs LIST_ID [FILE]
//
// FILE (place.json) keeps the last revision of the list that was seen. Each change of a list has the next revision, without
// a gap, so that `sinceRevision` says exactly where to go on.

import { readFileSync, writeFileSync } from "node:fs"
import { createClient } from "graphql-ws"
import WebSocket from "ws"

const { TANDEM_URL = "http://127.0.0.1:4000", CLIENT_ID, TOKEN } = process.env
const [listId, file = "place.json"] = process.argv.slice(2)
if (listId === undefined) throw new Error("Say which list: node follow-list.mjs LIST_ID")

/** @type {number | undefined} */
let sinceRevision
try {
  sinceRevision = JSON.parse(readFileSync(file, "utf8"))[listId]
} catch {
  // The first time: only what happens from now on.
}

const client = createClient({
  url: `${TANDEM_URL.replace(/^http/, "ws")}/graphql`,
  webSocketImpl: WebSocket,
  connectionParams: { "X-Client-ID": CLIENT_ID, "X-Access-Token": TOKEN },
  retryAttempts: Number.POSITIVE_INFINITY,
  // 4403 is the answer to wrong credentials, which get no better by asking again.
  shouldRetry: (event) => event.code !== 4403,
  // Soon at first, then every ten seconds; a little different for each client, so that they do not all come at once.
  retryWait: (attempt) =>
    new Promise((resolve) => setTimeout(resolve, Math.min(10_000, 100 * 2 ** attempt) * (0.5 + Math.random() / 2))),
  on: {
    connected: () => console.error("connected"),
    closed: ({ code, reason }) => console.error(`cut: ${code} ${reason}`),
  },
})

const query = `subscription ($listId: ID!, $sinceRevision: Int) {
  listUpdated(listId: $listId, sinceRevision: $sinceRevision) {
    listRevision operation subjectType subjectId after
  }
}`

// graphql-ws subscribes anew after each cut and writes the variables down once more: as they are then.
const variables = {
  listId,
  get sinceRevision() {
    return sinceRevision
  },
}

client.subscribe(
  { query, variables },
  {
    next({ data }) {
      const { listRevision, operation, subjectType, subjectId, after } = data.listUpdated
      // First do what is to be done, then remember that it was: a crash in between repeats it, and loses nothing.
      console.log(JSON.stringify({ listRevision, operation, subjectType, subjectId, title: after?.title }))
      sinceRevision = listRevision
      writeFileSync(file, JSON.stringify({ [listId]: sinceRevision }))
    },
    error(errors) {
      // RESYNC_REQUIRED: the 30 days for which events are kept are over. Read the list again and begin at its revision.
      console.error("ended:", Array.isArray(errors) ? errors.map(({ message }) => message).join(" ") : errors)
      process.exitCode = 1
    },
    complete: () => console.error("ended: the list is gone, or you have left it"),
  },
)
