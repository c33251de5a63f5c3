/** An identifier: a canonical decimal string of 1 to 2^53-1. "0" stands for what cannot be one; no row has it. */
export type Id = string

/** How a column's text becomes a value: ids stay strings, words are names without blanks, instants become `YYYY-MM-DDTHH:MM:SS.mmmZ`, dates stay as they are. */
export type ColumnKind = "id" | "ids" | "words" | "text" | "integer" | "boolean" | "instant" | "date"

/** What a member of a row is: a column of a kind, or a value that every row has alike and no column holds. */
export type Member = ColumnKind | { readonly always: string }

/** What PostgreSQL sends for one row: each column's text, null where it is NULL. */
export type Fields = readonly (string | null)[]

/** A table's columns as the service names and reads them; made by {@link table}. */
export type Table<Row> = {
  /** Its columns for a select list, each under the given row name: `t.id, t.list_id, …`. */
  columns(row: string): string
  /** Its members as a selection of REST names them, without those that only GraphQL shows. */
  members(...hidden: (keyof Row & string)[]): string
  /** Reads one row whose columns begin at `offset`; null when its first column is (a left join that found nothing). */
  read(fields: Fields, offset?: number): Row | null
  /** Reads one row as the triggers keep it in an event: JSON with the columns' names. */
  readSnapshot(snapshot: Record<string, unknown>): Row
  /** The same of a row as Prisma gives it. */
  readPrisma(row: Readonly<Record<string, unknown>>): Row
  /** The same row in the form of the REST contract: names in snake_case, ids as integers, what is unset left out. */
  showSnapshot(snapshot: Record<string, unknown>): Record<string, unknown>
}

/** One SQL text with a name, prepared once on each connection; made by {@link statement}. */
export type Statement<Row> = {
  readonly name: string
  readonly text: string
  read(fields: Fields): Row
  readonly together?: Together<Row>
}

/**
 * How runs of a statement leave as one: those with the same key would wait for one row's lock, so while one is under way the
 * others wait in the node. Each succeeds or fails as if it had been run alone. Of those without a key only the runs of one
 * transaction leave together.
 */
export type Together<Row> = {
  /** Undefined for a run that leaves alone. `keyOf` gives what an answer has told of a row; of most rows that is nothing. */
  key(values: readonly Value[], keyOf: (row: Id) => string | undefined): string | undefined
  /** What a run's answer tells: a row, and the key of those that write it. */
  tells(row: Row): readonly [row: Id, key: string]
  /** Runs that have the same one never leave in one statement, for it changes a row once. */
  apart?(values: readonly Value[]): string
  /** Takes an array for each value of the statement, and gives each row with the place of its run, from 1. */
  readonly all: Statement<{ place: number; row: Row }>
}

/** `listId` -> `list_id`: columns and the REST contract share their names. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)

/** PostgreSQL's text of a timestamptz(3) in UTC -> ISO 8601 with milliseconds. It leaves out trailing zeros. */
export function instantOf(text: string): string {
  const day = text.slice(0, 10)
  const time = text.slice(11, text.indexOf("+", 19))
  if (time.length === 12) return `${day}T${time}Z`
  return `${day}T${time.length === 8 ? `${time}.000` : time.padEnd(12, "0")}Z`
}

const ID_LIST = /\d+/g

/** What PostgreSQL says for a boolean: `t` as a column, `true` as a text. */
export const isTrue = (text: string | null | undefined): boolean => text?.charCodeAt(0) === 116

const fromText: Record<ColumnKind, string> = {
  id: "v",
  text: "v",
  date: "v",
  integer: "v === null ? null : +v",
  boolean: "v === null ? null : v.charCodeAt(0) === 116",
  instant: "v === null ? null : instantOf(v)",
  ids: "v === null ? null : v.match(ID_LIST) ?? []",
  words: 'v === null ? null : v === "{}" ? [] : v.slice(1, -1).split(",")',
}

const fromJson: Record<ColumnKind, (value: unknown) => unknown> = {
  id: (value) => (value == null ? null : String(value)),
  ids: (value) => (value as unknown[] | null)?.map(String) ?? [],
  words: (value) => value ?? null,
  text: (value) => value ?? null,
  date: (value) => value ?? null,
  integer: (value) => (value == null ? null : Number(value)),
  boolean: (value) => value ?? null,
  instant: (value) => (value == null ? null : new Date(value as string).toISOString()),
}

/**
 * Describes a table by its members in camelCase, in the order in which answers show them; the first may not be nullable.
 * The reader is generated, so that all rows of a table share one hidden class and cost little more than their text.
 */
export function table<Row>(members: Readonly<Record<keyof Row & string, Member>>): Table<Row> {
  const all = Object.entries<Member>(members)
  const kinds = all.filter((member): member is [string, ColumnKind] => typeof member[1] === "string")
  const constants = all.flatMap(([name, member]) =>
    typeof member === "string" ? [] : [[name, member.always] as const],
  )
  const read = new Function(
    "instantOf",
    "ID_LIST",
    `return (f, o = 0) => { let v; return f[o] === null ? null : { ${[
      ...kinds.map(([name, kind], index) => `${name}: (v = f[o + ${index}], ${fromText[kind]})`),
      ...constants.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ]} } }`,
  )
  const columns = kinds.map(([name, kind]) => ({ name, kind, column: snakeCase(name) }))
  const readObject = (row: Readonly<Record<string, unknown>>, key: "name" | "column") =>
    Object.fromEntries([...columns.map((one) => [one.name, fromJson[one.kind](row[one[key]])]), ...constants]) as Row
  return {
    members: (...hidden) =>
      [...Object.keys(members).filter((name) => !(hidden as string[]).includes(name)), "__typename"].join(" "),
    columns: (row) => columns.map(({ column }) => `${row}."${column}"`).join(", "),
    read: read(instantOf, ID_LIST),
    readSnapshot: (snapshot) => readObject(snapshot, "column"),
    readPrisma: (row) => readObject(row, "name"),
    showSnapshot(snapshot) {
      const shown: Record<string, unknown> = {}
      for (const { column, kind } of columns) {
        const value = snapshot[column]
        if (value != null) shown[column] = kind === "instant" ? fromJson.instant(value) : value
      }
      for (const [name, value] of constants) shown[snakeCase(name)] = value
      return shown
    },
  }
}

/** Names an SQL text. `read` gives one row of its answer; for a table's columns that is the table's own reader. */
export const statement = <Row>(
  name: string,
  text: string,
  read: (fields: Fields) => Row,
  together?: Together<Row>,
): Statement<Row> => ({ name, text: text.replace(/\s+/g, " ").trim(), read, together })

/** A value of a statement: pg sends numbers and booleans as text, arrays as PostgreSQL's array text. */
export type Value = string | number | boolean | null | undefined | readonly (string | number)[] | Uint8Array

/** Is told of what a statement reads while it does, in portions of many rows, and may end it by throwing. */
export type Meter = {
  /** The largest row so far, in bytes. */
  widestRow: number
  /** Whose statement it is, where they share few of the connections. */
  share?: Share
  read(bytes: number): void
}

/** What one user has of the database's connections: the others find the rest of them free. */
export type Share = {
  /** Those down which the user's statements go at the moment. */
  readonly connections: object[]
}

/** What runs statements: the database, one connection of it, or a transaction. */
export type Runner = {
  /**
   * Runs one statement, on a connection that others share in pipeline, and reads its rows. Repeats it at most three times
   * when PostgreSQL gave it up for a deadlock.
   * @throws Unavailable when the database cannot be reached; a Problem for a limit that the database holds; what `meter` throws
   */
  run<Row>(statement: Statement<Row>, values: readonly Value[], meter?: Meter): Promise<Row[]>
}
