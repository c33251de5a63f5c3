import { GraphQLFloat, GraphQLInt, type GraphQLScalarType } from "graphql"
import { type ClassType, getMetadataStorage } from "type-graphql"
import { DateOnly, DateTime, ID, SHOWN_AS } from "../scalars/scalars.js"
import { type ColumnKind, type Member, snakeCase, type Table, table, type Value } from "../statement.js"

// An object type names its fields once, in its class: what statements select, insert and change, what `remove` may name, what REST
// shows and OpenAPI describes derive from there.

type Field = { readonly name: string; readonly kind: ColumnKind; readonly isNullable: boolean }

const KINDS = new Map<unknown, ColumnKind>([
  [ID, "id"],
  [GraphQLInt, "integer"],
  [GraphQLFloat, "integer"],
  [Boolean, "boolean"],
  [DateTime, "instant"],
  [DateOnly, "date"],
])

/** The fields of a class that type-graphql knows, in their order there. */
const fieldsOf = (type: ClassType): Field[] =>
  getMetadataStorage()
    .fields.filter(({ target }) => target === type)
    .map(({ name, getType, typeOptions }) => {
      const type = getType()
      const shown = (type as Partial<GraphQLScalarType>).extensions?.[SHOWN_AS] ?? type
      const kind = KINDS.get(shown) ?? "text"
      // What is an array is known once its type is.
      return {
        name,
        kind: typeOptions.array ? (kind === "id" ? "ids" : "words") : kind,
        isNullable: typeOptions.nullable === true,
      }
    })

/** The table of an object type; `without` are fields that no row of it holds, `beside` is what its rows hold beside them. */
export function tableOf<Row extends object, Without extends keyof Row & string = never>(
  type: ClassType<Row>,
  without: readonly Without[] = [],
  beside?: Readonly<Partial<Record<keyof Row & string, Member>>>,
): Table<Omit<Row, Without>> {
  const columns = fieldsOf(type).filter(({ name }) => !(without as readonly string[]).includes(name))
  return table({ ...Object.fromEntries(columns.map(({ name, kind }) => [name, kind])), ...beside } as never)
}

/** A field that clients set as they like. */
export type Settable = {
  readonly name: string
  readonly column: string
  /** Its type in PostgreSQL. */
  readonly type: string
  /** Whether it can be left out. */
  readonly isOptional: boolean
  /** What is left of it when it is removed; undefined when it cannot be. */
  readonly removed: null | false | undefined
}

const TYPES: Readonly<Record<ColumnKind, string>> = {
  ...{ id: "bigint", text: "text", date: "date", boolean: "boolean", integer: "integer", instant: "timestamptz" },
  ...{ ids: "bigint[]", words: "text[]" },
}

/** The fields of an input in the order of its object type, without those that say which row is meant and not what is in it. */
export function settablesOf(type: ClassType, input: ClassType, ...places: readonly string[]): readonly Settable[] {
  const shown = fieldsOf(type)
  const given = fieldsOf(input).filter(({ name }) => !places.includes(name))
  const inOrder = shown.flatMap(({ name }) => given.filter((field) => field.name === name))
  return [...inOrder, ...given.filter((field) => !inOrder.includes(field))].map(({ name, kind, isNullable }) => {
    const isNever = shown.some((field) => field.name === name && !field.isNullable)
    const removed = isNever ? (kind === "boolean" ? false : undefined) : null
    return {
      ...{ name, column: snakeCase(name), type: TYPES[kind], isOptional: isNullable },
      removed: isNullable ? removed : undefined,
    }
  })
}

const givenValue = (given: object, name: string) => (given as Readonly<Record<string, Value>>)[name]

/** The values of a new row, one for each field; what is left out is as if it had been removed. */
export const newValues = (settables: readonly Settable[], given: object): Value[] =>
  settables.map(({ name, removed }) => givenValue(given, name) ?? removed)

/** The values of a change: before each that may become null, whether it is set. */
export const changedValues = (settables: readonly Settable[], given: object): Value[] =>
  settables.flatMap(({ name, removed }) => {
    const value = givenValue(given, name)
    return removed === null ? [value !== undefined, value] : [value]
  })
