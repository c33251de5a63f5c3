import { connect, createServer, type Socket } from "node:net"

/** A way to a server that can be cut: connections break and new ones are refused until it is restored. */
export type CuttableWay = {
  readonly url: string
  /** How many bytes the server has sent. */
  received(): number
  /** Lets nothing more of what the server sends through, until `release`. */
  hold(): void
  release(): void
  cut(): Promise<void>
  restore(): Promise<void>
  stop(): Promise<void>
}

/** Stands in front of the server that `url` names. */
export async function startProxy(url: string): Promise<CuttableWay> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const upstreams = new Set<Socket>()
  let received = 0
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    upstreams.add(upstream)
    upstream
      .on("data", (bytes) => {
        received += bytes.length
      })
      .on("close", () => upstreams.delete(upstream))
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
      socket.on("error", () => socket.destroy())
    }
    client.pipe(upstream).pipe(client)
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  await listen(0)
  const { port } = server.address() as { port: number }
  const through = new URL(url)
  through.hostname = "127.0.0.1"
  through.port = String(port)
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  const all = (act: (upstream: Socket) => void) => () => upstreams.forEach(act)
  return {
    url: through.href,
    received: () => received,
    hold: all((upstream) => upstream.pause()),
    release: all((upstream) => upstream.resume()),
    cut,
    restore: () => listen(port),
    stop: cut,
  }
}
