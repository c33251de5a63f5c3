import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"

/** Stands in front of a store and counts what it is asked. */
export type CountingProxy = { readonly url: string; count(asks: RegExp): number; stop(): Promise<void> }

/**
 * Passes everything on as it is, the Host header too, and remembers each request's method and address. What `isHeld` says
 * of a request's method and address decides whether it is kept waiting for ever.
 */
export async function startCountingProxy(
  target: string,
  isHeld: (asked: string) => boolean = () => false,
): Promise<CountingProxy> {
  const asked: string[] = []
  const server = createServer((incoming, outgoing) => {
    const line = `${incoming.method} ${incoming.url}`
    asked.push(line)
    if (isHeld(line)) return
    const { hostname, port } = new URL(target)
    const passed = request(
      { hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers, agent: false },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 500, response.headers)
        response.pipe(outgoing)
      },
    )
    passed.on("error", () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: (asks) => asked.filter((line) => asks.test(line)).length,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
