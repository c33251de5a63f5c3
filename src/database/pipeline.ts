import pg from "pg"
import type { Runner, Statement, Value } from "../statement.js"
import { mayRepeat, problemOf } from "./failure.js"

const CONNECT_TIMEOUT_MS = 2_000
/** Longer than any statement of ours; a database that hangs does not hang its clients. */
const STATEMENT_TIMEOUT_MS = 10_000
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000
const MAX_ATTEMPTS = 4

/** The settings under which statements are written: instants in UTC, dates in ISO order. */
export const sessionOf = (url: string): pg.ClientConfig => ({
  connectionString: url,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: STATEMENT_TIMEOUT_MS + 1_000,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  options: "-c timezone=UTC -c datestyle=ISO,YMD -c intervalstyle=postgres",
  application_name: "tandem",
  keepAlive: true,
})

/** Text as it came: rows are read by the tables' own readers. */
export const rawText = { getTypeParser: () => (text: unknown) => text } as unknown as pg.CustomTypesConfig

/** A connection of raw text rows. */
export const rawClient = (url: string, config: pg.ClientConfig = {}): pg.Client =>
  new pg.Client({ ...sessionOf(url), types: rawText, ...config })

const parameter = (value: Value): unknown => (Array.isArray(value) ? `{${value.join(",")}}` : value)

/** Runs one statement on a client and reads its rows; failures come out as they are. */
export async function runOn<Row>(
  client: pg.ClientBase,
  { name, text, read }: Statement<Row>,
  values: readonly Value[],
): Promise<Row[]> {
  const query = { name, text, values: values.map(parameter), rowMode: "array" as const }
  const { rows } = await client.query<(string | null)[]>(query)
  return rows.map((fields) => read(fields))
}

/** Runs `attempt` again while PostgreSQL gives it up for another statement's sake; failures come out as problems. */
export async function repeated<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let count = 1; ; count++) {
    try {
      return await attempt()
    } catch (error) {
      if (count === MAX_ATTEMPTS || !mayRepeat(error)) throw problemOf(error)
    }
  }
}

type Lane = { client: Promise<pg.Client>; waiting: number }

/** A few connections that everybody shares: a statement is sent without waiting for the answers of those before it. */
export type Pipeline = Runner & { pinned(): Runner; stop(): Promise<void> }

/** Opens the pipeline lazily: a connection is made when it is first needed, and again after it has broken. */
export function openPipeline(url: string, connections: number): Pipeline {
  const lanes: (Lane | undefined)[] = Array.from({ length: connections }, () => undefined)

  function open(index: number): Lane {
    const client = rawClient(url, { pipeline: true } as pg.ClientConfig)
    const lane: Lane = { client: client.connect().then(() => client), waiting: 0 }
    const drop = () => {
      if (lanes[index] === lane) lanes[index] = undefined
    }
    client.on("error", drop)
    client.on("end", drop)
    lane.client.catch(drop)
    lanes[index] = lane
    return lane
  }

  function leastBusy(): Lane {
    let best: Lane | undefined
    for (let index = 0; index < lanes.length; index++) {
      const lane = lanes[index]
      if (lane === undefined) {
        if (best === undefined || best.waiting > 0) return open(index)
      } else if (best === undefined || lane.waiting < best.waiting) best = lane
    }
    return best ?? open(0)
  }

  async function runIn<Row>(lane: Lane, statement: Statement<Row>, values: readonly Value[]): Promise<Row[]> {
    lane.waiting++
    try {
      return await runOn(await lane.client, statement, values)
    } finally {
      lane.waiting--
    }
  }

  return {
    run: (statement, values) => repeated(() => runIn(leastBusy(), statement, values)),
    pinned() {
      const lane = leastBusy()
      return { run: (statement, values) => repeated(() => runIn(lane, statement, values)) }
    },
    async stop() {
      await Promise.all(lanes.map((lane) => lane?.client.then((client) => client.end()).catch(() => {})))
    },
  }
}
