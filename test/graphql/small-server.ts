import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import express, { type Request } from "express"
import { pino } from "pino"
import { expect } from "vitest"
import type { Viewer } from "../../src/context.js"
import { Unavailable } from "../../src/errors.js"
import type { RequestContext } from "../../src/operations/answer.js"
import { createHeldMemory } from "../../src/operations/held-memory.js"
import { createOperations } from "../../src/operations/operations.js"
import { requestLog } from "../../src/telemetry/request-log.js"
import { createGraphqlHttp } from "../../src/transports/graphql/http.js"
import { smallSchema } from "./small-schema.js"

/** The headers of a request whose viewer is known. With "down" for "good" the database is gone. */
export const GOOD = { "x-access-token": "good" }

export const JSON_TYPE = { "content-type": "application/json" }

type Line = { msg: string; err?: { message: string }; requestId?: string }

/** Starts a server of the small schema. `ran` and `lines` tell what mutations ran and what was logged. */
export async function startSmallServer() {
  const lines: Line[] = []
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const ran: string[] = []
  const memory = createHeldMemory()
  const viewerOf = (request: Request) =>
    request.get("x-access-token") === "good" ? ({ userId: "1" } as Viewer) : undefined
  const operations = createOperations(smallSchema, { introspection: true, suggestions: false })
  const graphql = await createGraphqlHttp({
    onWrite() {},
    transaction: () => Promise.reject(new TypeError("There is no database behind this schema.")),
    schema: smallSchema,
    operations,
    log,
    eventStream: async () => {},
    contextOf: async (request) => {
      const token = request.get("x-access-token")
      if (token === "down") throw new Unavailable()
      const held = memory.of(undefined)
      request.res?.once("close", held.release)
      return { viewer: viewerOf(request), ran, held } as unknown as RequestContext
    },
    viewerOf,
  })
  const app = express()
  app.use(requestLog(log))
  app.use("/graphql", graphql.handler)
  const server = createServer(app).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`

  async function send(init: RequestInit, query = "") {
    const response = await fetch(url + query, init)
    const text = await response.text()
    expect(response.headers.get("content-type")).toMatch(/^application\/(graphql-response\+)?json; charset=utf-8$/)
    return { status: response.status, headers: response.headers, body: JSON.parse(text), text }
  }

  return {
    url,
    operations,
    lines,
    ran,
    send,
    /** Posts JSON, or a text as it is. */
    post: (body: unknown, headers: Record<string, string> = GOOD) =>
      send({
        method: "POST",
        headers: { ...JSON_TYPE, ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await graphql.stop()
    },
  }
}

/** The codes of an answer's errors. */
export const codes = (body: { errors?: { extensions: { code: string } }[] }) =>
  body.errors?.map(({ extensions }) => extensions.code)
