import { listenOver } from "./listener.js"

// What is true of subscriptions over a socket is true of them over server-sent events: the same tests, by the other client.
listenOver("graphql-sse")
await import("./list-updated.test.js")
await import("./account-updated.test.js")
await import("./file-created.test.js")
