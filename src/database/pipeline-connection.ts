import type { Socket } from "node:net"
import type pg from "pg"
import type { Meter, Statement, Value } from "../statement.js"
import { isReadOnly } from "./failure.js"
import { type Answered, TextQuery } from "./text-query.js"

/** A connection that takes statements before the ones sent earlier are answered; answers come in their order. */
export type PipelineConnection = {
  /** How many statements have no answer yet. */
  waiting: number
  isConnected: boolean
  send<Row>(statement: Statement<Row>, values: readonly Value[], answered: Answered<Row>, meter?: Meter): void
  stop(): Promise<void>
}

/** Opens a connection. What is sent in one turn of the event loop leaves in one write, and PostgreSQL is woken once. */
export function openConnection(
  client: pg.Client,
  answerTimeoutMs: number,
  onEnd: (connection: PipelineConnection) => void,
): PipelineConnection {
  const connected = client.connect()
  const { connection: wire } = client as unknown as { connection: { stream: Socket } }
  const { stream } = wire
  let isCorked = false
  let isRetired = false
  // One clock for the whole connection: answers come in order, so that nothing for this long means that nothing will. A large
  // answer may take longer as long as some of it comes, or the small ones behind it would fail with it.
  let clock: NodeJS.Timeout | undefined
  let heard = 0
  const listenOn = () => {
    heard = wire.stream.bytesRead
    clock?.refresh()
  }
  const giveUp = () => {
    if (connection.waiting === 0) clock = undefined
    else if (wire.stream.bytesRead > heard) listenOn()
    else stream.destroy(new Error("Query read timeout"))
  }
  // Where this process was busy for so long, what came meanwhile is read first.
  const look = () => void setImmediate(giveUp)

  /** What is sent from now on takes a new connection; what has been sent is still answered on this one. */
  function retire(): void {
    isRetired = true
    onEnd(connection)
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
      connection.waiting--
      listenOn()
      if (error !== null && isReadOnly(error)) retire()
      answered(error, rows)
      if (isRetired && connection.waiting === 0) void connection.stop()
    }
    new TextQuery(statement, values, settle, meter).sendOn(client)
  }

  const connection: PipelineConnection = {
    waiting: 0,
    isConnected: false,
    send(statement, values, answered, meter) {
      if (connection.waiting++ === 0) {
        clock ??= setTimeout(look, answerTimeoutMs).unref()
        listenOn()
      }
      if (connection.isConnected) return sendNow(statement, values, answered, meter)
      connected.then(
        () => sendNow(statement, values, answered, meter),
        (error: Error) => {
          connection.waiting--
          answered(error, [])
        },
      )
    },
    async stop() {
      clearTimeout(clock)
      await connected.then(() => client.end()).catch(() => {})
    },
  }
  const end = () => onEnd(connection)
  client.on("error", end)
  client.on("end", end)
  connected.then(() => {
    connection.isConnected = true
  }, end)
  return connection
}

/** Whether a statement rather goes down this one than the other. */
export const isBetter = (one: PipelineConnection, other: PipelineConnection): boolean =>
  one.isConnected === other.isConnected ? one.waiting < other.waiting : one.isConnected
