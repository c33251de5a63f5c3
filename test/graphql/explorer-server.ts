import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import express from "express"
import { GraphQLInt, GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString } from "graphql"
import { useServer as serveOver } from "graphql-ws/use/ws"
import { WebSocketServer } from "ws"
import { createExplorer } from "../../src/transports/graphql/explorer.js"

const schema = new GraphQLSchema({
  query: new GraphQLObjectType({ name: "Query", fields: { hello: { type: GraphQLString } } }),
  subscription: new GraphQLObjectType({
    name: "Subscription",
    fields: {
      count: {
        type: new GraphQLNonNull(GraphQLInt),
        subscribe: async function* () {
          yield { count: 41 }
          yield { count: 42 }
        },
      },
    },
  }),
})

/** The explorer in front of a small schema, as behind a proxy that takes a path away. */
export type ExplorerServer = {
  readonly url: string
  /** What its operations came with. */
  readonly sent: { readonly http: Record<string, unknown>[]; readonly connections: unknown[] }
  /** What a page is told of its session from now on: at first it has none. */
  signIn(session: Record<string, unknown>): void
  stop(): Promise<void>
}

export async function startExplorer(): Promise<ExplorerServer> {
  let session: Record<string, unknown> = {}
  const sent: ExplorerServer["sent"] = { http: [], connections: [] }
  const sockets = new WebSocketServer({ noServer: true })
  serveOver({ schema, onConnect: ({ connectionParams }) => void sent.connections.push(connectionParams) }, sockets)
  const app = express()
  app.use("/graphql", createExplorer())
  app.post("/graphql", (request, response) => {
    sent.http.push(request.headers)
    response.json({ data: { hello: "Hello from the server" } })
  })
  app.post("/session-token", (_request, response) => void response.json(session))
  app.use((_request, response) => void response.status(404).json({}))
  const server = createServer((request, response) => {
    request.url = request.url?.replace(/^\/tandem/, "")
    app(request, response)
  }).listen(0, "127.0.0.1")
  server.on("upgrade", (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (open) => void sockets.emit("connection", open, request)),
  )
  await new Promise((resolve) => server.once("listening", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tandem/graphql`,
    sent,
    signIn(given) {
      session = given
    },
    async stop() {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
