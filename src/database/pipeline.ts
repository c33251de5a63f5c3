import type { Duplex } from "node:stream"
import pg from "pg"
import type { Meter, Runner, Statement, Value } from "../statement.js"
import { isReadOnly, mayRepeat, problemOf } from "./failure.js"
import { type Answered, TextQuery } from "./text-query.js"
import { runTogether } from "./together.js"

const CONNECT_TIMEOUT_MS = 2_000
/** Longer than any statement of ours; a database that hangs does not hang its clients. */
const STATEMENT_TIMEOUT_MS = 10_000
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 1_000
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000
const UNHURRIED_CONNECT_MS = 30_000
const MAX_ATTEMPTS = 4

// What statements are written for, whatever the server, the database or the role has set; and none is so long that compiling it
// would pay.
const OPTIONS =
  "-c timezone=UTC -c datestyle=ISO,YMD -c intervalstyle=postgres -c jit=off -c default_transaction_isolation=read\\ committed " +
  "-c standard_conforming_strings=on -c transform_null_equals=off -c bytea_output=hex -c lock_timeout=0 -c idle_session_timeout=0"

/** The settings under which statements are written: instants in UTC, dates in ISO order. */
export const sessionOf = (url: string): pg.ClientConfig => ({
  connectionString: url,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: ANSWER_TIMEOUT_MS,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  options: OPTIONS,
  application_name: "tandem",
  keepAlive: true,
})

/** Text as it came: rows are read by the tables' own readers. */
export const rawText = { getTypeParser: () => (text: unknown) => text } as unknown as pg.CustomTypesConfig

// Named statements find their way from what they are given, so that one plan is right for all values: planning a patch again
// for each would cost more than the patch.
const PLAN_ONCE = "-c plan_cache_mode=force_generic_plan"

/** A connection of raw text rows. */
export const rawClient = (url: string, config: pg.ClientConfig = {}): pg.Client =>
  new pg.Client({ ...sessionOf(url), options: `${OPTIONS} ${PLAN_ONCE}`, types: rawText, ...config })

/** A connection for what takes as long as it takes, such as a migration, whatever the database has set. */
export function unhurriedClient(url: string, config: pg.ClientConfig): pg.Client {
  const { connectionString, options } = sessionOf(url)
  const unhurried = `${options} -c statement_timeout=0 -c idle_in_transaction_session_timeout=0`
  return new pg.Client({
    connectionString,
    options: unhurried,
    connectionTimeoutMillis: UNHURRIED_CONNECT_MS,
    ...config,
  })
}

const submit = <Row>(client: pg.ClientBase, query: TextQuery<Row>): void =>
  void client.query(query as unknown as pg.Submittable)

/** Runs one statement on a client and reads its rows; failures come out as they are. */
export const runOn = <Row>(
  client: pg.ClientBase,
  statement: Statement<Row>,
  values: readonly Value[],
  meter?: Meter,
): Promise<Row[]> =>
  new Promise((resolve, reject) =>
    submit(client, new TextQuery(statement, values, (error, rows) => (error ? reject(error) : resolve(rows)), meter)),
  )

const isLast = (count: number, error: unknown): boolean => count === MAX_ATTEMPTS || !mayRepeat(error)

/** Runs `attempt` again while PostgreSQL gives it up for another statement's sake; failures come out as problems. */
export async function repeated<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let count = 1; ; count++) {
    try {
      return await attempt()
    } catch (error) {
      if (isLast(count, error)) throw problemOf(error)
    }
  }
}

type Lane = {
  /** How many statements have no answer yet. */
  waiting: number
  isConnected: boolean
  send<Row>(statement: Statement<Row>, values: readonly Value[], answered: Answered<Row>, meter?: Meter): void
  stop(): Promise<void>
}

/** One connection. What is sent in one turn of the event loop leaves in one write, and PostgreSQL is woken once. */
function openLane(url: string, onEnd: (lane: Lane) => void): Lane {
  const client = rawClient(url, { pipeline: true, query_timeout: undefined } as pg.ClientConfig)
  const connected = client.connect()
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
  let isCorked = false
  let isRetired = false
  // One clock for the whole connection: answers come in order, so that none for this long means that none will.
  let clock: NodeJS.Timeout | undefined
  const giveUp = () => {
    clock = undefined
    if (lane.waiting > 0) stream.destroy(new Error("Query read timeout"))
  }

  /** What is sent from now on takes a new connection; what has been sent is still answered on this one. */
  function retire(): void {
    isRetired = true
    onEnd(lane)
  }

  function release(): void {
    isCorked = false
    stream.uncork()
  }
  function cork(): void {
    if (isCorked) return
    isCorked = true
    stream.cork()
    setImmediate(release)
  }

  function sendNow<Row>(
    statement: Statement<Row>,
    values: readonly Value[],
    answered: Answered<Row>,
    meter?: Meter,
  ): void {
    cork()
    const settle: Answered<Row> = (error, rows) => {
      lane.waiting--
      clock?.refresh()
      if (error !== null && isReadOnly(error)) retire()
      answered(error, rows)
      if (isRetired && lane.waiting === 0) void lane.stop()
    }
    submit(client, new TextQuery(statement, values, settle, meter))
  }

  const lane: Lane = {
    waiting: 0,
    isConnected: false,
    send(statement, values, answered, meter) {
      if (lane.waiting++ === 0) {
        if (clock === undefined) clock = setTimeout(giveUp, ANSWER_TIMEOUT_MS).unref()
        else clock.refresh()
      }
      if (lane.isConnected) return sendNow(statement, values, answered, meter)
      connected.then(
        () => sendNow(statement, values, answered, meter),
        (error: Error) => {
          lane.waiting--
          answered(error, [])
        },
      )
    },
    async stop() {
      clearTimeout(clock)
      await connected.then(() => client.end()).catch(() => {})
    },
  }
  const end = () => onEnd(lane)
  client.on("error", end)
  client.on("end", end)
  connected.then(() => {
    lane.isConnected = true
  }, end)
  return lane
}

const isBetter = (one: Lane, other: Lane): boolean =>
  one.isConnected === other.isConnected ? one.waiting < other.waiting : one.isConnected

/** A few connections that everybody shares: a statement is sent without waiting for the answers of those before it. */
export type Pipeline = Runner & {
  pinned(): Runner
  /** For metrics: how many connections are open, and how many statements have no answer yet. */
  status(): { readonly open: number; readonly waiting: number }
  stop(): Promise<void>
}

/** Opens the pipeline lazily: a connection is made when it is first needed, and again after it has broken. */
export function openPipeline(url: string, connections: number): Pipeline {
  const lanes: (Lane | undefined)[] = Array.from({ length: connections }, () => undefined)

  function open(index: number): Lane {
    const lane = openLane(url, (ended) => {
      if (lanes[index] === ended) lanes[index] = undefined
    })
    lanes[index] = lane
    return lane
  }

  /** A connection more is opened while all are busy. Statements wait for it only where none is open: that may take long, or fail. */
  function leastBusy(): Lane {
    let best: Lane | undefined
    let missing: number | undefined
    for (let index = 0; index < lanes.length; index++) {
      const lane = lanes[index]
      if (lane === undefined) missing ??= index
      else if (best === undefined || isBetter(lane, best)) best = lane
    }
    if (missing === undefined || best?.waiting === 0) return best as Lane
    const opened = open(missing)
    return best?.isConnected ? best : opened
  }

  const runIn =
    (laneOf: () => Lane, told: (error: unknown) => unknown = problemOf): Runner["run"] =>
    (statement, values, meter) =>
      new Promise((resolve, reject) => {
        let count = 1
        const attempt = () =>
          laneOf().send(
            statement,
            values,
            (error, rows) => {
              if (error === null) resolve(rows)
              else if (isLast(count++, error)) reject(told(error))
              else attempt()
            },
            meter,
          )
        attempt()
      })
  const run = runIn(leastBusy)
  const together = runTogether(
    run,
    runIn(leastBusy, (error) => error),
  )

  return {
    run: (statement, values, meter) =>
      statement.together?.key === undefined
        ? run(statement, values, meter)
        : together(statement, statement.together, values),
    pinned() {
      const lane = leastBusy()
      return { run: runIn(() => lane) }
    },
    status() {
      const open = lanes.filter((lane) => lane !== undefined)
      return { open: open.length, waiting: open.reduce((sum, { waiting }) => sum + waiting, 0) }
    },
    async stop() {
      await Promise.all(lanes.map((lane) => lane?.stop()))
    },
  }
}
