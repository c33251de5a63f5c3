import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import WebSocket from "ws"
import { openDatabase } from "../../src/database/client.js"
import { askByHand } from "../support/ask-by-hand.js"
import { buildServer, startBuiltServer } from "../support/built-server.js"
import { makePerson, makeTask } from "../support/make.js"
import { createTestDatabase, type TestDatabase } from "../support/postgres.js"

const SOCKETS = 50
const CONNECTIONS = 10
const REQUEST_MS = 2_000

let database: TestDatabase
let node: ChildProcess
let url: string

beforeAll(async () => {
  buildServer()
  database = await createTestDatabase()
  ;({ node, url } = await startBuiltServer(database.url))
}, 180_000)
afterAll(async () => {
  node.kill("SIGKILL")
  await database.drop()
})

describe("SIGTERM", () => {
  it("answers clients that have a connection, closes every socket with 1001, opens no new one, and ends with 0", async () => {
    const store = openDatabase(database.url)
    const ann = await makePerson({ url, database: store })
    const task = await makeTask(ann, { id: ann.inboxId })
    const address = `${url.replace("http", "ws")}/graphql`
    const sockets = await Promise.all(
      Array.from({ length: SOCKETS }, async () => {
        const socket = new WebSocket(address, "graphql-transport-ws")
        await once(socket, "open")
        socket.send(JSON.stringify({ type: "connection_init", payload: ann.headers }))
        await once(socket, "message")
        return { closed: once(socket, "close") }
      }),
    )
    // Another transaction holds the row, so the request takes as long as that does.
    const holder = new pg.Client({ connectionString: database.url })
    await holder.connect()
    await holder.query("begin")
    await holder.query("select from tasks where id = $1 for update", [task.id])
    const slow = ann.patch(`/tasks/${task.id}`, { revision: 1, title: "in flight" })
    await sleep(200)

    const startedAt = Date.now()
    const exited = once(node, "exit")
    // The kernel takes connections for a process that has not come to it yet.
    node.kill("SIGSTOP")
    const early = await Promise.all(Array.from({ length: CONNECTIONS }, () => askByHand(url)))
    node.kill("SIGTERM")
    node.kill("SIGCONT")
    await sleep(100)
    node.kill("SIGTERM")
    const late = new WebSocket(address, "graphql-transport-ws")
    await expect(once(late, "open")).rejects.toThrow()
    await sleep(REQUEST_MS - (Date.now() - startedAt))
    await holder.query("commit")

    expect(await Promise.all(early.map(({ answer }) => answer))).toEqual(Array(CONNECTIONS).fill("HTTP/1.1 200 OK"))
    expect(await slow).toMatchObject({ status: 200, body: { title: "in flight", revision: 2 } })
    const codes = await Promise.all(sockets.map(async ({ closed }) => (await closed)[0]))
    expect(codes).toEqual(Array(SOCKETS).fill(1001))
    expect(await exited).toEqual([0, null])
    expect(Date.now() - startedAt).toBeLessThan(15_000)
    await holder.end()
    await store.stop()
  }, 60_000)
})
