import { randomInt } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"

// Below the range from which systems take ports for outgoing connections: a port must still be free after a crash.
const LOWEST = 20_000
const HIGHEST = 30_000

/** The port that PostgreSQL had the last time when it is free, so that nodes which know it find it again; or a new one. */
export async function choosePort(portFile: string): Promise<number> {
  const last = lastPort(portFile)
  if (last > 0 && (await isFree(last))) return last
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST)
    if (await isFree(port)) return port
  }
}

/** Remembers the port for the next start. */
export function rememberPort(portFile: string, port: number): void {
  if (lastPort(portFile) !== port) writeFileSync(portFile, `${port}\n`, { mode: 0o600 })
}

function lastPort(portFile: string): number {
  try {
    return Number(readFileSync(portFile, "utf8"))
  } catch {
    return 0
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)))
  })
}
