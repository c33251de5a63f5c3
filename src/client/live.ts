import { createClient } from "graphql-ws/client"
import type { Ask, GiveHeaders, Open } from "./http.js"
import type { State } from "./state.js"
import type { Carrier } from "./status.js"

type Parts = {
  readonly url: string
  readonly state: State
  readonly ask: Ask
  readonly open: Open
  readonly connectionParams: GiveHeaders
  /** What opens sockets, where there is such a thing. */
  readonly webSocket: unknown
  readonly carriers: readonly Carrier[]
  /** Something has happened at the service. */
  changed(): void
  /** Which carrier tells of changes from now on. */
  tell(live: Carrier | undefined): void
  /** Whether requests are answered: only then a carrier is to blame that does not come about. */
  isOnline(): boolean
}

/** Carries until it ends. `begun` is called when it tells of changes from now on; `changed` by whatever happens then. */
type Carry = (parts: Parts, begun: () => void, signal: AbortSignal) => Promise<void>

const MAX_WAIT_MS = 60_000
const FIRST_WAIT_MS = 500
/** A carrier that fails so often in a row without having begun gives its place to the next. */
const MAX_FAILURES = 2
/** After so long on a lesser carrier the best is tried again. */
const BACK_TO_BEST_MS = 600_000
/** Servers give a sign of life every 12 s. */
const SILENCE_MS = 30_000
const PING_EVERY_MS = 10_000
const PONG_WITHIN_MS = 5_000

const NEWS = "subscription ($after: String) { accountUpdated(after: $after) { cursor } }"

const CARRY: Readonly<Record<Carrier, Carry>> = { websocket, sse, poll }

/**
 * Keeps one carrier of news going, the best that comes about. They tell that something has happened, and `changes` what:
 * so all are alike, each may end at any moment, and what no event tells of, as all that a list holds that was joined, comes too.
 */
export function startLive(parts: Parts): { stop(): void; tryNow(): void } {
  const over = new AbortController()
  const { carriers, webSocket, tell, isOnline, changed } = parts
  const usable = carriers.filter((carrier) => carrier !== "websocket" || webSocket !== undefined)
  let isWoken = false
  let wake = () => {
    isWoken = true
  }

  /** Waits so long, or until somebody wakes it, or has done so before. */
  async function pause(ms: number): Promise<void> {
    const noted = wake
    if (!isWoken)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    isWoken = false
    wake = noted
  }

  async function run(): Promise<void> {
    let place = 0
    let failures = 0
    let lesserSince = 0
    while (!over.signal.aborted && usable.length > 0) {
      const carrier = usable[place] as Carrier
      let hasBegun = false
      await CARRY[carrier](
        parts,
        () => {
          hasBegun = true
          tell(carrier)
          // What happened since the last answer, before it began.
          changed()
        },
        over.signal,
      ).catch(() => {})
      tell(undefined)
      if (over.signal.aborted) return
      if (isOnline()) changed()
      failures = hasBegun ? 0 : failures + 1
      if (failures >= MAX_FAILURES && isOnline() && place < usable.length - 1) {
        if (place === 0) lesserSince = Date.now()
        place++
        failures = 0
      } else if (place > 0 && Date.now() - lesserSince > BACK_TO_BEST_MS) place = 0
      // While offline it is woken when that is over, and begins with the best.
      if (!isOnline()) place = failures = 0
      const ms = isOnline() ? Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** failures) : MAX_WAIT_MS
      await pause(ms * (0.8 + Math.random() * 0.4))
    }
  }
  void run()
  return {
    stop() {
      over.abort()
      wake()
    },
    tryNow: () => wake(),
  }
}

/** GraphQL over WebSocket, as graphql-ws speaks it. */
function websocket(
  { url, state, connectionParams, webSocket, changed }: Parts,
  begun: () => void,
  signal: AbortSignal,
): Promise<void> {
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
      connected: () => begun(),
      closed: () => clearTimeout(unanswered),
    },
  })
  signal.addEventListener("abort", () => void client.dispose(), { once: true })
  return new Promise<void>((resolve, reject) => {
    client.subscribe(
      {
        query: NEWS,
        variables: { after: state.cursor },
      },
      {
        next: () => changed(),
        error: reject,
        complete: resolve,
      },
    )
  }).finally(() => client.dispose())
}

/** The same as server-sent events, read by `fetch`: an `EventSource` sends no headers. */
async function sse({ state, open, changed }: Parts, begun: () => void, signal: AbortSignal): Promise<void> {
  const quiet = new AbortController()
  let timer = setTimeout(() => quiet.abort(), SILENCE_MS)
  try {
    const response = await open("POST", "/graphql", {
      body: { query: NEWS, variables: { after: state.cursor } },
      headers: { Accept: "text/event-stream" },
      signal: AbortSignal.any([signal, quiet.signal]),
      timeoutMs: 2 ** 31 - 1,
    })
    if (!response.headers.get("Content-Type")?.startsWith("text/event-stream") || response.body === null)
      throw new Error(`The stream was answered with ${response.status}.`)
    begun()
    const reader = response.body.getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(timer)
      timer = setTimeout(() => quiet.abort(), SILENCE_MS)
      if (part.value.includes(DATA)) changed()
    }
  } finally {
    clearTimeout(timer)
  }
}
/** The first letter of `data:`, which no comment has. */
const DATA = "d".charCodeAt(0)

const WAIT_S = 25
const WAIT_TIMEOUT_MS = 60_000

/** Requests that the service answers when something has happened. */
async function poll({ state, ask, changed }: Parts, begun: () => void, signal: AbortSignal): Promise<void> {
  begun()
  for (let isSame = false; !signal.aborted; ) {
    const after = state.cursor
    if (after === undefined || isSame) await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS))
    if (after === undefined) continue
    const { status, body } = await ask("GET", `/changes?limit=1&after=${encodeURIComponent(after)}`, {
      headers: { Prefer: `wait=${WAIT_S}` },
      signal,
      timeoutMs: WAIT_TIMEOUT_MS,
    })
    const { changes = [] } = (body ?? {}) as { changes?: unknown[] }
    if (status !== 200 || changes.length > 0) changed()
    // It is told again until it has been read.
    isSame = status !== 200 || (changes.length > 0 && state.cursor === after)
  }
}
