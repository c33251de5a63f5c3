import pg from "pg"
import type { Meter, Runner, Share, Statement, Value } from "../statement.js"
import { mayRepeat, problemOf } from "./failure.js"
import { isBetter, openConnection, type PipelineConnection } from "./pipeline-connection.js"
import { TextQuery } from "./text-query.js"
import { runTogether } from "./together.js"

const CONNECT_TIMEOUT_MS = 2_000
/** Longer than any statement of ours; a database that hangs does not hang its clients. */
const STATEMENT_TIMEOUT_MS = 10_000
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 1_000
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000
const UNHURRIED_CONNECT_MS = 30_000
const MAX_ATTEMPTS = 4
/** Down so many connections the statements of one user go while some are under way: the others are free for everybody else's. */
const CONNECTIONS_OF_ONE = 2

// What statements are written for, whatever the server, the database or the role has set; and none is so long that compiling it
// would pay.
const OPTIONS =
  "-c timezone=UTC -c datestyle=ISO,YMD -c intervalstyle=postgres -c jit=off -c default_transaction_isolation=read\\ committed " +
  "-c standard_conforming_strings=on -c transform_null_equals=off -c bytea_output=hex -c lock_timeout=0 -c idle_session_timeout=0"

/** The settings under which statements are written: instants in UTC, dates in ISO order. @param more others, as options of the server */
export const sessionOf = (url: string, more = ""): pg.ClientConfig => ({
  connectionString: url,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: ANSWER_TIMEOUT_MS,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  options: OPTIONS + more,
  application_name: "tandem",
  keepAlive: true,
})

/** Text as it came: rows are read by the tables' own readers. */
export const rawText = { getTypeParser: () => (text: unknown) => text } as unknown as pg.CustomTypesConfig

// Named statements find their way from what they are given, so that one plan is right for all values: planning a patch again
// for each would cost more than the patch.
const PLAN_ONCE = "-c plan_cache_mode=force_generic_plan"

/** A connection of raw text rows. */
export const rawClient = (url: string, config: pg.ClientConfig = {}, more = ""): pg.Client =>
  new pg.Client({ ...sessionOf(url, ` ${PLAN_ONCE}${more}`), types: rawText, ...config })

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

/** Runs one statement on a client and reads its rows; failures come out as they are. */
export const runOn = <Row>(
  client: pg.ClientBase,
  statement: Statement<Row>,
  values: readonly Value[],
  meter?: Meter,
): Promise<Row[]> =>
  new Promise((resolve, reject) =>
    new TextQuery(statement, values, (error, rows) => (error ? reject(error) : resolve(rows)), meter).sendOn(client),
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

/** A few connections that everybody shares: a statement is sent without waiting for the answers of those before it. */
export type Pipeline = Runner & {
  pinned(share?: Share): Runner
  /** For metrics: how many connections are open, and how many statements have no answer yet. */
  status(): { readonly open: number; readonly waiting: number }
  stop(): Promise<void>
}

/**
 * Opens the pipeline lazily: a connection is made when it is first needed, and again after it has broken.
 * @param answerTimeoutMs how long nothing may come of the answers that are waited for
 * @param more settings of its sessions beside those under which statements are written
 */
export function openPipeline(url: string, size: number, answerTimeoutMs = ANSWER_TIMEOUT_MS, more = ""): Pipeline {
  const connections: (PipelineConnection | undefined)[] = Array.from({ length: size }, () => undefined)

  function open(index: number): PipelineConnection {
    const client = rawClient(url, { pipeline: true, query_timeout: undefined } as pg.ClientConfig, more)
    const connection = openConnection(client, answerTimeoutMs, (ended) => {
      if (connections[index] === ended) connections[index] = undefined
    })
    connections[index] = connection
    return connection
  }

  /** A connection more is opened while all are busy. Statements wait for it only where none is open: that may take long, or fail. */
  function leastBusy(): PipelineConnection {
    let best: PipelineConnection | undefined
    let missing: number | undefined
    for (let index = 0; index < connections.length; index++) {
      const connection = connections[index]
      if (connection === undefined) missing ??= index
      else if (best === undefined || isBetter(connection, best)) best = connection
    }
    if (missing === undefined || best?.waiting === 0) return best as PipelineConnection
    const opened = open(missing)
    return best?.isConnected ? best : opened
  }

  function connectionOf(share: Share | undefined): PipelineConnection {
    if (share === undefined) return leastBusy()
    const open = share.connections.filter((one) => connections.includes(one as PipelineConnection))
    if (open.length >= CONNECTIONS_OF_ONE)
      return (open as PipelineConnection[]).reduce((best, one) => (isBetter(one, best) ? one : best))
    const connection = leastBusy()
    if (!open.includes(connection)) share.connections.splice(0, CONNECTIONS_OF_ONE, ...open, connection)
    return connection
  }

  const runIn =
    (
      connectionFor: (share: Share | undefined) => PipelineConnection,
      told: (error: unknown) => unknown = problemOf,
    ): Runner["run"] =>
    (statement, values, meter) =>
      new Promise((resolve, reject) => {
        let count = 1
        const attempt = () =>
          connectionFor(meter?.share).send(
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
  const run = runIn(connectionOf)
  const together = runTogether(
    run,
    runIn(connectionOf, (error) => error),
  )

  return {
    run: (statement, values, meter) =>
      statement.together?.key === undefined
        ? run(statement, values, meter)
        : together(statement, statement.together, values),
    pinned(share) {
      const connection = connectionOf(share)
      return { run: runIn(() => connection) }
    },
    status() {
      const open = connections.filter((connection) => connection !== undefined)
      return { open: open.length, waiting: open.reduce((sum, { waiting }) => sum + waiting, 0) }
    },
    async stop() {
      await Promise.all(connections.map((connection) => connection?.stop()))
    },
  }
}
