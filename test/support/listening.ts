import { once } from "node:events"
import type http from "node:http"

/** Listens on a port of this machine; gives what ends it, with its connections. */
export async function listening(server: http.Server, port = 0): Promise<() => Promise<void>> {
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
}
