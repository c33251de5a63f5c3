import { GraphQLFloat, GraphQLInt, GraphQLScalarType } from "graphql"
import { literal, Refusal, SHOWN_AS } from "./scalars.js"

const MAX_INT = 2 ** 31 - 1

/** A type of whole numbers from `least` to `most`. */
export function integerScalar(name: string, description: string, least: number, most: number) {
  const check = (value: unknown): number => {
    if (typeof value !== "number" || !Number.isInteger(value)) throw new TypeError("must be an integer")
    if (value < least || value > most) throw new Refusal(`must be from ${least} to ${most}`)
    return value
  }
  return new GraphQLScalarType<number, number>({
    name,
    description,
    extensions: { [SHOWN_AS]: most > MAX_INT ? GraphQLFloat : GraphQLInt },
    serialize: (value) => value as number,
    parseValue: check,
    parseLiteral: (node) => check(literal(node)),
  })
}
