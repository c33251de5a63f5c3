import type { IncomingMessage, ServerResponse } from "node:http"
import { MethodNotAllowed } from "../../errors.js"

const READY_TIMEOUT_MS = 2_000

/** What the probes ask. */
export type Health = {
  /** Rejects when a request could not be served now, for example because the database does not answer. */
  checkReady(): Promise<unknown>
  isDraining(): boolean
}

/** Middleware for the two probes. `/healthz` is 200 for as long as the process can answer at all, so that nothing
 *  restarts a node because its database is away; `/readyz` is 503 while the node drains, or when `checkReady` rejects or
 *  takes longer than 2 s. */
export function healthProbes({ checkReady, isDraining }: Health, timeoutMs = READY_TIMEOUT_MS) {
  return (request: IncomingMessage, response: ServerResponse, next: (error?: MethodNotAllowed) => void): void => {
    const path = request.url?.split("?", 1)[0]
    const { method = "" } = request
    if ((path !== "/healthz" && path !== "/readyz") || method === "OPTIONS") next()
    else if (method !== "GET" && method !== "HEAD") next(new MethodNotAllowed(["GET", "HEAD", "OPTIONS"]))
    else if (path === "/healthz") sendStatus(response, 200, { status: "ok" })
    else if (isDraining()) sendStatus(response, 503, { status: "draining" })
    else
      settlesWithin(timeoutMs, checkReady).then(
        () => sendStatus(response, 200, { status: "ok" }),
        // Why is in the log of whatever failed, not on an address that needs no token.
        () => sendStatus(response, 503, { status: "unavailable" }),
      )
  }
}

function sendStatus(response: ServerResponse, status: number, body: { status: string }): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": text.length,
    "Cache-Control": "no-store",
  })
  response.end(text)
}

async function settlesWithin(timeoutMs: number, check: () => Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not ready after ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    await Promise.race([check(), late])
  } finally {
    clearTimeout(timer)
  }
}
