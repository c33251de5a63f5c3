import type { Duplex } from "node:stream"
import pg from "pg"
import type { Fields, Meter, Statement, Value } from "../statement.js"

/** What a statement gave: its rows, or why there are none. */
export type Answered<Row> = (error: Error | null, rows: Row[]) => void

/** A meter is told of so much at once; less than that it never hears of. */
const PORTION_BYTES = 65_536

/** pg's connection as a query sees it; its types know less of it than it has. */
type Wire = {
  readonly stream: Duplex
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
  parse(query: { name: string; text: string }): void
  bind(config: { statement: string; values: readonly unknown[]; valueMapper: (value: Value) => unknown }): void
  execute(): void
  sync(): void
}

/** PostgreSQL takes every value as text, arrays as its own array text, and bytes as they are. */
function asText(value: Value): string | Buffer | null {
  if (typeof value === "string") return value
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return `{${value.join(",")}}`
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return String(value)
}

/**
 * One run of a named statement, which reads rows out of the messages they come in. pg's own query asks for a description of
 * the columns each time, which we know, and makes an emitter, a result and an object per row: three times the cost of one row.
 */
export class TextQuery<Row> {
  readonly name: string
  readonly text: string
  /** Replaced by pg where it watches the time. */
  callback: Answered<Row>
  private readonly found: Row[] = []
  private readonly read: (fields: Fields) => Row
  private fault: Error | undefined
  /** Bytes that the meter does not know of yet. */
  private unread = 0
  private stream: Duplex | undefined

  constructor(
    { name, text, read }: Statement<Row>,
    private readonly values: readonly Value[],
    answered: Answered<Row>,
    private readonly meter?: Meter,
  ) {
    this.name = name
    this.text = text
    this.read = read
    this.callback = answered
  }

  /** Sends it down a connection. */
  sendOn(client: pg.ClientBase): void {
    void client.query(this as unknown as pg.Submittable)
  }

  /** Called by pg: sends it; what stands in the stream's cork leaves in one write. */
  submit(wire: Wire): Error | null {
    const { name, text, values } = this
    this.stream = wire.stream
    wire.stream.cork()
    if (wire.parsedStatements[name] === undefined && wire.submittedNamedStatements[name] === undefined) {
      wire.parse({ name, text })
      wire.submittedNamedStatements[name] = text
    }
    wire.bind({ statement: name, values, valueMapper: asText })
    wire.execute()
    wire.sync()
    wire.stream.uncork()
    return null
  }

  handleDataRow({ fields, length }: { fields: Fields; length: number }): void {
    const { meter } = this
    try {
      if (meter !== undefined) this.measure(meter, length)
      if (this.fault === undefined) this.found.push(this.read(fields))
    } catch (error) {
      this.fault = error as Error
      this.found.length = 0
    }
  }

  private measure(meter: Meter, length: number): void {
    if (length > meter.widestRow) meter.widestRow = length
    this.unread += length
    if (this.unread < PORTION_BYTES) return
    this.rest()
    if (this.fault === undefined) meter.read(this.unread)
    this.unread = 0
  }

  /** Of a large answer a portion is read in each turn of the event loop, however much of it is there: others come between. */
  private rest(): void {
    const { stream } = this
    if (stream === undefined || stream.isPaused()) return
    stream.pause()
    setImmediate(() => stream.resume())
  }

  handleReadyForQuery(): void {
    this.callback(this.fault ?? null, this.found)
  }

  handleError(error: Error): void {
    this.callback(error, [])
  }

  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}

// Of queries that are not its own pg lets none into a pipeline, because of cursors; this one leaves nothing open.
Object.setPrototypeOf(TextQuery.prototype, pg.Query.prototype)
