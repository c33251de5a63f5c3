import type pg from "pg"
import { rawClient } from "../database/pipeline.js"
import type { Log } from "../log.js"

/** However much is written, the other nodes are not woken more often. */
const SHORTEST_PAUSE_MS = 10
const RECONNECT_MS = 1_000

/**
 * Tells every node of a database that something was committed. It carries nothing and may get lost: the tails look by
 * themselves, a nudge only makes them look sooner.
 */
export type Nudge = {
  /** To be called after a commit; costs nothing worth mentioning and never fails. */
  send(): void
  stop(): Promise<void>
}

/**
 * Nudges by NOTIFY, on a connection of its own and outside of the writers' transactions, where it would halve their
 * throughput. `onNudge` is called for every node's nudges, and when some may have been missed.
 */
export function startPostgresNudge(url: string, log: Log, onNudge: () => void): Nudge {
  let client: pg.Client | undefined
  let isStopping = false
  let isDirty = false
  let isResting = false
  let retry: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    const fresh = rawClient(url, { application_name: "tandem nudge" })
    fresh.on("error", () => {}) // "end" follows
    fresh.on("end", () => {
      if (isStopping || client !== fresh) return
      log.warn("nudges are lost; events come by the poll until they are back")
      client = undefined
      reconnect(0)
    })
    fresh.on("notification", onNudge)
    try {
      await fresh.connect()
      await fresh.query("listen nudge")
    } catch {
      await fresh.end().catch(() => {})
      if (!isStopping) reconnect(RECONNECT_MS)
      return
    }
    if (isStopping) return void (await fresh.end())
    client = fresh
    onNudge()
  }

  let connecting = connect()
  function reconnect(afterMs: number): void {
    retry = setTimeout(() => {
      connecting = connect()
    }, afterMs)
  }

  function flush(): void {
    if (!isDirty || isResting || client === undefined) return
    isDirty = false
    isResting = true
    const rested = new Promise((resolve) => setTimeout(resolve, SHORTEST_PAUSE_MS))
    const sent = client.query("select pg_notify('nudge', '')").catch(() => {})
    void Promise.all([rested, sent]).then(() => {
      isResting = false
      flush()
    })
  }

  return {
    send() {
      isDirty = true
      flush()
    },
    async stop() {
      isStopping = true
      clearTimeout(retry)
      await connecting
      await client?.end().catch(() => {})
    },
  }
}
