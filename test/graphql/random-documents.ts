import {
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
} from "graphql"

/** Numbers from 0 to 1 that are the same for the same seed. (mulberry32) */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const CONDITIONS = ["@skip(if: $no)", "@include(if: $yes)", "@include(if: true)", "@skip(if: $no) @include(if: $yes)"]

type Options = {
  schema: GraphQLSchema
  random: () => number
  /** Texts to choose from for each argument: literals and variables. */
  values: Readonly<Record<string, readonly string[]>>
  /** A fragment for each type of that name, which is spread where one fits. */
  fragments: readonly string[]
  /** Fields to leave out. */
  without: readonly string[]
}

/** Selects at random from the query type, several levels deep: aliases, arguments, fragments and conditions. */
export function randomSelection({ schema, random, values, fragments, without }: Options): string {
  const below = (limit: number) => Math.floor(random() * limit)
  const one = <T>(items: readonly T[]): T => items[below(items.length)] as T
  const hasConditions = below(2) === 0
  const condition = () => (hasConditions && below(4) === 0 ? one(CONDITIONS) : "")

  function selection(type: GraphQLNamedType, levels: number): string {
    const parts = Array.from({ length: 1 + below(4) }, () => {
      const kind = below(6)
      if (kind === 0 && levels > 0) {
        const inner = isAbstractType(type) ? one(schema.getPossibleTypes(type)) : type
        return `... on ${inner.name} ${condition()} { ${selection(inner, levels - 1)} }`
      }
      if (kind === 1 && fragments.includes(type.name)) return `...${type.name} ${condition()}`
      return field(type, levels)
    })
    return `__typename ${parts.join(" ")}`
  }

  function field(type: GraphQLNamedType, levels: number): string {
    if (!isObjectType(type) && !isInterfaceType(type)) return ""
    const fields = Object.values(type.getFields()).filter(
      (known) => !without.includes(known.name) && (levels > 0 || !isCompositeType(getNamedType(known.type))),
    )
    if (fields.length === 0) return ""
    const { name, args, type: inner } = one(fields)
    const given = args.filter((argument) => isNonNullType(argument.type) || below(2) === 0).map(argumentText)
    // Fields with the same name and other arguments could not be merged.
    const alias = given.length > 0 || below(3) === 0 ? `a${below(10_000)}: ` : ""
    const named = getNamedType(inner)
    const inside = isCompositeType(named) ? `{ ${selection(named, levels - 1)} }` : ""
    return `${alias}${name}${given.length > 0 ? `(${given.join(", ")})` : ""} ${condition()} ${inside}`
  }

  const argumentText = ({ name }: GraphQLArgument) => `${name}: ${one(values[name] ?? ["null"])}`
  const query = schema.getQueryType()
  return query ? selection(query, 5) : ""
}
