import { setTimeout as sleep } from "node:timers/promises"
import type pg from "pg"
import { rawClient, runOn } from "../database/pipeline.js"
import type { Log } from "../log.js"
import { type Fields, type Statement, statement } from "../statement.js"
import { eventColumns, type Passage } from "./event.js"
import { readSnapshot } from "./snapshot.js"

/** However often it is woken, it does not ask more often. */
const SHORTEST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 1_000
/** With a poll each second, one that is older means that the database does not answer. */
const CURRENT_FOR_MS = 2_000
const RECONNECT_MS = 250

/** Reads the events table on behalf of one node: everything that is committed, once, in the order in which a list's events happened. */
export type Tail = {
  /** Looks for events now instead of at the next poll. */
  wake(): void
  /** Whether everything that was committed until 2 s ago has been handed on. */
  isCurrent(): boolean
  /** How long after it happened the oldest event of the last poll that found any was handed on; by the clock of the database. */
  lagMs(): number
  /** Names the database and the line of its history that snapshots belong to. */
  history(): string
  stop(): Promise<void>
}

type Parts<Event> = {
  url: string
  log: Log
  /** Makes an event of a row, from the column `offset` on. */
  read(fields: Fields, offset: number, passage: Passage): Event
  /** Takes the events one by one; must not throw. */
  publish(event: Event): void
  /** Called when the database is not the one whose events were read before: restored, or another. */
  onOtherHistory(): void
}

/**
 * Names the history of transactions that snapshots belong to: this server, since it last was made of a copy, and this
 * database in it.
 */
const HISTORY = `(select to_hex(c.system_identifier) || '.' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '.' || d.oid
  from pg_control_system() c, pg_database d where d.datname = current_database())`

const beginning = statement(
  "tail_beginning",
  `select ${HISTORY}, pg_current_snapshot()`,
  ([history, snapshot]): Place => ({ history: history as string, snapshot: snapshot as string }),
)

// Events that came with a restored copy carry numbers of transactions that this server has yet to begin. They are in the past.
const settleRestored = statement(
  "settle_restored_events",
  "update events set xid = '0' where xid >= pg_snapshot_xmax(pg_current_snapshot())",
  () => undefined,
)

// An event is found by the first poll that can see it: not by its number, because a later number may be committed earlier.
// Exact only without a limit, and only on the primary.
const poll: Statement<{ snapshot: string; now: number; fields: Fields }> = statement(
  "tail_poll",
  `select s.snapshot, extract(epoch from clock_timestamp()), ${eventColumns("e")}
   from (select pg_current_snapshot() as snapshot) s
   left join events e on e.xid >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(e.xid, $1::pg_snapshot)
   order by e.id`,
  (fields) => ({ snapshot: fields[0] as string, now: Number(fields[1]) * 1_000, fields }),
)
const EVENT_OFFSET = 2

type Place = { readonly history: string; readonly snapshot: string }

/**
 * Starts reading what is committed from now on, on a connection of its own, and goes on until it is stopped: when the
 * connection is lost, with the next one where it was.
 */
export async function startTail<Event extends { readonly occurredAt: string }>(parts: Parts<Event>): Promise<Tail> {
  const { url, log, read, publish, onOtherHistory } = parts
  let client: pg.Client | undefined
  let place: Place | undefined
  let polledAt = 0
  let lag = 0
  let isStopping = false
  let isWoken = false
  let interrupt: (() => void) | undefined

  function wake(): void {
    isWoken = true
    interrupt?.()
  }

  /** Waits; wake() ends it, but not before `shortestMs`. */
  async function pause(shortestMs: number, longestMs: number): Promise<void> {
    await sleep(shortestMs)
    if (isWoken || isStopping) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      interrupt = resolve
      timer = setTimeout(resolve, longestMs - shortestMs)
    })
    clearTimeout(timer)
    interrupt = undefined
  }

  async function connect(): Promise<pg.Client> {
    const fresh = rawClient(url, { application_name: "tandem tail" })
    fresh.on("error", () => {}) // "end" follows
    fresh.on("end", () => {
      if (client !== fresh) return
      client = undefined
      wake()
    })
    try {
      await fresh.connect()
      await runOn(fresh, settleRestored, [])
      const [found] = (await runOn(fresh, beginning, [])) as [Place]
      if (place !== undefined && !isContinuedBy(place, found)) {
        log.warn({ was: place.history, is: found.history }, "the database has another history than before")
        place = found
        onOtherHistory()
      }
      place ??= found
      return fresh
    } catch (error) {
      await fresh.end().catch(() => {})
      throw error
    }
  }

  async function step(): Promise<void> {
    client ??= await connect()
    const { history, snapshot: before } = place as Place
    const askedAt = performance.now()
    const rows = await runOn(client, poll, [before])
    const [{ snapshot: after, now }] = rows as [(typeof rows)[0]]
    place = { history, snapshot: after }
    polledAt = askedAt
    if (rows[0]?.fields[EVENT_OFFSET] === null) return
    const passage = { history, before, after }
    const events = rows.map(({ fields }) => read(fields, EVENT_OFFSET, passage))
    lag = now - Math.min(...events.map(({ occurredAt }) => Date.parse(occurredAt)))
    for (const event of events) publish(event)
  }

  async function run(): Promise<void> {
    let isFailing = false
    while (!isStopping) {
      isWoken = false
      try {
        await step()
        if (isFailing) log.info("events are read again")
        isFailing = false
        await pause(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS)
      } catch (error) {
        if (isStopping) break
        if (!isFailing) log.warn({ err: error }, "events cannot be read; trying again")
        isFailing = true
        const broken = client
        client = undefined
        broken?.end().catch(() => {})
        await pause(RECONNECT_MS, RECONNECT_MS)
      }
    }
    await client?.end().catch(() => {})
  }

  await step()
  const running = run()
  return {
    wake,
    isCurrent: () => performance.now() - polledAt < CURRENT_FOR_MS,
    lagMs: () => lag,
    history: () => (place as Place).history,
    async stop() {
      isStopping = true
      wake()
      await running
    },
  }
}

/** Whether snapshots of `place` mean the same in the database as it is found now. */
function isContinuedBy({ history, snapshot }: Place, found: Place): boolean {
  const before = readSnapshot(snapshot)
  const now = readSnapshot(found.snapshot)
  return history === found.history && before !== undefined && now !== undefined && before.xmax <= now.xmax
}
