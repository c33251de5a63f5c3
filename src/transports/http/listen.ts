import type { Server } from "node:http"
import type { AddressInfo } from "node:net"

/** Makes a server listen; gives its address as clients of this machine write it, the port it found free included. */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, resolve)
  })
  return `http://${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
}
