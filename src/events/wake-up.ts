import type pg from "pg"
import { rawClient } from "../database/pipeline.js"
import type { Log } from "../log.js"
import { coalesced } from "./coalesced.js"

const RECONNECT_MS = 1_000

/**
 * Tells every node of a database that something was committed. It carries nothing and may get lost: the tails look by
 * themselves, a wake-up notification only makes them look sooner.
 */
export type WakeUp = {
  /** To be called after a commit; costs nothing worth mentioning and never fails. */
  send(): void
  stop(): Promise<void>
}

/**
 * Wake-up notifications by NOTIFY, on a connection of its own and outside of the writers' transactions, where it would halve their
 * throughput. `onWakeUp` is called for every node's wake-up notifications, and when some may have been missed.
 */
export function startPostgresWakeUp(url: string, log: Log, onWakeUp: () => void): WakeUp {
  let client: pg.Client | undefined
  let isStopping = false
  let retry: NodeJS.Timeout | undefined
  const wakeUp = coalesced(() => client?.query("select pg_notify('wake_up', '')"))

  async function connect(): Promise<void> {
    const fresh = rawClient(url, { application_name: "tandem wake-up" })
    fresh.on("error", () => {}) // "end" follows
    fresh.on("end", () => {
      if (isStopping || client !== fresh) return
      log.warn("wake-up notifications are lost; events come by the poll until they are back")
      client = undefined
      reconnect(0)
    })
    fresh.on("notification", onWakeUp)
    try {
      await fresh.connect()
      await fresh.query("listen wake_up")
    } catch {
      await fresh.end().catch(() => {})
      if (!isStopping) reconnect(RECONNECT_MS)
      return
    }
    if (isStopping) return void (await fresh.end())
    client = fresh
    wakeUp.retry()
    onWakeUp()
  }

  let connecting = connect()
  function reconnect(afterMs: number): void {
    retry = setTimeout(() => {
      connecting = connect()
    }, afterMs)
  }

  return {
    send: wakeUp.want,
    async stop() {
      isStopping = true
      clearTimeout(retry)
      await connecting
      await client?.end().catch(() => {})
    },
  }
}
