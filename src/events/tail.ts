import type pg from "pg"
import { beginHistory, checkHistory, openHistory, vouch } from "../database/history.js"
import { rawClient, runOn } from "../database/pipeline.js"
import type { Log } from "../log.js"
import { type Loop, startLoop } from "../loop.js"
import { type Fields, type Id, type Statement, statement } from "../statement.js"
import { eventColumns, type SnapshotInterval } from "./event.js"
import { createMemory, type Memory } from "./memory.js"
import { lastXidIn, tightened } from "./snapshot.js"

const POLL_EVERY_MS = 1_000
/** However often it is woken, it does not ask more often. */
const MIN_PAUSE_MS = 10
/** With a poll each second, one that is older means that the database does not answer. */
const CURRENT_FOR_MS = 2_000
const RECONNECT_MS = 250

/** Reads the events table on behalf of one node: everything that is committed, once, in the order in which a list's events happened. */
export type Tail = {
  /** Looks for events now instead of at the next poll. */
  wake(): void
  /** The same, for what this node has just committed and confirmed. */
  committed(): void
  /** Somebody has shown that an event is gone that was committed: another line of history begins. */
  distrust(): void
  /** Whether everything that was committed until 2 s ago has been handed on. */
  isCurrent(): boolean
  /** How long after it happened the oldest event of the last poll that found any was handed on; by the clock of the database. */
  lagMs(): number
  /** Names the line of history that snapshots belong to. */
  history(): string
  stop(): Promise<void>
}

type Parts<Event> = {
  url: string
  /** Tells the folder of an embedded database from a copy. */
  folder?: string | undefined
  log: Log
  /** Makes an event of a row, from the column `offset` on. */
  read(fields: Fields, offset: number, interval: SnapshotInterval): Event
  /** Takes the events one by one; must not throw. */
  publish(event: Event): void
  /** Called when the database has another line of history than the events that were read before. */
  onOtherHistory(): void
}

const beginning = statement(
  "tail_beginning",
  `select s.snapshot, ${lastXidIn("s.snapshot")}, e.id, e.occurred_at
   from (select pg_current_snapshot() as snapshot) s left join (select id, occurred_at from events order by id desc limit 1) e on true`,
  ([snapshot, xid, id, occurredAt]) => ({
    snapshot: snapshot as string,
    lastXid: Number(xid),
    last: id == null ? [] : [{ id, occurredAt: occurredAt as string }],
  }),
)

// An event is found by the first poll that can see it: not by its number, because a later number may be committed earlier.
// Exact only without a limit, and only on the primary. From its xmax on a snapshot sees nothing; said aloud, it tells the
// planner that few rows are meant, however many there are. What a copy brought along is below the floor.
// The bound stands in the condition itself: one that comes out of a subquery is no condition of the index.
/** What is committed now and was not yet when the snapshot $1 was taken. */
export const poll = statement(
  "tail_poll",
  `select s.name, s.snapshot, extract(epoch from clock_timestamp()), current_setting('synchronous_commit') <> 'off',
     current_setting('synchronous_commit') <> 'local' and current_setting('synchronous_standby_names') <> '', ${eventColumns("e")}
   from (select h.name, h.floor_id, pg_current_snapshot() as snapshot from histories h order by h.id desc limit 1) s
   left join events e on e.xid >= pg_snapshot_xmin($1::pg_snapshot) and e.xid < pg_snapshot_xmax(pg_current_snapshot())
     and not pg_visible_in_snapshot(e.xid, $1::pg_snapshot) and e.id > s.floor_id
   order by e.id`,
  (fields) => ({
    name: fields[0] as string,
    snapshot: fields[1] as string,
    now: Number(fields[2]) * 1_000,
    promised: { isDurable: fields[3] === "t", isReplicated: fields[3] === "t" && fields[4] === "t" },
    fields,
  }),
)
const EVENT_OFFSET = 5

type RowOf<Asked> = Asked extends Statement<infer Row> ? Row : never
type Place = { readonly history: string; readonly snapshot: string; readonly memory: Memory }

/**
 * Starts reading what is committed from now on, on a connection of its own, and goes on until it is stopped: when the
 * connection is lost, with the next one where it was, if nothing is missing there that was confirmed.
 */
export async function startTail<Event extends { readonly id: Id; readonly xid: number; readonly occurredAt: string }>(
  parts: Parts<Event>,
): Promise<Tail> {
  const { url, folder, log, read, publish, onOtherHistory } = parts
  let client: pg.Client | undefined
  let place: Place | undefined
  let polledAt = 0
  let committedAt = 0
  let lag = 0
  let isDistrusted = false
  let loop: Loop | undefined
  const wake = () => loop?.wake()

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
      if (place === undefined) place = await beginOn(fresh)
      else await resumeOn(fresh, place)
      return fresh
    } catch (error) {
      await fresh.end().catch(() => {})
      throw error
    }
  }

  /** @returns the place where the history is now, or was at `snapshot` */
  async function beginOn(on: pg.Client, snapshot?: string): Promise<Place> {
    let { history, startedAt } = await checkHistory(on, folder)
    while (history === undefined) {
      await openHistory({ url, log, folder })
      ;({ history, startedAt } = await checkHistory(on, folder))
    }
    const [start] = (await runOn(on, beginning, [])) as [RowOf<typeof beginning>]
    const memory = createMemory(startedAt, start.last, start.lastXid)
    return { history: history.name, snapshot: tightened(snapshot ?? start.snapshot, memory.lastXid()), memory }
  }

  /** Looks whether the history goes on; where another one has begun already, or is to begin, the poll will tell. */
  async function resumeOn(on: pg.Client, { history: name, snapshot, memory }: Place): Promise<void> {
    const check = await checkHistory(on, folder)
    const { history, outcome, server } = check
    // A line that nobody has opened here was restored under this node, also where it is an earlier one than the node's.
    if (history === undefined || (history.name !== name && outcome !== "same")) return openHistory({ url, log, folder })
    if (history.name !== name) return
    isDistrusted ||= !(await memory.isTrueOf(on, check, snapshot, committedAt > polledAt))
    if (!isDistrusted && outcome === "promoted") await vouch(on, history, server)
  }

  /** Begins another line of history, unless somebody has. */
  async function endHistory(on: pg.Client, { history: name }: Place): Promise<void> {
    const { history, server } = await checkHistory(on, folder)
    if (history?.name === name) await beginHistory(url, history, server)
    isDistrusted = false
  }

  async function step(): Promise<void> {
    client ??= await connect()
    const polling = client
    const before = place as Place
    if (isDistrusted) await endHistory(polling, before)
    const askedAt = performance.now()
    const rows = await runOn(polling, poll, [before.snapshot])
    const [found] = rows as [RowOf<typeof poll>]
    const { now } = found
    const isOther = found.name !== before.history
    if (isOther) {
      log.warn({ was: before.history, is: found.name }, "the database has another history than before")
      place = await beginOn(polling, found.snapshot)
      onOtherHistory()
    }
    const { memory } = place as Place
    memory.promise(found.promised)
    polledAt = askedAt
    const isEmpty = found.fields[EVENT_OFFSET] === null
    let lastXid = memory.lastXid()
    if (!isEmpty) for (const { fields } of rows) lastXid = Math.max(lastXid, Number(fields[EVENT_OFFSET + 1]))
    const after = tightened(found.snapshot, lastXid)
    place = { history: found.name, snapshot: after, memory }
    if (isEmpty) return
    const interval = { history: found.name, before: before.snapshot, after }
    const events = rows.map(({ fields }) => read(fields, EVENT_OFFSET, interval))
    lag = now - events.reduce((least, { occurredAt }) => Math.min(least, Date.parse(occurredAt)), now)
    for (const event of events) {
      memory.keep(event)
      publish(event)
    }
  }

  async function round(): Promise<number> {
    try {
      await step()
      return POLL_EVERY_MS
    } catch (error) {
      const broken = client
      client = undefined
      broken?.end().catch(() => {})
      throw error
    }
  }

  await step()
  loop = startLoop({
    what: "events are read",
    log,
    pauses: { leastMs: MIN_PAUSE_MS, leastAfterFailureMs: RECONNECT_MS, mostAfterFailureMs: RECONNECT_MS },
    round,
  })
  return {
    wake,
    committed() {
      committedAt = performance.now()
      wake()
    },
    distrust() {
      isDistrusted = true
      wake()
    },
    isCurrent: () => performance.now() - polledAt < CURRENT_FOR_MS,
    lagMs: () => lag,
    history: () => (place as Place).history,
    async stop() {
      await loop?.stop()
      await client?.end().catch(() => {})
    },
  }
}
