import type { Client, ClientOptions } from "graphql-ws"

declare global {
  /** From graphql-ws.js, which the page loads first. */
  var graphqlWs: { createClient(options: ClientOptions): Client }
}
