import { once } from "node:events"
import { request } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import express from "express"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Viewer } from "../../src/context.js"
import { createHeldMemory } from "../../src/operations/held-memory.js"
import { createOperations } from "../../src/operations/operations.js"
import { SCOPES, type Scope } from "../../src/scalars/scope.js"
import { statement } from "../../src/statement.js"
import { servedSchema } from "../../src/transports/docs/served-schema.js"
import { graphqlEventStream } from "../../src/transports/graphql/event-stream.js"
import { createGraphqlHttp } from "../../src/transports/graphql/http.js"
import { createEventStreams } from "../../src/transports/http/event-stream.js"
import { silentLog } from "../support/log.js"
import { makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"

const ACCOUNT_UPDATED = JSON.stringify({ query: "subscription { accountUpdated { subjectType } }" })
const STREAM = { "Content-Type": "application/json", Accept: "text/event-stream" }
const soon = { timeout: 20_000 }

let node: TestNode
beforeAll(async () => {
  node = await startNode()
})
afterAll(() => node.stop())

const revoke = ({ id }: Person) =>
  runSql(node.databaseUrl, `update access_tokens set revoked_at = now() where user_id = ${id}`)
const narrow = ({ id }: Person) =>
  runSql(node.databaseUrl, `update access_tokens set scopes = '{write}' where user_id = ${id}`)

describe("A stream whose token ends or is narrowed before it begins", () => {
  it.each([
    ["ended", revoke, 401, "UNAUTHORIZED"],
    ["narrowed", narrow, 200, "INSUFFICIENT_SCOPE"],
  ] as const)("is refused over GraphQL when it is %s while the body comes", async (_, change, status, code) => {
    const ann = await makePerson(node)
    const length = Buffer.byteLength(ACCOUNT_UPDATED)
    const headers = { ...ann.headers, ...STREAM, "Content-Length": length }
    const asked = request(`${node.url}/graphql`, { method: "POST", headers })
    const answered = once(asked, "response")
    asked.write(ACCOUNT_UPDATED.slice(0, 5))
    // What is sent behind it has been answered, so its head has been read.
    expect((await ann.get("/user")).status).toBe(200)
    await change(ann)
    await expect.poll(async () => (await ann.get("/user")).status, soon).not.toBe(200)
    asked.end(ACCOUNT_UPDATED.slice(5))
    const [response] = await answered
    let text = ""
    for await (const chunk of response) text += chunk
    expect(response.statusCode).toBe(status)
    expect(text).toContain(code)
    expect(text).not.toMatch(/^:$/m) // with which a stream begins
  })

  it.each([
    ["has ended", undefined, 401, "UNAUTHORIZED"],
    ["has lost the scope", ["write"] as Scope[], 403, "INSUFFICIENT_SCOPE"],
  ])("is refused over GraphQL when it %s at the last moment", async (_, left, status, code) => {
    const viewerWith = (scopes: readonly Scope[]) =>
      ({ userId: "1", tokenId: "1", scopes: new Set(scopes) }) as unknown as Viewer
    const [before, now] = [viewerWith(SCOPES), left && viewerWith(left)]
    const schema = servedSchema()
    const operations = createOperations(schema, { introspection: true, suggestions: false })
    const streams = createEventStreams({ authenticate: () => now, live: { watchToken: () => () => {} } })
    const unused: any = {}
    const held = createHeldMemory().of("1")
    const graphql = await createGraphqlHttp({
      ...{ schema, operations, log: silentLog, onWrite() {}, transaction: unused },
      contextOf: async () => ({ viewer: before, held }) as any,
      viewerOf: () => before,
      eventStream: graphqlEventStream({ operations, streams, log: silentLog, subscriptions: unused, cursors: unused }),
    })
    const server = express().use(graphql.handler).listen(0, "127.0.0.1")
    try {
      await once(server, "listening")
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      const reply = await fetch(url, { method: "POST", headers: STREAM, body: ACCOUNT_UPDATED })
      expect([reply.status, await reply.text()]).toEqual([status, expect.stringContaining(code)])
      expect(streams.status()).toEqual({ eventStreams: 0 })
    } finally {
      server.closeAllConnections()
      server.close()
      streams.stop()
      await graphql.stop()
    }
  })

  const lockTask = statement("lock_task", "select id from tasks where id = $1::bigint for update", () => true)

  it.each([
    ["ended", revoke, 401],
    ["narrowed", narrow, 403],
  ] as const)("is refused over REST when it is %s while the first page waits to be read", async (_, change, status) => {
    const ann = await makePerson(node)
    const task = await makeTask(ann, { id: ann.inboxId })
    const [asked, patches] = await node.database.transaction(async (inside) => {
      await inside.run(lockTask, [String(task.id)])
      // As many as a user has under way: what they ask for behind them waits.
      const held = Array.from({ length: 16 }, () => ann.patch(`/tasks/${task.id}`, { revision: 1, title: "x" }))
      const look = () => Promise.race([ann.get("/user").then((reply) => reply.status), sleep(500, "it waits")])
      await expect.poll(look, soon).toBe("it waits")
      const stream = fetch(`${node.url}/api/v1/events`, { headers: ann.headers })
      await change(ann)
      await expect.poll(look, soon).toBe(status)
      return [stream, held] as const
    })
    await Promise.all(patches)
    const reply = await asked
    expect(reply.status).toBe(status)
    await reply.body?.cancel()
  })
})
