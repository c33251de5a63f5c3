import { createClient } from "graphql-ws/client"
import type { Carrier, Options, Status } from "./api.js"
import type { Http } from "./http.js"
import { backoffMs, createPause } from "./pause.js"
import type { State } from "./state.js"

type Parts = Options & { readonly state: State; readonly http: Http }
/** Carries until it ends. `begun` is called when it tells of changes from now on; `changed` by whatever happens then. */
type Carry = (parts: Parts, begun: () => void, changed: () => void, signal: AbortSignal) => Promise<void>

const FIRST_WAIT_MS = 500
const OFFLINE_WAIT_MS = 60_000
/**
 * A carrier that fails so often in a row gives its place to the next; one that was steady gives it to the best. One that ends at
 * once has failed: it was refused.
 */
const MAX_FAILURES = 2
const STEADY_MS = 5_000
/** Servers give a sign of life every 12 s. */
const SILENCE_MS = 30_000
const PING_EVERY_MS = 10_000
const PONG_WITHIN_MS = 5_000

const NEWS = "subscription ($after: String) { accountUpdated(after: $after) { cursor } }"

const CARRY: Readonly<Record<Carrier, Carry>> = { websocket, sse, poll }
const ALL = Object.keys(CARRY) as Carrier[]

/**
 * Keeps one carrier of news going, the best that comes about. They tell that something has happened, and `changes` what:
 * so all are alike, each may end at any moment, and what no event tells of, as all that a list holds that was joined, comes too.
 * @param tell which carrier tells of changes from now on
 * @param changed something has happened at the service
 * @param isOnline whether requests are answered: only then a carrier is to blame that does not come about
 */
export function startLive(
  parts: Parts,
  tell: (status: Pick<Status, "live">) => void,
  changed: () => void,
  isOnline: () => boolean,
) {
  const { carriers = ALL, webSocket } = parts
  const usable = carriers.filter((carrier) => carrier !== "websocket" || webSocket !== undefined)
  const over = new AbortController()
  const pause = createPause()

  async function run(): Promise<void> {
    let failures = 0
    while (!over.signal.aborted && usable.length > 0) {
      const place = Math.min(Math.floor(failures / MAX_FAILURES), usable.length - 1)
      const carrier = usable[place] as Carrier
      let steadyAt = Number.POSITIVE_INFINITY
      const begun = () => {
        steadyAt = Date.now() + STEADY_MS
        tell({ live: carrier })
        // What happened since the last answer, before it began.
        changed()
      }
      await CARRY[carrier](parts, begun, changed, over.signal).catch(() => {})
      if (over.signal.aborted) return
      tell({ live: undefined })
      failures = Date.now() > steadyAt ? 0 : failures + 1
      if (!isOnline()) {
        // It is woken when that is over, and begins with the best.
        failures = 0
        await pause.wait(OFFLINE_WAIT_MS)
        continue
      }
      changed()
      await pause.wait(backoffMs(FIRST_WAIT_MS, failures - place * MAX_FAILURES))
    }
  }
  void run()
  return {
    stop() {
      over.abort()
      pause.wake()
    },
    tryNow: pause.wake,
  }
}

/** GraphQL over WebSocket, as graphql-ws speaks it. */
async function websocket(...[parts, begun, changed, signal]: Parameters<Carry>): Promise<void> {
  const { url, state, headers, connectionParams = headers, webSocket } = parts
  let unanswered: ReturnType<typeof setTimeout> | undefined
  const client = createClient({
    url: `${url.replace(/^http/, "ws")}/graphql`,
    webSocketImpl: webSocket,
    connectionParams: () => connectionParams(false),
    retryAttempts: 0,
    keepAlive: PING_EVERY_MS,
    on: {
      // A line that is dead without saying so answers no ping.
      ping: (isReceived) => {
        if (!isReceived) unanswered = setTimeout(() => client.terminate(), PONG_WITHIN_MS)
      },
      pong: () => clearTimeout(unanswered),
      connected: begun,
      closed: () => clearTimeout(unanswered),
    },
  })
  const stop = () => void client.dispose()
  signal.addEventListener("abort", stop)
  try {
    await new Promise<void>((resolve, reject) => {
      const query = { query: NEWS, variables: { after: state.cursor } }
      client.subscribe(query, { next: changed, error: reject, complete: resolve })
    })
  } finally {
    signal.removeEventListener("abort", stop)
    stop()
  }
}

/** The same as server-sent events, read by `fetch`: an `EventSource` sends no headers. */
async function sse(...[{ state, http }, begun, changed, signal]: Parameters<Carry>): Promise<void> {
  const { status, headers, parts } = await http.open("POST", "/graphql", {
    body: { query: NEWS, variables: { after: state.cursor } },
    headers: { Accept: "text/event-stream" },
    signal,
    patienceMs: SILENCE_MS,
  })
  if (!headers.get("Content-Type")?.startsWith("text/event-stream"))
    throw new Error(`The stream was answered with ${status}.`)
  begun()
  for await (const part of parts) if (part.includes(DATA)) changed()
}
/** The first letter of `data:`, which no comment has. */
const DATA = "d".charCodeAt(0)

const WAIT_S = 25
const WAIT_PATIENCE_MS = 60_000
const LOOK_AGAIN_MS = 100

/** Requests that the service answers when something has happened. */
async function poll(...[{ state, http }, begun, changed, signal]: Parameters<Carry>): Promise<void> {
  begun()
  while (!signal.aborted) {
    const after = state.cursor
    const { status, body } = await http.ask("GET", `/changes?limit=1&after=${encodeURIComponent(after ?? "")}`, {
      headers: { Prefer: `wait=${WAIT_S}` },
      signal,
      patienceMs: WAIT_PATIENCE_MS,
    })
    const { changes = [] } = (body ?? {}) as { changes?: unknown[] }
    if (status === 200 && changes.length === 0) continue
    changed()
    // It would be told again until it has been read.
    do await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
    while (state.cursor === after && !signal.aborted)
  }
}
