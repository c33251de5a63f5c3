import { afterAll, beforeAll } from "vitest"
import { listenOver } from "./listener.js"

// What is true of subscriptions over a socket is true of them over server-sent events: the same tests, by the other client. Under
// a name of their own, or a worker that has run them over a socket would not run them again.
beforeAll(() => listenOver("graphql-sse"))
afterAll(() => listenOver("graphql-ws"))
for (const name of ["list-updated", "account-updated", "file-created"]) await import(`./${name}.test.ts?over=events`)
