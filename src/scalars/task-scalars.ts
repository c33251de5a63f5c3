import { GraphQLInt, GraphQLScalarType } from "graphql"
import { ID, literal, Refusal, SHOWN_AS, stringScalar, upTo } from "./scalars.js"

// The limits that only tasks have; some are of §8.

/** How many periods lie between two occurrences (§8): at least 1. */
export const RecurrenceCount = new GraphQLScalarType<number, number>({
  name: "RecurrenceCount",
  description: "The number of days, weeks, months or years between two occurrences: 1 to 2147483647.",
  extensions: { [SHOWN_AS]: GraphQLInt },
  serialize: (value) => value as number,
  parseValue: recurrenceCount,
  parseLiteral: (node) => recurrenceCount(literal(node)),
})

function recurrenceCount(value: unknown): number {
  if (typeof value !== "number" || !Number.isInteger(value)) throw new TypeError("must be an integer")
  if (value < 1 || value > 2_147_483_647) throw new Refusal("must be at least 1 and at most 2147483647")
  return value
}

const MAX_SEARCH = 255

/** What is looked for in texts. */
export const SearchText = stringScalar({
  name: "SearchText",
  description: `1 to ${MAX_SEARCH} characters (Unicode code points), not only white space.`,
  check: (value) => {
    if (!/\S/.test(value)) throw new Refusal(`must not be blank: 1 to ${MAX_SEARCH} characters`)
    return upTo(MAX_SEARCH, 1)(value)
  },
})

/** Longer than any of ours, which may hold a title. */
const MAX_CURSOR = 4_096

/** A place in a collection that has several orders. */
export const Cursor = stringScalar({
  name: "Cursor",
  description: `At most ${MAX_CURSOR} characters.`,
  check: upTo(MAX_CURSOR),
})

/** The assignee of tasks that are looked for: the viewer is `me`. */
export const AssigneeId = new GraphQLScalarType<string, string>({
  name: "AssigneeId",
  description: "An identifier, or `me` for the viewer.",
  extensions: { [SHOWN_AS]: ID },
  serialize: (value) => String(value),
  parseValue: assigneeFrom,
  parseLiteral: (node) => assigneeFrom(literal(node)),
})

function assigneeFrom(value: unknown): string {
  return value === "me" ? value : ID.parseValue(value)
}
