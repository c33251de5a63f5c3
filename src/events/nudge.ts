import type pg from "pg"
import { rawClient } from "../database/pipeline.js"
import type { Log } from "../log.js"
import { coalesced } from "./coalesced.js"

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
  let retry: NodeJS.Timeout | undefined
  const nudge = coalesced(() => client?.query("select pg_notify('nudge', '')"))

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
    nudge.retry()
    onNudge()
  }

  let connecting = connect()
  function reconnect(afterMs: number): void {
    retry = setTimeout(() => {
      connecting = connect()
    }, afterMs)
  }

  return {
    send: nudge.want,
    async stop() {
      isStopping = true
      clearTimeout(retry)
      await connecting
      await client?.end().catch(() => {})
    },
  }
}
